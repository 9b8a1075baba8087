#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: attach_slots.py PID PROGRAM FUNCTION: print the base name of the object that PROGRAM's calls of FUNCTION lead to in the process
PID, "unknown" if its memory cannot be read."""
import os
import re
import struct
import subprocess
import sys

pid, program, function = sys.argv[1:]
program = os.path.realpath(program)
relocations = subprocess.run(["readelf", "-rW", program], capture_output=True, text=True, check=True).stdout
slot = int(re.search(r"^([0-9a-f]+) +\S+ R_X86_64_JUMP_SLOT +\S+ %s@" % function, relocations, re.M).group(1), 16)
maps = []
with open("/proc/%s/maps" % pid) as f:
    for line in f:
        where, _, offset, _, _, *path = line.split(maxsplit=5)
        begin, end = (int(x, 16) for x in where.split("-"))
        maps.append((begin, end, int(offset, 16), path[0].strip() if path else ""))
base = next(begin for begin, _, offset, path in maps if path == program and offset == 0)
try:
    with open("/proc/%s/mem" % pid, "rb") as f:
        f.seek(base + slot)
        (target,) = struct.unpack("<Q", f.read(8))
except OSError:
    print("unknown")
    sys.exit(0)
print(next((os.path.basename(path) for begin, end, _, path in maps if begin <= target < end), "nowhere"))
