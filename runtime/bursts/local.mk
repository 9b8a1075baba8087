# SPDX-License-Identifier: BSD-3-Clause
# Code shared by engines that sample bursts of instructions: signal-safe pieces for the preloaded runtime and the unit tests.
if HAVE_STEP
noinst_LTLIBRARIES += librtbursts.la
librtbursts_la_SOURCES = \
    runtime/bursts/rt_burst_access_sigsafe.c \
    runtime/bursts/rt_burst_access_sigsafe.h \
    runtime/bursts/rt_burst_altstack.c \
    runtime/bursts/rt_burst_altstack.h \
    runtime/bursts/rt_burst_asm_sigsafe.h \
    runtime/bursts/rt_burst_asm_x86_64.S \
    runtime/bursts/rt_burst_cpu_sigsafe.c \
    runtime/bursts/rt_burst_cpu_sigsafe.h \
    runtime/bursts/rt_burst_decode_sigsafe.c \
    runtime/bursts/rt_burst_decode_sigsafe.h \
    runtime/bursts/rt_burst_devices_sigsafe.c \
    runtime/bursts/rt_burst_devices_sigsafe.h \
    runtime/bursts/rt_burst_eintr_sigsafe.c \
    runtime/bursts/rt_burst_eintr_sigsafe.h \
    runtime/bursts/rt_burst_engine.c \
    runtime/bursts/rt_burst_engine.h \
    runtime/bursts/rt_burst_engine_sigsafe.h \
    runtime/bursts/rt_burst_faults_sigsafe.c \
    runtime/bursts/rt_burst_faults_sigsafe.h \
    runtime/bursts/rt_burst_flow_sigsafe.c \
    runtime/bursts/rt_burst_governor_sigsafe.c \
    runtime/bursts/rt_burst_governor_sigsafe.h \
    runtime/bursts/rt_burst_gs_sigsafe.h \
    runtime/bursts/rt_burst_numa_sigsafe.c \
    runtime/bursts/rt_burst_numa_sigsafe.h \
    runtime/bursts/rt_burst_processor.c \
    runtime/bursts/rt_burst_processor.h \
    runtime/bursts/rt_burst_signals_sigsafe.c \
    runtime/bursts/rt_burst_signals_sigsafe.h \
    runtime/bursts/rt_burst_sigsafe.c \
    runtime/bursts/rt_burst_sigsafe.h \
    runtime/bursts/rt_burst_stack_sigsafe.c \
    runtime/bursts/rt_burst_stack_sigsafe.h \
    runtime/bursts/rt_burst_traced_sigsafe.c \
    runtime/bursts/rt_burst_traced_sigsafe.h \
    runtime/bursts/rt_burst_trigger_perf.c \
    runtime/bursts/rt_burst_trigger_timer.c \
    runtime/bursts/rt_burst_xstate_sigsafe.c \
    runtime/bursts/rt_burst_xstate_sigsafe.h
librtbursts_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(rt_unwind_flag)
librtbursts_la_LIBADD = libmachprobe.la
# Apart, because nothing but the preload may interpose.
noinst_LTLIBRARIES += librthooks.la
librthooks_la_SOURCES = runtime/hooks/rt_hooks_signal.c runtime/hooks/rt_hooks_sigwait.c
librthooks_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(rt_attach_flag)
endif
