#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns: from a trace with known loops to tables, files, pictures, and back through replay.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
must "$top_builddir/tests/tools/make_trace" t.trace
patterns() { "$loadstone" patterns "$@"; }
quick="--no-stream --quiet --max-count 64 --max-runs 2 --warmups 1 -b serial -t 1"

# the table: the most costly comes first
must patterns t.trace >out 2>err
must grep -q '^source     t.trace: 46,192 accesses of 7 instructions in 2 threads$' out
must grep -q '^  0 .* gather of x .*, 2 threads' out
must grep -q ' scatter to y ' out
must grep -q ' gather of B ' out
must grep -q 'next: loadstone patterns t.trace -o patterns.json' err
must grep -q 'of 4 bytes' out

# a single operand is an input, whatever its name; with more operands the first one is the action
for name in show diff; do
    cp t.trace $name
    must patterns $name >named 2>/dev/null
    sed "s/^source     $name:/source     t.trace:/" named | cmp -s - out || { echo "FAIL: a trace called $name"; failed=1; }
    rm $name
done
expect 2 "patterns show takes FILE.json" patterns show
expect 2 "patterns groups takes FILE..." patterns groups
expect 3 "show" patterns show show
expect 2 "actions: show FILE.json" patterns draw t.trace
expect 2 "patterns show takes FILE.json" patterns show a b

# the costliest first, whatever its kind, in the table, in JSON and in files; GS Patterns has gathers first
awk 'BEGIN {
    for (i = x = 1; i <= 5000; i++) {
        x = (x * 16807) % 2147483647
        printf "I  1000,3\n L %x,8\nI  2000,3\n S %x,8\nI  3000,3\n L %x,8\n", 268435456 + 72 * (i % 300), 1073741824 + 8 * (x % 10000000), 4096 + 8 * (i % 2)
    }
}' >order.lackey
must patterns order.lackey -o order.json >out 2>/dev/null
must grep -qE '^  0 .* scatter at ' out
must grep -qE '^  1 .* gather at ' out
must test "$(grep -o '"kernel": "[A-Z][a-z]*"' order.json | head -1)" = '"kernel": "Scatter"'
must patterns order.lackey --json >found.json 2>/dev/null
must test "$(grep -m 1 '"op":' found.json | tr -d ' ,')" = '"op":"store"'
must patterns order.lackey --to gs-patterns -f -o order.json >out 2>/dev/null
must test "$(head -c 24 order.json)" = '[  {"kernel":"Gather", "'
# patterns that are left out are counted, with the option that has them
must patterns order.lackey --top 1 >out 2>/dev/null
must grep -q '^           1 left out: cheaper than these, with 33.3 % of the accesses and .* %.* of the cost; --top 2 has them$' out
must grep -q '^           1 left out: with distances of -1, 0 and 1 only, with 33.3 % of the accesses and .* % of the cost; --trivial has them$' out
must patterns order.lackey --min-accesses 6000 >out 2>/dev/null
must grep -q '^           3 left out: of too few accesses, with 100.0 % of the accesses and 100.0 % of the cost; --trivial --min-accesses 1 has them$' out
must patterns order.lackey --trivial >out 2>/dev/null
! grep -q 'left out' out || { echo "FAIL: left out:"; cat out; failed=1; }

# the help of an action has only its options, the help of the command has all
for help in "patterns diff --help" "patterns --help diff a b" "help patterns diff"; do
    expect 0 "Usage: loadstone patterns diff [OPTION...] A B" "$loadstone" $help
    must grep -q -e '--by-distance' out
    ! grep -q -e '--members' -e '--config' -e '--output' out || { echo "FAIL: $help has options of others"; failed=1; }
