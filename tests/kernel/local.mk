# SPDX-License-Identifier: BSD-3-Clause
# tests/kernel: kernel time by cause, of programs whose page faults and calls are known
if HAVE_STEP
check_PROGRAMS += tests/kernel/kernel_victim tests/kernel/kernel_rows
tests_kernel_kernel_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_kernel_kernel_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -fno-inline -fno-builtin-malloc -fno-builtin-free -pthread
tests_kernel_kernel_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_kernel_kernel_rows_LDADD = librunh5.la
endif
