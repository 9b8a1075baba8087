#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares Loadstone's reports with known truth: programs that time their own work, and perf's samples of other programs.

usage: truth.py --loadstone CMD --programs DIR [--coverage N] [--only NAME,...] [--write FILE]
       truth.py --loadstone CMD --programs DIR --quick      (for make check: counts and the identity, no page)
"""
import argparse
import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

import cases
import page
import recording
import score
import waiting


def say(line=""):
    print(line, flush=True)


class Results:
    """The results so far."""

    def __init__(self):
        self.own, self.real, self.identities, self.failures = [], [], [], []

    def fail(self, case, why):
        self.failures.append((case.name, str(why)))
        say("| %s | failed: %s |" % (case.name, why))

    def add(self, kind, scores, identity):
        kind += scores
        self.identities.append(identity)
        for s in scores:
            say(page.score_line(s))
        say(page.identity_line(identity))


def measure_own(runner, case, engine, native, *options):
    found = runner.record(case, engine, *options)
    truth = recording.without_bursts(recording.read_truth(found.output), found.spent)
    if not truth.functions:
        raise recording.Failed("printed no truth")
    if case.hooked:
        pace = sum(truth.functions.values()) / sum(native.functions.values())
        truth = truth._replace(others={name: ns * pace for name, ns in native.others.items()})
    scores = score.score_own(case, engine, found, truth, native, lambda rows: runner.together(found, rows))
    return scores, score.identity(case, engine, found, truth, native)


def measure_perf(runner, case, engines):
    """Yield scores and identity of each engine. Perf runs before, between and after the recordings."""
    native = runner.native(case)
    references, found = [runner.perf(case)], []
    for engine in engines:
        found.append(runner.record(case, engine))
        references.append(runner.perf(case))
    references += [runner.perf(case) for _ in range(3 - len(references))]
    for engine, recorded in zip(engines, found):
        yield score.score_perf(case, engine, recorded, references), score.identity(case, engine, recorded, None, native)


def measure_case(runner, case, engines, results):
    if case.perf:
        for found in measure_perf(runner, case, engines):
            results.add(results.real, *found)
        return
    native = runner.with_known_share(case, runner.native(case))
    for engine in engines:
        results.add(results.own, *measure_own(runner, case, engine, native))


def all_cases(runner, programs, engines, only):
    results = Results()
    for case in cases.own_cases(programs) + cases.real_cases():
        if only and case.name not in only:
            continue
        if case.perf and not shutil.which(case.command[0]):
            say("SKIP: %s: no %s" % (case.name, case.command[0]))
            continue
        if case.perf and not shutil.which("perf"):
            say("SKIP: %s: perf is missing (Debian: linux-perf)" % case.name)
            continue
        try:
            measure_case(runner, case, engines, results)
        except (recording.Failed, ValueError, KeyError, IndexError) as e:
            results.fail(case, e)
    return results


def measure_coverage(runner, programs, engine, count, failures):
    """Record each of six programs `count` times, in turns."""
    scores, done = [], 0
    chosen = [c for c in cases.own_cases(programs) if c.name in cases.COVERAGE]
    natives = {}
    for i in range(count):
        for case in chosen:
            try:
                if case.name not in natives:
                    natives[case.name] = runner.with_known_share(case, runner.native(case))
                found, _ = measure_own(runner, case, engine, natives[case.name], "--seed", str(i + 1))
            except (recording.Failed, ValueError, KeyError, IndexError) as e:
                failures.append((case.name, str(e)))
                continue
            scores += [s for s in found if s.kind == "function"]
            done += 1
        say("coverage: %d recordings, %.1f %% of the intervals hold" % (done, 100 * sum(s.holds for s in scores) / max(1, len(scores))))
    return scores, done


def quick_complaints(case, scores, identity):
    """Checks that a correct report fails less than once in 10,000 runs: a binomial share is within 5 standard
    errors. Weights are not equal, therefore bursts count as two thirds of them. The truth itself may be off
    by 4 points, the time by a quarter, since other programs run."""
    bad = []
    for s in scores:
        tolerance = 0.04 + 5 * math.sqrt(s.true * (1 - s.true) / max(1, s.bursts / 1.5))
        if s.kind == "function" and abs(s.error) > tolerance:
            bad.append("%s has %.1f %% of the time, not %.1f +-%.1f" % (s.name, 100 * s.sampled, 100 * s.true, 100 * tolerance))
    true_ns = identity.true_user + identity.true_kernel
    if not 0.75 * identity.true_user < identity.represented < 1.25 * true_ns:
        bad.append("bursts represent %.2f s, not %.2f" % (identity.represented / 1e9, identity.true_user / 1e9))
    if identity.unrepresented and identity.unrepresented > 0.05 * identity.total:
        bad.append("%.1f %% of the CPU time is not represented" % (100 * identity.unrepresented / identity.total))
    return ["%s, %s: %s (%d bursts)" % (case.name, identity.engine, text, identity.bursts) for text in bad]


def quick_case(runner, programs, name, amount, engine):
    for longer in (1, 4, 16):  # a busy machine samples little: try longer
        case = next(c for c in cases.own_cases(programs, amount * longer) if c.name == name)
        scores, identity = measure_own(runner, case, engine, runner.native(case))
        if identity.bursts >= 100:
            break
    for s in scores:
        say(page.score_line(s))
    return quick_complaints(case, scores, identity)


def quick(runner, programs, engines):
    bad = []
    for name, amount in cases.QUICK.items():
        for engine in engines:
            bad += quick_case(runner, programs, name, amount, engine)
    for line in bad:
        say("FAIL: " + line)
    return 1 if bad else 0


def start_busy(count):
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def engines_of(text):
    return [recording.Engine(name, float(percent)) for name, percent in (part.split(":") for part in text.split(","))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--write", help="the page; written when all cases and the coverage are measured")
    parser.add_argument("--results", help="all scores as JSON")
    parser.add_argument("--machine", default="", help="description of the machine")
    parser.add_argument("--engines", type=engines_of, default="translate:3,step:30", metavar="NAME:PERCENT,...",
                        help="engines and their overheads; default translate:3,step:30")
    parser.add_argument("--coverage", type=int, default=0, metavar="N", help="record six programs N times with the first engine")
    parser.add_argument("--beside", type=int, default=0, metavar="N", help="run N other processes beside the coverage")
    parser.add_argument("--only", default="", help="only these cases, separated by commas")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    programs, only = os.path.abspath(args.programs), [name for name in args.only.split(",") if name]
    load_before, busy, latency_lines, waiting_lines, covered, done = os.getloadavg()[0], [], [], [], [], 0
    work = tempfile.mkdtemp(prefix="loadstone-truth.")
    runner = recording.Runner(os.path.abspath(args.loadstone), work)
    try:
        if args.quick:
            return quick(runner, programs, args.engines)
        cases.make_inputs(work)
        results = all_cases(runner, programs, args.engines, only)
        if not only:
            import latency
            latency_lines = latency.rows(runner, programs, args.engines, say)
            waiting_lines = waiting.rows(runner, programs, args.engines, say)
        if args.coverage:
            busy = start_busy(args.beside)
            covered, done = measure_coverage(runner, programs, args.engines[0], args.coverage, results.failures)
    finally:
        for process in busy:
            process.kill()
            process.wait()
        shutil.rmtree(work, ignore_errors=True)
    table = score.coverage(covered) if covered else []
    for row in table:
        say(page.coverage_line(row))
    if args.results:
        with open(args.results, "w") as f:
            json.dump({"own": [dataclasses.asdict(s) for s in results.own], "real": [dataclasses.asdict(s) for s in results.real],
                       "identities": [dataclasses.asdict(i) for i in results.identities], "failures": results.failures,
                       "coverage": [dataclasses.asdict(s) for s in covered]}, f, indent=1)
    if args.write and table and not only:
        facts = {"machine": args.machine.replace("\n", "\n    "), "load_before": load_before, "load_after": os.getloadavg()[0],
                 "engines": args.engines, "recordings": done, "beside": ", beside %d other processes" % args.beside if args.beside else ""}
        page.write(args.write, facts, results.own, results.real, results.identities, results.failures, table, latency_lines, waiting_lines)
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