done
patterns diff --help >out
for o in $(sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' out); do
    [ $o = help ] || ! patterns diff t.trace t.trace --$o=1 2>&1 >/dev/null | grep 'does nothing' || failed=1
done
expect 0 "--members" patterns groups --help
expect 0 "--config" patterns show --help
patterns --help >out
for o in members config by-distance to; do must grep -q -e "--$o" out; done
must grep -q 'diff prints the distance between' out
must grep -q 'diff prints the distance between' "$top_builddir/tools/loadstone-patterns.1"
must grep -q -e '--format=trace|run-h5|.*|drmemtrace' out
expect 2 "see loadstone patterns show --help" patterns show P.json --top 1

# an option that would have no effect is refused, and nothing is written
expect 2 "patterns diff does nothing with --output" patterns diff t.trace t.trace -o diff.html
expect 2 "patterns groups does nothing with --to" patterns groups t.trace --to gem5
expect 2 "patterns show does nothing with --top" patterns show P.json --top 1
expect 2 "patterns INPUT... does nothing with --within" patterns t.trace --within 1%
must test ! -e diff.html

# outputs that cannot be written are reported before a byte is read: this input would be refused
printf 'no trace' >bad.trace
for place in /proc/P.json /proc/no/P.json no/P.json "$(printf '%0250d' 0)"; do
    for o in "-o $place" "--picture $place.svg"; do
        ! patterns bad.trace -f $o >out 2>err || { echo "FAIL: patterns $o succeeds"; failed=1; }
        must grep -q 'name another file' err
    done
done
# the suggested next command gets a file that it can read
must patterns t.trace -f -o /dev/null >/dev/null 2>err
must grep -q '/dev/null' err
expect_not() { ! grep -q "$1" err || { echo "FAIL: $1 in:"; cat err; failed=1; }; }
expect_not 'next:'
must patterns t.trace -o - >/dev/null 2>err
expect_not 'next:'
cat t.trace | patterns /dev/stdin >/dev/null 2>err
expect_not 'next:'

# files and back
must patterns t.trace -o P.json >out 2>err
must grep -q 'next: loadstone replay P.json' err
must "$loadstone" replay $quick P.json >replayed 2>err
must grep -q '^validated  all results' replayed
must test ! -s err
expect 1 "P.json exists; --force" patterns t.trace -o P.json
expect 0 "" patterns t.trace -o P.json --force
must "$loadstone" patterns show P.json >shown 2>/dev/null
must test "$(grep -c '^config ' shown)" = "$(grep -cE '^ *[0-9]+ .* (gather|scatter|update) ' out)"
# show prints the class of each pattern, and derives the same class without the key where the whole list is
# there
must patterns t.trace --json >found.json 2>/dev/null
must "$loadstone" patterns show --json P.json >shown.json 2>/dev/null
sed -e 's/, "class": "[a-z 1-]*"//' P.json >silent.json
must "$loadstone" patterns show --json silent.json >silent_shown.json 2>/dev/null
if has_python; then
    must "$python" - <<'E'
import json
def load(path, key):
    return json.load(open(path))[key]
found, shown, silent = load("found.json", "patterns"), load("shown.json", "configurations"), load("silent_shown.json", "configurations")
assert len(found) == len(shown) == len(silent) and any(f["class"] == "random" for f in found)
for f, s, q in zip(found, shown, silent):
    assert s["class"] == f["class"] and "class" not in q, (f, s, q)
    if "stride" not in s["shape"]:
        assert f["class"] in s["shape"], (f["class"], s["shape"])
    if f["form"] == "full":
        assert q["shape"] == s["shape"], (q["shape"], s["shape"])
E
fi
# an update is called so everywhere, and however much of it is written
must grep -q '^config [0-9]* update of .bins.*: update, 3000, random' shown
must "$loadstone" replay $quick P.json >replayed
must grep -q '^ *[0-9]* update  *update of .bins' replayed
for longest in 2000 100; do
    must patterns t.trace --longest $longest -o short.json --force >out 2>/dev/null
    must grep -q ' update of bins ' out
    must grep -q '"kernel": "Scatter", "operation": "update"' short.json
    must test "$(grep -c ' of bins ' out)" = 1
done
# traces for other tools: the same accesses, threads apart where the format has them
for to in drmemtrace lackey; do
    must patterns t.trace --to $to -o other.$to 2>err
    must grep -q "accesses: other.$to" err
    must patterns t.trace --no-symbols --trivial --json >ours.json 2>/dev/null
    must patterns other.$to --no-symbols --trivial --json >theirs.json 2>/dev/null
    must "$loadstone" patterns other.$to --to lackey -f -o again.lackey 2>/dev/null
    if [ $to = drmemtrace ]; then cp again.lackey first.lackey; else must cmp first.lackey again.lackey; fi
    if command -v jq >/dev/null; then
        must test "$(jq '.accesses, .instructions' ours.json)" = "$(jq '.accesses, .instructions' theirs.json)"
    fi
done
expect 1 "other.lackey exists; --force" patterns t.trace --to lackey -o other.lackey
expect 2 "name the file to write with -o" patterns t.trace --to drmemtrace
expect 2 "writes a trace, and .json is for JSON; use the suffix .trace" patterns t.trace --to drmemtrace -o x.json
expect 2 "writes a trace, and .gz is for packed data" patterns t.trace --to lackey -o x.gz
expect 0 "" patterns t.trace --to lackey -o x.log
# a trace has no patterns to find, to print or to draw
for option in "--picture p.svg" --json "--plot deltas" "--top 3" "--mode paper" --trivial "--binary t.trace"; do
    # shellcheck disable=SC2086
    expect 2 "patterns --to lackey does nothing with ${option%% *}" patterns t.trace --to lackey -o none.log $option
done
must test ! -e p.svg
must test ! -e none.log
expect 3 "RAW= names no file" "$loadstone" replay -p RAW= -l 1
expect 1 "the name of the file is missing" "$loadstone" replay -p FILE=
touch Q.1.sbin
expect 1 "Q.1.sbin exists; --force" patterns t.trace --to gs-patterns -o Q.json
must test ! -e Q.json
must patterns t.trace --to gs-patterns --mode paper --trivial -o G.json >listing 2>err
must grep -q '^GIADDR    -- 0x401020$' listing
must grep -q '^DIST HISTOGRAM --$' listing
must "$loadstone" replay $quick G.json >replayed
must "$loadstone" replay $quick -p RAW=G.0.sbin >replayed
# every access is there: also before the first round and after the last
awk 'BEGIN {
    for (i = 0; i < 10007; i++) printf "I  1000,3\n L %x,8\n", 1048576 + 8 * (i < 20 ? (i * i * 7919) % 100000 : 3 * i)
}' >ragged.lackey
must patterns ragged.lackey --to gs-patterns -o R.json >listing 2>err
must test "$(wc -c <R.0.sbin)" = 80056
must grep -q '^NDISTS  -- 10007$' listing
! grep -q 'were written' err || { echo "FAIL: said to be cut"; failed=1; }
must patterns ragged.lackey --to gs-patterns --longest 6000 -f -o R.json >listing 2>err
must grep -q 'pattern 0 (6000 of 10007 accesses): only a part was written' err
# without --longest, the memory limits the length
must patterns ragged.lackey --to gs-patterns --memory 1M -f -o R.json >listing 2>err
must test "$(wc -c <R.0.sbin)" = 80056
awk 'BEGIN { for (i = 0; i < 20007; i++) printf "I  1000,3\n L %x,8\n", 1048576 + 8 * ((i * i * 7919) % 100000) }' >long.lackey
must patterns long.lackey --to gs-patterns --memory 1M -o L.json >listing 2>err
must grep -q 'pattern 0 (16384 of 20007 accesses): only a part was written' err
must patterns long.lackey --to gs-patterns --memory 2M -f -o L.json >listing 2>err
must test "$(wc -c <L.0.sbin)" = 160056
must patterns t.trace --to spatter -o S.json >/dev/null 2>err
must "$loadstone" replay $quick S.json >replayed
must patterns t.trace --to gem5 -o E.py >/dev/null 2>err
must grep -q 'next: gem5.opt E.py --pattern 0' err
must test -s E.0.trc
expect 2 "name the file to write with -o" patterns t.trace --to gem5
expect 3 "nowhere" patterns t.trace -o nowhere/P.json

