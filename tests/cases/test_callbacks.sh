#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Natural-domain functions receive every sample of their node once, whatever the program does; functions that
# misbehave are named.
. "${top_srcdir:-.}/tests/cases/proc.inc"
victim=$top_builddir/tests/cases/callbacks_victim
can_sample || skip "the step engine does not work here"
sampled="--engine step --overhead 50%"

# counted NAME [FILE [PROCESS]]: the counts of the function equal the recording's for B
counted() {
    if ! "$python" "$top_srcdir/tests/cases/callbacks_compare.py" "$1.h5" B "${2:-$1.txt}" "${3:-0}" >compared; then
        sed "s/^/    $1: /" compared
        failed=1
    fi
}
# run STATUS NAME: record this mode of the program; its output is in the file said, its tables in lines
run() {
    # shellcheck disable=SC2086
    recorded "$1" "$2" $sampled -- "$victim" "$2" "$2.txt"
    mv out said
}

# nothing runs beside a program without callbacks, and none of it without a recording
run 0 plain
must grep -qx 'threads 1' said
"$victim" matrix none.txt >plain.txt 2>&1 & # it waits for samples that do not come
quiet=$!
threads=$(ls "/proc/$quiet/task" | wc -l)
kill $quiet && wait $quiet 2>wait.err
must test "$threads" = 1

for mode in matrix free threads calls points; do
    run 0 $mode
    counted $mode
    holds 0 '^event CALLBACK_(CRASHED|SLOW|COSTLY|WAITING|LOST)'
done
run 7 exit
counted exit
run 0 fork
must grep -qx 'child 5' said
counted fork
counted fork fork.txt.child 1

run 0 slow
must grep -qx 'calls 1' said
holds 1 '^event CALLBACK_SLOW process 0 count 1 text the natural-domain function slow_function of "B" took '
sampled="--engine step --overhead 5% --force"
for rounds in 8 40 160; do # without a call, before the program ends: a busy machine gives few samples
    export COSTLY_ROUNDS=$rounds
    run 0 costly
    grep -q '^event CALLBACK_COSTLY' lines && break
done
sampled="--engine step --overhead 50%"
must grep -qx 'fewer 1' said
# a call that loses its processor for a while is no slow one
holds 1 '^event CALLBACK_COSTLY process 0 count 1 text the natural-domain function costly_function of "B" took '
run 0 leaves
holds 1 '^event CALLBACK_LEFT process 0 count 1 text the natural-domain function leaving_function of "B" '

# unloaded while attached: it is not called any more, and neither is other code at its address
plugin=$(cd "$top_builddir/tests/cases/.libs" && pwd)/callbacks_plugin.so
for seconds in 0.3 2 8 20; do # until there was a sample after the unloading
    export PLUGIN_SECONDS=$seconds
    # shellcheck disable=SC2086
    recorded 0 plugin --force $sampled -- "$victim" plugin "$plugin"
    grep -q '^event CALLBACK_GONE' lines && break
done
must grep -qx 'seen 1, after the unloading 0' out
must grep -qx done out
holds 1 '^event CALLBACK_GONE process 0 count [0-9]+ text '

# no thread can be created for them: the program continues, its samples are there, and it is reported
# shellcheck disable=SC2086
recorded 0 threadless $sampled -- env LD_PRELOAD="$top_builddir/.libs/libloadstone-preload.so:$(dirname "$plugin")/callbacks_threadless.so" "$victim" threadless
must grep -qx 'calls 0' out
holds_some '^event CALLBACKS_OFF process 1 count 1 '
holds_some '^sample .* node B$'

# it crashes as the program's own function would: its handler runs, it dies by its signal
run 139 crash
must grep -qx 'handler' said
holds 1 '^event CALLBACK_CRASHED process 0 count 1 text the program ended inside the natural-domain function crashing_function of "B"'

# none of these waits for ever, and an orderly end is no crash
run 0 lock
must grep -qx 'bounded 1' said
holds 1 '^event CALLBACK_WAITING process 0 count 1 text the natural-domain function locking_function of "B" '
run 11 exits
holds 0 '^event CALLBACK_CRASHED'
run 0 last
must grep -qx 'last' said
run 0 exec
must grep -qx 'replaced' said
holds 0 '^event CALLBACK_CRASHED'

# the same map ten times, a mesh that changes in one piece: written once, and that piece
rm -rf spool
LOADSTONE_ENGINE=null LOADSTONE_SPOOL=$PWD/spool LD_PRELOAD=$top_builddir/.libs/libloadstone-preload.so "$victim" maps
"$top_builddir/tests/runtime/spool_lines" spool >records || failed=1
pieces() { grep -cE " DOMAIN_DATA data=$1 " records; }
must test "$(grep -c ' MAP map=' records)" = 10
must test "$(grep ' MAP map=' records | sed 's/.*data=//' | sort -u | wc -l)" = 1
must test "$(grep -c ' DOMAIN domain=2 ' records)" -ge 2
points=$(sed -nE 's/.* DOMAIN domain=2 data=([0-9]+)$/\1/p' records | sort -u)
must test "$(pieces "$points")" = $((9 + 1)) # 20,000 points of 24 bytes, and the piece with point 10
must test "$(grep -c ' DOMAIN_END ' records)" = 2
must test "$(grep -c ' NODE_MAP node=2 map=0' records)" = 1
exit $failed
