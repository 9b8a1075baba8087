# SPDX-License-Identifier: BSD-3-Clause
# traffic: memory traffic that kernels should cause, and that a model of the caches counts
noinst_LTLIBRARIES += libtraffic.la
libtraffic_la_SOURCES = \
    traffic/trf_cache.c traffic/trf_cache.h \
    traffic/trf_kernel.c traffic/trf_kernel.h \
    traffic/trf_model.c traffic/trf_model.h
libtraffic_la_LIBADD = libpatterns.la libcommon.la -lm