# the reader of the listing has ended: the files are complete nevertheless
mkfifo unread
exec 3<>unread
exec 4>unread 3<&-
patterns t.trace -o whole.json --picture whole.svg >&4 2>/dev/null
patterns show P.json -o shown.svg >&4 2>/dev/null
exec 4>&-
must cmp P.json whole.json

# a full disk is reported, the old file is unchanged, and no other file remains
for to in json spatter gs-patterns gem5; do
    case $to in gem5) room=room.py ;; *) room=room.json ;; esac
    cp P.json $room
    cp G.0.sbin room.0.sbin
    (trap '' XFSZ; ulimit -f 1; exec "$loadstone" patterns t.trace --to $to -o $room --force) >/dev/null 2>err &&
        { echo "FAIL: $to was written without room"; failed=1; }
    must grep -q 'disk' err
    must cmp P.json $room
    must cmp G.0.sbin room.0.sbin
done
if [ -s whole.svg ]; then
    must test -s shown.svg
    cp whole.svg room.svg
    (trap '' XFSZ; ulimit -f 1; exec "$loadstone" patterns t.trace --picture room.svg --force) >/dev/null 2>err
    must cmp whole.svg room.svg
fi
[ -z "$(find . -name '*.part-*')" ] || { echo "FAIL: left behind: $(find . -name '*.part-*')"; failed=1; }

