# SPDX-License-Identifier: BSD-3-Clause
# machine
# The probe alone, shared by the preloaded runtime and the calibration.
if HOST_X86_64
noinst_LTLIBRARIES += libmachprobe.la
libmachprobe_la_SOURCES = machine/mach_probe_sigsafe.c machine/mach_probe_sigsafe.h machine/mach_probe_x86_64.S
endif

# The privileges of the process, which the runtime reads, too.
noinst_LTLIBRARIES += libmachpriv.la
libmachpriv_la_SOURCES = machine/mach_privilege.c machine/mach_privilege.h
libmachpriv_la_LIBADD = libcommon.la

# Everything for the tools: calibration and topology (hwloc stays out of the preloaded runtime).
noinst_LTLIBRARIES += libmachine.la
libmachine_la_SOURCES = \
    machine/mach_calibration.c machine/mach_calibration.h \
    machine/mach_calibration_cache.c \
    machine/mach_capability.c machine/mach_capability.h \
    machine/mach_cpu.c machine/mach_cpu.h \
    machine/mach_fault.c \
    machine/mach_hwloc.c machine/mach_hwloc.h \
    machine/mach_isa.h \
    machine/mach_latency.c \
    machine/mach_prefetch.c machine/mach_prefetch.h \
    machine/mach_sweep.c \
    machine/mach_topology.c machine/mach_topology.h
libmachine_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libmachine_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
libmachine_la_LIBADD = libmachpriv.la libcommon.la $(HWLOC_LIBS) -lm
if HOST_X86_64
libmachine_la_SOURCES += machine/mach_isa_x86_64.c
libmachine_la_LIBADD += libmachprobe.la
endif
