#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the distribution do the same under the preload.
. "${top_srcdir:-.}/tests/runtime/preload.inc"
tried=0

# program NAME COMMAND...: compared when it is installed.
program() {
    command -v "$2" >/dev/null || return 0
    tried=$((tried + 1))
    same "$@"
    holds_some "$1" PROCESS
}

seq 1 20000 >"$work/numbers"
cp "$top_srcdir"/common/*.c "$work/"
program python3 python3 -c 'import json, threading
a = [dict(i=i) for i in range(20000)]
t = [threading.Thread(target=a.sort, kwargs=dict(key=lambda d: -d["i"]))]
[x.start() for x in t]; [x.join() for x in t]
print(len(json.dumps(a)))'
program python3-children python3 -c 'import subprocess, os
print(subprocess.run(["sh", "-c", "echo $0; exit 3"], env={}, close_fds=True).returncode)
print(os.popen("echo popen").read())'
program python3-pool python3 -c 'import multiprocessing as m
with m.Pool(2) as p: print(p.map(abs, range(-5, 5)))'
program bash bash -c 'for i in 1 2 3; do (echo $i | cat); done; trap "echo bye" EXIT; x=$(seq 100 | wc -l); echo $x'
program dash dash -c 'for i in 1 2 3; do (echo $i | cat); done; exit 4'
program perl perl -e 'my %h; $h{$_ % 1000} .= $_ for 1 .. 50000; print length join "", map { $h{$_} } sort keys %h; print qx(echo hi); exit 5'
program sqlite3 sqlite3 :memory: 'create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, x * x from c; select sum(a), max(b) from t;'
program git git -C "$work" init -q .
program git-hash git hash-object "$work/numbers"
program git-diff git diff --no-index --stat "$work/ls_env.c" "$work/ls_error.c"
program sort sort -rn --parallel=2 "$work/numbers"
program gzip gzip -9c "$work/numbers"
program xz xz -T2 -c "$work/numbers"
program bzip2 bzip2 -c "$work/numbers"
program tar tar -C "$work" --sort=name --mtime=@0 -cf - numbers
program awk awk '{ s += $1; a[$1 % 10]++ } END { print s, length(a) }' "$work/numbers"
program sed sed -n '1~1000p' "$work/numbers"
program grep grep -c 7 "$work/numbers"
program find find "$top_srcdir/common" -name '*.c' -newer /
program xargs xargs -a "$work/numbers" -n 5000 echo
program make make -s -f /dev/null -n --eval 'all:;@echo made' all
program gcc gcc -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -I"$top_srcdir/include" -O2 -S -o - "$work/ls_quantity.c"
program env-i env -i sh -c 'echo $HOME'
program file file -b "$work/numbers"
program node node -e 'const a = Array.from({length: 10000}, (_, i) => i * 7 % 1000); a.sort((x, y) => x - y); console.log(a[5000])'
program diff diff "$work/ls_env.c" "$work/ls_error.c"
program od od -c "$work/ls_env.c"
program sha256sum sha256sum "$work/numbers"
program md5sum md5sum "$work/numbers"
program openssl openssl dgst -sha256 "$work/numbers"
program bc bc -e '2^500'
program timeout timeout -s TERM 0.2 sleep 5
program ldd-less ls -l "$top_srcdir/common/local.mk"
echo "$tried programs"
finish
