# kernels: gather/scatter and STREAM kernels, their variants and backends, the measurement, studies
noinst_LTLIBRARIES += libkernels.la
libkernels_la_SOURCES = \
    kernels/kn_options.c kernels/kn_options.h \
    kernels/kn_replay.h \
    kernels/kn_result.c kernels/kn_result.h \
    kernels/kn_stats.c kernels/kn_stats.h
libkernels_la_LIBADD = libcommon.la -lm
