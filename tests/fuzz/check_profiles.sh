#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands that read profiles, on 1,000 changed ones: make check-sanitized runs it in a build with sanitizers.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
"$top_builddir/tests/tools/make_profile" profile.h5 && "$top_builddir/tests/tools/make_heat" heat.h5 || exit 99
"$top_builddir/tests/viz-export/make_view" view.h5 && "$top_builddir/tests/viz-export/make_domains" domains.h5 || exit 99
must "$python" "$top_srcdir/tests/fuzz/change_profiles.py" "$loadstone" 1000 1 profile.h5 heat.h5 view.h5 domains.h5
exit $failed
