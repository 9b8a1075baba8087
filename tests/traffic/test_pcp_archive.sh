#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters of POWER9's memory controllers, from an archive of Performance Co-Pilot, as time series with their units.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
command -v python3 >/dev/null || skip "no python3"
python3 -c 'import ctypes; ctypes.CDLL("libpcp_import.so.1")' 2>/dev/null || skip "no libpcp_import (Debian: libpcp-import1)"
"$loadstone" doctor 2>/dev/null | grep -q 'built without Performance Co-Pilot' && skip "built without Performance Co-Pilot"
must python3 "$top_srcdir/tests/traffic/pcp_archive.py" summit
must python3 "$top_srcdir/tests/traffic/pcp_archive.py" marked 0.3
nest=perfevent.hwcounters.nest_mba
check() { # FILE PYTHON: r is the rows of the whole run by name
    python3 -c 'import json, sys
r = {r["series"]: r for r in json.load(open(sys.argv[1]))["rows"] if r["phase"] == ""}
def name(k, cpu): return "perfevent.hwcounters.nest_mba%d_imc.PM_MBA%d_%s_BYTES.value[%s]" % (k // 2, k // 2, ("READ", "WRITE")[k % 2], cpu)
'"$2" "$1"
}

# all counters below a name: bytes in the proportions of the archive, and their sum
export PCP_ARCHIVE=$scratch/summit
expect 0 "next: " "$loadstone" record --engine null --series pcp:perfevent.hwcounters -o run.h5 -- sleep 0.6
must test "$(grep -c warning err)" = 0
must "$loadstone" report --series --json run.h5 >run.json
must check run.json '
first = r[name(0, "cpu87")]
assert len(r) == 2 * 16 + 2 + 1, sorted(r)
for k in range(16):
    for i, cpu in enumerate(("cpu87", "cpu175")):
        one = r[name(k, cpu)]
        assert (one["unit"], one["scope"], one["is_level"], one["gap_ns"]) == ("B", cpu, False, 0), one
        assert abs(one["amount"] / first["amount"] - (2 * k + i + 1)) < 1e-3, one
all = r["memory, all"]
assert all["unit"] == "B" and abs(all["amount"] / first["amount"] / (32 * 33 / 2) - 1) < 1e-3, all
assert abs(first["mean_per_s"] / 1e8 - 1) < 0.2, first # tolerance for two clocks, that of the reader and that of the archive
duty = r["perfevent.hwcounters.nest_mba0_imc.PM_MBA0_READ_BYTES.dutycycle[cpu87]"]
assert duty["is_level"] and duty["mean"] == 1, duty'
expect 0 "pcp memory, all" "$loadstone" report --series run.h5

# one metric; an unknown one; a text
expect 0 "next: " "$loadstone" record --engine null --series pcp:${nest}3_imc.PM_MBA3_WRITE_BYTES.value -o one.h5 -- sleep 0.2
must "$loadstone" report --series --json one.h5 >one.json
must check one.json 'assert sorted(r) == ["memory, all", name(7, "cpu175"), name(7, "cpu87")], sorted(r)'
expect 125 "PCP has no metric '${nest}8'" "$loadstone" record --series pcp:${nest}8 -o bad.h5 -- touch started
expect 125 "the metric perfevent.derived.name is not a number" "$loadstone" record --series pcp:perfevent.derived.name -o bad.h5 -- touch started
must test ! -e started

# a mark, where the writer of the archive was restarted: a gap
PCP_ARCHIVE=$scratch/marked expect 0 "series with gaps, such as pcp $nest" "$loadstone" record --engine null --series pcp:perfevent.hwcounters -o gap.h5 -- sleep 0.8
must "$loadstone" report --series --json gap.h5 >gap.json
must check gap.json 'one = r[name(5, "cpu87")]; assert 5e7 < one["gap_ns"] < 4e8 and one["known_ns"] > 2e8, one'

# no archive: a warning, and the run continues
PCP_ARCHIVE=$scratch/nowhere expect 0 "is no archive that libpcp reads" "$loadstone" record --engine null --series pcp:perfevent.hwcounters -o none.h5 -- true
exit $failed
