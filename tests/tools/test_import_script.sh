#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone import of the output of perf script: page faults that perf recorded, load samples as perf prints
# them, each selection of fields, call chains, and errors in a file.
. "${top_srcdir:-.}/tests/tools/check.sh"
data=$top_srcdir/tests/data/perf-script

has_h5py=0
has_python h5py && has_h5py=1
[ $has_h5py = 1 ] || echo "not compared with h5py: it is not installed"

# check FILE: the script on standard input with run.h5's samples as rows
check() {
    [ $has_h5py = 1 ] || return 0
    cat >check.py
    "$python" - "$@" <<'END' || { echo "FAIL: $*"; failed=1; }
import collections, re, sys
import h5py
run = h5py.File(sys.argv[1])
def text(path): return [t.decode() for t in run[path][:]]
s, labels = run["samples"], text("nodes/label")
lines = {ip: row for ip, *row in zip(run["lines/ip"][:], text("lines/function"), text("lines/module"), text("lines/file"), run["lines/line"][:])}
places = [tuple(lines.get(ip, ("?",))) for ip in s["ip"][:]]
nodes = [labels[n] for n in s["node"][:]]
def column(name): return [int(v) for v in s[name][:]]
def same(got, want): assert got == want, f"got {got}, wanted {want}"
exec(open("check.py").read())
END
}

# Real page faults: data symbols, homes, lines, all of them against the text.
expect 0 "126 samples (text of perf script)" "$loadstone" import "$data/faults.txt" -o faults.h5
expect 0 "filled" "$loadstone" report faults.h5
check faults.h5 "$data/faults.txt" <<'END'
rows, source = [], []
for line in open(sys.argv[2]):
    m = re.match(r" *dat +8508/8508 +(\d+)\.(\d{6}): +1 page-faults: +([0-9a-f]+) (\S+) \((.*?)\) +([0-9a-f]+) (\S+) \((.*)\)$", line)
    if m: rows.append(m.groups()); source.append("")
    elif rows and line.startswith("  "): source[-1] = line.strip()
same(len(rows), 126)
same(sorted(column("addr")), sorted(int(r[2], 16) for r in rows))
same(column("ip"), [int(r[5], 16) for r in rows])
same([p[0] for p in places], ["" if r[6] == "[unknown]" else r[6].split("+0x")[0] for r in rows])
same([p[1] for p in places], [r[7] for r in rows])
same([f"{p[2]}:{p[3]}" for p in places if p[2]], [t.split(" ")[0] for t in source if re.match(r"[^?:]+:\d+( |$)", t)])
same(nodes.count("filled"), sum(r[3].startswith("filled+") for r in rows))
same(nodes.count("stack"), sum(r[4] == "[stack]" for r in rows))
base = int(rows[0][0] + rows[0][1])
same(column("time_ns"), [(int(r[0] + r[1]) - base) * 1000 for r in rows])
END

# Real call chains: the innermost frame is the location of the sample.
expect 0 "" "$loadstone" import "$data/chains.txt" -o chains.h5
check chains.h5 "$data/chains.txt" <<'END'
want = []
for block in open(sys.argv[2]).read().split("\n\n"):
    below = block.strip("\n").split("\n")[1:]
    if not below: continue
    frame = re.match(r"\t *[0-9a-f]+ (\S+) \((.*)\)$", below[0])
    line = re.match(r"  ([^:]+):(\d+)", below[1]) if len(below) > 1 else None
    want.append((frame[1].split("+0x")[0], frame[2]) + ((line[1], int(line[2])) if line else ("", 0)))
same(len(want), 50)
same([(p[0], p[1], p[2], int(p[3])) for p in places], want)
END

