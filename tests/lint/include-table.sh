#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: include-table.sh [SOURCE TREE]: every #include "folder/..." is allowed by include-table.txt.
cd "${1:-${top_srcdir:-.}}" || exit 1
table=tests/lint/include-table.txt
declare -A allowed
while read -r folder rest; do
    [[ $folder && $folder != \#* ]] && allowed[$folder]=" $folder $rest "
done <"$table"

bad=0 seen=0
for folder in "${!allowed[@]}"; do
    [ -d "$folder" ] || continue
    while IFS=: read -r file line text; do
        seen=$((seen + 1))
        target=${text#*\"}
        target=${target%%/*}
        [[ ${allowed[$target]-} ]] || continue # loadstone/, config.h: not a folder of the table
        case ${allowed[$folder]} in
        *" $target "*) ;;
        *' * '*) [ "$target" != runtime ] || { echo "FAIL: $file:$line: nothing includes runtime/"; bad=1; } ;;
        *) echo "FAIL: $file:$line: $folder/ may not include $target/"; bad=1 ;;
        esac
    done < <(grep -rnE --include='*.[ch]' --include='*.cc' --include='*.S' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' "$folder")
done
# Folders with sources that the table does not know.
for folder in */; do
    folder=${folder%/}
    case $folder in include | tests | bench | examples | doc | scripts | m4 | build* | _* | autom4te.cache) continue ;; esac
    [[ ${allowed[$folder]-} ]] || [ -z "$(find "$folder" -name '*.[ch]' -print -quit)" ] ||
        { echo "FAIL: $folder/ is not in $table"; bad=1; }
done
[ "$seen" -gt 0 ] || { echo "FAIL: no include was found: the lint looks in the wrong place"; bad=1; }
echo "$seen includes"
exit $bad
