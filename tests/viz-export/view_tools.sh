# SPDX-License-Identifier: BSD-3-Clause
# Sourced after tests/tools/check.sh: the tools for the page's tests.

# needs_page PROFILE: this build can make a page
needs_page() {
    "$loadstone" view "$1" -o probe.html 2>probe.err && return
    grep -q "no program for the page" probe.err || { cat probe.err; exit 1; }
    skip "built without the page's program: npm was not there"
}

# needs_browser: $chromium, and $modules that has node_modules with playwright-core
needs_browser() {
    chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium (Debian: chromium)"
    command -v node >/dev/null || skip "no node (Debian: nodejs)"
    modules=$top_builddir/viz-export/view/web/modules
    [ -d "$modules/node_modules/playwright-core" ] || skip "no playwright-core: tarballs bring the bundle and not its packages (make view-bundle gets them)"
    export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_CACHE_HOME=$PWD
}
