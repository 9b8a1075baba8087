# SPDX-License-Identifier: BSD-3-Clause
# The engine that runs its bursts from translated code.
if HAVE_STEP
noinst_LTLIBRARIES += librttr.la librttrhot.la
librttr_la_SOURCES = \
    runtime/translate/rt_tr_asm_x86_64.S \
    runtime/translate/rt_tr_block_sigsafe.c \
    runtime/translate/rt_tr_code_sigsafe.c \
    runtime/translate/rt_tr_common_sigsafe.c \
    runtime/translate/rt_tr_code_sigsafe.h \
    runtime/translate/rt_tr_decode_sigsafe.c \
    runtime/translate/rt_tr_emit.h \
    runtime/translate/rt_tr_fault_sigsafe.c \
    runtime/translate/rt_tr_frame_sigsafe.c \
    runtime/translate/rt_tr_internal.h \
    runtime/translate/rt_tr_layout.h \
    runtime/translate/rt_tr_list_sigsafe.c \
    runtime/translate/rt_tr_loop_sigsafe.c \
    runtime/translate/rt_tr_method_sigsafe.c \
    runtime/translate/rt_tr_method_sigsafe.h \
    runtime/translate/rt_tr_open.c \
    runtime/translate/rt_tr_program_sigsafe.c \
    runtime/translate/rt_tr_sampler.c \
    runtime/translate/rt_tr_times.c \
    runtime/translate/rt_translate.h
librttr_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librttr_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
librttr_la_LIBADD = librttrhot.la
# Runs with the program's vector state in the registers.
librttrhot_la_SOURCES = runtime/translate/rt_tr_arena_sigsafe.c runtime/translate/rt_tr_burst_sigsafe.c \
    runtime/translate/rt_tr_core_sigsafe.c runtime/translate/rt_tr_parts_sigsafe.c runtime/translate/rt_tr_run.h runtime/translate/rt_tr_watch_sigsafe.c
librttrhot_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librttrhot_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -mgeneral-regs-only -fno-stack-protector
endif
