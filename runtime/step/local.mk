# SPDX-License-Identifier: BSD-3-Clause
# The engine that single-steps its bursts.
if HAVE_STEP
noinst_LTLIBRARIES += librtstep.la
librtstep_la_SOURCES = \
    runtime/step/rt_step_burst_sigsafe.c \
    runtime/step/rt_step_isolate_sigsafe.c \
    runtime/step/rt_step_length_sigsafe.c \
    runtime/step/rt_step_near_sigsafe.c \
    runtime/step/rt_step_probe_sigsafe.c \
    runtime/step/rt_step_sampler.c \
    runtime/step/rt_step_sigsafe.h \
    runtime/step/rt_step_trial_sigsafe.c
librtstep_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
endif
