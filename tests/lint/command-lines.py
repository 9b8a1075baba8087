#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: command-lines.py LOADSTONE [SOURCE TREE]

Check that each command and each option named in a text exists. Texts are the help of LOADSTONE, the pages of the tree, and the
strings of its C files (messages, help, examples). The options of a command are taken from `LOADSTONE COMMAND --help-all`.

An option belongs to the command that is named before it ("loadstone report run.h5 --by line", "record --watch"), otherwise to the
command whose help or folder under tools/ the text is from, otherwise to any command.
"""
import collections
import glob
import os
import re
import subprocess
import sys

FOREIGN = set(re.findall(r'^(?:\S+ )+ ', open(__file__[:-2] + 'txt').read(), re.M))
FOREIGN = {word for line in FOREIGN for word in line.split()}
# Folders of tools/ with the texts of one command.
FOLDERS = {'tracer': 'trace'}
GLOBAL = {'--help', '--help-all', '--version', '--dump-options'}
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# A gap between strings that are one text: blanks, line ends, and macros such as PRIu64.
JOINED = re.compile(r'\s*(?:PRI\w+\s*)?(?="|PRI)')
ENDS = re.compile(r'[;|`"()\n]| -- |\. |: |, (?=[a-z])')
OPTION = re.compile(r'(?<![\w/<-])(--[a-z][a-z0-9-]*[a-z0-9]|-[a-zA-Z])(?![\w-])')

bad = seen = 0


def options_of(program, command):
    text = subprocess.run([program, command, '--help-all'], check=True, capture_output=True, text=True).stdout
    options = set()
    for letter, name in re.findall(r'^ +(-\w, )?(--[a-z0-9-]+)', text, re.M):
        options |= {name, letter[:2]} - {''}
    return options | GLOBAL, text


def owner_of(before, commands):
    """The command of an option that follows `before`, or None."""
    part = ENDS.split(before)[-1]
    named = re.findall(r'\bloadstone (%s)\b' % '|'.join(commands), part)
    if named:
        return named[-1]
    # other programs have a command "run", too
    commands = [c for c in commands if c != 'run']
    near = re.search(r'(?<![\w-])(?<!perf )(%s)(?: with)?((?: +--?[\w-]+(?:[= ][^\s-]\S*)?)*) +$' % '|'.join(commands), part)
    return near and near.group(1)


def check(where, text, commands, home):
    global bad, seen
    for m in re.finditer(r'(?<![\w./-])loadstone ([a-z]+)(?=[ `".,;:)\n]|$)(?! =)', text):
        if m.group(1) not in commands and m.group(1) not in FOREIGN:
            print('FAIL: %s: there is no command "loadstone %s"' % (where(m.start()), m.group(1)))
            bad += 1
    for m in OPTION.finditer(text):
        owner, option = owner_of(text[:m.start()], commands), m.group(1)
        if not option.startswith('--') and not (owner and 'loadstone ' + owner in text):
            continue
        seen += 1
        if option in GLOBAL:
            continue
        belongs = owner or home
        if option in commands[belongs] if belongs else any(option in c for c in commands.values()):
            continue
        if option in FOREIGN and not owner:
            continue
        print('FAIL: %s: %s has no option %s' % (where(m.start()), 'loadstone ' + belongs if belongs else 'no command', option))
        bad += 1


def strings(source):
    """Texts of a C file with the lines they begin in; adjacent literals are one."""
    source = re.sub(r'/\*.*?\*/', lambda c: re.sub(r'[^\n]', ' ', c.group()), source, flags=re.S)
    at = 0
    while True:
        m = STRING.search(source, at)
        if not m:
            return
        start, text = m.start(), ''
        while m:
            text += m.group(1) if not text.endswith('%') else 'N' + m.group(1)
            at = m.end()
            gap = JOINED.match(source, at)
            m = STRING.match(source, gap.end()) if gap else None
        yield source.count('\n', 0, start) + 1, text.replace('\\n', '\n').replace('\\"', '"').replace('%%', '%')


def main():
    program, tree = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '.'
    listing = subprocess.run([program, '--help'], check=True, capture_output=True, text=True).stdout
    commands, helps = collections.OrderedDict(), {}
    for name in re.findall(r'^  ([a-z]+)  ', listing, re.M):
        commands[name], helps[name] = options_of(program, name)
    for name, text in helps.items():
        check(lambda at: name + ' --help', re.sub(r'\n +(?=\S)', ' ', text), commands, name)
    for page in [os.path.join(tree, p) for p in ('README.md', 'NEWS', 'ARCHITECTURE.md')] + sorted(glob.glob(tree + '/doc/*.md')):
        text = open(page, encoding='utf-8').read()
        check(lambda at: '%s:%d' % (page, text.count('\n', 0, at) + 1), text, commands, None)
    for source in sorted(glob.glob(tree + '/*/**/*.[ch]', recursive=True)):
        parts = os.path.relpath(source, tree).split('/')
        if parts[0].startswith(('tests', 'bench', 'loadstone-', '_')):
            continue
        home = parts[1] if parts[0] == 'tools' else None
        home = FOLDERS.get(home, home)
        home = re.sub(r'^cmd_(\w+)\.c$', r'\1', home) if home else None
        for line, text in strings(open(source, encoding='utf-8').read()):
            if ' ' not in text:
                continue
            check(lambda at: '%s:%d' % (source, line), text, commands, home if home in commands else None)
    print('%d options of %d commands' % (seen, len(commands)))
    return 1 if bad or seen == 0 else 0


sys.exit(main())
