# SPDX-License-Identifier: BSD-3-Clause
# The case studies of examples/: what they compute, and how they are built by hand.
examples_tests = tests/cases/test_examples_matmul.sh tests/cases/test_examples_spmv.sh tests/cases/test_examples_stencil.sh \
    tests/cases/test_examples_sedov.sh tests/cases/test_examples_alone.sh
TESTS += $(examples_tests)
EXTRA_DIST += $(examples_tests) tests/cases/test_examples_field.sh tests/cases/examples.inc
if HAVE_STEP
TESTS += tests/cases/test_examples_field.sh
endif
if HAVE_STEP
if HAVE_YAJL
TESTS += tests/cases/test_patterns_spmv.sh
endif
endif
EXTRA_DIST += tests/cases/test_patterns_spmv.sh
