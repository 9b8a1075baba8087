# SPDX-License-Identifier: BSD-3-Clause
# doc: every page is installed where README.md's links find it
formatsdir = $(docdir)/doc
dist_formats_DATA =
dist_formats_DATA += doc/overhead.md doc/alloc.md
dist_formats_DATA += doc/attach.md doc/idle.md
dist_formats_DATA += doc/natural-domain.md
dist_formats_DATA += doc/export.md
dist_formats_DATA += doc/replay-h5.md
dist_formats_DATA += doc/hardware.md doc/import.md doc/translate.md
dist_formats_DATA += doc/run-h5.md doc/traffic.md
dist_formats_DATA += doc/smrtree.md
dist_formats_DATA += doc/spool.md
dist_formats_DATA += doc/patterns-diff.md doc/fidelity.md
dist_formats_DATA += doc/status.md
dist_formats_DATA += doc/traces.md doc/trace.md doc/gate.md
dist_formats_DATA += doc/test-bed.md doc/truth.md
dist_formats_DATA += doc/replay.md doc/replay-speed.md doc/replay-peers.md
dist_formats_DATA += doc/report.md doc/layout.md doc/languages.md
dist_formats_DATA += doc/scale.md doc/gpu.md doc/gpu-throughput.png
dist_formats_DATA += doc/patterns.md
dist_formats_DATA += doc/view.md doc/view.png doc/view-filtered.png doc/view-dark.png
# the case studies and their pictures (make cases)
dist_formats_DATA += doc/cases.md
dist_formats_DATA += \
    doc/cases-matmul-naive-512.png doc/cases-matmul-blocked-512.png \
    doc/cases-spmv-refined-matrix.png doc/cases-spmv-refined-x.png doc/cases-spmv-rcm-x.png \
    doc/cases-sedov-tree.png doc/cases-sedov-mesh.png doc/cases-stencil.png \
    doc/cases-particles-whole.png doc/cases-particles-split.png
