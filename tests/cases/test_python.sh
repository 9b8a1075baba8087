#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone.py: arrays and phases of a Python program have their names in the report; without the profiler it changes nothing.
. "${top_srcdir:-.}/tests/cases/proc.inc"
needs_python h5py numpy
export PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
cat >calls.py <<'E'
import array
import gc
import mmap
import sys
import threading

import loadstone
import numpy

recorded = sys.argv[1] == 'recorded'
assert loadstone.is_recording() == recorded


def fails(error, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except error as caught:
        return str(caught)
    raise AssertionError('%s%r passed' % (function.__name__, arguments))


def extent(made, low, length, element):
    assert made.is_registered == recorded and made.label in repr(made)
    assert (made.start, made.end - made.start, made.elem_size_bytes) == (low, length, element), made


# kinds of memory: NumPy in any order, views by their first and last element, the buffers of the library
a = numpy.zeros((60, 100))
base = a.ctypes.data
extent(loadstone.register('whole', a, group='arrays'), base, 48000, 8)
extent(loadstone.register('column', a[10:20, 3]), base + 8024, 9 * 800 + 8, 8)
extent(loadstone.register('backwards', a[40:30:-1]), base + 31 * 800, 10 * 800, 8)
points = numpy.zeros((1000, 3), dtype='f4')
made = loadstone.register('points', points, dims=3)
extent(made, points.ctypes.data, 12000, 4)
assert made.dims == 3
dates = numpy.zeros(5000, dtype='M8[s]')
extent(loadstone.register('dates', dates), dates.ctypes.data, 40000, 8)
constant = numpy.arange(5000)
constant.flags.writeable = False
extent(loadstone.register('constant', constant), constant.ctypes.data, 40000, 8)
counts = array.array('i', range(4000))
extent(loadstone.register('counts', counts, elem_size_bytes=2), counts.buffer_info()[0], 16000, 2)
text = bytearray(300000)
assert loadstone.register('text', text).end - loadstone.register('text', text).start == 300000
pages = mmap.mmap(-1, 65536)
assert loadstone.register('pages', memoryview(pages)[4096:]).elem_size_bytes == 1

# errors
assert 'buffer' in fails(TypeError, loadstone.register, 'x', 5)
fails(TypeError, loadstone.register, 5, a)
fails(ValueError, loadstone.register, '', a)
fails(ValueError, loadstone.register, 'a\0b', a)
fails(ValueError, loadstone.register, 'x' * 5000, a)
assert 'empty' in fails(ValueError, loadstone.register, 'x', numpy.zeros(0))
fails(ValueError, loadstone.register, 'x', a, dims=0)
fails(TypeError, loadstone.register, 'x', a, elem_size_bytes=1.5)
fails(TypeError, loadstone.unregister, 5)
fails(ValueError, loadstone.phase, '')
if recorded:
    message = fails(loadstone.Error, loadstone.register, 'partly', a.reshape(-1)[30 * 100:35 * 100])
    assert message.startswith('LS_ERR_OVERLAP: ') and 'backwards' in message, message

# ends: by hand, by label, with the memory, with the object
assert loadstone.unregister('column') == int(recorded) and loadstone.unregister('column') == 0
gone = loadstone.register('gone', bytearray(200000))
held = numpy.zeros(100000)
view = loadstone.register('of a view', held[10:])
gc.collect()
assert view.is_registered == recorded
del held
gc.collect()
assert not view.is_registered
again = loadstone.register('whole', a[:30])
if recorded:
    assert loadstone.register('whole', a) is again and again.end - again.start == 48000
assert loadstone.unregister(again) == int(recorded) and not again.is_registered
assert loadstone.unregister(again) == 0

# phases
with loadstone.phase('outer'):
    with loadstone.phase('inner'):
        pass
try:
    with loadstone.phase('failed'):
        raise KeyError
except KeyError:
    pass


@loadstone.phase('decorated')
def twice(n):
    """Call itself."""
    return n and twice(n - 1) + 1


assert twice(2) == 2 and twice.__doc__ == 'Call itself.'
worker = threading.Thread(target=twice, args=(0,))
worker.start()
worker.join()
loadstone.stop()
loadstone.start()
E
must "$python" calls.py alone
must "$python" "$top_srcdir/examples/numpy_stencil.py" 100000 2 >alone
must grep -q '^100000 points, 2 steps: mean total 1000.0$' alone
recorded 0 calls --engine null -- "$python" calls.py recorded
for span in outer outer/inner failed decorated/decorated/decorated; do holds 1 "^span $span process 0 .* end [0-9]+$"; done
holds 2 '^span decorated process 0 .* end [0-9]+$'
must "$loadstone" export --force -f csv --table nodes -o nodes.csv calls.h5 2>err
for label in whole column backwards points dates constant counts text pages gone 'of a view'; do
    must grep -q "[,\"]$label[,\"]" nodes.csv
done

can_sample || { echo "not tested: samples of arrays (the step engine does not work here)"; exit $failed; }
# shellcheck disable=SC2086
recorded 0 heat $sampled -- "$python" "$top_srcdir/examples/numpy_stencil.py" 1000000 20
must cmp -s out - <<'E'
1000000 points, 20 steps: mean total 1000.0
E
holds_some '^sample .* phase lookup node heat$'
holds_some '^sample .* phase lookup node order$'
holds_some '^sample .* phase step node flow$'
expect 0 "next:" "$loadstone" report --min-share 0 heat.h5 # rows with few samples, too
for row in rod heat flow order; do must grep -qE "^[^a-z]*$row  " out; done
expect 0 "next:" "$loadstone" report --by phase heat.h5
for row in step lookup; do must grep -qE "^$row  " out; done
exit $failed
