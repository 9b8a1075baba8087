# SPDX-License-Identifier: BSD-3-Clause
# tests/lint: rules that the compiler does not know
lint_tests = \
    tests/lint/test_callers.sh \
    tests/lint/test_command_lines.sh \
    tests/lint/test_entry_alignment.sh \
    tests/lint/test_include_table.sh \
    tests/lint/test_sigsafe_symbols.sh \
    tests/lint/test_tree.sh
dist_check_SCRIPTS += $(lint_tests)
TESTS += $(lint_tests)
EXTRA_DIST += \
    tests/lint/callers.sh tests/lint/callers.txt \
    tests/lint/command-lines.py tests/lint/command-lines.txt \
    tests/lint/entry-alignment.sh \
    tests/lint/include-table.sh \
    tests/lint/sigsafe-symbols.sh tests/lint/sigsafe-symbols.txt
