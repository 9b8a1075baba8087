#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Names that a program or a file chose, in everything that is printed and written: no control character reaches a
# terminal, and a spreadsheet evaluates no cell.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
evil=$(printf '=\033[2J\302\233\342\200\256\r\233')
cp "$top_builddir/tests/cases/names_victim" "./$evil"

# printed STATUS COMMAND...: its output is checked below
mkdir text
n=0
printed() {
    n=$((n + 1)) want=$1
    shift
    echo "$*" >text/$n
    "$@" >text/$n.out 2>text/$n.err </dev/null
    got=$?
    [ $got -eq "$want" ] || { echo "FAIL: status $got, wanted $want: $*"; failed=1; }
}
printed 0 "$loadstone" record --overhead 50% --seed 1 -o "$evil.h5" "./$evil" 100 4099 "$evil"
cp "$evil.h5" run.h5
printed 125 "$loadstone" record -o "$evil.h5" "./$evil"
printed 127 "$loadstone" record "./none$evil"
printed 3 "$loadstone" report "none$evil.h5"
printed 3 "$loadstone" report "$evil"
printed 2 "$loadstone" report "--$evil" run.h5
printed 2 "$loadstone" report --by "$evil" run.h5
printed 2 "$loadstone" report --where "function=$evil" run.h5
printed 2 "$loadstone" "$evil"
for view in --how --tree --processes --sharing --allocations --json --csv --folded; do
    printed 0 "$loadstone" report $view "$evil.h5"
done
"$loadstone" report --help >help
for by in $(sed -n '/^Dimensions/,/^Examples/s/^  \([a-z]*\)   *[a-z].*/\1/p' help); do
    printed 0 "$loadstone" report --by "$by" run.h5
done
printed 0 "$loadstone" report --heatmap "=grid?[1m???" run.h5
printed 0 "$loadstone" diff run.h5 "$evil.h5"
printed 0 "$loadstone" merge -o "merged$evil.h5" run.h5 "$evil.h5"
printed 0 "$loadstone" export --list run.h5
for format in dot trace; do
    printed 0 "$loadstone" export --format $format -o - run.h5
done
printed 0 "$loadstone" patterns -o "$evil.json" run.h5
printed 0 "$loadstone" patterns --json run.h5
cleaned=$(sed -n "s,^loadstone: warning: \\($scratch/.*\\) is not there: .*make a link.*,\\1,p" text/$n.err)
must test -n "$cleaned"
ln -s "$scratch/$evil" "$cleaned"
printed 0 "$loadstone" patterns --json run.h5
must cmp -s "$scratch/$evil" "$cleaned"
! grep -q 'is not there' text/$n.err || { echo "FAIL: a link of the cleaned name does not help"; failed=1; }
must grep -q '"function": "[a-z]' text/$n.out
rm "$cleaned"
if (needs_json) >out; then
    printed 0 "$loadstone" patterns show "$evil.json"
    printed 0 "$loadstone" patterns diff "$evil.json" run.h5
    printed 0 "$loadstone" patterns groups "$evil.json"
    printed 0 "$loadstone" replay --no-stream --max-count 1000 --max-runs 1 --warmups 1 -b serial -t 1 "$evil.json"
fi
if command -v qemu-x86_64 >out && [ -f "$top_builddir/.libs/libloadstone-tracer.so" ]; then
    printed 0 "$loadstone" trace -o "$evil.trace" "./$evil"
    printed 0 "$loadstone" traffic trace "$evil.trace"
    printed 0 "$loadstone" patterns "$evil.trace"
fi
printed 0 "$loadstone" doctor

# the same texts, and additional lines, in a stranger's file
cp run.h5 strange.h5
must "$python" - "$evil" <<'P'
import h5py, numpy, os, sys
run = h5py.File("strange.h5", "r+")
evil = (os.fsencode(sys.argv[1]) + b"\nforged\t") * 9
for group, columns in {"nodes": ["label"], "threads": ["name"], "lines": ["module", "function", "file", "symbol"], "phases": ["name"],
                       "processes": ["exe", "cmdline", "engine", "trigger", "why"], "events": ["text"]}.items():
    for name in columns:
        column = run[group][name]
        column[:] = [evil[:column.dtype.itemsize] if text else text for text in column[:]]
for name in ("command", "host", "cpu", "topology", "engine", "trigger", "why"):
    attribute = run["run"].attrs.get_id(name)
    attribute.write(numpy.full(attribute.shape, evil, attribute.dtype))
run.close()
open("strange.h5", "r+b").write(bytes(512)) # the seal
P
for view in --how --tree --processes --sharing --allocations --json --csv --folded "--by line" "--by function,thread"; do
    # shellcheck disable=SC2086
    printed 0 "$loadstone" report $view strange.h5
done
printed 0 "$loadstone" diff run.h5 strange.h5
printed 0 "$loadstone" patterns strange.h5

must "$python" - text/*.out text/*.err <<'P' || failed=1
import re, sys
control = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
named = 0
for path in sys.argv[1:]:
    text = open(path, "rb").read()
    named += b"=" in text and b"?[" in text
    try:
        lines = text.decode().split("\n")
        bad = [line for line in lines if control.search(line) or line.startswith("forged")]
    except UnicodeDecodeError as e:
        bad = [e]
    if bad:
        command = open(path.rsplit(".", 1)[0], "rb").read()
        print("FAIL:", command, *map(ascii, bad[:3]), sep="\n    ")
        failed = True
assert named > 30, named
sys.exit("failed" in globals())
P

# the page, around its program, and the texts of its data
if "$loadstone" view -o page.html strange.h5 2>err; then
    must "$python" - <<'P'
import base64, json, re, zlib
def strings(value):
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inside for text in strings(part)]
control = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
page = open("page.html", encoding="utf-8").read()
data = zlib.decompress(base64.b64decode(re.search('<script[^>]* id="data">(.*?)</script>', page, re.S)[1]))
texts = strings(json.loads(data[4:4 + int.from_bytes(data[:4], "little")]))
around = re.sub("<(script|style).*?</(script|style)>", "", page, flags=re.S)
assert "=?[2J" in around and sum("=?[2J" in text for text in texts) > 5, texts
assert not any(control.search(text) for text in texts + [around])
P
else
    must grep -q "no program for the page" err
fi

# a spreadsheet evaluates no cell, and numbers stay numbers
mkdir csv
for by in node function file phase thread process; do
    must "$loadstone" report --csv --by $by run.h5 >csv/by-$by.csv
done
for table in samples nodes lines threads phases; do
    expect 0 "" "$loadstone" export -t $table -o csv/$table.csv run.h5
done
expect 0 "" "$loadstone" export -F '=grid*' -t fields -o csv/fields.csv run.h5
expect 0 "" "$loadstone" export -o csv/run.memaxes.csv run.h5
must "$python" - csv/*.csv <<'P' || failed=1
import csv, sys
hostile = 0
for path in sys.argv[1:]:
    rows = list(csv.reader(open(path, encoding="utf-8", newline=""), strict=True))
    assert len(rows) > 1, f"{path}: no rows"
    for row in rows:
        assert len(row) == len(rows[0]), f"{path}: {row}"
        for cell in row:
            hostile += cell.lstrip("' ?").startswith(("=", "+cmd", "@SUM", "-2+3"))
            if cell.lstrip(" ")[:1] in ("=", "+", "-", "@") or cell[:1] in ("\t", "\r", "\n"):
                float(cell)
assert hostile > 100, hostile
P
exit $failed
