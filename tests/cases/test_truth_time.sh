#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time goes to the function that spent it: code without memory, short threads, forked children, a late start, exec.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python
can_sample || skip "the step engine does not work here"
must "$python" -B "$top_srcdir/bench/truth/truth.py" --loadstone "$loadstone" --programs "$top_builddir/bench/truth" --quick --engines translate:5,step:50
exit $failed
