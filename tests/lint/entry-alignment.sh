#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: entry-alignment.sh OBJECT [FRAMELESS...]: check that each function that the shared object exports (x86-64, not
# stripped) works with a stack that is misaligned by 8 bytes: it aligns its frame (LS_EXPORT in common/ls_compat.h), or neither it nor
# its callees need an aligned one. Only the FRAMELESS functions may call the C library and functions behind pointers.
object=$1
shift
{
    nm -D --defined-only "$object" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print "export", $1, $3 }'
    objdump -d --no-show-raw-insn "$object"
} | awk -v list="$*" '
function address(text) { sub(/^0+/, "", text); return text }
# why the function is wrong, "" if it is not
function why(f, may_leave,   i, n, at, found) {
    if (f in aligned) return ""
    if (f in vectors) return "moves aligned vectors on its stack"
    if (!may_leave && (f in leaves)) return "calls " leaves[f]
    if (f in seen) return ""
    seen[f] = 1
    n = split(targets[f], at, " ")
    for (i = 1; i <= n; i++)
        if ((found = why(at[i], 0)) != "") return "by way of " name[at[i]] ": " found
    return ""
}
BEGIN { n = split(list, word, " "); for (i = 1; i <= n; i++) frameless[word[i]] = 1 }
$1 == "export" && NF == 3 { export[$3] = address($2); next }
/^[0-9a-f]+ <.*>:$/ { f = address($1); name[f] = substr($2, 2, length($2) - 3); next }
/and +\$0xf+[0-9a-f]0,%rsp/ { aligned[f] = 1 }
/v?mov(ap[sd]|dqa[0-9]*) .*\(%r[sb]p[,)]/ { vectors[f] = 1 }
/(call|jmp) +\*/ { leaves[f] = "by a pointer" }
match($0, /(call|j[a-z]+) +[0-9a-f]+ <[^>]*>/) {
    split(substr($0, RSTART, RLENGTH), part, / +/)
    if (part[3] ~ /@plt/) leaves[f] = part[3]
    else if (part[3] !~ /\+0x/) targets[f] = targets[f] " " part[2]
}
END {
    for (e in export) {
        delete seen
        n_exports++
        if ((reason = why(export[e], e in frameless)) == "") continue
        print "FAIL: " e " leaves the stack as it came (LS_EXPORT aligns it), and " reason
        bad = 1
    }
    print n_exports + 0 " functions"
    exit bad || n_exports == 0
}'
