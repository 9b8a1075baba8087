# tests/smrtree
if HAVE_CMOCKA
smrtree_test_programs = \
    tests/smrtree/test_smr_live \
    tests/smrtree/test_smr_tree
check_PROGRAMS += $(smrtree_test_programs)
TESTS += $(smrtree_test_programs)

tests_smrtree_test_smr_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_live_LDADD = libsmrtree.la $(CMOCKA_LIBS)
tests_smrtree_test_smr_tree_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_tree_LDADD = libsmrtree.la $(CMOCKA_LIBS) -lpthread
endif
