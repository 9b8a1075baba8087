# SPDX-License-Identifier: BSD-3-Clause
# tests/translate: the core of the translate engine against single steps, and whole programs under the engine
if HAVE_STEP
tr_session = tests/translate/tr_session.c tests/translate/tr_session.h
tr_libs = librttr.la librtbursts.la librtalloc.la -lZydis
# without lazy binding, whose resolver stores which vector registers are in use
tr_ldflags = $(AM_LDFLAGS) -no-install -Wl,-z,now
unit_programs += tests/translate/unit
tests_translate_unit_SOURCES = tests/translate/test_tr_cache.c tests/translate/test_tr_common.c tests/translate/test_tr_pace.c \
    tests/translate/test_tr_tiles.c tests/translate/test_tr_times.c tests/translate/test_translate.c tests/translate/test_translate_without.c \
    tests/translate/tr_unit.c tests/translate/tr_unit.h $(tr_session)
tests_translate_unit_CPPFLAGS = $(unit_cppflags)
tests_translate_unit_CFLAGS = $(unit_cflags)
tests_translate_unit_LDADD = $(tr_libs) $(unit_libs)
tests_translate_unit_LDFLAGS = $(tr_ldflags)

check_PROGRAMS += tests/translate/lockstep
tests_translate_lockstep_SOURCES = tests/translate/lockstep.c tests/translate/tr_random.c tests/translate/tr_random.h $(tr_session)
tests_translate_lockstep_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_translate_lockstep_LDADD = $(tr_libs) -lm
tests_translate_lockstep_LDFLAGS = $(tr_ldflags)
lockstep = tests/translate/lockstep

check_PROGRAMS += tests/translate/tr_victim
tests_translate_tr_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_translate_tr_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread
tests_translate_tr_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_translate_tr_victim_LDADD = -ldl
check_LTLIBRARIES += tests/translate/tr_plugin_five.la tests/translate/tr_plugin_three.la
tr_plugin_ldflags = -module -avoid-version -shared -rpath /nowhere
tests_translate_tr_plugin_five_la_SOURCES = tests/translate/tr_plugin.c
tests_translate_tr_plugin_five_la_CPPFLAGS = $(AM_CPPFLAGS) -DTR_PLUGIN_ADD=5
tests_translate_tr_plugin_five_la_LDFLAGS = $(tr_plugin_ldflags)
tests_translate_tr_plugin_three_la_SOURCES = tests/translate/tr_plugin.c
tests_translate_tr_plugin_three_la_CPPFLAGS = $(AM_CPPFLAGS) -DTR_PLUGIN_ADD=3
tests_translate_tr_plugin_three_la_LDFLAGS = $(tr_plugin_ldflags)
endif

.PHONY: check-lockstep check-translated-programs
check-lockstep: $(lockstep)
	[ -z "$(lockstep)" ] || LS_LONG=1 $(run_script) $(SHELL) $(top_srcdir)/tests/translate/test_lockstep.sh
check-translated-programs: $(check_LTLIBRARIES) $(check_PROGRAMS)
	[ -z "$(lockstep)" ] || LS_LONG=1 $(run_script) $(top_srcdir)/tests/translate/test_translate_programs.sh
check-long: check-lockstep check-translated-programs
