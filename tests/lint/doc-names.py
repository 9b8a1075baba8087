#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: doc-names.py [SOURCE TREE]

Check that the files, folders, functions and make targets exist that the pages of the tree name in `code`:

* a source file ("prof_space.c", "perf/hw_*.c", "kn_options.[ch]") and a path that begins with a folder of the tree;
* an identifier with an underscore, and a call ("main()"): a word of the sources, or the beginning of some of them ("rt_step_", "ali_drw");
* "`name` in `folder/file.c`", also with several names: the file contains the name;
* "make target": a rule of the makefiles.

Names with FOLDER, NAME, FILE, _N or _x, and files called x or P, are examples. Names that belong to others are in doc-names.txt.
"""
import fnmatch
import glob
import os
import re
import sys

SUFFIXES = r'\.(?:\[ch\]|[chS]|cc|cl|js|mjs|css|py|sh|inc|mk|m4|ac|f90)'
FILE = re.compile(r'[\w./*-]+' + SUFFIXES)
EXAMPLE = re.compile(r'FOLDER|NAME|FILE|^P\.|(?:^|[_/])x\.|_(?:N|x)$')
STANDARD = {'all', 'check', 'dist', 'distcheck', 'install', 'uninstall', 'clean'}  # targets of automake
SKIPPED = {'.git', 'autom4te.cache', 'node_modules', '_build', '.deps', '.libs'}
IN_FILE = re.compile(r'((?:`\w+`(?:, | and ))*`\w+`) in `([\w./*-]+' + SUFFIXES + ')`')


def tree_files(tree):
    for folder, folders, names in os.walk(tree):
        folders[:] = [f for f in folders if f not in SKIPPED and not f.startswith('loadstone-')]
        yield from (os.path.relpath(os.path.join(folder, name), tree) for name in names)


class Tree:
    def __init__(self, path):
        self.path = path
        self.files = sorted(tree_files(path))
        self.folders = {f.rsplit('/', depth)[0] for f in self.files for depth in range(1, f.count('/') + 1)}
        self.tops = {f.split('/')[0] for f in self.folders}
        self.words, self.rules = set(), set(STANDARD)
        for name in self.files:
            if not re.search(SUFFIXES + r'$|\.am$|\.hpp$|\.json$', name):
                continue
            text = self.text(name)
            self.words.update(re.findall(r'\w+', text))
            if name.endswith(('.mk', '.am')):
                self.rules.update(target for rule in re.findall(r'^([\w.-][\w. -]*):', text, re.M) for target in rule.split())
        self.beginnings = {word[:at] for word in self.words for at in range(1, len(word)) if word[at - 1] == '_' or word[at] == '_'}

    def text(self, name):
        with open(os.path.join(self.path, name), encoding='utf-8', errors='replace') as f:
            return f.read()

    def matches(self, pattern):
        pattern = re.escape(pattern).replace(r'\*', '[^/]*').replace(r'\[ch\]', '[ch]')
        found = re.compile('(?:^|.*/)' + pattern + '$')
        return [f for f in self.files if found.match(f)]

    def has_path(self, path):
        """Whether a file (its suffix may be missing) or a folder has this path from the top of the tree."""
        path = path.rstrip('/')
        if path in self.folders or any(fnmatch.fnmatch(f, path) or f.startswith(path + '.') for f in self.files):
            return True
        return any(path in self.text(f) for f in self.files if f.endswith('.mk'))  # a program that is built

    def has_name(self, name):
        return name in self.words or name in self.beginnings


def code_words(text):
    """Line number and code of each `code` outside blocks."""
    text = re.sub(r'^```.*?^```', lambda block: re.sub(r'[^\n]', '', block.group()), text, flags=re.S | re.M)
    for found in re.finditer(r'`([^`\n]+)`', text):
        yield text.count('\n', 0, found.start()) + 1, found.group(1)


def fault_of(tree, code):
    """Why this code of a page is wrong, and how many names were looked up."""
    command = re.match(r'(?:[A-Z_]+=\S+ )*make ([a-z][\w-]+)$', code)
    if command:
        return (None if command.group(1) in tree.rules else 'no makefile has the target ' + command.group(1)), 1
    looked_up = 0
    for word in code.split():
        word = word.strip(',;')
        if EXAMPLE.search(word):
            continue
        if FILE.fullmatch(word) and not word.startswith(('./', '/')):
            looked_up += 1
            if not tree.matches(word):
                return 'there is no file ' + word, looked_up
        elif re.fullmatch(r'[\w-]+/[\w./*-]*', word) and word.split('/')[0] in tree.tops:
            looked_up += 1
            if not tree.has_path(word):
                return 'there is no path ' + word, looked_up
        elif re.fullmatch(r'[a-z_]\w*\(\)|_?[A-Za-z]\w*_\w*', word) and word == code:
            looked_up += 1
            if not tree.has_name(word.rstrip('()')):
                return 'no source has the name ' + word, looked_up
    return None, looked_up


def main():
    tree = Tree(sys.argv[1] if len(sys.argv) > 1 else '.')
    with open(__file__[:-2] + 'txt', encoding='utf-8') as f:
        foreign = {word for line in re.findall(r'^(?!#)((?:\S+ )+) ', f.read(), re.M) for word in line.split()}
    bad, seen = 0, 0
    pages = [p for p in ('README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md') if p in tree.files]
    for page in pages + [os.path.relpath(p, tree.path) for p in sorted(glob.glob(tree.path + '/doc/*.md'))]:
        text = tree.text(page)
        for line, code in code_words(text):
            fault, looked_up = (None, 0) if code in foreign else fault_of(tree, code)
            seen += looked_up
            if fault:
                print('FAIL: %s:%d: %s' % (page, line, fault))
                bad += 1
        for names, place in IN_FILE.findall(text):
            words = {word for f in tree.matches(place) for word in re.findall(r'\w+', tree.text(f))}
            for name in re.findall(r'\w+', names):
                seen += 1
                if words and name not in words and name not in foreign:
                    print('FAIL: %s: %s is not in %s' % (page, name, place))
                    bad += 1
    print('%d names' % seen)
    return 1 if bad or seen == 0 else 0


sys.exit(main())
