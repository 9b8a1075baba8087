# SPDX-License-Identifier: BSD-3-Clause
# traffic: memory traffic that kernels should cause, that a model of the caches counts, and that counters measure
noinst_LTLIBRARIES += libtraffic.la
libtraffic_la_SOURCES = \
    traffic/trf_cache.c traffic/trf_cache.h \
    traffic/trf_files.c \
    traffic/trf_kernel.c traffic/trf_kernel.h \
    traffic/trf_model.c traffic/trf_model.h \
    traffic/trf_native.c traffic/trf_native.h \
    traffic/trf_sampler.c traffic/trf_sampler.h \
    traffic/trf_source.c traffic/trf_source.h \
    traffic/trf_src_net.c \
    traffic/trf_src_nvml.c \
    traffic/trf_src_pcp.c \
    traffic/trf_src_perf.c \
    traffic/trf_src_powercap.c \
    traffic/trf_src_resctrl.c \
    traffic/trf_verify.c traffic/trf_verify.h
libtraffic_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libtraffic_la_LIBADD = libkernels.la libmachine.la libpatterns.la libperfcount.la libcommon.la -lm -ldl
