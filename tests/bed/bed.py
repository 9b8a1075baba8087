#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real programs of the distribution under the profiler: same output and status, no hang, and where their samples found a home.

Each file of programs/ is one case: a shell script that gets $DATA (inputs, read only) and $SCRATCH (its own, empty). Head lines of a case:
    # packages: its packages (a case whose first one is missing is left out with a message)
    # user: nobody          run as that user when root runs the bed
    # samples: few          too few samples to judge the shares (the program waits or is short)
    # below: REASON         a share may be below the goal, for this reason, which the table prints
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HOME_GOAL, PRECISE_GOAL = 0.98, 0.90
FEW_SAMPLES = 1500
# Kinds of homes that name an area only, and how the table calls them.
COARSE = {"heap-small": "small blocks", "heap": "heap", "anonymous": "anonymous memory", "jit": "generated code", "static": "data without symbol or section"}
HERE = pathlib.Path(__file__).resolve().parent


class Case:
    """One file of programs/."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        text = path.read_text()
        self.packages = self.head(text, "packages").split()
        self.user = self.head(text, "user")
        self.few = self.head(text, "samples") == "few"
        self.below = self.head(text, "below")

    @staticmethod
    def head(text, key):
        found = re.search(rf"^# {key}: (.*)$", text, re.M)
        return found.group(1).strip() if found else ""


def is_installed(package):
    state = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True)
    return state.stdout == "installed"


def run_once(command, case, data, work, limit_s):
    """Output, status (None: hung) and seconds of command, in a fresh scratch directory."""
    scratch = work / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    scratch.chmod(0o777)
    # Short, because some programs make a socket there.
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "SOURCE_DATE_EPOCH": "0", "DATA": str(data), "SCRATCH": str(scratch),
                   "HOME": str(scratch), "XDG_RUNTIME_DIR": str(work / "runtime"), "XDG_CACHE_HOME": str(work / "cache")}
    if case.user and os.geteuid() == 0:
        command = ["runuser", "-u", case.user, "--"] + command
    began = time.monotonic()
    with open(work / "out", "wb") as out, open(work / "err", "wb") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=scratch, start_new_session=True)
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
    return {"status": status, "seconds": time.monotonic() - began, "out": (work / "out").read_bytes(), "err": (work / "err").read_bytes()}


def read_report(loadstone, profile):
    done = subprocess.run([loadstone, "report", "--json", profile], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    report = json.loads(done.stdout)
    kinds = subprocess.run([loadstone, "report", "--by", "kind", "--json", profile], capture_output=True, text=True)
    report["coarse"] = {row["label"]: row["samples"] for row in json.loads(kinds.stdout)["rows"] if row["label"] in COARSE} if kinds.returncode == 0 else {}
    return report, ""


def judge(case, native, recorded, report):
    """The verdict of one case, '' when all is well."""
    if recorded["status"] is None:
        return "HUNG"
    if native["status"] != recorded["status"]:
        return f"STATUS {native['status']} became {recorded['status']}"
    if native["out"] != recorded["out"]:
        return "OUTPUT differs"
    if report is None:
        return "NO PROFILE"
    if report["estimates"]["samples"] == 0:
        return "" if case.few else "NO SAMPLES"
    if case.few or report["estimates"]["samples"] < FEW_SAMPLES:
        return ""
    precise, home = shares(report)
    if home < HOME_GOAL and not case.below:
        return f"HOME {100 * home:.1f} %"
    # Blocks below the recording limit are not recorded one by one, to hold the overhead budget: no defect of a program or of the tool.
    small = report["coarse"].get("heap-small", 0) / report["estimates"]["samples"]
    if precise + small < PRECISE_GOAL and not case.below:
        return f"PRECISE {100 * precise:.1f} %"
    return ""


def why_coarse(report):
    """Homes of the samples without a precise home, largest first."""
    samples = report["estimates"]["samples"]
    rows = sorted(report["coarse"].items(), key=lambda item: -item[1])
    return ", ".join(f"{100 * count / samples:.0f} % {COARSE[kind]}" for kind, count in rows if count >= 0.01 * samples)


def shares(report):
    run = report["run"]
    return run["coverage_precise"], run["coverage_precise"] + run["coverage_coarse"]


def one(case, options, data, work):
    command = ["bash", str(case.path)]
    native = run_once(command, case, data, work, options.limit)
    if native["status"] is None:
        return {"name": case.name, "verdict": "LEFT OUT: hangs by itself"}
    profile = work / "out.dir" / "run.h5"
    shutil.rmtree(profile.parent, ignore_errors=True)
    profile.parent.mkdir()
    profile.parent.chmod(0o777)
    record = [options.loadstone, "record", "-q", "--overhead", options.overhead, "-o", str(profile), "--"] + command
    recorded = run_once(record, case, data, work, options.limit + 20 * native["seconds"])
    report, why = read_report(options.loadstone, profile)
    verdict = judge(case, native, recorded, report)
    if verdict and options.keep:
        kept = pathlib.Path(options.keep) / case.name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for side, what in (("native", native), ("recorded", recorded)):
            (kept / f"{side}.out").write_bytes(what["out"])
            (kept / f"{side}.err").write_bytes(what["err"])
        if profile.exists():
            shutil.copy(profile, kept)
    row = {"name": case.name, "verdict": verdict, "native": native["seconds"], "recorded": recorded["seconds"], "below": case.below}
    if report:
        row["precise"], row["home"] = shares(report)
        row["bursts"], row["samples"] = report["estimates"]["bursts"], report["estimates"]["samples"]
        row["coarse"] = why_coarse(report)
        row["few"] = case.few or row["samples"] < FEW_SAMPLES
    elif why:
        row["verdict"] += f" ({why.splitlines()[0][:80]})"
    return row


def line_of(row):
    if "native" not in row:
        return f"| {row['name']} | | | | | | | {row['verdict']} |"
    percent = lambda key: f"{100 * row[key]:.1f}" if key in row and row["samples"] else ""
    is_below = row.get("precise", 1) < PRECISE_GOAL and not row.get("few")
    notes = [row["verdict"] or ("few samples" if row.get("few") else "below" if is_below else "ok"), row.get("coarse") if is_below else "", row["below"] if is_below else ""]
    verdict = "; ".join(n for n in notes if n)
    return (f"| {row['name']} | {row['native']:.1f} | {row['recorded']:.1f} | {row.get('bursts', '')} | {row.get('samples', '')} "
            f"| {percent('home')} | {percent('precise')} | {verdict} |")


def is_bad(row):
    return bool(row["verdict"]) and not row["verdict"].startswith("LEFT OUT")


HEAD = """| program | native, s | recorded, s | bursts | samples | with a home, % | precise, % | verdict |
|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--overhead", default="10%")
    parser.add_argument("--limit", type=float, default=120, help="seconds a program may take by itself")
    parser.add_argument("--keep", help="directory for the output and profile of each case that fails")
    parser.add_argument("--write", help="also write the page to this file")
    parser.add_argument("--machine", default="", help="text that says which machine this is")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.loadstone = str(pathlib.Path(options.loadstone).resolve())
    cases = [Case(p) for p in sorted((HERE / "programs").glob("*.sh"))]
    if options.names:
        cases = [c for c in cases if c.name in options.names]
    work = pathlib.Path(tempfile.mkdtemp(prefix="ls-bed."))
    work.chmod(0o755)
    for name in ("data", "runtime", "cache"):
        (work / name).mkdir()
        (work / name).chmod(0o755 if name == "data" else 0o777)
    rows = []
    try:
        subprocess.run(["bash", str(HERE / "data.sh"), str(HERE / "inputs")], cwd=work / "data", check=True)
        subprocess.run(["chmod", "-R", "a+rX", str(work / "data")], check=True)
        print(HEAD, flush=True)
        for case in cases:
            missing = [p for p in case.packages if not is_installed(p)]
            rows.append({"name": case.name, "verdict": "LEFT OUT: not installed: " + " ".join(missing)} if missing
                        else one(case, options, work / "data", work))
            print(line_of(rows[-1]), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    ran = [r for r in rows if "native" in r]
    judged = [r for r in ran if r.get("samples") and not r.get("few")]
    bad = [r for r in rows if is_bad(r)]
    summary = (f"{len(ran)} programs ran, {len(bad)} of them wrongly; {len(judged)} with at least {FEW_SAMPLES} samples: "
               f"{sum(r['home'] >= HOME_GOAL for r in judged)} with a home for {100 * HOME_GOAL:.0f} % of them, "
               f"{sum(r['precise'] >= PRECISE_GOAL for r in judged)} with a precise one for {100 * PRECISE_GOAL:.0f} %.")
    print("\n" + summary)
    if options.write:
        write_page(options, rows, summary)
    if not ran:
        print("no program of the bed is installed: scripts/deps long")
        return 77
    return 1 if bad else 0


def write_page(options, rows, summary):
    intro = (HERE / "page-head.md").read_text().replace("@MACHINE@", "\n".join("    " + l for l in options.machine.splitlines()))
    pathlib.Path(options.write).write_text(intro + HEAD + "\n" + "\n".join(line_of(r) for r in rows) + "\n\n" + summary + "\n")


if __name__ == "__main__":
    sys.exit(main())
