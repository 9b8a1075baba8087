#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make check-long: ParaView itself opens and draws exported files. RENDER_DIR=DIRECTORY keeps the pictures.
. "${top_srcdir:-.}/tests/tools/check.sh"
for tool in pvbatch xvfb-run; do
    command -v $tool >/dev/null || skip "no $tool (Debian: paraview xvfb xauth)"
done
must "$top_builddir/tests/viz-export/make_domains" run.h5
mkdir out pictures
for file in plane.vti box.vtr cube.vtu mixed.vtu cube.pvd box.hdf plane.hdf cube.hdf plane.xdmf cube.xdmf; do
    must "$loadstone" export run.h5 -F "${file%.*}*" -o out/$file 2>/dev/null
done
must "$loadstone" export run.h5 -F 'cube*' --steps -o out/cube-steps.xdmf 2>/dev/null
# offscreen drawing asks for no display of the user's
must xvfb-run -a pvbatch --force-offscreen-rendering "$top_srcdir/tests/viz-export/render.py" pictures out/*.vt* out/*.hdf out/*.pvd out/*.xdmf >render.txt 2>&1
grep -vE 'Xlib|^$' render.txt
[ -z "${RENDER_DIR-}" ] || cp pictures/*.png "$RENDER_DIR"
exit $failed
