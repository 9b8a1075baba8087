# bench

EXTRA_PROGRAMS += bench/resolve
bench_resolve_SOURCES = bench/resolve.c
bench_resolve_LDADD = libprofile.la libspoolwrite.la -lm

# make bench-smrtree: prints the table of doc/smrtree.md
EXTRA_PROGRAMS += bench/smrtree_lookup
bench_smrtree_lookup_SOURCES = bench/smrtree_lookup.c
bench_smrtree_lookup_LDADD = libsmrtree.la
.PHONY: bench-smrtree
bench-smrtree: bench/smrtree_lookup
	bench/smrtree_lookup$(EXEEXT)
