#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Traces of several programs: how large they are, how fast they are written and read.
# usage: traces.sh LOADSTONE BENCH EXAMPLES     (make bench-traces; the table is in doc/traces.md)
set -eu
loadstone=$1 bench=$2 examples=$3
work=$(mktemp -d bench-traces.XXXXXX)
trap 'rm -rf "$work"' EXIT
seq 1 30000 | shuf --random-source=<(yes) >"$work/numbers"
take() { # NAME COMMAND...
    local name=$1
    shift
    "$loadstone" trace -q -o "$work/$name.trace" -- "$@" >/dev/null 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
    set -- "$name=$work/$name.trace"
    traces+=("$@")
}
traces=()
take matmul "$examples/matmul_naive" 96
take stencil "$examples/stencil_naive" 64 64 16 2
take spmv "$examples/spmv" 150 given 4
take sedov "$examples/sedov_separate" 12 mixed 10
take sort sort -n "$work/numbers"
take gzip gzip -c "$work/numbers"
take sqlite3 sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c where x<20000) select count(distinct x*7919%10007) from c"
take python3 /usr/bin/python3 -c 'print(sum({i * 7919 % 10007: i for i in range(20000)}.values()))'
echo "| program | accesses, 10^6 | bytes an access | written, 10^6/s | read, 10^6/s | read as drmemtrace, 10^6/s | extracted, 10^6/s |"
echo "|---|---|---|---|---|---|---|"
"$bench" "${traces[@]}"
