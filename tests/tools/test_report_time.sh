#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The head's account of CPU time; every burst has a row, by its begin and by its data; kernel time.
. "${top_srcdir:-.}/tests/tools/check.sh"
for variant in whole gap unknown part untimed outliers cached called; do
    must "$top_builddir/tests/tools/make_time" $variant.h5 $variant
done
COLUMNS=120 "$loadstone" report whole.h5 >report-time.txt 2>err || failed=1
golden report-time.txt report-time.txt
COLUMNS=80 "$loadstone" report --by function whole.h5 >report-time-function.txt 2>err || failed=1
golden report-time-function.txt report-time-function.txt
COLUMNS=120 "$loadstone" report --how whole.h5 >report-how.txt 2>err || failed=1
golden report-how.txt report-how.txt
export COLUMNS=120
# the identity, the missing part, and its reason
expect 0 "CPU time   15.4 s: user 10.2, kernel 4.9 ±0.2, recording 0.3" "$loadstone" report whole.h5
must grep -qF "; 400 bursts for 98 % of the user time; " out
must test "$(grep -c ^warning out)" -eq 0
expect 0 "warning    5.2 % of the CPU time is not represented: sampling was refused in 3 of 5 threads" "$loadstone" report gap.h5
expect 0 "CPU        not known in this recording; bursts represent 10.0 s" "$loadstone" report --how unknown.h5
expect 0 "; 400 bursts for 10.0 s of user time; " "$loadstone" report unknown.h5
expect 0 "user not known, kernel not known, recording 0.3; bursts represent an unknown part" "$loadstone" report --how part.h5
# too few loads were timed for a stall
expect 0 "stall      not estimated: too few loads were timed (2.0 %)" "$loadstone" report --by function untimed.h5
must grep -qE "^chase .* 25\.0 ±[0-9.]+ " out
must test "$(grep -cE '^function .* stall ' out)" -eq 0
# a function without a burst is shown by its samples, a tenth of all
expect 0 "" "$loadstone" report --by function called.h5
must grep -qE '^fill \(mix\) +0\.0 ±0\.0 ' out
expect 0 "" "$loadstone" report --by function --min-share 11% called.h5
must test "$(sed '/^kernel time/,$d' out | grep -c '^fill (mix)')" -eq 0
expect 0 "fill (mix)" "$loadstone" report --by function --csv called.h5
# one outlier does not dominate: figures are the same as without it
for by in node function thread; do
    "$loadstone" report --by $by whole.h5 2>err | sed '1,/^$/d' >whole.txt
    "$loadstone" report --by $by outliers.h5 2>err | sed '1,/^$/d' >outliers.txt
    must test -s whole.txt
    must diff whole.txt outliers.txt
done
expect 0 "outliers, which count as the median: 1" "$loadstone" report --how outliers.h5
# data in L1 that loses a line now and then gets no advice, whatever its estimated stall
expect 0 "stall      the program waits for memory for at most" "$loadstone" report cached.h5
must test "$(grep -c 'of its loads' out)" -eq 0
must grep -qE "B  .* 100.0 ±0.0  " out
# a terminal of the usual size shows all of a report with its next command and the prompt, and as many rows as fit
LINES=24 COLUMNS=80 "$loadstone" report whole.h5 >low.txt 2>&1
must test "$(wc -l <low.txt)" -le 23
must grep -qF "kernel     work (mix.c:40): mapping, page faults" low.txt
must grep -qE "─ B .* 100.0" low.txt
LINES=24 COLUMNS=80 "$loadstone" report --by function whole.h5 >low.txt 2>&1
must test "$(wc -l <low.txt)" -le 23
must grep -qE "^kernel     page faults: .* % of the CPU time \([0-9]+ more\)" low.txt
# repeated allocations are reported only if the CPU time is known
expect 0 "reuse the block, or let malloc keep it" "$loadstone" report whole.h5
expect 0 "" "$loadstone" report unknown.h5
must test "$(grep -c 'can be saved' out)" -eq 0
needs_python json
must "$python" "$top_srcdir/tests/tools/time_rows.py" "$loadstone" whole.h5 unknown.h5
exit $failed
