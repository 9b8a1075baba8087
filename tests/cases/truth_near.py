# SPDX-License-Identifier: BSD-3-Clause
"""usage: truth_near.py NAME EXACT.json SAMPLED.json DIFF.json LAST: the patterns of a truth program's main arrays, from
bursts, against those from its exact trace. Fails silently unless LAST is 1."""
import json
import sys

# Arrays that a burst meets often enough to see how their accesses follow each other.
MAIN = {"spmv": ["a", "col", "x"], "hash": ["probes", "slots"], "list": ["nodes"], "histogram": ["data", "bins"],
        "fields": ["particles"], "stencil": ["in", "out"], "matmul": ["A", "B"], "shuffle": ["values"], "uneven": ["often", "seldom"]}
FAR = 0.1


def classes(path):
    found = {}
    for row in json.load(open(path))["patterns"]:
        if row["accesses"] >= 100:
            found.setdefault((row["op"], row["home"]), set()).add(row["class"])
    return found


def share_of_seldom(path):
    """The part of a loop that computes much for each of its accesses, among all of two loops of similar duration."""
    with open(path) as f:
        rows = json.load(f)["patterns"]
    sums = [sum(r["accesses"] for r in rows if r["home"] == home) for home in MAIN["uneven"]]
    return sums[1] / max(sum(sums), 1)


def main(name, exact_path, sampled_path, diff_path, last):
    exact, sampled = classes(exact_path), classes(sampled_path)
    rows, bad = json.load(open(diff_path))["rows"], []
    for key in [k for k in exact if k[1] in MAIN[name]]:
        if sampled.get(key) != exact[key]:
            bad.append(f"{key}: {sampled.get(key)}, exactly {exact[key]}")
    for home in MAIN[name]:
        near = [r for r in rows if "distance" in r and r["matched_by"] == "name" and
                r["a"]["name"].split(" ", 1)[1].startswith((home + " ", home + "["))]
        if not near:
            bad.append(f"{home}: not in both")
        for r in near:
            if r["distance"] > FAR:
                bad.append(f"{r['a']['name']}: distance {r['distance']:.3f}, {r['a']['accesses']} and {r['b']['accesses']} accesses")
    if name == "uneven" and abs(share_of_seldom(sampled_path) - share_of_seldom(exact_path)) > 0.02:
        bad.append(f"{share_of_seldom(sampled_path):.3f} of the accesses are to seldom, exactly {share_of_seldom(exact_path):.3f}")
    if last == "1":
        for line in bad:
            print(f"FAIL: {name}: {line}")
    if not bad:
        print(name + ": " + ", ".join(sorted({f"{r['a']['name']} {r['distance']:.4f}" for r in rows if "distance" in r})))
    return bool(bad)


sys.exit(main(*sys.argv[1:]))