# Load samples as perf prints them: COMM PID/TID [CPU] TIME: PERIOD EVENT: ADDR DATA_SRC WEIGHT IP SYM (DSO) PHYS
loads='cpu/mem-loads,ldlat=30/P'
sample() { # COMM PID TID CPU TIME ADDR DATA_SRC WORDS WEIGHT IP SYM DSO PHYS
    printf '%16s %7d/%-7d [%03d] %12s: %10d %s: %16s%-84s%16d %16s %s (%s)%16s\n' "$1" "$2" "$3" "$4" "$5" 1009 \
        "$loads" "$6" "$(printf '%16s %s' "$7" "$8")" "$9" "${10}" "${11}" "${12}" "${13}"
}
{
    sample "lulesh 2.0 x" 77 77 3 12.000001 7f2b00001040 68100142 \
        "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" 7 401136 "main+0x20" "/srv/lulesh 2.0 (deleted)" 17a2b3040
    sample "lulesh 2.0 x" 77 79 0 12.000002 7f2b00002040 6a100842 \
        "|OP LOAD|LVL L3 hit|SNP None|TLB L1 or L2 hit|LCK Yes|BLK  N/A" 52 55f63420e153 \
        "Domain::delv(int, (anonymous namespace)::Mesh const&) const+0x8" "/srv/lulesh" 17a2b4040
    sample "lulesh 2.0 x" 77 78 1 12.000004 ffff888100000000 5101042 \
        "|OP LOAD|LVL Local RAM hit|SNP None|TLB N/A|LCK N/A|BLK  N/A" 412 ffffffff8175336a "[unknown]" "[unknown]" 0
    echo "perf: interrupted"
    sample "lulesh 2.0 x" 77 77 1 12.000003 0 68100242 \
        "|OP LOAD|LVL LFB hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" 30 401140 "main+0x2a" "/srv/lulesh" 0
    echo "Killed"
} >loads.txt
expect 0 "loads.txt:4: no sample and no part of one as perf script prints them; 2 such lines" "$loadstone" import loads.txt -o loads.h5 --ghz 2
expect 0 "1 samples without an address of data were left out" "$loadstone" import loads.txt -o loads.h5 -f
check loads.h5 <<'END'
same(column("addr"), [0x7f2b00001040, 0x7f2b00002040, 0xffff888100000000])
same(column("ip"), [0x401136, 0x55f63420e153, 0xffffffff8175336a])
same(column("latency_cycles"), [7, 52, 412])
same(column("level"), [0, 2, 3])
same(column("op"), [0, 0, 0])
same(column("locked"), [0, 1, 255])
same(column("events"), [1009, 1009, 1009])
same(column("cpu"), [3, 0, 1])
same(column("time_ns"), [0, 1000, 3000])
same([int(run["threads/tid"][t]) for t in s["thread"][:]], [77, 79, 78])
same([int(p) for p in run["processes/pid"][:]], [77])
same([p[:2] for p in places], [("main", "/srv/lulesh 2.0 (deleted)"),
     ("Domain::delv(int, (anonymous namespace)::Mesh const&) const", "/srv/lulesh"), ("", "")])
same(nodes, ["data without a name"] * 3)
END
expect 0 "$loads" "$loadstone" report loads.h5
expect 0 "yes,1," "$loadstone" report --csv --by locked loads.h5
expect 0 "lulesh 2.0 x" "$loadstone" report loads.h5

# Fields chosen with -F: each line gives address, instruction, weight and data source, 0 for missing ones.
address=7f2b00001040
head='            prog   77/77    [001]    12.000001:'
src='        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No'
chosen() { # NAME WANT LINE...
    name=$1 values=$2
    shift 2
    printf '%s\n' "$@" >fields.txt
    expect 0 "1 samples" "$loadstone" import --format perf-script fields.txt -o "$name.h5" -f
    echo "same([(a, i if f != '?' else 0, w, l) for a, i, (f, *_), w, l in zip(column('addr'), column('ip'), places, column('latency_cycles'), column('level'))], [(0x$address, $values)])" |
        check "$name.h5"
}
missing=-2147483648
chosen addr "0, $missing, 255" "$head mem-loads:     7f2b00001040"
chosen time "0, $missing, 255" "$head     7f2b00001040"
chosen untimed "0, $missing, 255" "            prog    77 mem-loads:     7f2b00001040"
chosen source "0, $missing, 0" "            prog    77     7f2b00001040$src"
chosen weight "0, 38, 255" "$head mem-loads:     7f2b00001040              38"
chosen weighed "0, 38, 0" "$head mem-loads:     7f2b00001040$src              38"
chosen ip "0x401136, $missing, 255" "$head mem-loads:     7f2b00001040           401136"
chosen all "0x401136, 38, 0" "$head mem-loads:     7f2b00001040$src              38           401136"
chosen symbol "0x401136, $missing, 0" "$head mem-loads:     7f2b00001040$src           401136 main"
chosen phys "0, 38, 0" "$head mem-loads:     7f2b00001040$src              38       17a2b3040"
chosen pages "0x401136, 38, 0" "$head mem-loads:     7f2b00001040$src              38           401136 main (/srv/a) 4K"
chosen cut "0, 38, 0" "$head mem-loads:     7f2b00001040        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  Add              38"

# The error and its position.
printf 'nothing\nof use\n' >none.txt
expect 3 "does not begin like any format" "$loadstone" import none.txt -o bad.h5
expect 3 "none.txt: no line is a sample as perf script -F +addr,data_src,weight prints it" "$loadstone" import --format perf-script none.txt -o bad.h5
echo "$head          1 page-faults:      7fe4d2f3e840 _start+0x0 (/srv/a)" >code.txt
expect 3 "code.txt: 1 samples, none with an address of data: print it with perf script -F +addr,data_src,weight" "$loadstone" import code.txt -o bad.h5
must test ! -e bad.h5
# CSV is still recognised.
expect 0 "(CSV of MemAxes and Mitos)" "$loadstone" import "$top_srcdir/tests/data/memaxes/lulesh-samples.csv" -o csv.h5
exit $failed