# the suffix of the name selects the format, or it is refused
for name in P.pdf P.csv P.txt P.v2 P.gif P.json.gz P.PDF; do
    expect 2 "use the suffix .json, or a name without a dot; pictures end in .svg, .png or .html" patterns t.trace -o $name
    must test ! -e $name
done
expect 2 "P.json: this command writes a Python script, and .json is for JSON" patterns t.trace --to gem5 -f -o P.json
expect 2 "E.py: this command writes JSON, and .py is for a Python script" patterns t.trace --to spatter -f -o E.py
for name in plain P.JSON spmv-1.5 P.refined .hidden a.b-plain ./plain.; do
    expect 0 "" patterns t.trace -f -o $name
    must cmp P.json $name
done

# the next run with the same name removes drafts of killed runs; no process has such a number
touch P.json.part-2000000000 P.json.part-$$ P.json.part-x P.json.part-2000000000.old Q.json.part-2000000000
must patterns t.trace -f -o P.json >/dev/null 2>&1
[ "$(ls -- *.part-* | wc -l)" = 4 ] && [ ! -e P.json.part-2000000000 ] || { echo "FAIL: drafts: $(ls -- *.part-*)"; failed=1; }
rm -f ./*.part-*
if command -v flock >/dev/null; then
    touch P.json.part-2000000000
    must flock --shared P.json.part-2000000000 "$loadstone" patterns t.trace -f -o P.json >/dev/null 2>&1
    must test -e P.json.part-2000000000
    rm -f ./*.part-*
fi
touch idle.h5.part-2000000000
"$loadstone" record -q --engine null -o idle.h5 -- true 2>err && must test ! -e idle.h5.part-2000000000
rm -f idle.h5*

# an input is not overwritten
cp t.trace own.trace
ln -s own.trace link.trace
for name in own.trace link.trace; do
    "$loadstone" patterns own.trace --force -o $name >/dev/null 2>err && { echo "FAIL: the trace was overwritten by way of $name"; failed=1; }
    must grep -q 'is the input' err
done
must cmp t.trace own.trace

# standard output gets only the patterns
must patterns t.trace -o - >piped 2>/dev/null
must cmp P.json piped

# a special file is written to and remains special; a link remains a link
mkfifo pipe
cat pipe >piped &
expect 0 "" patterns t.trace -o pipe --force
wait
must test -p pipe
must cmp P.json piped
if mknod full c 1 7 2>/dev/null && [ -w full ] && ! echo x 2>/dev/null >full; then
    expect 1 "disk" patterns t.trace -o full --force
    must test -c full
fi
cp G.json linked.json
ln -s linked.json link.json
expect 0 "" patterns t.trace -o link.json --force
must test -L link.json
must cmp P.json linked.json

# a pipe is read once: its format is requested, since recognition would consume it
mkfifo pipe
expect 1 "the format of a pipe cannot be recognised" patterns pipe # the other input is not opened
timeout 60 sh -c 'cat t.trace >pipe' &
expect 0 "gather of x" patterns --format trace pipe
wait

# filters
must patterns t.trace --top 1 -o one.json --longest 100 >out 2>/dev/null
must test "$(grep -c kernel one.json)" = 1
must grep -q 'gather of x' one.json
# the requested number, if there are enough, however many instructions form one of them; with fewer the
# costliest
must patterns t.trace --trivial --min-accesses 1 >all 2>/dev/null
all=$(grep -cE '^ *[0-9]+ .* (gather|scatter|update) ' all)
for more in "" --no-join --no-index-loads; do
    for n in 1 2 3 4 5; do
        must patterns t.trace --trivial --min-accesses 1 --top $n $more >out 2>/dev/null
        must test "$(grep -cE '^ *[0-9]+ .* (gather|scatter|update) ' out)" = $n
        grep -E '^ *[0-9]+ .* (gather|scatter|update) ' out | sort -k2,2nr | cut -c4- >best
        [ -n "$more" ] || grep -E '^ *[0-9]+ .* (gather|scatter|update) ' all | sort -k2,2nr | cut -c4- | head -$n | must cmp -s - best
    done
done
must test "$all" -ge 5
must patterns t.trace --top 100 --trivial --min-accesses 1 >out 2>/dev/null
must test "$(grep -cE '^ *[0-9]+ .* (gather|scatter|update) ' out)" = "$all"
for mode in cost paper v1 v2; do expect 0 "" patterns t.trace --mode $mode; done
must patterns t.trace --by-thread >out 2>/dev/null
must test "$(grep -c 'gather of x ' out)" = 2
must test "$(grep 'gather of x ' out | sed 's/.*, //' | sort -u | grep -c thread)" = 2 # the thread of each pattern
must patterns t.trace --min-accesses 1000000 >out 2>err
must grep -q '^patterns   0,' out
must grep -q -- '--trivial --min-accesses 1' err
expect 1 "no pattern passed the filters" patterns t.trace --min-accesses 1000000 -o none.json
must test ! -e none.json

# the listing has one screen: other patterns are counted there, and written
awk 'BEGIN {
    for (i = 0; i < 200; i++)
        for (k = 1; k <= 20; k++) printf "I  %x,3\n L %x,8\n", 4096 * k, 1048576 * k + 24 * i
}' >many.lackey
must patterns many.lackey -o many.json >out 2>/dev/null
must grep -q '^10 more: --top 20' out
must test "$(grep -c ' gather at ' out)" = 10
must test "$(grep -c kernel many.json)" = 20
must patterns many.lackey --top 20 >out 2>/dev/null
must test "$(grep -c ' gather at ' out)" = 20

# memory is short: the beginning is kept, and measures of a part are marked, here and in the JSON
awk 'BEGIN { for (i = x = 1; i <= 60000; i++) { x = (x * 16807) % 2147483647; printf "I  1000,3\n L %x,8\n", 268435456 + 8 * (x % 1000000) } }' >random.lackey
must patterns random.lackey --memory 1M --json >part.json 2>/dev/null
part=$(sed -n 's/.*"of_first_accesses": \([0-9]*\),.*/\1/p' part.json)
must test "${part:-60000}" -lt 60000 -a "${part:-0}" -gt 0
must patterns random.lackey --memory 1M >out 2>/dev/null
must test "$(tr -d ',' <out | tr -s ' \n' ' ' | sed -n 's/.*; measures of the first \([0-9]*\) accesses.*/\1/p')" = "$part"
must patterns random.lackey >out 2>/dev/null
must test "$(grep -c 'measures of' out)" = 0

