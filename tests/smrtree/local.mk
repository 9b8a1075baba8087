# tests/smrtree
if HAVE_CMOCKA
smrtree_test_programs = \
    tests/smrtree/test_smr_live
check_PROGRAMS += $(smrtree_test_programs)
TESTS += $(smrtree_test_programs)

tests_smrtree_test_smr_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_live_LDADD = libsmrtree.la $(CMOCKA_LIBS)
endif
