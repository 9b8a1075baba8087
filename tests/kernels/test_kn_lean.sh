#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Loops of a replay hold little beside their accesses: more instructions would leave fewer loads in flight than the program has.
cd "${top_builddir:-.}" || exit 99
command -v objdump >/dev/null || { echo "SKIP: objdump is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: the instructions below are x86-64's"; exit 77; }
grep -q "^CFLAGS = .*-O[01g]" Makefile && { echo "SKIP: built without optimisation"; exit 77; }
exec python3 - <<'T'
import glob, re, subprocess, sys

# Instructions that an access may take with its share of the loop's own: index load, access, increment, compare and branch. A
# dependent load computes its address and adds up, too; two levels of indices need two loads. A row of a loop is not unrolled, and
# its access may come with an element of a second pattern.
FUNCTIONS = [
    ("kn_piece", r"piece_e\d_i\d\d_piece_listed_(reduce|fill)", 3),
    ("kn_piece", r"piece_e\d_i\d\d_piece_levels_(reduce|fill)", 4),
    ("kn_piece", r"piece_e\d_i\d\d_piece_listed_(update)", 5),
    ("kn_piece", r"piece_e\d_i\d\d_piece_levels_(update)", 6),
    ("kn_piece", r"piece_e\d_i\d\d_piece_listed_(chase)", 6),
    ("kn_piece", r"piece_e\d_i\d\d_rows_alone_(reduce|fill)", 5),
    ("kn_piece", r"piece_e\d_i\d\d_rows_then_(reduce|fill)", 5),
    ("kn_piece", r"piece_e\d_i\d\d_rows_(with)_reduce", 7),
    ("kn_var_operations", r"operation_e4_i\d\d_(reduce|fill)_(?:gather|scatter)", 3),
    ("kn_var_operations", r"operation_e8_i\d\d_(reduce|fill)_multi(?:gather|scatter)", 4),
    ("kn_var_operations", r"operation_e4_i\d\d_(update)_scatter", 5),
    ("kn_var_operations", r"operation_e8_i\d\d_(update)_multiscatter", 6),
    ("kn_var_scalar", r"scalar_e\d_i\d\d_(gather|scatter)", 6),
    ("kn_var_scalar", r"unrolled_e\d_i\d\d_(gather|scatter)", 4),
]
MEMORY = {"gather": 3, "scatter": 3, "with": 3}  # instructions that touch memory for an access; 2 for the others


def functions(path):
    """Yield name and [(address, instruction)] of each function of an object."""
    name, body = None, []
    for line in subprocess.run(["objdump", "-dw", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            if name:
                yield name, body
            name, body = head[1], []
        elif name and (found := re.match(r"\s+([0-9a-f]+):\s+(.*?)\s*$", line)):
            body.append((int(found[1], 16), found[2]))
    if name:
        yield name, body


def innermost_loops(body):
    spans = []
    for at, text in body:
        jump = re.match(r"j\w+\s+([0-9a-f]+) <", text)
        if jump and body[0][0] <= int(jump[1], 16) <= at:
            spans.append((int(jump[1], 16), at))
    inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    return [[text for at, text in body if low <= at <= high and not re.match(r"(data16 |cs )*(nop|xchg\s+%ax,%ax)", text)] for low, high in inner]


def touches_memory(text):
    return "(" in text and not text.startswith("lea")


failed = checked = 0
for objects, pattern, most in FUNCTIONS:
    paths = [p for p in glob.glob("kernels/**/.libs/*.o", recursive=True) if p.endswith("-" + objects + ".o")]
    if not paths:
        sys.exit("FAIL: no object of " + objects)
    count = 0
    for name, body in functions(paths[0]):
        found = re.fullmatch(pattern, name)
        if not found:
            continue
        best = None
        for loop in innermost_loops(body):
            memory = sum(touches_memory(t) for t in loop)
            per_access = MEMORY.get(found[1], 2) + ("levels" in name or "multi" in name)
            if memory < per_access or memory % per_access:
                continue
            each = len(loop) / (memory / per_access)
            best = each if best is None else min(best, each)
        count += 1
        if best is None or best > most:
            print(f"FAIL: {name}: {best} instructions an access, {most} allowed")
            failed = 1
    checked += count
    if not count:
        sys.exit(f"FAIL: no function {pattern} in {objects}")
print(f"{checked} loops")
sys.exit(failed)
T
