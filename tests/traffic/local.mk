# SPDX-License-Identifier: BSD-3-Clause
# tests/traffic
unit_programs += tests/traffic/unit
tests_traffic_unit_SOURCES = tests/traffic/test_trf_cache.c tests/traffic/test_trf_kernel.c \
    tests/traffic/test_trf_sources.c tests/traffic/test_trf_verify.c
tests_traffic_unit_CPPFLAGS = $(unit_cppflags)
tests_traffic_unit_CFLAGS = $(unit_cflags)
tests_traffic_unit_LDADD = libtraffic.la $(OPENMP_CFLAGS) $(unit_libs) -lm
check_LTLIBRARIES += tests/traffic/fake_nvml.la
tests_traffic_fake_nvml_la_SOURCES = tests/traffic/fake_nvml.c
tests_traffic_fake_nvml_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
