#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns: from a trace with known loops to tables, files, pictures, and back through replay.
. "${top_srcdir:-.}/tests/tools/check.sh"
must "$top_builddir/tests/tools/make_trace" t.trace
patterns() { "$loadstone" patterns "$@"; }
quick="--no-stream --quiet --max-count 64 --max-runs 2 --warmups 1 -b serial -t 1"

# the table: what waits most comes first
must patterns t.trace >out 2>err
must grep -q '^source     t.trace: 46,192 accesses of 7 instructions in 2 threads$' out
must grep -q '^  0 .* gather of x .*, 2 threads' out
must grep -q ' scatter to y ' out
must grep -q ' gather of B ' out
must grep -q 'next: loadstone patterns t.trace -o patterns.json' err
must grep -q 'of 4 bytes' out

# one operand is an input, whatever it is called; with more the first one says what to do
for name in show diff; do
    cp t.trace $name
    must patterns $name >named 2>/dev/null
    sed "s/^source     $name:/source     t.trace:/" named | cmp -s - out || { echo "FAIL: a trace called $name"; failed=1; }
    rm $name
done
expect 2 "patterns show takes FILE.json" patterns show
expect 2 "patterns groups takes FILE..." patterns groups
expect 3 "show" patterns show show
expect 2 "it does: show FILE.json" patterns draw t.trace
expect 2 "patterns show takes FILE.json" patterns show a b

# an option that would have no effect is refused, and nothing is written
expect 2 "patterns diff does nothing with --output" patterns diff t.trace t.trace -o diff.html
expect 2 "patterns groups does nothing with --to" patterns groups t.trace --to gem5
expect 2 "patterns show does nothing with --top" patterns show P.json --top 1
expect 2 "patterns INPUT... does nothing with --within" patterns t.trace --within 1%
must test ! -e diff.html

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
touch Q.1.sbin
expect 1 "Q.1.sbin exists; --force" patterns t.trace --to gs-patterns -o Q.json
must test ! -e Q.json
must patterns t.trace --to gs-patterns --mode paper --trivial -o G.json >listing 2>err
must grep -q '^GIADDR    -- 0x401020$' listing
must grep -q '^DIST HISTOGRAM --$' listing
must "$loadstone" replay $quick G.json >replayed
must "$loadstone" replay $quick -p RAW=G.0.sbin >replayed
must patterns t.trace --to spatter -o S.json >/dev/null 2>err
must "$loadstone" replay $quick S.json >replayed
must patterns t.trace --to gem5 -o E.py >/dev/null 2>err
must grep -q 'next: gem5.opt E.py --pattern 0' err
must test -s E.0.trc
expect 2 "name the file to write with -o" patterns t.trace --to gem5
expect 3 "nowhere" patterns t.trace -o nowhere/P.json

# nobody reads the listing: the files are whole all the same
mkfifo unread
exec 3<>unread
exec 4>unread 3<&-
patterns t.trace -o whole.json --picture whole.svg >&4 2>/dev/null
patterns show P.json -o shown.svg >&4 2>/dev/null
exec 4>&-
must cmp P.json whole.json

# no room: said, what was there stays, and nothing is left behind
for to in json spatter gs-patterns gem5; do
    cp P.json room.json
    cp G.0.sbin room.0.sbin
    (trap '' XFSZ; ulimit -f 1; exec "$loadstone" patterns t.trace --to $to -o room.json --force) >/dev/null 2>err &&
        { echo "FAIL: $to was written without room"; failed=1; }
    must grep -q 'disk' err
    must cmp P.json room.json
    must cmp G.0.sbin room.0.sbin
done
if [ -s whole.svg ]; then
    must test -s shown.svg
    cp whole.svg room.svg
    (trap '' XFSZ; ulimit -f 1; exec "$loadstone" patterns t.trace --picture room.svg --force) >/dev/null 2>err
    must cmp whole.svg room.svg
fi
[ -z "$(find . -name '*.part-*')" ] || { echo "FAIL: left behind: $(find . -name '*.part-*')"; failed=1; }

# to the standard output: the patterns alone
must patterns t.trace -o - >piped 2>/dev/null
must cmp P.json piped

# what is no file is written to and stays what it is; a link stays a link
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

# filters
must patterns t.trace --top 1 -o one.json --longest 100 >out 2>/dev/null
must test "$(grep -c kernel one.json)" = 1
must grep -q 'gather of x' one.json
for mode in cost paper v1 v2; do expect 0 "" patterns t.trace --mode $mode; done
must patterns t.trace --by-thread >out 2>/dev/null
must test "$(grep -c 'gather of x ' out)" = 2
must patterns t.trace --min-accesses 1000000 >out 2>err
must grep -q '^patterns   0,' out
must grep -q -- '--trivial --min-accesses 1' err
expect 1 "no pattern passed the filters" patterns t.trace --min-accesses 1000000 -o none.json
must test ! -e none.json

# a listing of one screen: the others are counted there, and written
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

# a recording without a burst: what to do instead
if "$loadstone" record -q --engine null -o idle.h5 -- true 2>err; then
    expect 3 "record for longer, or with a larger --overhead, or see every access by loadstone trace" patterns idle.h5
else
    echo "not tested: a recording without bursts (record: $(cat err))"
fi

# what is no input
printf 'neither a trace nor a profile' >junk
expect 3 "junk" patterns junk
expect 3 "missing" patterns missing
expect 3 "patterns show and loadstone replay take them" patterns P.json
expect 3 "loadstone patterns FILE -o P.json makes one" patterns show t.trace
expect 2 "there is no format 'nothing'" patterns --format nothing t.trace

# pictures
if patterns t.trace --top 2 -o P.html --picture P.svg >out 2>err; then
    must grep -q 'drawn: P.svg' err
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
import json
j = json.load(open("warps"))
r = [r for r in j["patterns"] if r["ip"] == 0x200]
assert len(r) == 1 and r[0]["accesses"] == 64 * 8 * 32 and r[0]["threads"] == 64, r
assert r[0]["class"] == "random" and r[0]["element_bytes"] == 4, r
assert max(json.load(open("warps-v2.json"))[0]["pattern"]) < 65536
# the published modes drop warps whose lanes are contiguous
assert 0x100 in [r["ip"] for r in j["patterns"]] or j["instructions"] == 2, j
published = json.load(open("warps-all"))
assert [r["ip"] for r in published["patterns"]] == [0x200] and published["instructions"] == 1, published
assert published["skipped"] == 64 * 8
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
