#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page's program is formatted as prettier does, and its lock file names no host.
top_srcdir=$(cd "${top_srcdir:-.}" && pwd)
top_builddir=$(cd "${top_builddir:-.}" && pwd)
web=$top_srcdir/viz-export/view/web
prettier=$top_builddir/viz-export/view/web/modules/node_modules/prettier/bin/prettier.cjs
if grep -n '"resolved"' "$web/package-lock.json"; then
    echo "FAIL: package-lock.json says where packages came from: npm install --omit-lockfile-registry-resolved"
    exit 1
fi
if ! command -v node >/dev/null || [ ! -f "$prettier" ]; then
    echo "SKIP: no prettier: tarballs bring the bundle and not its packages (make view-bundle gets them)"
    exit 77
fi
cd "$web" && node "$prettier" --check src build.mjs package.json ../../../tests/viz-export/*.mjs --config package.json
