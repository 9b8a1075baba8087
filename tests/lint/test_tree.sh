#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every source has its licence in its first lines; conditional compilation stays out of logic; headers of
# threaded code name the threads that may call; every page and source is distributed.
top_srcdir=${top_srcdir:-.}
cd "$top_srcdir" || exit 99
status=0 found=$(mktemp) || exit 99
trap 'rm -f "$found"' EXIT
fail() { echo "FAIL: $*"; status=1; }

sources() {
    find . \( -path ./.git -o -path ./build-aux -o -path ./autom4te.cache -o -name '_build' -o -path './loadstone-*' -o -name node_modules \) -prune -o -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.S' -o -name '*.f90' -o -name '*.py' -o -name '*.sh' -o -name '*.inc' -o -name '*.js' -o -name '*.mjs' -o -name '*.css' \
        -o -name '*.mk' -o -name 'ls_*.m4' -o -name configure.ac -o -name Makefile.am \) -print
}

checked=0
while read -r f; do
    checked=$((checked + 1))
    head -n 3 "$f" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || fail "$f: no SPDX line among the first three"
done < <(sources | grep -v -e '/config\.h' -e '/web/bundle/')
[ $checked -gt 100 ] || fail "only $checked sources found"

# Guards and extern "C" of headers, the one place for differences, and what a library that may be missing gives: #ifdef HAVE_X.
for f in analyse common kernels machine ndm patterns perf resolve run_h5 runtime smrtree spool symbols tools traffic viz-export; do
    [ -d $f ] || continue
    grep -rnE '^ *# *(if|ifdef|ifndef|elif)\b' --include='*.c' --include='*.h' $f |
        grep -vE '^common/ls_compat\.h:|#ifndef [A-Z0-9_]+_H$|__cplusplus|:#ifdef HAVE_[A-Z]+$'
done >"$found"
[ ! -s "$found" ] || fail "conditional compilation outside common/ls_compat.h: $(cat "$found")"

# Comments end on the line of their last word: a "*/" alone is a line that a formatter broke.
grep -rnE '^[[:space:]]*\*/[[:space:]]*$' --include='*.c' --include='*.h' --include='*.cc' --exclude-dir='_build' --exclude-dir='loadstone-*' . >"$found"
[ ! -s "$found" ] || fail "lines with nothing but the end of a comment: $(cat "$found")"

# One FNV-1a is enough.
grep -rlE '0x(cbf29ce484222325|100000001b3)' --include='*.c' --include='*.h' analyse common kernels machine ndm patterns perf resolve run_h5 runtime smrtree spool symbols tools traffic viz-export >"$found"
[ "$(cat "$found")" = common/ls_hash.h ] || fail "FNV-1a outside common/ls_hash.h: $(cat "$found")"

# One comparison of uint64_t for qsort is enough.
grep -rl 'const uint64_t x = \*(const uint64_t \*)' --include='*.c' --include='*.h' analyse common kernels machine ndm patterns perf resolve run_h5 runtime smrtree spool symbols tools traffic viz-export >"$found"
[ "$(cat "$found")" = common/ls_sorted.h ] || fail "numbers compared outside common/ls_sorted.h: $(cat "$found")"

# Public headers, and headers of sources that use threads or atomics, document which threads may call their
# functions.
headers=0
while read -r f; do
    case $f in include/* | *_sigsafe.h) ;; *) grep -qE 'pthread_|__atomic_|_Thread_local' "$f" "${f%.h}.c" 2>/dev/null || continue ;; esac
    headers=$((headers + 1))
    grep -q 'Thread' "$f" || fail "$f: its contract does not say Thread"
done < <(sources | grep '\.h$' | sed 's,^\./,,' | grep -v -e '^tests/' -e '^bench/' -e '^examples/' -e 'config\.h')
[ $headers -gt 50 ] || fail "only $headers headers of threaded code found"

for f in doc/*.md; do
    grep -q "^dist_formats_DATA += .*$f" doc/local.mk || fail "$f: is not in dist_formats_DATA of doc/local.mk"
    twice=$(grep '^## ' "$f" | sort | uniq -d)
    [ -z "$twice" ] || fail "$f: has a heading twice, a merge that went wrong: $twice"
done

find . -name '*.mk' -not -path './loadstone-*' -exec cat {} + >"$found"
while read -r f; do
    grep -qF -e "$f" "$found" || case $f in tests/* | bench/*) grep -qF -e "${f%.*}" "$found" ;; *) false ;; esac || fail "$f: no local.mk names it, so the distribution lacks it"
done < <(sources | sed 's,^\./,,' | grep -E '\.(c|h|cc|S|f90)$' | grep -v -e '^config\.h' -e '^tests/bed/' -e '/config\.h$')
exit $status
