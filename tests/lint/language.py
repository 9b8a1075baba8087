#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count the texts that contain a phrase of the list below, which plain technical English hardly ever needs.

usage: language.py [--list] FILE...

A text is a comment of C, C++, JavaScript, CSS, Python, shell, make or m4, a docstring of Python, or a paragraph, list item, heading
or table cell of a page (*.md); code blocks and `code` of pages are left out, and texts of fewer than three words.

Prints "FOLDER TEXTS MARKED PERCENT" for each folder, and for all; --list prints each marked text with its place instead.
"""
import ast
import collections
import io
import re
import sys
import tokenize

PHRASES = re.compile(r"""\b(
    what | tells? | told | says? | said | those\ (that|of|who|which) | behind | stands | lies | so\ many | (of|by)\ which | of\ (its|their)\ own
    )\b | (^|[.:;]\s+)(Of|Who|Those)\b""", re.X | re.I)
C_COMMENT = re.compile(r'/\*.*?\*/|^[ \t]*//[^\n]*(?:\n[ \t]*//[^\n]*)*|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S | re.M)
C_SUFFIXES = ("c", "h", "S", "cc", "cpp", "js", "mjs", "css")


def c_comments(text):
    for found in C_COMMENT.finditer(text):
        words = found.group().lstrip()
        if words[0] == "/":
            yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*\n\s*(\*|//)?\s?", " ", words.strip("/*"))


def joined_lines(lines):
    """Join (line number, text) of adjacent lines to paragraphs. An empty text ends one."""
    first, last, words = 0, -1, []
    for number, text in lines:
        if words and (number != last + 1 or not text):
            yield first, " ".join(words)
            words = []
        if text:
            first = first if words else number
            words.append(text)
        last = number
    if words:
        yield first, " ".join(words)


def hash_comments(lines):
    """Comments of shell, make, m4 and Python in (line number, line): whole lines joined to paragraphs, and ends of lines."""
    whole = []
    for number, line in lines:
        found = re.match(r"\s*(?:#+(?!!)|dnl\b)\s*(.*)", line)
        if found:
            whole.append((number, found.group(1).strip()))
        elif " # " in line:
            yield number, line.split(" # ", 1)[1]
    yield from joined_lines(whole)


def python_comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from hash_comments((t.start[0], t.line) for t in tokens if t.type == tokenize.COMMENT)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            lines = ast.get_docstring(node).splitlines()
            yield from joined_lines(enumerate(map(str.strip, lines), node.body[0].lineno))


def page_texts(text):
    """Texts of a page, without `code`."""
    return ((line, re.sub(r"`[^`]*`", "`", words)) for line, words in page_paragraphs(text))


def page_paragraphs(text):
    """Paragraphs, list items, headings and table cells of Markdown, without code."""
    lines, is_code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            lines.append((number, ""))
        elif not is_code:
            lines.append((number, line.strip()))
    paragraph = []
    for number, line in lines:
        starts = re.match(r"([*+-]|\d+\.|#+|!?\[)\s", line)
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.strip("|").split("|"))
        if starts or line.startswith("|"):
            yield from joined_lines(paragraph)
            paragraph = []
        paragraph.append((number, "" if line.startswith("|") else line[starts.end():] if starts else line))
    yield from joined_lines(paragraph)


def texts(path):
    """Line number and words of each text of a file."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    suffix = path.rsplit(".", 1)[-1]
    if suffix in C_SUFFIXES:
        found = c_comments(text)
    elif suffix == "py":
        found = python_comments(text)
    elif suffix == "md":
        found = page_texts(text)
    else:
        found = hash_comments(enumerate(text.splitlines(), 1))
    for line, words in found:
        words = re.sub(r"^SPDX-License-Identifier: \S+", "", words.strip(" *-/")).strip(" *-/")
        if len(words.split()) >= 3:
            yield line, words


def main():
    listing = "--list" in sys.argv[1:]
    total, marked = collections.Counter(), collections.Counter()
    for path in [a for a in sys.argv[1:] if a != "--list"]:
        folder = path.rsplit("/", 1)[0] if "/" in path else "."
        for line, words in texts(path):
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
