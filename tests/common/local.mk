# SPDX-License-Identifier: BSD-3-Clause
# tests/common: code that all folders use
unit_programs += tests/common/unit
tests_common_unit_SOURCES = \
    tests/common/test_ls_checked.c \
    tests/common/test_ls_containers.c \
    tests/common/test_ls_hash.c \
    tests/common/test_ls_text.c
tests_common_unit_CPPFLAGS = $(unit_cppflags)
tests_common_unit_CFLAGS = $(unit_cflags)
tests_common_unit_LDADD = libcommon.la $(unit_libs)
