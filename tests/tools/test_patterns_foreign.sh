#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns on traces of other tools: names from --binary and modules.log, several files as one source.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
patterns() { "$loadstone" patterns "$@"; }
program=$top_builddir/tests/tools/make_trace
[ -x "$program" ] || skip "$program was not built"
command -v nm >/dev/null || skip "no nm to look up an address with"
main=$(nm "$program" | awk '$3 == "main" {print $1}')
[ -n "$main" ] || skip "$program has no symbols"
base=0x555555554000
binary=$program@$base
if [ "$(od -An -tu2 -j16 -N2 "$program" | tr -d ' ')" = 2 ]; then # not position-independent
    base=0
    binary=$program
fi
ip=$(printf %x $((0x$main + base + 4)))

# write FORMAT FIRST: 400 loads at a distance of three elements by an instruction of main
write() {
    awk -v format="$1" -v first="$2" -v ip="$ip" 'BEGIN {
        for (i = 0; i < 400; i++) {
            at = 1048576 * first + 24 * i
            if (format == "lackey") printf "I  %s,3\n L %x,8\n", ip, at
            if (format == "memtrace") printf "0x%s,r,8,0x%x\n", ip, at
            if (format == "gem5") printf "%d: system.cpu: T0 : 0x%s @main : mov : MemRead : D=0x0 A=0x%x\n", 500 * i, ip, at
        }
    }'
}
for format in lackey memtrace gem5; do
    write $format 1 >$format.txt
    must patterns $format.txt >out 2>/dev/null
    must grep -q "gather at 0x$ip" out
    must patterns $format.txt --binary "$binary" -o $format.json >out 2>/dev/null
    grep -q 'gather in main' out || { echo "FAIL: $format: main has no name:"; cat out; failed=1; }
    must grep -q 'in main' $format.json
done

# another binary elsewhere has no effect, the first that holds an address counts
must patterns lackey.txt --binary "$loadstone@0x7f0000000000" --binary "$binary" >out 2>/dev/null
must grep -q 'gather in main' out
must patterns lackey.txt --binary "$loadstone@0x7f0000000000" >out 2>/dev/null
must grep -q "gather at 0x$ip" out
expect 3 "missing" patterns lackey.txt --binary missing
expect 3 "not a 64-bit program or library" patterns lackey.txt --binary lackey.txt
expect 2 "after @ the load address is expected" patterns lackey.txt --binary "$program@nowhere"
[ $base = 0 ] || expect 1 "position-independent: add its load address" patterns lackey.txt --binary "$program"

python=
for p in /usr/bin/python3 python3; do $p -c 'import struct' 2>/dev/null && { python=$p; break; }; done
if [ -n "$python" ]; then
    mkdir -p app.dir/trace app.dir/raw
    must $python - "$ip" "$base" "$program" <<'T'
import struct, sys
ip, base, program = int(sys.argv[1], 16), int(sys.argv[2], 0), sys.argv[3]
record = lambda kind, size, value: struct.pack("<HHQ", kind, size, value)
for thread in (100, 101):
    with open(f"app.dir/trace/app.{thread}", "wb") as out:
        out.write(record(25, 0, 4) + record(22, 4, thread))
        for i in range(400):
            out.write(record(10, 4, ip) + record(0, 8, thread * 0x100000 + 24 * i))
        out.write(record(26, 0, 0))
base = base or ip & ~0xfff # for a program at a fixed address its segment
with open("app.dir/raw/modules.log", "w") as log:
    log.write("Module Table: version 5, count 3\n"
              "Columns: id, containing_id, start, end, entry, offset, preferred_base, path\n"
              f"  0,   0, 0x{0x7ffff7fc1000:016x}, 0x{0x7ffff7fc3000:016x}, 0x0, 0x0, 0x0, v#1,0,[vdso]\n"
              f"  1,   1, 0x{base:016x}, 0x{base + 0x1000:016x}, 0x0, 0x0, 0x0, v#1,0,{program}\n"
              f"  2,   1, 0x{base + 0x1000:016x}, 0x{base + 0x3000:016x}, 0x0, 0x1000, 0x0, v#1,0,{program}\n")
T
    if [ $base != 0 ]; then
        must patterns app.dir/trace/app.100 >out 2>/dev/null
        grep -q 'gather in main' out || { echo "FAIL: modules.log named nothing:"; cat out; failed=1; }
    fi
else
    echo "no python3: modules.log was not tested"
fi

# several files are one source, a thread each; equal behaviour is one pattern
mkdir threads
for i in 1 2 3; do write memtrace $i >threads/app.$i.log; done
must patterns threads/app.1.log threads/app.2.log threads/app.3.log -o many.json >out 2>err
must grep -q '^source     threads/app.1.log and 2 more: 1,200 accesses of 1 instructions in 3 threads' out
must grep -q "gather at 0x$ip.*, 3 threads" out
must grep -q 'next: loadstone replay many.json' err
must patterns threads/app.1.log threads/app.2.log --by-thread --json >out 2>/dev/null
must test "$(grep -c '"thread": "app.[12].log: 1"' out)" = 2
# and so is a folder, without its other files
echo "no trace" >threads/README
must patterns threads --binary "$binary" -o folder.json >out 2>err
must grep -q '^source     threads: 1,200 accesses of 1 instructions in 3 threads' out
must grep -q 'gather in main.*, 3 threads' out
must grep -q '1 of 4 files hold no accesses' err
expect 3 "README" patterns threads --format memtrace # then all files are taken for it
samples=$top_srcdir/tests/fuzz/corpus-perf-script/loads
expect 3 "cannot be counted together" patterns threads/app.1.log "$samples"
expect 3 "loads is a sample, threads/app.1.log has all accesses" patterns "$samples" threads/app.1.log
mkdir nothing
expect 3 "holds accesses in a known format" patterns nothing
expect 3 "app.9.log" patterns threads/app.1.log threads/app.9.log threads/app.2.log --binary "$binary"
head -c 1000 threads/app.3.log >threads/app.4.log # in the middle of a line
expect 3 "app.4.log" patterns threads
if [ -n "$python" ]; then
    must patterns app.dir --json >out 2>/dev/null
    must grep -q '"accesses": 800' out
    [ $base = 0 ] || must grep -q '"function": "main"' out
fi

# data with the same name is the same data; ranges of one file are gone before the next
must "$program" t.trace
cp t.trace u.trace
must patterns t.trace u.trace >out 2>/dev/null
must grep -q '^source     t.trace and 1 more: 92,384 accesses of 7 instructions in 4 threads' out
must grep -q 'gather of x .*, 4 threads' out
exit $failed
