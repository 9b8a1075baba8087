# doc
EXTRA_DIST += doc/smrtree.md
EXTRA_DIST += doc/run-h5.md doc/spool.md
EXTRA_DIST += doc/status.md
EXTRA_DIST += doc/truth.md
EXTRA_DIST += doc/overhead.md
EXTRA_DIST += doc/replay-h5.md
