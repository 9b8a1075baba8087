#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: include-table.sh [SOURCE TREE]: every #include "folder/..." is allowed by the table of ARCHITECTURE.md that has the column
# "may include". A folder may always include itself; "everything but runtime" is that; what is in parentheses is for readers. A folder
# inside another one that has a row of its own (runtime/core/) is named in full, and only its own row counts.
cd "${1:-${top_srcdir:-.}}" || exit 1
table=ARCHITECTURE.md
declare -A allowed known
while IFS='|' read -r _ folders _ may _; do
    [[ $folders =~ ^' `'([a-z0-9_/-]+)/'` '$ ]] || continue # a row of one folder
    folder=${BASH_REMATCH[1]} may=${may//,/ }
    known[$folder]=1 known[${folder%%/*}]=1
    case $may in *'everything but runtime'*) may='*' ;; *everything*) continue ;; esac
    allowed[$folder]=" $folder $(sed 's/([^)]*)//g; s/^ *- *$//' <<<"$may") "
done < <(sed -n '/^| folder |.*| may include |$/,/^$/p' "$table")
[ ${#allowed[@]} -gt 10 ] || { echo "FAIL: $table: only ${#allowed[@]} rows of a table with 'may include' were found"; exit 1; }

bad=0 seen=0
for folder in "${!allowed[@]}"; do
    [ -d "$folder" ] || continue
    inner=()
    for other in "${!allowed[@]}"; do [[ $other != "$folder"/* ]] || inner+=("--exclude-dir=${other##*/}"); done
    while IFS=: read -r file line text; do
        seen=$((seen + 1))
        target=${text#*\"}
        target=${target%/*}
        while [[ $target == */* && ! ${known[$target]-} ]]; do target=${target%/*}; done
        [[ ${known[$target]-} ]] || continue # loadstone/, config.h: not a folder of the table
        case ${allowed[$folder]} in
        *" $target "*) ;;
        *' * '*) [[ $target != runtime* ]] || { echo "FAIL: $file:$line: nothing includes runtime/"; bad=1; } ;;
        *) echo "FAIL: $file:$line: $folder/ may not include $target/"; bad=1 ;;
        esac
    done < <(grep -rnE --include='*.[ch]' --include='*.cc' --include='*.S' "${inner[@]}" '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' "$folder")
done
# Folders with sources that the page does not know.
for folder in */ */*/; do
    folder=${folder%/}
    case $folder in tests* | bench* | examples* | doc* | scripts* | m4* | build* | _* | autom4te.cache* | loadstone-*) continue ;; esac
    [ -n "$(find "$folder" -maxdepth 1 -name '*.[ch]' -print -quit)" ] || continue
    [[ ${allowed[$folder]-} || $folder == include/* ]] || grep -q "^| .*\`$folder/\`.* | " "$table" || { echo "FAIL: $folder/ is in no table of $table"; bad=1; }
done
[ "$seen" -gt 0 ] || { echo "FAIL: no include was found: the lint looks in the wrong place"; bad=1; }
echo "$seen includes"
exit $bad
