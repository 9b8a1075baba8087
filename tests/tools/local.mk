# SPDX-License-Identifier: BSD-3-Clause
# tests/tools: the command line, record's refusals and manners, reports against goldens
unit_programs += tests/tools/unit
tests_tools_unit_SOURCES = \
    tests/tools/test_cli_parse.c tools/cli/cli_parse.c \
    tests/tools/test_rec_target.c tools/record/rec_target.c \
    tests/tools/test_std_fit.c tools/study/std_fit.c
tests_tools_unit_CPPFLAGS = $(unit_cppflags)
tests_tools_unit_CFLAGS = $(unit_cflags)
tests_tools_unit_LDADD = libcommon.la $(unit_libs) -lm
if HAVE_STEP
tests_tools_unit_SOURCES += tests/tools/test_rep_disassemble.c tools/report/rep_disassemble.c
tests_tools_unit_LDADD += libsymbols.la -lZydis
endif

# Programs that the scripts use to print, draw and read.
check_PROGRAMS += tests/tools/make_heat tests/tools/make_jobs tests/tools/make_profile tests/tools/make_ranks tests/tools/make_time tests/tools/make_trace
prof_write_fixture = tests/run_h5/prof_write_fixture.c tests/run_h5/prof_write_fixture.h
tests_tools_make_heat_SOURCES = tests/tools/make_heat.c $(prof_write_fixture)
tests_tools_make_heat_LDADD = libresolve.la libcommon.la -lm
tests_tools_make_jobs_LDADD = libvizexport.la libcommon.la $(HDF5_LIBS) -lm
tests_tools_make_profile_SOURCES = tests/tools/make_profile.c $(prof_write_fixture)
tests_tools_make_profile_LDADD = libresolve.la libcommon.la -lm
tests_tools_make_ranks_SOURCES = tests/tools/make_ranks.c $(prof_write_fixture)
tests_tools_make_ranks_LDADD = libresolve.la libcommon.la -lm
tests_tools_make_time_SOURCES = tests/tools/make_time.c $(prof_write_fixture)
tests_tools_make_time_LDADD = libresolve.la libcommon.la -lm
tests_tools_make_trace_LDADD = libpatterns.la libcommon.la
EXTRA_DIST += tests/tools/golden

.PHONY: check-ranks
check-long: check-ranks
check-ranks:
	$(run_script) $(srcdir)/tests/tools/check_ranks.sh; $(skip_is_success)

# A libcuda.so.1 that runs kernels in plain C.
check_LTLIBRARIES += tests/tools/fake_cuda.la
tests_tools_fake_cuda_la_SOURCES = tests/tools/fake_cuda.c
tests_tools_fake_cuda_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
check_LTLIBRARIES += tests/tools/fake_hip.la
tests_tools_fake_hip_la_SOURCES = tests/tools/fake_hip.c
tests_tools_fake_hip_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
# A wall clock that runs too fast.
check_LTLIBRARIES += tests/tools/fake_clock.la
tests_tools_fake_clock_la_SOURCES = tests/tools/fake_clock.c
tests_tools_fake_clock_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
# A libOpenCL.so.1 with defects.
check_LTLIBRARIES += tests/tools/fake_opencl.la
tests_tools_fake_opencl_la_SOURCES = tests/tools/fake_opencl.c
tests_tools_fake_opencl_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
