# SPDX-License-Identifier: BSD-3-Clause
"""time_rows.py LOADSTONE WHOLE UNKNOWN: in every view of make_time's profile the rows add up to all of the time."""
import csv
import json
import math
import subprocess
import sys

loadstone, whole, unknown = sys.argv[1:]


def run(*options):
    return subprocess.run([loadstone, "report", *options], check=True, capture_output=True, text=True).stdout


def report(*options):
    return json.loads(run("--json", "--min-share", "0.0001%", *options))


def rows(*options):
    """Rows without others below them, by their labels."""
    return {row["label"]: row for row in report(*options)["rows"] if row["depth"] == 0}


def close(a, b):
    assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6), (a, b)


ALL_NS = 10e9
DIMENSIONS = ["object", "site", "kind", "function", "line", "file", "ip", "module", "thread", "process", "phase",
              "slice", "level", "op", "cpu", "locked", "numa", "rank", "symbol"]
for by in DIMENSIONS + ["thread,function", "site,line", "function,object", "phase,level"]:
    table = list(csv.DictReader(run("--csv", "--min-share", "0.0001%", "--by", by, whole).splitlines()))
    close(sum(float(row["time_ns"]) for row in table), ALL_NS)
    for row in report("--by", by, whole)["rows"]:
        assert 0 <= row["time"]["share"] <= 1 and row["time"]["high"] <= 1, (by, row)
        assert row["stall_ns"] is None or 0 <= row["stall_ns"] <= row["time_ns"] + 1, (by, row)
        assert row["measured"] or row["stall_ns"] is None, (by, row)

by_function = rows("--by", "function", whole)
close(by_function["divide (mix)"]["time"]["share"], 0.5)
close(by_function["walk (mix)"]["time"]["share"], 0.25)
assert by_function["divide (mix)"]["samples"] == 0 and by_function["divide (mix)"]["bursts"] == 200
close(rows("--by", "thread", whole)["101 worker"]["time"]["share"], 0.25)
close(rows("--by", "phase", whole)["setup"]["time"]["share"], 0.5)
by_site = rows("--by", "site", whole)
close(by_site["no data (computing)"]["time_ns"], ALL_NS / 2)
close(by_site["B"]["time_ns"], ALL_NS / 4)
tree = report(whole)["rows"]
assert tree[0]["label"] == "all" and tree[0]["time_ns"] == ALL_NS, tree[0]
close(sum(row["time_ns"] for row in tree if row["depth"] == 1), ALL_NS)
[computing] = [row for row in tree if row["label"] == "no data (computing)"]
assert (computing["id"], computing["parent"], computing["kind"]) == (None, 0, "none"), computing
# filters: by origin among dimensions of origin, else by accesses
close(rows("--by", "thread", "--where", "function=divide", whole)["101 worker"]["time_ns"], ALL_NS / 4)
close(rows("--by", "function", "--node", "B", whole)["chase (mix)"]["time_ns"], ALL_NS / 4)
assert list(rows("--by", "object", "--where", "function=divide", whole)) == ["no data (computing)"]

json_whole = report(whole)
assert json_whole["cpu"] == {"total_ns": 15.4e9, "user_ns": 10.2e9, "kernel_ns": 4.9e9, "kernel_error_ns": 2e8,
                             "recording_ns": 3e8, "represented_ns": 1e10, "unrepresented_ns": 2e8,
                             "unrepresented_why": "", "weights_found": 0.987}, json_whole["cpu"]
assert (json_whole["loads"], json_whole["loads_timed"]) == (10000, 5000)
assert json_whole["in_place"]["instructions_in_place"] == 12000 and len(json_whole["in_place"]["rows"]) == 3
kernel = json_whole["kernel"]
assert [row["cause"] for row in kernel] == ["page faults", "munmap", "read", "kernel, other"], kernel
assert kernel[0]["data"].endswith("work (mix.c:40)") and kernel[0]["function"] == "fill (mix)", kernel[0]
close(sum(row["time_ns"] for row in kernel), 4.9e9)
close(kernel[0]["cpu_share"], 3.9 / 15.4)
close(kernel[0]["calls_error"], 2540000 * 1e8 / 3.9e9)
json_unknown = report(unknown)
assert json_unknown["cpu"]["total_ns"] is None and json_unknown["kernel"][0]["cpu_share"] is None
