#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Real programs of the distribution do the same under the profiler: identical output, identical error output, identical status.
# The sampling is far denser than by default, so that bursts land everywhere.
# usage: real-programs.sh [NAME...]   (only these cases)
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
loadstone=${LOADSTONE:-$(cd "$top_builddir" && pwd)/tools/loadstone}
[ -x "$loadstone" ] || { echo "no $loadstone: build it first"; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/loadstone-real.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC HOME="$work/home" SOURCE_DATE_EPOCH=0
unset XDG_CACHE_HOME
mkdir "$work/home" "$work/data" "$work/runtime"
export XDG_RUNTIME_DIR="$work/runtime"
passed=0 failed=0 missing=0
only=" $* "

# The input: the same bytes on every machine.
make_data() {
    cd "$work/data" || exit 1
    awk 'BEGIN { x = 12345; for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648
         printf "%d line %d of %s\n", x, i, (x % 3 ? "plain" : "other") } }' >text
    head -n 20000 text | sed 's/plain/changed/' >text2
    head -c 400000 text >blob
    gzip -n -k blob; bzip2 -k blob 2>/dev/null; xz -k -T1 blob 2>/dev/null
    mkdir tree && for i in 1 2 3 4 5 6 7 8; do head -n $((i * 100)) text >tree/f$i; done
    find tree -exec touch -d @1000000000 {} +
    cat >prog.c <<'C'
#include <stdio.h>
int main(void) { long s = 0; for (int i = 0; i < 1000; i++) s += i * (s ^ i) % 7; printf("%ld\n", s); return 3; }
C
    gcc -g -O1 -c prog.c -o prog.o && gcc prog.o -o prog && cp prog debuggee
    gcc -S prog.c -o prog.s
    printf 'all: one two\none two:\n\t@echo made $@\n' >Makefile
    (mkdir repo && cd repo && git init -q . && git config user.email a@b && git config user.name n &&
        for i in 1 2 3 4 5; do head -n $((i * 50)) ../text >f; git add f; GIT_AUTHOR_DATE="@$i +0000" GIT_COMMITTER_DATE="@$i +0000" \
            git commit -qm "change $i"; done) >/dev/null 2>&1
}

# run SIDE COMMAND: in a fresh copy of nothing but the current directory; leaves SIDE.out, SIDE.err, SIDE.status.
run() {
    local side=$1
    shift
    "$@" >"$work/$side.out" 2>"$work/$side.err" <"$work/data/text2"
    echo $? >"$work/$side.status"
}

# c NAME SHELL-COMMAND: the first word of the command must exist.
c() {
    local name=$1 command=$2
    [ "$only" = "  " ] || [[ $only == *" $name "* ]] || return 0
    if ! command -v "${command%% *}" >/dev/null 2>&1; then
        echo "missing ${command%% *}: $name is left out"
        missing=$((missing + 1))
        return 0
    fi
    rm -rf "$work/scratch" && mkdir "$work/scratch"
    run native bash -c "exec $command"
    rm -rf "$work/scratch" && mkdir "$work/scratch"
    run recorded "$loadstone" record -q --force --overhead 30% -o "$work/run.h5" -- bash -c "exec $command"
    local what
    for what in out err status; do
        if ! cmp -s "$work/native.$what" "$work/recorded.$what"; then
            echo "FAIL $name: $what differs (native, then recorded):"
            head -c 300 "$work/native.$what"; echo; echo "---"; head -c 600 "$work/recorded.$what"; echo
            failed=$((failed + 1))
            return 0
        fi
    done
    passed=$((passed + 1))
}

