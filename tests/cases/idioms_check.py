# SPDX-License-Identifier: BSD-3-Clause
"""usage: idioms_check.py SOURCE ALLOCATIONS.json: compare the names of allocation sites with the expectations in lines of the
source: `call(); //= first, second`; `here` in a name is the place in the source. Prints the number of right ones, and each that
is wrong."""
import collections
import json
import os
import re
import sys


def shorten(label):
    """Without the parts that distinguish sites of one name."""
    return re.sub(r" [(<#].*", "", label)


def is_in(row, source):
    return os.path.basename(row.get("file", "")) == os.path.basename(source)


def main():
    source, found = sys.argv[1], json.load(open(sys.argv[2]))["allocations"]
    names = collections.defaultdict(list)
    for row in found:
        if is_in(row, source):
            names[row["line"]].append(shorten(row["site"]))
    right = wrong = 0
    table = [(number, re.search(r"(?://|!|#)= ([\w.,>%: -]+)$", line.rstrip())) for number, line in enumerate(open(source), 1)]
    table = [(number, match.group(1)) for number, match in table if match]
    lines = {number for number, _ in table}
    elsewhere = collections.Counter(shorten(row["site"]) for row in found if row.get("line") not in lines or not is_in(row, source))
    for number, expected in table:
        for name in expected.replace("here", f"{os.path.basename(source)}:{number}").split(", "):
            if name in names[number]:
                right += 1
            elif elsewhere[name] > 0:  # a function that is inlined into the caller has the place
                elsewhere[name] -= 1
                right += 1
            else:
                wrong += 1
                print(f"{os.path.basename(source)}:{number}: {name} is called {sorted(set(names[number])) or 'nothing'}")
    print(f"{os.path.basename(source)}: {right} right, {wrong} wrong")
    return 1 if wrong or right < 10 else 0


sys.exit(main())
