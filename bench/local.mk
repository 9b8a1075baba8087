# bench

EXTRA_PROGRAMS += bench/resolve
bench_resolve_SOURCES = bench/resolve.c
bench_resolve_LDADD = libprofile.la libspoolwrite.la -lm
