#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
expect 2 "Usage: loadstone COMMAND" "$loadstone"
expect 0 "record" "$loadstone" --help
expect 0 "loadstone" "$loadstone" --version
expect 2 "did you mean 'report'?" "$loadstone" reprot x
expect 2 "loadstone --help lists them" "$loadstone" frobnicate
expect 2 "did you mean --json?" "$loadstone" report --jsn x
expect 2 "--sort needs an argument" "$loadstone" report --sort
expect 2 "is not one of time|stall" "$loadstone" report --sort speed x
expect 2 "takes no argument" "$loadstone" report --json=yes x
expect 2 "FILE is missing" "$loadstone" view
expect 2 "one argument too many" "$loadstone" report a b
# benchmarks are a separate group, and so are advanced options; no heading is printed twice
"$loadstone" --help >help
must test "$(sed -n '/^Benchmarks:/,/^$/s/^  \([a-z]*\) .*/\1/p' help | tr '\n' ' ')" = "replay stream study traffic "
must test "$("$loadstone" record --help | grep -c -e --trigger)" -eq 0
for command in record report export import patterns replay; do
    "$loadstone" $command --help-all >help
    must test -z "$(grep '^[A-Z].*:$' help | sort | uniq -d)"
    must test "$(grep -c -- '--help ' help)" -eq 1
done
expect 0 "with the advanced options" "$loadstone" record --help
expect 0 "Advanced:" "$loadstone" record --help-all
must grep -q -e --trigger out
expect 125 "unknown option -z" "$loadstone" record -z true
expect 125 "did you mean --overhead?" "$loadstone" record --overhed 3% true
expect 125 "unknown unit" "$loadstone" record --period 3parsec true
expect 125 "PROGRAM" "$loadstone" record
expect 0 "default: 3%" "$loadstone" record --help
expect 0 "Usage: loadstone resolve" "$loadstone" help resolve
# 0 is refused for these: it would mean "not given"
for o in memory top min-accesses min-distances far window-rows window-bytes longest seed; do
    expect 2 "--$o: 0 is too little; give 1" "$loadstone" patterns x --$o 0
done
expect 2 "--top: 0 is too little; give 1 or more" "$loadstone" patterns diff a b -t 0
expect 2 "--memory: 0 is too little; give 1M or more" "$loadstone" patterns groups a b --memory 0
for o in memory top count; do
    expect 125 "--$o: 0 is too little; give 1" "$loadstone" trace --patterns p.json --$o 0 true
done
for o in burst freq spool-max steps; do
    expect 125 "--$o: 0 is too little; give 1 or more" "$loadstone" record --$o 0 true
done
expect 125 "--duration: 0s is too little; give 1ns or more" "$loadstone" record --duration 0s true
expect 2 "--steps: 0 is too little; give 1 or more" "$loadstone" resolve spool --steps 0
for o in memory max-count max-runs warmups omp-threads; do
    expect 2 "--$o: 0 is too little; give 1" "$loadstone" replay -p 1 --$o 0
done
for o in count runs wrap; do
    expect 2 "--$o" "$loadstone" replay -p 1 --$o 0
done
expect 2 "--verbosity: 4 is too much; give 0 to 3" "$loadstone" replay -p 1 -v 4
expect 2 "--width: 19 is too little; give 20 to 1000" "$loadstone" report x --width 19
expect 2 "--slice-ms: 0 is too little" "$loadstone" report x --slice-ms 0
expect 2 "--size: 0 is too little" "$loadstone" stream --size 0
expect 2 "--runs: 0 is too little" "$loadstone" study x --runs 0
expect 0 "(default: 1G; 1M or" "$loadstone" patterns --help
# the suffix of a file must match its contents: no page in a .pdf, no trace in a .json; other names are
# accepted
expect 125 "x.csv: this command writes HDF5, and .csv is for text; use the suffix .h5, .hdf5 or .hdf, or a name without a dot" "$loadstone" record -o x.csv true
expect 1 "x.trace: this command writes HDF5, and .trace is for a trace" "$loadstone" merge a.h5 b.h5 -o x.trace
expect 1 "x.png: this command writes HDF5, and .png is for a picture" "$loadstone" resolve spool -o x.png
expect 2 "x.json: this command writes HDF5, and .json is for JSON" "$loadstone" replay -p UNIFORM:8:1 -o x.json
[ -z "$(ls x.* 2>/dev/null)" ] || { echo "FAIL: $(ls x.*) was written"; failed=1; }
exit $failed
