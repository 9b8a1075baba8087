# SPDX-License-Identifier: BSD-3-Clause
# tests/calls: call stacks of programs whose stacks are known
if HAVE_STEP
check_PROGRAMS += tests/calls/calls_victim_fp tests/calls/calls_victim_nofp tests/calls/calls_thrower
calls_flags = -O1 -g -fno-optimize-sibling-calls
tests_calls_calls_victim_fp_SOURCES = tests/calls/calls_victim.c
tests_calls_calls_victim_fp_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_calls_calls_victim_fp_CFLAGS = $(AM_CFLAGS) $(calls_flags) -fno-omit-frame-pointer -pthread
tests_calls_calls_victim_fp_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_calls_calls_victim_nofp_SOURCES = tests/calls/calls_victim.c
tests_calls_calls_victim_nofp_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_calls_calls_victim_nofp_CFLAGS = $(AM_CFLAGS) $(calls_flags) -fomit-frame-pointer -pthread
tests_calls_calls_victim_nofp_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_calls_calls_thrower_SOURCES = tests/calls/calls_thrower.cc
tests_calls_calls_thrower_CXXFLAGS = $(AM_CXXFLAGS) -O1 -g -fomit-frame-pointer
tests_calls_calls_thrower_LDFLAGS = $(AM_LDFLAGS) -no-install
endif
