# SPDX-License-Identifier: BSD-3-Clause
# common: errors, byte spans, clocks, checked arithmetic, quantities, the environment table
noinst_LTLIBRARIES += libcommon.la
libcommon_la_SOURCES = \
    common/ls_access.c common/ls_access.h \
    common/ls_checked.h \
    common/ls_clock.h \
    common/ls_compat.h \
    common/ls_device.h \
    common/ls_attach.h \
    common/ls_env.c common/ls_env.h \
    common/ls_error.c common/ls_error.h \
    common/ls_file.c common/ls_file.h \
    common/ls_hash.h \
    common/ls_index.c common/ls_index.h \
    common/ls_json.c common/ls_json.h \
    common/ls_marker.h \
    common/ls_mpi.h \
    common/ls_quantity.c common/ls_quantity.h \
    common/ls_outputs.c common/ls_outputs.h \
    common/ls_owner.c common/ls_owner.h \
    common/ls_private.c common/ls_private.h \
    common/ls_put.c common/ls_put.h \
    common/ls_random.h \
    common/ls_series.h \
    common/ls_sorted.h \
    common/ls_span.h \
    common/ls_text.c common/ls_text.h \
    common/ls_vector.c common/ls_vector.h
