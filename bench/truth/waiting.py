# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for memory: loops of bench/truth/waiting.c, which know how much longer they take than on data in L1."""
import os

import recording

MODES = ["l1", "l2", "l2-triad", "divide", "chain", "stream", "store", "gather", "probe"]


def share(runner, programs, engine, mode, seconds):
    """True and reported share of the waiting in the time of the loop, and the two native times of an element in nanoseconds."""
    path = os.path.join(runner.folder, "waiting.h5")
    output, _, _ = runner.run([runner.loadstone, "record", "--quiet", "--force", "--paused", "--engine", engine.name, "--overhead",
                               "%g%%" % engine.overhead, "-o", path, "--", os.path.join(programs, "waiting"), mode, str(seconds)])
    true, small_ns, large_ns = (float(x) for x in output.split()[2:5])
    report, _ = runner.rows(path, "--by", "function")
    estimates = report["estimates"]
    if estimates["stall_ns"] is None:
        raise recording.Failed("no load was timed")
    return true, estimates["stall_ns"] / estimates["sampled_ns"], small_ns, large_ns, estimates["bursts"]


def rows(runner, programs, engines, say):
    """Return lines of the page's table."""
    lines = []
    for mode in MODES:
        for engine in engines:
            try:
                true, found, small_ns, large_ns, bursts = share(runner, programs, engine, mode, 3)
                lines.append("| %s | %s | %.2f | %.2f | %.1f | %.1f | %+.1f | %d |" % (
                    mode, engine.name, small_ns, large_ns, 100 * true, 100 * found, 100 * (found - true), bursts))
            except (recording.Failed, ValueError, KeyError) as e:
                lines.append("| %s | %s | no estimate: %s | | | | | |" % (mode, engine.name, e))
            say(lines[-1])
    return lines
