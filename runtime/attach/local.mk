# SPDX-License-Identifier: BSD-3-Clause
# Recordings of running processes. It interrupts threads at moments that only the step engine's parts and the unwinder can judge.
if HAVE_STEP
if HAVE_UNWIND
rt_attach_flag = -DRT_CAN_ATTACH=1
rt_attach_lib = librtattach.la
noinst_LTLIBRARIES += librtattach.la
librtattach_la_SOURCES = \
    runtime/attach/rt_attach_adopt.c \
    runtime/attach/rt_attach_internal.h \
    runtime/attach/rt_attach_moment.c \
    runtime/attach/rt_attach_serve.c \
    runtime/attach/rt_attach_signal.c \
    runtime/attach/rt_attach_slots.c
librtattach_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(rt_attach_flag)
librtattach_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
else
rt_attach_flag = -DRT_CAN_ATTACH=0
rt_attach_lib =
endif
else
rt_attach_flag = -DRT_CAN_ATTACH=0
rt_attach_lib =
endif
