# SPDX-License-Identifier: BSD-3-Clause
# The step engine: signal-safe pieces the preloaded runtime links and the unit tests exercise.
if HAVE_STEP
noinst_LTLIBRARIES += librtstep.la
librtstep_la_SOURCES = \
    runtime/samplers/rt_step_access_sigsafe.c \
    runtime/samplers/rt_step_access_sigsafe.h \
    runtime/samplers/rt_step_altstack.c \
    runtime/samplers/rt_step_altstack.h \
    runtime/samplers/rt_step_asm_sigsafe.h \
    runtime/samplers/rt_step_asm_x86_64.S \
    runtime/samplers/rt_step_burst_sigsafe.c \
    runtime/samplers/rt_step_burst_sigsafe.h \
    runtime/samplers/rt_step_code_sigsafe.c \
    runtime/samplers/rt_step_code_sigsafe.h \
    runtime/samplers/rt_step_decode_sigsafe.c \
    runtime/samplers/rt_step_decode_sigsafe.h \
    runtime/samplers/rt_step_devices_sigsafe.c \
    runtime/samplers/rt_step_devices_sigsafe.h \
    runtime/samplers/rt_step_eintr_sigsafe.c \
    runtime/samplers/rt_step_eintr_sigsafe.h \
    runtime/samplers/rt_step_engine.c \
    runtime/samplers/rt_step_engine.h \
    runtime/samplers/rt_step_engine_sigsafe.h \
    runtime/samplers/rt_step_flow_sigsafe.c \
    runtime/samplers/rt_step_governor_sigsafe.c \
    runtime/samplers/rt_step_governor_sigsafe.h \
    runtime/samplers/rt_step_isolate_sigsafe.c \
    runtime/samplers/rt_step_isolate_sigsafe.h \
    runtime/samplers/rt_step_lines_sigsafe.c \
    runtime/samplers/rt_step_lines_sigsafe.h \
    runtime/samplers/rt_step_numa_sigsafe.c \
    runtime/samplers/rt_step_numa_sigsafe.h \
    runtime/samplers/rt_step_pages_sigsafe.c \
    runtime/samplers/rt_step_pages_sigsafe.h \
    runtime/samplers/rt_step_probe_sigsafe.c \
    runtime/samplers/rt_step_probe_sigsafe.h \
    runtime/samplers/rt_step_sampler.c \
    runtime/samplers/rt_step_signals_sigsafe.c \
    runtime/samplers/rt_step_signals_sigsafe.h \
    runtime/samplers/rt_step_syscall_sigsafe.h \
    runtime/samplers/rt_step_stack_sigsafe.c \
    runtime/samplers/rt_step_stack_sigsafe.h \
    runtime/samplers/rt_step_faults_sigsafe.c \
    runtime/samplers/rt_step_faults_sigsafe.h \
    runtime/samplers/rt_step_traced_sigsafe.c \
    runtime/samplers/rt_step_traced_sigsafe.h \
    runtime/samplers/rt_step_trigger_perf.c \
    runtime/samplers/rt_step_trigger_timer.c \
    runtime/samplers/rt_step_xstate_sigsafe.c \
    runtime/samplers/rt_step_xstate_sigsafe.h
librtstep_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librtstep_la_LIBADD = libmachprobe.la
# Apart, because nothing but the preload may interpose.
noinst_LTLIBRARIES += librtstephooks.la
librtstephooks_la_SOURCES = runtime/hooks/rt_hooks_signal.c runtime/hooks/rt_hooks_sigwait.c
librtstephooks_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
endif
