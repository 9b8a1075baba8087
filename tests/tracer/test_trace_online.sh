#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Patterns that are found while the program runs equal the patterns of its trace, in every mode; an example's
# are found by a recording.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
needs_python
spmv=$top_builddir/examples/spmv
export OMP_NUM_THREADS=1

# same [OPTION...] -- COMMAND...: trace --patterns writes the same as trace and patterns. Addresses of blocks
# differ from run to run.
same() {
    options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    choice=() found=()
    for o in "${options[@]}"; do
        case $o in --mode=* | --top=* | --memory=*) found+=("$o") ;; *) choice+=("$o") ;; esac
    done
    shift
    name="${options[*]} $*"
    rm -f p.json q.json t.trace
    "$loadstone" trace -q -p p.json "${options[@]}" -- "$@" >out 2>err
    status=$?
    "$loadstone" trace -q -o t.trace "${choice[@]}" -- "$@" >out 2>>err
    [ $status -eq $? ] || { echo "FAIL: $name: another status"; failed=1; }
    "$loadstone" patterns t.trace "${found[@]}" -o q.json >table 2>>err
    "$python" - <<'P' || { echo "FAIL: $name: other patterns at once than from the trace"; sed 's/^/    /' err; failed=1; }
import json, sys
p, q = (json.load(open(f)) for f in ("p.json", "q.json"))
assert len(p) == len(q) and p, (len(p), len(q))
for a, b in zip(p, q):
    a.pop("origin", None), b.pop("origin", None) # has the instruction's address
    b.pop("row-lengths", None), b.pop("rows-wait", None) # they need the trace
    assert a == b, (a["name"], b["name"], [k for k in a if a[k] != b.get(k)])
P
}
same --function=gather -- "$victim" loops
same --function=work -- "$victim" threads
same --function=touch_wide -- "$victim" members
same --function=gather --top=1 -- "$victim" loops
[ "$(grep -c '"kernel"' p.json)" -eq 1 ] || { echo "FAIL: --top 1 gives $(grep -c '"kernel"' p.json)"; failed=1; }
for mode in paper v1 v2; do
    same --function=shuffled --mode=$mode --memory=64M -- "$victim" shuffle
done
# gathers and scatters, and instructions without a source line, among the patterns of a published mode
for mode in cost paper v1 v2; do
    same --mode=$mode --memory=64M -- "$victim" loops
done
same --function=multiply -- "$spmv" 60 refined 1

# both commands print the same notes about patterns that Spatter cannot read
must "$loadstone" trace -f -o t.trace -p p.json -- "$spmv" 60 refined 1 >out 2>err
must "$loadstone" patterns t.trace -f -o q.json >table 2>err2
must grep -q "are not Spatter's" err2
must [ "$(grep Spatter err)" = "$(grep Spatter err2)" ]

# with a trace, the patterns have the rows of loops, too
for options in "" "--node=x --node=y" --mode=v2; do
    name="trace and patterns $options"
    found=
    [ "$options" != --mode=v2 ] || found=$options
    # shellcheck disable=SC2086
    must "$loadstone" trace -q -f -o t.trace -p p.json $options -- "$spmv" 60 refined 1 >out 2>err
    # shellcheck disable=SC2086
    must "$loadstone" patterns t.trace -f $found -o q.json >out 2>err
    cmp p.json q.json || { echo "FAIL: $name: other patterns than those of its trace"; failed=1; }
    [ -n "$found" ] || grep -q row-lengths p.json || { echo "FAIL: $name: no rows"; failed=1; }
done
must "$loadstone" trace -q -f -p p.json --node=x --node=y -- "$spmv" 60 refined 1 >out 2>err
must grep -q row-lengths p.json
grep -q '"kernel": *"Gather"' p.json || { echo "FAIL: no gather"; failed=1; }
expect 125 'name a file for them with --patterns' "$loadstone" trace --mode paper -- "$victim" loops
expect 125 'mode' "$loadstone" trace --mode fast -p p2.json -- "$victim" loops

# the sparse product, by a recording of more rounds than are traced; longer where a busy machine gave few
# bursts, or so few that the indices, which cost little, are not among the chosen data
can_record() { "$loadstone" record -q -f --overhead 50% --period 1ms -o run.h5 -- "$spmv" 100 given "$1" >out 2>err; }
rounds=2000
while can_record $rounds; do
    "$loadstone" trace -f -p spmv.json --hot run.h5 -- "$spmv" 100 given 3 >out 2>err || break
    grep -q -e 'too few to choose by' -e 'on data with' err && ! grep -q 'on data with.*column' err && [ $rounds -lt 50000 ] || break
    rounds=$((rounds * 3))
done
if grep -q '^loadstone: traced:' err; then
    "$python" - <<'P' || { sed 's/^/    /' err; failed=1; }
import json
names = [r["name"].replace("`", "") for r in json.load(open("spmv.json"))]
has_indices = any(l.startswith("loadstone: on data") and "column" in l for l in open("err")) # else more than 99 % of the time was on the others
for data in ("x through column", "value", "column") if has_indices else ("x", "value"):
    assert any(("of %s in multiply" % data) in n for n in names), (data, names)
P
else
    echo "not tested: the sparse product by a recording ($(grep -o '[0-9]* bursts' err || echo "it was not recorded"))"
fi
exit $failed
