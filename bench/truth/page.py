# SPDX-License-Identifier: BSD-3-Clause
"""Writes doc/truth.md."""
from collections import defaultdict

METHOD = """# Accuracy of the figures

Measured by `make bench-truth` on:

    %(machine)s

The load of the processors was %(load_before).1f before and %(load_after).1f after (1 minute average).

## Method

1. Each program does a fixed amount of work in slices of about half a millisecond, and times each slice with the CPU clock of its thread.
   The time of a function is the sum of its slices less the time that recording spent in the bursts that began there, which the profile contains
   (*Identity* compares its sum with the clocks of the kernel).
2. `loadstone record` records it once with each engine: %(engines)s. `loadstone report --json` is compared with the program's times.
3. *True* and *sampled* are shares of the user time of the program. *Error* is their difference in points. *95 %%* is the interval of the report,
   *holds* states whether it contains the truth, and *SE* is the error in standard errors (half of the interval divided by 1.96).
4. A function without a row counts as 0 %%. Functions of one phase are one row, joined by `+`, with the report's interval of their sum.
5. The user time that a native run spends outside of its phases (start, preparation) is part of the total; it is measured by perf's samples
   of another native run. Where each slice calls hooked functions (malloc, strings, exceptions), the time of that work is taken from the
   native run, scaled by the speed of the other work.
6. Identity: the head of the report against getrusage (total) and against the program's own times (user, kernel).
7. Programs of the distribution are run three times under `perf record -e cpu-clock:u` at 4000 Hz for reference, and once with each engine
   in between. Rows are the modules and the functions with a symbol that have 3 to 97 %%; the sampling error of perf, or the difference
   between its runs where that is larger, is part of *holds* and *SE*.
8. Coverage repeats six programs with the first engine and counts how often the intervals contain the truth.
9. In pointer chases, the program times its own steps (the median over milliseconds) while the profiler probes its loads.
10. A case that fails has a row with the error.
"""


def percent(x):
    return "%.1f" % (100 * x)


def score_line(s):
    return "| %s | %s | %s | %s | %s | %+.1f | %s .. %s | %s | %+.1f |" % (
        s.case, s.engine, s.name.replace("|", "\\|"), percent(s.true), percent(s.sampled), 100 * s.error, percent(s.low), percent(s.high),
        "yes" if s.holds else "**no**", max(-99, min(99, s.standard_errors)))


SCORE_HEAD = """| case | engine | %s | true, %% | sampled, %% | error | 95 %% | holds | SE |
|---|---|---|---|---|---|---|---|---|"""


def seconds(ns):
    return "-" if ns is None else "%.2f" % (ns / 1e9)


def ratio(part, whole):
    return "-" if part is None or not whole else "%.1f" % (100 * part / whole)


def identity_line(i):
    kernel = seconds(i.kernel) + ("" if i.kernel_error is None else " ±%.2f" % (i.kernel_error / 1e9))
    return "| %s | %s | %s / %s | %s / %s | %s / %s | %s | %s | %s%s | %d | %.1f |" % (
        i.case, i.engine, seconds(i.total), seconds(i.true_total), seconds(i.user), seconds(i.true_user), kernel, seconds(i.true_kernel),
        seconds(i.recording), seconds(i.represented), ratio(i.unrepresented, i.total), " (%s)" % i.why if i.why else "", i.bursts, 100 * i.overhead)


IDENTITY_HEAD = """| case | engine | total, s (reported / true) | user | kernel | recording | represented | not represented, % | bursts | overhead, % |
|---|---|---|---|---|---|---|---|---|---|"""

COVERAGE_HEAD = """| case | rows | intervals that hold, % | half-width at 1,100 bursts: median | largest | beyond 4 SE | mean error | mean bursts |
|---|---|---|---|---|---|---|---|"""


def coverage_line(c):
    return "| %s | %d | %.1f | %.1f | %.1f | %d | %+.2f | %.0f |" % (
        c["case"], c["rows"], 100 * c["hold"], 100 * c["half_width_median"], 100 * c["half_width_max"], c["beyond_4"], 100 * c["error_mean"],
        c["bursts_mean"])


