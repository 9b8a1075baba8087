# SPDX-License-Identifier: BSD-3-Clause
"""usage: truth_check.py NAME PATTERNS.json TABLE.json: check that the patterns extracted from an exact trace
of a truth program (`patterns -o PATTERNS.json --json >TABLE.json`) are equal to truth_expected.py, access by
access."""
import json
import sys

import truth_expected


def accesses(configuration, row):
    """All accesses, as words of 8 bytes from the start of the array: pattern files count so."""
    words = max(1, row["element_bytes"] // 8)
    pattern, count = configuration["pattern"], configuration.get("count", 1)
    deltas = configuration.get("delta", 8)
    deltas = deltas if isinstance(deltas, list) else [deltas]
    base, out = row["first_element"] * words, []
    for i in range(count):
        out += [base + index for index in pattern]
        base += deltas[i % len(deltas)]
    return out


def lanes(configuration, row):
    """Accesses of each instruction of the pattern, in their order: (operation, number of accesses left out
    before, accesses). Joined instructions alternate; the addresses of an update are its stores', and each was
    loaded before."""
    got, joined = accesses(configuration, row), row["joined"]
    if not joined:
        return [(row["op"], row["prologue"], got)]
    is_update = configuration.get("operation") == "update"
    width = len(joined) // 2 if is_update else len(joined)
    skipped, out = row["prologue"], []
    for op in ("load", "store") if is_update else (row["op"],):
        for lane in range(width):
            before = len(range(lane, skipped, width))
            out.append((op, before, got[(lane - skipped) % width::width]))
    return out


def main(name, patterns_path, table_path):
    wanted = truth_expected.expected(name)
    patterns, table = json.load(open(patterns_path)), json.load(open(table_path))
    assert len(patterns) == len(table["patterns"])
    left = {key: list(enumerate(sequences)) for key, sequences in wanted.items()}
    classes, shapes, bad = {}, {}, []
    for configuration, row in zip(patterns, table["patterns"]):
        key = (row["op"], row["home"])
        if key not in wanted:
            continue
        through = truth_expected.THROUGH.get(name, {}).get(key)
        if through is not None and row["index_home"] != through:
            bad.append(f"{key}: through '{row['index_home']}', wanted '{through}'")
        classes.setdefault(key, set()).add(row["class"])
        shapes.setdefault(key, set()).add((configuration.get("operation", "copy"), max(1, len(row["joined"]))))
        each, places = row["accesses"] // max(1, len(row["joined"])), []
        for op, before, got in lanes(configuration, row):
            there = left.get((op, row["home"]), [])
            # the accesses at the ends of a period are only counted
            match = next((s for s in there if len(s[1]) == each and s[1][before:before + len(got)] == got and
                          (each - len(got)) * max(1, len(row["joined"])) <= row["prologue"] + row["epilogue"] + len(row["joined"])), None)
            if match is None:
                bad.append(f"{(op, row['home'])}: {row['form']} {row['accesses']} accesses {got[:12]}... are none of the wanted "
                           f"{[(len(s), s[:12]) for _, s in there]}")
                continue
            there.remove(match)
            places.append((op, match[0]))
        if places != sorted(places):
            bad.append(f"{key}: joined in the order {places} of the text")
    bad += [f"{key}: not found: {len(s)} accesses {s[:12]}..." for key, rest in left.items() for _, s in rest]
    for what, found, table in (("class", classes, truth_expected.CLASSES), ("operation", shapes, truth_expected.OPERATIONS)):
        for key, right in table.get(name, {}).items():
            if found.get(key) != right:
                bad.append(f"{key}: {what} {found.get(key)}, wanted {right}")
    for line in bad:
        print(f"FAIL: {name}: {line}")
    print(f"{name}: {sum(len(s) for v in wanted.values() for s in v)} accesses of {sum(map(len, wanted.values()))} patterns")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
