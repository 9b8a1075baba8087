#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: sigsafe-symbols.sh ALLOW-LIST OBJECT...: each undefined symbol of the *_sigsafe.o among the objects is on the list, is data
# of one of the objects, or is a function of another *_sigsafe.o or of an assembler object (*_x86_64.o).
list=$1
shift
declare -A ours
allowed=$(grep -vE '^#|^$' "$list" | paste -sd'|')
while read -r object symbol type _; do
    object=${object%:}
    case $type in
    [BDRVbdrC]) ours[$symbol]=1 ;;
    T | W) [[ $object == *_sigsafe.o || $object == *_x86_64.o ]] && ours[$symbol]=1 ;;
    esac
done < <(nm -A -P --defined-only "$@" 2>/dev/null)
bad=0 seen=0
for object; do
    [[ $object == *_sigsafe.o ]] || continue
    seen=$((seen + 1))
    while read -r symbol _; do
        [[ ${ours[$symbol]-} ]] || [[ $symbol =~ ^($allowed)$ ]] ||
            { echo "FAIL: ${object##*/} needs $symbol, which is not known to be safe in a signal handler"; bad=1; }
    done < <(nm -P --undefined-only "$object")
done
[ "$seen" -gt 0 ] || { echo "FAIL: no *_sigsafe.o among the objects"; bad=1; }
echo "$seen objects"
exit $bad
