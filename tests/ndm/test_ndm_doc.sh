#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each example of doc/natural-domain.md is, line after line, in a program that compiles and runs as a test.
top_srcdir=${top_srcdir:-.}
sources=("$top_srcdir"/tests/ndm/doc_examples*.[cf]*)
status=0 blocks=0 block='' inside=''
all=$(for s in "${sources[@]}"; do echo; sed 's/^ *//' "$s"; done)
while IFS= read -r line; do
    case $line in
    '```c'* | '```fortran') inside=yes block='' ;;
    '```')
        [ "$inside" ] || { inside=other; continue; }
        if [ "$inside" = yes ]; then
            blocks=$((blocks + 1))
            [[ "$all"$'\n' == *$'\n'"$block"* ]] || { echo "FAIL: no program has this example:"; echo "$block"; status=1; }
        fi
        inside='' ;;
    *) [ "$inside" ] && block+="$(sed 's/^ *//' <<<"$line")"$'\n' ;;
    esac
done <"$top_srcdir/doc/natural-domain.md"
[ $blocks -ge 9 ] || { echo "FAIL: only $blocks examples found"; status=1; }
echo "$blocks examples"
exit $status
