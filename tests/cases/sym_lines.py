# SPDX-License-Identifier: BSD-3-Clause
"""usage: sym_lines.py RUN.h5 SOURCE
In the profile of sym_inlined.cc, the instructions of the marked line are innermost's, inlined into price, inlined into
total, each called at its marked line. Status 0: so it is. 1: it is not. 3: no such line was sampled."""
import sys

import h5py

NAMES = {
    "innermost": "innermost<double>",
    "price": "shop::Store::price(unsigned int) const",
    "total": "shop::Store::total(unsigned int) const",
}


def texts(data):
    return data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]


def main():
    run = h5py.File(sys.argv[1], "r")
    lines = {k: texts(v) for k, v in run["lines"].items()}
    inlines = {k: texts(v) for k, v in run["inlines"].items()}
    marks = {}
    for number, text in enumerate(open(sys.argv[2]), 1):
        if "// @" in text:
            marks[text.split("// @")[1].strip()] = number
    found, failed = 0, 0
    for row, (file, line) in enumerate(zip(lines["file"], lines["line"])):
        if not file.endswith("sym_inlined.cc") or line != marks["line innermost"]:
            continue
        found += 1
        steps = [(inlines["function"][i], int(inlines["line_number"][i]))
                 for i in range(len(inlines["line"])) if inlines["line"][i] == row]
        want = [(NAMES["price"], marks["call innermost"]), (NAMES["total"], marks["call price"])]
        if lines["function"][row] != NAMES["innermost"] or steps != want or lines["symbol"][row] != NAMES["total"]:
            failed = 1
            print(f"FAIL: {lines['function'][row]} in {lines['symbol'][row]} through {steps}, not {want}")
    sys.exit(failed if found else 3)


main()
