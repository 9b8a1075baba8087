# SPDX-License-Identifier: BSD-3-Clause
# packages: gdb gcc
exec bash -c 'gdb -q -batch -nx -ex "break main" -ex run -ex "info locals" -ex "info types stencil" -ex continue $DATA/openmp-histogram 2>&1 | grep -v -E "libthread_db|Thread|process|0x|^$|warning|debuginfod"'
