#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: callers.sh BUILD [SOURCE TREE]: check that each function and table that an object of the product in BUILD exports
# has a user: another object of the product, a shared library's interface, a source of the tests, or one that this build leaves out.
# Functions that only their file uses should be static.
build=$1
cd "${2:-.}" || exit 1
mapfile -t objects < <(find "$build" \( -path "$build/tests" -o -path "$build/bench" -o -path "$build/examples" \
    -o -path "$build/loadstone-*" -o -path "$build/_build" \) -prune -o -name '*.o' -print)
mapfile -t libraries < <(find "$build/.libs" -name '*.so')
[ ${#objects[@]} -gt 0 ] || { echo "FAIL: no objects in $build"; exit 1; }

# names and files of functions without a user in another object or an interface
alone() {
    {
        [ ${#libraries[@]} -eq 0 ] || nm -D -P --defined-only "${libraries[@]}" | awk 'NF > 1 { sub(/@.*/, "", $1); print "interface", $1, "U" }'
        nm -A -P "${objects[@]}" | awk '{ sub(/:$/, "", $1); sub(/.*\//, "", $1); sub(/^[^.]*-/, "", $1); sub(/\.o$/, "", $1); print $1, $2, $3 }'
    } | awk '
        $3 ~ /^[TDBR]$/ && $2 != "main" { at[$2] = $1 }
        $3 ~ /^[Uw]$/ { users[$2] = users[$2] " " $1 }
        END {
            for (name in at) {
                n = split(users[name], user, " ")
                for (i = 1; i <= n && user[i] == at[name]; i++) continue
                if (i > n) print name, at[name]
            }
        }' | sort
}

bad=0 found=$(alone)
# names used by the other sources
mapfile -t sources < <(find . \( -name .git -o -name '_build' -o -name 'loadstone-*' \) -prune -o \( -name '*.c' -o -name '*.cc' -o -name '*.S' \) -print)
named=$(grep -owHF -f <(cut -d' ' -f1 <<<"$found") "${sources[@]}" | sort -u)
while read -r name file; do
    grep -q "/$file\.[cS]:$name\$" <<<"$named" || continue # an object whose source is gone
    grep -v "/$file\.[cS]:" <<<"$named" | grep -q ":$name\$" && continue
    echo "FAIL: $file.c: nobody else uses $name: it should be static, or go"
    bad=1
done <<<"$found"
echo "${#objects[@]} objects"
exit $bad
