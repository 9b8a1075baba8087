#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: readme.py README.md: run the commands of its blocks, in order, in the current folder, and compare their outputs.

Lines that begin with "$ " are commands, and the lines after them their output; "..." matches any lines. A block whose lines all
begin with "loadstone" holds commands without output. Figures are left out of the comparison: a line is there if the output has a
line with the same first word and most of its other words. Which rows of a tree are too small to be shown depends on the figures,
too: "(N more, not shown)" is also there if more rows are shown.
"""
import re
import subprocess
import sys

# Scripts for a whole machine, which CI runs itself.
NOT_HERE = ('scripts/',)
ROW = re.compile(r'[│ ]*[├└]─ ')
NOT_SHOWN = re.compile(r'\(\d+ more, not shown\)')
WORD = re.compile(r"[A-Za-z_][\w.'/-]*")
failed = ran = compared = 0


def fail(text):
    global failed
    failed += 1
    print('FAIL: ' + text)


def words_of(line):
    """Words without figures and their units."""
    words = [w for w in WORD.findall(line) if not re.search(r'\d', w) or '.c' in w]
    return [w.rstrip('.') for w in words if w not in ('s', 'ms', 'us', 'k', 'MiB', 'KiB', 'GiB')]


def rows_of(lines):
    """The number of rows of a tree, without the one that counts the rows that are too small to be shown."""
    return sum(bool(ROW.match(line)) and not NOT_SHOWN.search(line) for line in lines)


def is_there(wanted, lines, all_wanted):
    words = words_of(wanted)
    if not words:
        return True
    if NOT_SHOWN.search(wanted) and rows_of(lines) > rows_of(all_wanted):
        return True
    for line in lines:
        found = words_of(line)
        if found and found[0] == words[0] and sum(w in found for w in words) >= 0.6 * len(words):
            return True
    if not wanted.startswith('    '):
        return False
    # the rest of a sentence, which other figures break elsewhere
    for line, after in zip(lines, lines[1:] + ['']):
        found = words_of(line + ' ' + after)
        if sum(w in found for w in words) >= 0.6 * len(words):
            return True
    return False


def run(command, wanted):
    global ran, compared
    ran += 1
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors='replace', timeout=300)
    if done.returncode != 0:
        fail('%s: status %d:\n%s' % (command, done.returncode, done.stdout))
        return
    lines = done.stdout.splitlines()
    missing = [w for w in wanted if w != '...' and not is_there(w, lines, wanted)]
    compared += len(wanted)
    if missing:
        fail('%s prints no line like these:\n    %s\nits output:\n%s' % (command, '\n    '.join(missing), done.stdout))


def commands_of(block):
    """Pairs of a command and the lines of its output."""
    if any(line.startswith('$ ') for line in block):
        out = []
        for line in block:
            if line.startswith('$ '):
                out.append((line[2:], []))
            elif out and line.strip():
                out[-1][1].append(line)
        return out
    if block and all(line.startswith('loadstone ') for line in block):
        return [(re.sub(r'\s+#.*', '', line), []) for line in block]
    return None


text = open(sys.argv[1], encoding='utf-8').read()
for language, body in re.findall(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S):
    block = body.splitlines()
    commands = commands_of(block)
    if language == 'cpp':
        with open('snippet.cc', 'w', encoding='utf-8') as out:
            for line in block:
                if line.startswith('#'):
                    out.write(line + '\n')
            out.write('void named(double *B, int N);\nvoid named(double *B, int N)\n{\n')
            out.write('\n'.join(line for line in block if not line.startswith('#')) + '\n}\nint main() { return 0; }\n')
        run('compile snippet.cc -o snippet', [])
    elif commands is not None:
        for command, wanted in commands:
            run(command, wanted)
    elif not all(line.startswith(NOT_HERE) for line in block if line):
        fail('a block is neither commands nor C++:\n' + body)
print('%d commands, %d lines of output compared, %d failed' % (ran, compared, failed))
sys.exit(1 if failed or ran < 10 or compared < 30 else 0)