LATENCY_HEAD = """| ring | engine | native ns/load | native cycles | probed median | of native | probed mean | of native | L1 / L2 / L3 / DRAM, % | latencies |
|---|---|---|---|---|---|---|---|---|---|"""

LATENCY_NOTES = """A probe times one load by itself: where the processor overlaps it with others, or a prefetcher comes too late, the program measures another
time. A pointer chase has neither. The run with the fastest native steps of three counts.

* The cost of the probe is measured with every probe, on a line that is certainly in L1. Only the latency of L1 is calibrated.
* Where the time stamp counter advances in steps (26 cycles on some AMD processors), single latencies have this resolution, and the median is the
  mean of all latencies within 1.5 steps of the plain median. Means leave out what is beyond 20 medians: those loads were interrupted. Over memory the latencies are skew
  (page walks, refresh), so that their median is below the mean, which is what the program takes.
* The kernel, the handlers and other programs on the same package use part of L2 and L3: rings that barely fit lose lines, which the mean
  shows first."""


def summary(scores):
    """Return the number of rows of each kind that hold, and the largest errors."""
    by_kind = defaultdict(list)
    for s in scores:
        by_kind["%s, %s" % (s.engine, s.kind)].append(s)
    return ["* %s: %d of %d intervals hold, mean error %.1f points, largest %.1f points." % (
        kind, sum(s.holds for s in of), len(of), 100 * sum(abs(s.error) for s in of) / len(of), 100 * max(abs(s.error) for s in of))
        for kind, of in by_kind.items()]


WAITING_HEAD = """| loop | engine | ns in L1 | ns | waiting, % | reported, % | error | bursts |
|---|---|---|---|---|---|---|---|"""

WAITING_NOTES = """Loops of `bench/truth/waiting.c` are timed natively on data in L1 and on their own data (nanoseconds per element); the additional time
is waiting. The recording of the second loop reports its share. `l1`, `l2-triad`, `stream`: a[i] = b[i] + s c[i] in L1, L2, memory; `l2`, `chain`: a
chain of additions over L2 and memory; `divide`: a chain of divisions over L2; `store`: only stores; `gather`: independent loads at random
indices; `probe`: open addressing in a table of 256 MiB. The time of `probe` in L1 has other mispredicted branches."""


def write(path, facts, own, real, identities, failures, coverage, latency, waiting):
    """own, real: lists of score.Score; failures: pairs of a case and a text; coverage: rows of score.coverage; latency, waiting: lines of their tables."""
    engines = ", ".join("`--engine %s --overhead %g%%`" % (e.name, e.overhead) for e in facts["engines"])
    out = [METHOD % dict(facts, engines=engines)]
    failed = ["| %s | failed: %s | | | | | | | |" % (case, why.replace("\n", " ").replace("|", "/")) for case, why in failures]
    out += ["## Functions", "", SCORE_HEAD % "function"] + [score_line(s) for s in own if s.kind == "function"] + failed + [""]
    out += ["## Data", "", SCORE_HEAD % "data"] + [score_line(s) for s in own if s.kind == "data"] + [""]
    out += summary(own) + [""]
    out += ["## Programs of the distribution, against perf", "", SCORE_HEAD % "module or function"] + [score_line(s) for s in real] + [""]
    out += summary(real) + [""]
    out += ["## Identity", "", "True figures of programs of the distribution come from another, native run.", "", IDENTITY_HEAD]
    out += [identity_line(i) for i in identities] + [""]
    out += ["## Coverage", "", "%(recordings)d recordings%(beside)s." % facts, "", COVERAGE_HEAD] + [coverage_line(c) for c in coverage] + [""]
    out += ["## Latency of a pointer chase", "", LATENCY_NOTES, "", LATENCY_HEAD] + latency + [""]
    out += ["## Waiting", "", WAITING_NOTES, "", WAITING_HEAD] + waiting
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")
