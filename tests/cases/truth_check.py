# SPDX-License-Identifier: BSD-3-Clause
"""usage: truth_check.py NAME PATTERNS.json TABLE.json: the patterns that were extracted from an exact trace of a
truth program (`patterns -o PATTERNS.json --json >TABLE.json`) are those of truth_expected.py, access by access."""
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


def main(name, patterns_path, table_path):
    wanted = truth_expected.expected(name)
    patterns, table = json.load(open(patterns_path)), json.load(open(table_path))
    assert len(patterns) == len(table["patterns"])
    found, bad = {}, []
    for configuration, row in zip(patterns, table["patterns"]):
        key = (row["op"], row["home"])
        if key not in wanted:
            continue
        got = accesses(configuration, row)
        found.setdefault(key, []).append((got, row))
        through = truth_expected.THROUGH.get(name, {}).get(key)
        if through and row["index_home"] != through:
            bad.append(f"{key}: through '{row['index_home']}', wanted '{through}'")
        of_class = truth_expected.CLASSES.get(name, {}).get(key)
        if of_class and row["class"] != of_class:
            bad.append(f"{key}: {row['class']}, wanted {of_class}")
    for key, sequences in wanted.items():
        left = [list(s) for s in sequences]
        for got, row in found.get(key, []):
            # what a period leaves at the ends is told, not given
            match = next((s for s in left if len(s) == row["accesses"] and
                          s[row["prologue"]:len(s) - row["epilogue"]] == got), None)
            if match is None:
                bad.append(f"{key}: {row['form']} {row['accesses']} accesses {got[:12]}... are none of the wanted "
                           f"{[(len(s), s[:12]) for s in left]}")
            else:
                left.remove(match)
        bad += [f"{key}: not found: {len(s)} accesses {s[:12]}..." for s in left]
    for line in bad:
        print(f"FAIL: {name}: {line}")
    print(f"{name}: {sum(len(s) for v in wanted.values() for s in v)} accesses of {sum(map(len, wanted.values()))} patterns")
    return bool(bad)


sys.exit(main(*sys.argv[1:]))