# a recording without a burst is refused with a remedy
if "$loadstone" record -q --engine null -o idle.h5 -- true 2>err; then
    expect 3 "record for longer, or with a larger --overhead, or see every access by loadstone trace" patterns idle.h5
else
    echo "not tested: a recording without bursts (record: $(cat err))"
fi

# invalid inputs
printf 'neither a trace nor a profile' >junk
expect 3 "junk" patterns junk
expect 3 "missing" patterns missing
expect 3 "patterns show and loadstone replay take them" patterns P.json
expect 3 "loadstone patterns FILE -o P.json makes one" patterns show t.trace
expect 2 "--format: 'nothing' is not one of trace|run-h5|" patterns --format nothing t.trace

# pictures
if patterns t.trace --top 2 -o P.html --picture P.svg >out 2>err; then
    must grep -q 'drawn: P.svg' err
    must grep -q 'drawn: P.html' err
    must grep -q '<html' P.html
    must patterns t.trace --plot offsets --picture P.png -o P2.json >out 2>err
    must test -s P.png -a -s P2.json
    expect 2 "pictures end in" patterns t.trace --picture P.gif
else
    grep -q 'without cairo' err || { echo "FAIL: pictures"; cat err; failed=1; }
fi

has_python json || { echo "no python3: JSON was written but not looked into"; exit $failed; }

