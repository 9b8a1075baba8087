# SPDX-License-Identifier: BSD-3-Clause
"""Compares rows of a report with the truth."""
import dataclasses
import math
import re
import statistics

NO_DATA = "no data (computing)"
Z_95 = 1.96


@dataclasses.dataclass
class Score:
    """One row of one recording; shares and interval as fractions of the user time."""
    case: str
    engine: str
    kind: str  # function, data or module
    name: str
    true: float
    sampled: float
    low: float
    high: float
    bursts: int  # in the recording
    reference_error: float = 0.0  # standard error of the truth

    @property
    def error(self):
        return self.sampled - self.true

    @property
    def half_width(self):
        return (self.high - self.low) / 2

    @property
    def holds(self):
        slack = Z_95 * self.reference_error
        return self.low - slack <= self.true <= self.high + slack

    @property
    def standard_errors(self):
        """The error in standard errors; rows without an interval use the error of a binomial share."""
        own = self.half_width / Z_95 or math.sqrt(max(self.true * (1 - self.true), 1e-6) / max(self.bursts, 1))
        return self.error / math.hypot(own, self.reference_error)


@dataclasses.dataclass
class Identity:
    """CPU time in nanoseconds as reported, and as the program had it; None is unknown."""
    case: str
    engine: str
    total: float = None
    user: float = None
    kernel: float = None
    kernel_error: float = None
    recording: float = None
    represented: float = None
    unrepresented: float = None
    why: str = ""
    true_total: float = None
    true_user: float = None
    true_kernel: float = None
    bursts: int = 0
    overhead: float = 0.0


def base_name(label):
    """`Square::area_of` of "Square::area_of(unsigned int) const (program)"."""
    for operator in ("operator()", "(anonymous namespace)::"):
        label = label.replace(operator, operator.replace("(", "<").replace(")", ">"))
    label = re.sub(r"@.*", "", label)
    return label.split("(")[0].strip() if not label.startswith("(") else label


def is_named(label, name):
    found = base_name(label)
    return found == name or found.endswith("::" + name)


def function_rows(rows, names):
    return [r for r in rows if any(is_named(r.label, n) for n in names.split("+"))]


def data_row(rows, name):
    """The outermost row of this label: rows of a tree come from the root down."""
    if name == NO_DATA:
        return next((r for r in rows if r.label.startswith("no data")), None)
    return next((r for r in rows if r.label == name or r.label.endswith("::" + name)), None)


def truth_ns(case, truth, native):
    """Return user and kernel time of the program without recording: its phases, and the rest of a native run.
    Perf's samples give the user time of that rest; where there are none, getrusage gives it, by ticks. Phases
    of kernel work are in the rest, because they have user time, too, from loads that miss the TLB after each
    page fault."""
    user = sum(truth.functions.values()) + sum(truth.others.values())
    if case.part:
        return user, sum(truth.kernels.values())
    known = sum(native.functions.values()) + sum(native.others.values())
    rest = max(0, native.total_user + native.total_kernel - known)
    if native.known_share:
        in_user = min(rest, known / native.known_share - known)
    else:
        in_user = min(rest, max(0, native.total_user - known))
    return user + in_user, rest - in_user


def score_own(case, engine, recording, truth, native, together):
    """Return scores of a program that times itself; together(rows) joins the rows of several functions."""
    user_ns, kernel_ns = truth_ns(case, truth, native)
    has_kernel_rows = any(r.label.startswith("kernel") for r in recording.functions)
    whole_ns = user_ns + (kernel_ns if has_kernel_rows else 0)
    scores = []

    def add(kind, name, true_ns, row):
        figures = (row.share, row.low, row.high) if row else (0.0, 0.0, 0.0)
        scores.append(Score(case.name, engine.name, kind, name, true_ns / whole_ns, *figures, recording.bursts))

    for name, ns in truth.functions.items():
        rows = function_rows(recording.functions, name)
        add("function", name, ns, together(rows) if rows else None)
    for name, ns in truth.data.items():
        add("data", name, ns, data_row(recording.data, name))
    return scores


def pooled(counters):
    """Combine several runs' samples by name: the mean share of each name, and its standard error as a
    prediction of one more run, which is the larger one of the error of sampling and the variation between the
    runs."""
    totals = [sum(c.values()) for c in counters]
    shares = {}
    for name in set().union(*counters):
        of_runs = [c[name] / total for c, total in zip(counters, totals)]
        mean = statistics.mean(of_runs)
        between = statistics.stdev(of_runs) * math.sqrt(1 + 1 / len(of_runs)) if len(of_runs) > 1 else 0
        shares[name] = mean, max(math.sqrt(mean * (1 - mean) / sum(totals)), between)
    return sorted(shares.items(), key=lambda item: -item[1][0])


def score_perf(case, engine, recording, references, least=0.03):
    """Scores against perf's samples, (functions, modules) of several runs: each module and function that has at least the share `least`, and
    lacks as much."""
    if not all(sum(modules.values()) for _, modules in references):
        return []
    ours = [r for r in recording.modules if "libloadstone" in r.label]
    scale = 1 - sum(r.share for r in ours) or 1
    scores = []

    def add(kind, name, true, error, row):
        figures = (row.share / scale, row.low / scale, row.high / scale) if row else (0.0, 0.0, 0.0)
        scores.append(Score(case.name, engine.name, kind, name, true, *figures, recording.bursts, error))

    for name, (share, error) in pooled([modules for _, modules in references]):
        if least <= share <= 1 - least:
            add("module", name, share, error, next((r for r in recording.modules if r.label.rsplit("/", 1)[-1] == name), None))
    for name, (share, error) in pooled([functions for functions, _ in references]):
        row = next((r for r in recording.functions if is_named(r.label, base_name(name))), None)
        # a function of the C library has several names that begin with underscores: without a row, they may be its other names
        known = name not in ("[unknown]", "") and (row or not name.startswith("_"))
        if known and least <= share <= 1 - least:
            add("function", name, share, error, row)
    return scores


def identity(case, engine, recording, truth, native):
    cpu, out = recording.cpu, Identity(case.name, engine.name, bursts=recording.bursts, overhead=recording.overhead)
    if cpu:
        for key in ("total", "user", "kernel", "kernel_error", "recording", "represented", "unrepresented"):
            setattr(out, key, cpu.get(key + "_ns"))
        out.why = cpu.get("unrepresented_why") or ""
    else:
        out.represented = recording.sampled_ns
    if truth is None:
        out.true_user, out.true_kernel = native.total_user, native.total_kernel
    else:
        out.true_user, out.true_kernel = truth_ns(case, truth, native)
        if not case.part:
            out.true_total = truth.total_user + truth.total_kernel
    return out


def coverage(scores):
    """Per case and over all: rows, share of intervals that hold, half-width scaled to 1,100 bursts, errors beyond 4 standard errors."""
    table = []
    names = list(dict.fromkeys(s.case for s in scores))
    for name in names + ["all"]:
        of = [s for s in scores if name in (s.case, "all")]
        widths = sorted(s.half_width * math.sqrt(s.bursts / 1100) for s in of)
        table.append({"case": name, "rows": len(of), "hold": sum(s.holds for s in of) / len(of), "half_width_median": widths[len(of) // 2],
                      "half_width_max": widths[-1], "beyond_4": sum(abs(s.standard_errors) > 4 for s in of),
                      "error_mean": sum(s.error for s in of) / len(of), "bursts_mean": sum(s.bursts for s in of) / len(of)})
    return table
