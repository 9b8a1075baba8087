#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A compiler calls the allocator from thousands of places: the unwinding of their stacks is not taken for the compiler's own time, nor its
# time for unwinding.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python json
needs_runtime
needs_step
compiler=$(gcc -print-prog-name=cc1 2>/dev/null) && [ -x "$compiler" ] || skip "no compiler of GCC here"
cat >run.py <<'E'
import json, resource, subprocess, sys

compiler, loadstone = sys.argv[1:]
command = [compiler, "-quiet", "-O2", "program.c", "-o", "program.s"]
RUNS = 6
with open("program.c", "w") as out:
    for i in range(25):
        out.write(f"""struct s{i} {{ int a; double b[{i % 7 + 2}]; struct s{i} *next; }};
static double sum{i}(struct s{i} *p, int n) {{ double x = 0; for (; p; p = p->next) for (int k = 0; k < n && k < {i % 7 + 2}; k++)
    x += p->a > {i} ? p->b[k] * {i} : p->b[k] / (k + {i + 1}); return x; }}
double use{i}(struct s{i} *p) {{ switch (p->a & 7) {{ case 0: return sum{i}(p, 1); case 1: return sum{i}(p, 2) + 1; case 5: p->b[0]++; }}
    return sum{i}(p->next, p->a); }}
""")


def native():
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def recorded():
    subprocess.run([loadstone, "record", "-q", "-f", "-o", "run.h5", "--"] + command, check=True)
    report = subprocess.run([loadstone, "report", "--json", "run.h5"], check=True, capture_output=True).stdout
    return json.loads(report)["cpu"]["user_ns"] / 1e9


alone, reported = [], []
for _ in range(RUNS):
    alone.append(native())
    reported.append(recorded())
ratio = sum(reported) / sum(alone)
print(f"user time, alone and as reported: {sum(alone) / RUNS:.3f} s, {sum(reported) / RUNS:.3f} s, ratio {ratio:.2f}")
sys.exit(not 0.75 < ratio < 1.33)
E
must "$python" run.py "$compiler" "$loadstone"
exit $failed
