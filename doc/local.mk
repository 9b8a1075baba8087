# doc
EXTRA_DIST += doc/run-h5.md doc/spool.md
