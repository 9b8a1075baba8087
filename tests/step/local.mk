# tests/step: the step engine, its probe and its hooks
if HAVE_STEP
if HAVE_CMOCKA
check_PROGRAMS += tests/step/test_mach_probe
TESTS += tests/step/test_mach_probe
tests_step_test_mach_probe_SOURCES = tests/step/test_mach_probe.c
tests_step_test_mach_probe_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_step_test_mach_probe_LDADD = libmachprobe.la $(CMOCKA_LIBS)
endif
endif
