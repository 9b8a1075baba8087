# tests/kernels
if HAVE_CMOCKA
KERNELS_TESTS = tests/kernels/test_kn_kernel tests/kernels/test_kn_replay
check_PROGRAMS += $(KERNELS_TESTS)
TESTS += $(KERNELS_TESTS)
tests_kernels_test_kn_kernel_SOURCES = tests/kernels/test_kn_kernel.c
tests_kernels_test_kn_kernel_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_kernel_LDADD = libkernels.la $(CMOCKA_LIBS) $(OPENMP_CFLAGS) -lm
tests_kernels_test_kn_replay_SOURCES = tests/kernels/test_kn_replay.c
tests_kernels_test_kn_replay_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_replay_LDADD = libkernels.la $(CMOCKA_LIBS) $(OPENMP_CFLAGS) -lm
endif
