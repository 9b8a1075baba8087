#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that loads libloadstone.so by name and asks for its functions, as ctypes does, is recorded like one that is linked.
. "${top_srcdir:-.}/tests/cases/proc.inc"
cat >named.py <<'E'
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
numbers = (ctypes.c_double * 5000)()


class Spec(ctypes.Structure):
    _fields_ = [('label', ctypes.c_char_p), ('start', ctypes.c_void_p), ('end', ctypes.c_void_p), ('elem_size_bytes', ctypes.c_size_t),
                ('dims', ctypes.c_size_t)]


tree, node, start = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.addressof(numbers)
spec = Spec(b'of python', start, start + ctypes.sizeof(numbers), 8, 1)
assert library.smr_tree_new(ctypes.byref(tree)) == 0
assert library.smr_tree_insert(tree, ctypes.byref(spec), ctypes.byref(node)) == 0
library.loadstone_set(b'loaded', b'by name')
library.loadstone_phase_begin(b'solve')
library.loadstone_phase_end(b'solve')
E
shared=$top_builddir/.libs/libloadstone.so
must "$python" named.py "$shared" # as without the profiler
for file in libloadstone.so libloadstone.so.0; do
    recorded 0 loaded --force --engine null -- "$python" named.py "$top_builddir/.libs/$file"
    holds 1 '^event SETTING process 0 count 1 text loaded=by name$'
    holds 1 '^span solve process 0 '
    must "$loadstone" export --force -f csv --table nodes -o nodes.csv loaded.h5 2>err
    must grep -q 'of python' nodes.csv
done
# other libraries are loaded as they are named
cp "$shared" libloadstone_other.so
recorded 0 other --engine null -- "$python" named.py "$scratch/libloadstone_other.so"
holds 0 'loaded=by name'
exit $failed
