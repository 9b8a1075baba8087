#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: bundle.sh SOURCE_DIR OUTPUT_DIR: install the packages of package-lock.json into OUTPUT_DIR/modules and write
# OUTPUT_DIR/bundle/view.js and view.css. Without npm, or where it cannot get the packages, both are empty: the rest
# of Loadstone builds, and loadstone view names the missing part.
set -eu
source=$1 output=$2
modules=$output/modules bundle=$output/bundle
mkdir -p "$modules" "$bundle"

give_up() {
    echo "loadstone view will not work in this build: $1; install nodejs and npm, then run make view-bundle && make" >&2
    : >"$bundle/view.css"
    : >"$bundle/view.js"
    exit 0
}

command -v npm >/dev/null 2>&1 || give_up "npm was not found"
for file in package.json package-lock.json; do
    rm -f "$modules/$file"
    cp "$source/$file" "$modules/$file"
    chmod u+w "$modules/$file"
done
(cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$modules/npm.log" 2>&1 || {
    tail -n 5 "$modules/npm.log" >&2
    give_up "npm could not fetch the packages of package-lock.json"
}
rm -f "$modules/build.mjs"
cp "$source/build.mjs" "$modules/build.mjs"
node "$modules/build.mjs" "$source/src/main.js" "$bundle"
