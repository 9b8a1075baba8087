#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program, a plugin and their source files in a folder whose name has control characters and bytes that are no UTF-8: they are found
# by this name, so functions, variables and source lines are there, and run.h5 holds no such character, also not of the arguments.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
cc=${CC:-cc}
command -v "${cc##* }" >/dev/null 2>&1 || skip "no C compiler"
evil=$(printf '=\033[2J\t\302\233\342\200\256\r\n\233end')
mkdir "./$evil" 2>out || skip "the file system does not take such names"
cp "$top_srcdir"/tests/cases/sym_victim.[ch] "$top_srcdir/tests/cases/sym_plugin.c" "./$evil/"
(cd "./$evil" && $cc -g -O2 -std=gnu11 -o program sym_victim.c -pthread -ldl &&
    $cc -g -O2 -std=gnu11 -fPIC -shared -DSYM_NAME=one -o plugin.so sym_plugin.c) || exit 99

for ms in 300 1200 4800; do
    expect 0 "" "$loadstone" record -q -f -o run.h5 --overhead 40% --seed 1 -- "./$evil/program" $ms "./$evil/plugin.so"
    "$python" - >said 2>&1 <<'P'
import h5py, re, sys
run = h5py.File("run.h5", "r")
if len(run["bursts/thread"]) < 30:
    sys.exit("hardly any bursts on this machine")
def of(group, *columns):
    return list(zip(*([v.decode() if isinstance(v, bytes) else v for v in run[group][c][:]] for c in columns)))
lines, sources, nodes = of("lines", "module", "function", "file", "line"), of("sources", "file", "line", "text"), of("nodes", "label")
for module, function, source in ("program", "main", "sym_victim.c"), ("plugin.so", "sym_work_of_one", "sym_plugin.c"):
    found = [l for l in lines if l[0].endswith("end/" + module) and l[1] and l[2].endswith("end/" + source) and l[3]]
    assert found, f"no line of {module}: {lines}"
    assert any((l[2], l[3]) == s[:2] and s[2].strip() for l in found for s in sources), f"no source text of {source}: {sources}"
assert any(l[1] == "sym_work_of_one" for l in lines), lines
assert any("sym_data_of_one" in label for label, in nodes), nodes
# /sources is sorted by the names in the file
assert [s[:2] for s in sources] == sorted(s[:2] for s in sources)

control = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
texts = []
def note(name, value):
    for v in value if getattr(value, "shape", ()) else [value]:
        if isinstance(v, (bytes, str)):
            texts.append((name, v.decode() if isinstance(v, bytes) else v))
def visit(name, item):
    for key, value in item.attrs.items():
        note(f"{name}.{key}", value)
    if isinstance(item, h5py.Dataset) and item.dtype.kind in "SO":
        note(name, item[:])
run.visititems(visit)
assert sum("=?[2J" in text for _, text in texts) > 5, texts
assert "=?[2J" in dict(texts)["run.command"], dict(texts)["run.command"]
bad = [t for t in texts if control.search(t[1]) or "\t" in t[1] and t[0] != "sources/text"]
assert not bad, ascii(bad[:5])
P
    status=$?
    [ $status -eq 0 ] && break
done
cat said
grep -q "hardly any bursts" said && skip "hardly any bursts on this machine"

# the same in a recording of Linux perf
if perf record -q -e page-faults:u -c 1 -d -o perf.data "./$evil/program" 1 >out 2>err; then
    expect 0 "" "$loadstone" import -o imported.h5 perf.data
    expect 0 "touch (program)" "$loadstone" report --by function --limit 1000 imported.h5
else
    echo "not tested: loadstone import (perf record does not work here)"
fi
exit $((status || failed))
