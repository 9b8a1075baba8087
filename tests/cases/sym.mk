# SPDX-License-Identifier: BSD-3-Clause
# Variables and lines of whole programs; the victims are compiled by the test, in several ways.
TESTS += tests/cases/test_symbols.sh
EXTRA_DIST += tests/cases/test_symbols.sh tests/cases/sym_check.py tests/cases/sym_lines.py tests/cases/sym_victim.h \
    tests/cases/sym_victim.c tests/cases/sym_plugin.c tests/cases/sym_inlined.cc tests/cases/sym_common.f90