make_data
cd "$work/data" || exit 1
export S="$work/scratch"
c ls 'ls -laR --time-style=+%s tree'
c sort 'sort -n text'
c sort-parallel 'sort --parallel=2 -S 200K -k4 text'
c awk 'awk "{ n[\$NF] += \$1 } END { for (k in n) print k, n[k] | \"sort\" }" text'
c sed 'sed -E "s/([0-9]+) line/line \\1/;/7\$/d" text'
c grep 'grep -c -E "1[0-9]*7 of (plain|other)" text'
c grep-fails 'grep no-such-thing text'
c find 'find tree -type f -size +1k -name "f[3-8]"'
c xargs 'xargs -n 500 -P 1 echo'
c tar 'tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - tree'
c tar-gzip 'tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -I "gzip -n" -cf - tree'
c gzip 'gzip -n -9 -c text'
c gunzip 'gzip -dc blob.gz'
c bzip2 'bzip2 -c blob'
c bunzip2 'bzip2 -dc blob.bz2'
c xz 'xz -T1 -3 -c blob'
c unxz 'xz -dc blob.xz'
c zstd 'zstd -q -T1 -c blob'
c diff 'diff -u text text2'
c cmp 'cmp text text2'
c md5sum 'md5sum text blob prog.c'
c sha256sum 'sha256sum text'
c wc 'wc text text2'
c cut 'cut -d" " -f1,3 text'
c tr 'tr a-z A-Z'
c uniq 'uniq -c -f4 text'
c join 'comm -12 text text2'
c od 'od -An -tx4 blob'
c dd 'dd if=text bs=4k count=50 status=none'
c date 'date -d @86400 +%F'
c env 'env -i PATH=/usr/bin:/bin sh -c "echo \$PATH; exit 4"'
c bash 'bash -c "for ((i=0;i<3000;i++)); do ((s+=i*i%7)); done; echo \$s; (exit 5); echo \$?; echo \$(echo sub | cat)"'
c dash 'dash -c "i=0; while [ \$i -lt 2000 ]; do i=\$((i+1)); done; echo \$i; cat text2 | head -n 3; exit 6"'
c bc 'bc -l <<< "scale=200; 4*a(1)"'
c perl 'perl -e "my %h; while (<>) { \$h{(split)[4]}++ } print map { qq(\$_ \$h{\$_}\n) } sort keys %h; exit 9" text'
c python3 'python3 -c "import json,zlib; d=[l.split() for l in open(\"text\")]; print(len(json.dumps(d)), zlib.crc32(repr(sorted(d)).encode()))"'
c python3-subprocess 'python3 -c "import subprocess; print(subprocess.run([\"sort\",\"-n\",\"text2\"],capture_output=True).stdout[-40:])"'
c python3-threads 'python3 -c "import threading; r=[]; t=[threading.Thread(target=lambda i=i: r.append(sum(range(i*10000)))) for i in range(8)]; [x.start() for x in t]; [x.join() for x in t]; print(sorted(r))"'
c python3-fails 'python3 -c "raise SystemExit(7)"'
c sqlite3 'sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c where x<30000) select count(*),sum(x*x%17) from c; create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x, x*7919%1000 from c; create index i on t(b); select b,count(*) from t group by b order by 2 desc,1 limit 5;"'
c gcc 'gcc -O2 -S -o - prog.c'
c gcc-link 'gcc -Wl,--build-id=none -o $S/out prog.c'
c cc-error 'gcc -c no-such-file.c -o $S/x.o'
c g++ 'g++ -x c++ -fsyntax-only -include vector prog.c'
c as 'as -o $S/x.o prog.s'
c ld 'ld -r -o $S/y.o prog.o'
c nm 'nm prog'
c objdump 'objdump -d prog.o'
c readelf 'readelf -a prog.o'
c strip 'strip -o $S/stripped prog'
c make 'make -s one two'
c m4 'm4 -DX=3 <<< "eval(X*14)"'
c git-log 'git -C repo log --stat --format=%H'
c git-diff 'git -C repo diff HEAD~3'
c git-fsck 'git -C repo fsck --full --no-progress'
c openssl 'openssl dgst -sha512 text'
c openssl-enc 'openssl enc -aes-256-cbc -pbkdf2 -nosalt -pass pass:x -in blob'
c curl 'curl --version'
c curl-file 'curl -s file://$PWD/prog.c'
c node 'node -e "const m=new Map(); for (let i=0;i<2e5;i++) m.set(i%997,(m.get(i%997)||0)+i); console.log([...m.values()].reduce((a,b)=>a^b)); process.exit(11)"'
c jq 'jq -n "[range(5000)|.*.%13]|add"'
c gdb 'gdb -nx -batch -ex "info line main" -ex "disassemble main" prog.o'
c man 'man -P cat -l /usr/share/man/man1/gzip.1.gz'
c ssh 'ssh -V'
c file 'file prog.c text blob.gz'
c ps 'ps -o comm= -p 1'
c program 'env ./prog'
c killed 'sh -c "kill -TERM \$\$"'

echo "$passed programs the same, $failed differ, $missing missing here"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -ge 25 ] || [ "$only" != "  " ] || { echo "fewer than 25 programs ran: install the rest with scripts/deps"; exit 1; }
