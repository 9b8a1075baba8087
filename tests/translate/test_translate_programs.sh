#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the distribution with bursts every 0.2 ms: same output, messages and status as alone. With LS_LONG=1 more of them, and
# with bursts every 50 us.
set -u
preload=$(realpath "${LS_PRELOAD-$top_builddir/.libs/libloadstone-preload.so}")
. "$top_srcdir/tests/needs.inc"
needs_step
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
n=20000
[ -z "${LS_LONG-}" ] || n=100000
seq 1 $n | awk '{print ($1*7919)%100003, "line", $1}' >lines
mkdir tree
for i in $(seq 40); do seq "$i" 3000 >"tree/f$i"; done
cat >many.c <<'X'
int printf(const char *, ...);
#define FUNCTION(n) struct s##n { int a; double b; char c[10]; }; \
    static int f##n(int x) { struct s##n s[4] = {{x, 1, "a"}}; return x < 2 ? x + s[x & 1].a : f##n(x - 1) + f##n(x - 2) + s[x & 3].c[1]; }
#define TEN(n) FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6)
TEN(1) TEN(2) TEN(3) TEN(4)
int main(void) { printf("%d\n", f10(5) + f21(6) + f32(7) + f43(8)); return 0; }
X
cat >throws.cc <<'X'
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
static int deep(int n)
{
    std::string s(n, 'x');
    if (n == 0) throw std::runtime_error("x");
    return deep(n - 1) + static_cast<int>(s.size());
}
static jmp_buf back;
int main()
{
    long sum = 0;
    for (int i = 0; i < 10000; i++) {
        try {
            sum += deep(i % 13);
        } catch (const std::exception &e) {
            sum += i % 7 + *e.what();
        }
        if (setjmp(back) == 0) longjmp(back, 1);
        sum++;
    }
    std::printf("%ld\n", sum);
}
X
cat >query.sql <<'X'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, hex(x * 7919 % 1000) from c;
select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 20;
X
cat >work.py <<'X'
import hashlib, json, re
d = {str(i): [i, i * i] for i in range(20000)}
s = json.dumps(d)
print(hashlib.sha256(s.encode()).hexdigest(), len(json.loads(s)), sum(1 for _ in re.finditer("7+", s)))
X
cat >work.pl <<'X'
my %h; for (1..100000) { $h{$_ % 997} .= chr(65 + $_ % 26) } print join(",", map { length $h{$_} } sort { $a <=> $b } keys %h), "\n";
X
short=("python3 work.py" "perl work.pl" "awk '{s[\$1 % 100] += \$3} END {for (i = 0; i < 100; i++) print i, s[i]}' lines" "sort -k2 -n lines"
    "gzip -9 -c lines" "gcc -O1 -S -o - many.c" "./throws")
long=("sqlite3 :memory: <query.sql" "xz -T1 -3 -c lines" "xz -T2 -3 -c lines" "sort --parallel=2 -S 1M lines" "bzip2 -c lines"
    "echo 'scale=600; 4*a(1)' | bc -l" "tar cf - --sort=name --mtime=@0 tree | sha256sum" "git hash-object tree/*" "gcc -O2 -S -o - many.c"
    "openssl dgst -sha512 lines" "sed 's/9/x/g' lines | tac | cut -c2- | uniq -c" "bash -c 'for ((i = 0; i < 20000; i++)); do ((s += i * i % 7)); done; echo \$s'"
    "grep -c '7.*9' lines" "diff <(sort lines) lines | md5sum" "date -d @0 -u" "find tree -name 'f*' | sort")
g++ -O1 throws.cc -o throws 2>/dev/null || short=("${short[@]/.\/throws/}")
programs=("${short[@]}") periods=200us
if [ -n "${LS_LONG-}" ]; then
    programs+=("${long[@]}")
    periods='200us 50us'
fi
failed=0 ran=0
for command in "${programs[@]}"; do
    first=${command%% *}
    [ -n "$first" ] && command -v "$first" >/dev/null || continue
    eval "$command" >alone.out 2>alone.err
    alone=$?
    for period in $periods; do
        rm -rf spool
        (
            export LOADSTONE_ENGINE=translate LOADSTONE_OVERHEAD=100% LOADSTONE_PERIOD=$period LOADSTONE_SPOOL=$work/spool LD_PRELOAD=$preload
            eval "$command" >sampled.out 2>sampled.err
        )
        sampled=$?
        ran=$((ran + 1))
        if [ $alone -eq $sampled ] && cmp alone.out sampled.out && cmp alone.err sampled.err; then continue; fi
        echo "FAILED: $period: $command: status $sampled, alone $alone: $(head -c 300 sampled.err)"
        failed=1
    done
done
echo "$ran runs"
[ $ran -gt 3 ] || skip "too few of the programs are installed"
exit $failed