# warps: 32 lanes gather floats at random, and read others one after the other, which is no gather
must $python - <<'T'
import random, struct
random.seed(7)
records = []
for warp in range(64):
    for turn in range(8):
        base = 0x700000000 + 4 * 32 * (8 * warp + turn)
        lanes = [0x600000000 + 4 * random.randrange(65536) for _ in range(32)]
        for ip, addrs in ((0x100, [base + 4 * lane for lane in range(32)]), (0x200, lanes)):
            records.append(struct.pack("<Q10iQ32Q", 1, 0, 0, 0, warp, 0, 0, 1, 0, 4, 0, ip, *addrs))
open("warps.nv", "wb").write(struct.pack("<3Q", 0, 0, len(records)) + b"".join(records))
T
must patterns --format nvbit warps.nv -o warps.json --json >warps 2>/dev/null
must patterns --format nvbit warps.nv --mode v2 --to gs-patterns -o warps-v2.json >/dev/null 2>&1
must patterns --format nvbit warps.nv --mode v2 --trivial --min-distances 1 --min-accesses 1 --json >warps-all 2>/dev/null
must "$loadstone" replay $quick warps.json >replayed
must $python - <<'T'
import json, struct
j = json.load(open("warps"))
r = [r for r in j["patterns"] if r["ip"] == 0x200]
assert len(r) == 1 and r[0]["accesses"] == 64 * 8 * 32 and r[0]["threads"] == 64, r
assert r[0]["class"] == "random" and r[0]["element_bytes"] == 4, r
assert max(json.load(open("warps-v2.json"))[0]["pattern"]) < 65536
# the published modes drop warps whose lanes are contiguous
assert 0x100 in [r["ip"] for r in j["patterns"]] or j["instructions"] == 2, j
published = json.load(open("warps-all"))
assert [r["ip"] for r in published["patterns"]] == [0x200] and published["instructions"] == 1, published
# they also drop warps where neighbours are at most an element apart, by chance
data, near = open("warps.nv", "rb").read()[24:], 0
for at in range(0, len(data), 312):
    lanes = struct.unpack_from("<32Q", data, at + 56)
    near += any(abs(a - b) <= 4 for a, b in zip(lanes, lanes[1:]))
assert near > 64 * 8 and published["skipped"] == near, (near, published["skipped"])
T

must patterns t.trace --json >t.json 2>/dev/null
must $python - <<'T'
import json
j = json.load(open("t.json"))
assert j["schema"] == 1 and j["accesses"] == 46192 and j["is_sampled"] is False and j["scale"] == 1
rows = {(r["home"], r["op"]): r for r in j["patterns"]}
x = rows["x", "load"]
assert x is j["patterns"][0] and x["accesses"] == 10000 and x["threads"] == 2 and x["element_bytes"] == 8
assert x["cost_share"] == max(r["cost_share"] for r in j["patterns"])
assert abs(x["access_share"] - 10000 / 46192) < 1e-6
b = rows["B", "load"]
assert b["accesses"] == 8192 and b["configuration"]["first_indices"][:3] == [0, 64, 128], b
assert b["configuration"]["count"] * b["configuration"]["indices"] + b["prologue"] + b["epilogue"] == 8192 and b["form"] == "exact", b
assert rows["bins", "store"]["element_bytes"] == 4 and rows["y", "store"]["accesses"] == 2000
measures = x["measures"]
assert 0 <= measures["spatial"] <= 1 and measures["footprint_bytes"] % 64 == 0
assert sum(measures["reuse_lines_log2"]) + measures["reuse_cold"] > 0
kernels = [r["configuration"]["kernel"] for r in j["patterns"]]
assert set(kernels) == {"gather", "scatter"}, kernels
T
exit $failed
