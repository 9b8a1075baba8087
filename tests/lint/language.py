#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the comments of C sources that contain a phrase of the list below, which plain technical English hardly ever needs.

usage: language.py [--list] FILE...

Prints "FOLDER COMMENTS MARKED PERCENT" for each folder, and for all; --list prints each marked comment with its place instead.
Comments of fewer than three words are left out.
"""
import collections
import re
import sys

PHRASES = re.compile(r"""\b(
    what | tells? | told | says? | said | those\ (that|of|who|which) | behind | stands | lies | so\ many | (of|by)\ which | of\ (its|their)\ own
    )\b | (^|[.:;]\s+)(Of|Who|Those)\b""", re.X | re.I)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def comments(text):
    """Line number and words of each comment."""
    for found in COMMENT.finditer(text):
        if found.group()[0] != "/":
            continue
        words = re.sub(r"\s*\n\s*\*?\s?", " ", found.group().strip("/*")).strip(" *-/")
        if len(words.split()) >= 3 and not words.startswith("SPDX"):
            yield text.count("\n", 0, found.start()) + 1, words


def main():
    listing = "--list" in sys.argv[1:]
    total, marked = collections.Counter(), collections.Counter()
    for path in [a for a in sys.argv[1:] if a != "--list"]:
        folder = path.rsplit("/", 1)[0] if "/" in path else "."
        with open(path, encoding="utf-8", errors="replace") as f:
            for line, words in comments(f.read()):
                has = PHRASES.search(words)
                total[folder] += 1
                marked[folder] += bool(has)
                if listing and has:
                    print("%s:%d: [%s] %s" % (path, line, has.group().strip(" .:;"), words))
    if listing:
        return
    for folder in sorted(total):
        print("%-28s %6d %5d %5.1f" % (folder, total[folder], marked[folder], 100 * marked[folder] / total[folder]))
    print("%-28s %6d %5d %5.1f" % ("all", sum(total.values()), sum(marked.values()), 100 * sum(marked.values()) / max(1, sum(total.values()))))


if __name__ == "__main__":
    main()
