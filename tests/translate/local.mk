# SPDX-License-Identifier: BSD-3-Clause
# tests/translate: the core of the translate engine, against single steps
if HAVE_STEP
tr_session = tests/translate/tr_session.c tests/translate/tr_session.h
tr_libs = librttr.la librtbursts.la -lZydis
# without lazy binding, whose resolver stores which vector registers are in use
tr_ldflags = $(AM_LDFLAGS) -no-install -Wl,-z,now
unit_programs += tests/translate/unit
tests_translate_unit_SOURCES = tests/translate/test_translate.c $(tr_session)
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
endif

.PHONY: check-lockstep
check-lockstep: $(lockstep)
	[ -z "$(lockstep)" ] || LS_LONG=1 $(run_script) $(SHELL) $(top_srcdir)/tests/translate/test_lockstep.sh
check-long: check-lockstep
