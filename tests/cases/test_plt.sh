#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stubs that call functions of libraries are named name@plt, in the report and as objdump names them in programs of several kinds.
. "${top_srcdir:-.}/tests/tools/check.sh"
command -v objdump >/dev/null || skip "no objdump (Debian: binutils)"
[ "$(uname -m)" = x86_64 ] || skip "stubs are read for x86-64"

cat >stubs.c <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long values[1024];
int (*volatile pointer)(int) = abs;
__attribute__((noinline)) static long work(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        sum += ffsl(i) + labs(i - 5) + abs((int)i) + values[i & 1023];
        values[(i + 512) & 1023] = sum;
    }
    return sum;
}
int main(int argc, char **argv)
{
    printf("%d\n", work(argc > 1 ? atol(argv[1]) : 1000) != 0 && pointer(-1));
    return 0;
}
E2
cat >stubs.cc <<'E2'
#include <iostream>
#include <vector>
int main()
{
    std::vector<int> v;
    for (int i = 0; i < 9; i++) v.push_back(i);
    std::cout << v.size() << std::endl;
}
E2

# compare FILE [STUBS]: names of all stubs, at least this many
compare() {
    objdump -d -C --no-show-raw-insn "$1" | sed -nE 's/^0*([0-9a-f]+) <(.*@plt)>:$/\1 \2/p' >expected
    [ "$(wc -l <expected)" -ge "${2:-1}" ] || { echo "FAIL: $1: objdump names $(wc -l <expected) stubs"; failed=1; }
    cut -d' ' -f1 expected | "$top_builddir/tests/symbols/sym_names" "$1" >found
    diff expected found >wrong || { echo "FAIL: $1: stubs have other names (<):"; head -6 wrong; failed=1; }
}
cc="${CC:-cc} -g -O1 -fno-builtin"
for kind in "now -Wl,-z,now" "lazy -Wl,-z,lazy -fcf-protection=none" "ibt -Wl,-z,ibtplt,-z,lazy -fcf-protection" \
    "no-pie -no-pie -Wl,-z,lazy"; do
    name=${kind%% *}
    # shellcheck disable=SC2086
    $cc ${kind#* } -o "$name" stubs.c 2>err || { echo "not tested: $kind: $(head -1 err)"; continue; }
    compare "$name"
done
# shellcheck disable=SC2086
${CXX:-c++} -g -o cxx stubs.cc && compare cxx 3
${cc} -shared -fPIC -o lib.so stubs.c && compare lib.so
strip -o stripped now && compare stripped 3
for file in /bin/bash /usr/bin/perl "$(command -v objdump)"; do
    [ -f "$file" ] && compare "$(readlink -f "$file")"
done
# a static program calls the functions that it chooses at its start through stubs, which objdump does not name
if $cc -static -o static stubs.c 2>err; then
    objdump -d --no-show-raw-insn -j .plt static | sed -nE 's/^ *([0-9a-f]+):.*jmp.*/\1/p' >expected
    "$top_builddir/tests/symbols/sym_names" static <expected >found
    must test "$(grep -cE ' [a-z_0-9]+@plt$' found)" = "$(wc -l <expected)"
    for function in strchrnul memcpy; do must grep -q " $function@plt$" found; done
else
    echo "not tested: static programs: $(head -1 err)"
fi
# code that follows the last named function of its section has no name
echo "$(objdump -h now | awk '$2 == ".plt" { print $4 }')" | "$top_builddir/tests/symbols/sym_names" now >found
must grep -q ' \.plt$' found

"$loadstone" doctor --json >doctor.json 2>/dev/null
grep -q '"runtime": ""' doctor.json && { echo "not tested: recordings (there is no runtime)"; exit $failed; }
can_sample || { echo "not tested: recordings (the step engine does not work here)"; exit $failed; }
for name in now lazy ibt; do
    [ -f $name ] || continue
    must "$loadstone" record -q -f -o "$name.h5" --overhead 100% -- "./$name" 10000000 >out 2>err </dev/null
    # interrupts of some processors never come at a branch, so that no burst begins there
    must "$loadstone" report --by function --limit 100 --min-share 0 --json "$name.h5" >report.json
    for function in ffsl labs abs; do must grep -q "\"$function@plt ($name)\"" report.json; done
    # the stubs before the first named one are not _init's, which runs once
    "$loadstone" report --by function --limit 100 --csv "$name.h5" >report.csv 2>err
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_share") at = i; next } /^"?_init/ && $at > 0.01 { bad = 1 }
        END { exit bad || !at }' report.csv || { echo "FAIL: $name: time in _init"; failed=1; }
done
exit $failed
