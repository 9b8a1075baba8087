#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Blocks of Python programs are named by the Python line that made them, in interpreters of version 3.11, static and shared; other
# versions are recorded without that.
. "${top_srcdir:-.}/tests/cases/proc.inc"
[ -n "$(ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o 2>/dev/null)" ] ||
    skip "there are no call paths here (needs x86-64 and glibc 2.35)"
export PYTHONDONTWRITEBYTECODE=1

# sites NAME COMMAND...: record it with the hooks alone, which may take all time, so that no large block is left out; its sites are in the file lines
sites() {
    name=$1
    shift
    must "$loadstone" record -q -o "$name.h5" --engine null --overhead 100% -- "$@" >out 2>err </dev/null
    "$python" "$top_srcdir/tests/cases/sites_lines.py" "$name.h5" >lines || { echo "FAIL: $name.h5 cannot be read"; failed=1; }
}
# site LABEL BLOCKS BYTES: a site of this label (extended regular expression) with this number of blocks and at least these bytes
site() {
    bytes=$(sed -nE "s/^site '$1' blocks $2 bytes ([0-9]+) recorded $2 exact process .*/\1/p" lines)
    if [ "${bytes:-0}" -lt "$3" ] 2>/dev/null || [ -z "$bytes" ]; then
        echo "FAIL: $name: no site '$1' with $2 blocks and $3 bytes or more:"
        grep -E ' bytes [0-9]{7,} ' lines | head -40 | sed 's/^/    /'
        failed=1
    fi
}

# structures of a made-up interpreter, sound and damaged in each word that is read: the program lives, and the sound ones have their line
fake=$top_builddir/tests/cases/python_fake
sites fake "$fake"
must grep -qx done out
holds 3 "^site 'fake.py:105 sound' blocks 1 bytes 1000000 "

# another version is not read
sites other "${fake}_312"
must grep -qx done out
holds 0 "^site '.*(sound|damaged)"
for other in python3.12 python3.13; do
    command -v $other >/dev/null && $other -c '' 2>/dev/null || continue
    sites $other $other -c 'print(len(bytearray(1000000)))'
    must grep -qx 1000000 out
    holds 0 "^site '.*<string>:1"
done

# the offsets, by the headers of this machine
for headers in /usr/include/python3.11 $(python3.11-config --includes 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | sort -u); do
    [ -f "$headers/internal/pycore_frame.h" ] || continue
    must ${CC:-gcc} -I"$top_srcdir" -I"$top_srcdir/include" -I"$headers" "$top_srcdir/tests/cases/python_layout.c" -o layout
    must test "$(./layout)" = "the same"
done

cat >prog.py <<'E'
import os
import sys
import threading

N = 1000000


class World:
    def __init__(self):
        self.particles = bytearray(N)
        self.rows = [bytearray(N + i) for i in range(3)]


def make(n):
    return bytearray(n)


def generate():
    for i in range(2):
        element = bytearray(N)
        yield element


def recurse(depth):
    if depth:
        return recurse(depth - 1)
    deep = bytearray(N)
    return deep


def nothing(*blocks):
    return len(blocks)


class Late:
    def __del__(self):
        self.late = bytearray(N)


def main():
    positions = bytearray(N)
    first, second = bytearray(N), bytearray(N)
    made = make(N)
    typed: bytearray = bytearray(N)
    both = also = bytearray(N)
    wrapped = (
        bytearray(N)
    )
    count = len(bytearray(N))
    nothing(bytearray(N))
    by_name = {}
    by_name['key'] = bytearray(N)
    appended = []
    for i in range(4):
        appended.append(bytearray(N))
    if appended: one_line = bytearray(N); another = bytearray(N)
    generated = list(generate())
    found = recurse(150)
    squares = sorted(range(3), key=lambda i: len(bytearray(N)))

    def work():
        threaded = bytearray(N)
        return threaded

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if os.fork() == 0:
        forked = bytearray(N)
        os._exit(0)
    os.wait()
    world = World()
    try:
        raise KeyError(bytearray(N))
    except KeyError as error:
        nothing(error)
    scope = {'N': N}
    exec(compile('executed = bytearray(N)', '<text>', 'exec'), scope)
    größe = bytearray(N)
    nothing(positions, first, second, made, typed, both, also, wrapped, count, one_line, another, generated, found, squares, world,
            scope, größe)


main()
late = Late()
sys.stdout.write('%s\n' % sys.version_info[:2].__repr__())
E
line() { awk -v text="$1" 'index($0, text) { print NR; exit }' prog.py; }
tested=
for interpreter in /usr/bin/python3.11 "$(command -v python3.11)"; do
    [ -x "$interpreter" ] || continue
    interpreter=$("$interpreter" -c 'import os, sys; print(os.path.realpath(sys.executable))') || continue
    case $tested in *" $interpreter "*) continue ;; esac
    tested="$tested $interpreter "
    sites "python$(echo "$tested" | wc -w)" "$interpreter" prog.py
    must grep -qx '(3, 11)' out
    for label in positions made typed both wrapped one_line another self.particles deep forked threaded 'größe' element; do
        case $label in element) site element 2 2000000 ;; *) site "$label" 1 1000000 ;; esac
    done
    site first 1 1000000
    site second 1 1000000
    site by_name 1 1000000
    site self.rows 3 3000000
    site appended 4 4000000
    site "prog.py:$(line 'count = len') main" 1 1000000
    site "prog.py:$(line 'nothing(bytearray') main" 1 1000000
    site "prog.py:$(line 'raise KeyError') main" 1 1000000
    site "prog.py:$(line 'squares =') main.<locals>.<lambda>" 3 3000000
    site '<text>:1 <module>' 1 1000000
    # PYTHONMALLOC=malloc: each object is a block, and the budget allows a sample of them
    PYTHONMALLOC=malloc sites "malloc$(echo "$tested" | wc -w)" "$interpreter" prog.py
    holds_some "^site '(positions|self.rows|appended|made)' .* bytes [0-9]{7,} "
done
[ -n "$tested" ] || echo "not tested: programs (there is no python3.11)"

# arrays of NumPy, whose own Python functions are left out
if [ -n "$tested" ] && has_python h5py numpy && "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    cat >arrays.py <<'E'
import numpy as np


def main(n):
    zeros = np.zeros(n)
    ones, empty = np.ones(n), np.empty(n)
    full = np.full(n, 7)
    points = np.linspace(
        0, 1, n)
    total = (zeros + ones).sum()
    matrix = np.random.default_rng(1).random((300, n // 300))
    product = matrix.T @ matrix
    gathered = zeros[full % 10]
    table = list(range(n))
    print(total, product.shape, gathered.shape, len(table), empty.shape, points.shape)


main(300000)
E
    sites arrays "$python" arrays.py
    for label in zeros ones empty full points matrix gathered; do site $label 1 2400000; done
    holds_some "^site 'table' .* bytes 24[0-9]{5} " # its list object may be another block
    site 'product' 1 8000000
    site "arrays.py:$(grep -n 'total =' arrays.py | cut -d: -f1) main" 1 2400000
    site 'small objects of Python' '[0-9]+' 1000000
    expect 0 "next:" "$loadstone" report --allocations arrays.h5
    must grep -qE '2\.29 MiB +1 +1  zeros  arrays\.py:5$' out
fi
exit $failed
