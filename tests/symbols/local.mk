# tests/symbols
if HAVE_CMOCKA
symbols_test_programs = \
    tests/symbols/test_sym_session
check_PROGRAMS += $(symbols_test_programs)
TESTS += $(symbols_test_programs)

tests_symbols_test_sym_session_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_symbols_test_sym_session_CFLAGS = $(AM_CFLAGS) -g
tests_symbols_test_sym_session_LDADD = libspoolfixture.la libsymbols.la $(CMOCKA_LIBS)
endif
