#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: embed.sh BUNDLE_DIR: the bundle as C arrays, on standard output.
set -eu
array() { # NAME FILE
    echo "const unsigned char $1[] = {"
    od -An -v -tu1 -w32 "$2" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
    echo "0};"
    echo "const size_t $1_len = sizeof($1) - 1;"
}
echo "/* SPDX-License-Identifier: BSD-3-Clause */"
echo "/* Made by viz-export/view/web/embed.sh. */"
echo '#include "viz-export/view/vx_view_parts.h"'
array vx_view_script "$1/view.js"
array vx_view_style "$1/view.css"
