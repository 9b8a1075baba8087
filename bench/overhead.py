#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure how much slower programs run under the profiler, at its default budget.

Programs of one thread run with and without the preloaded runtime at the same time, each on a separate processor, and then once more
with the processors exchanged: neighbours of a virtual machine, which change how fast it is from second to second, slow both alike. Other
programs run in rounds of the order A B B A. Each run takes at least two seconds (the amount of work is doubled until it does). The ratio
is the median of the rounds' ratios, with its 95 % interval; rounds are added until the interval of the CPU time is narrow enough. The
preload is used directly, without the launcher: its work after the program has ended is not part of the program's time. Writes a page of
documentation.

usage: overhead.py --preload LIB --loadstone CMD --programs DIR --write FILE [--rounds N] [--beside N] [--only NAME,...]
"""
import argparse
import math
import os
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

LEAST_S = 2.0
HALF_WIDTH = 0.01  # half width of the interval of a ratio
ROUNDS_MOST = 3  # factor on the requested number
BUSY = "a = list(range(200000))\nwhile True: sum(a)"


class Machine:
    """Runs commands natively and under the runtime."""

    def __init__(self, args, work):
        self.args, self.work, self.keeps_spools, self.settings = args, work, False, {}

    def environment(self, recorded):
        env = dict(os.environ, LC_ALL="C", OMP_NUM_THREADS=str(min(os.cpu_count(), 8)))
        for name in [n for n in env if n.startswith("LOADSTONE_")]:
            del env[name]
        if recorded:
            self.spool = tempfile.mkdtemp(prefix="spool", dir=self.work)
            env.update(self.settings, LD_PRELOAD=self.args.preload, LOADSTONE_SPOOL=self.spool)
        return env

    def start(self, command, recorded, cpu):
        """Start the command on one processor; return its process with the spool and the start time."""
        env = self.environment(recorded)
        process = subprocess.Popen(command, env=env, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, shell=isinstance(command, str),
                                   preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        process.spool, process.begin = env.get("LOADSTONE_SPOOL"), time.perf_counter()
        return process

    def side_by_side(self, command, cpus):
        """Measure wall and CPU time of the command natively on the first processor and recorded on the second, at the same time."""
        processes = [self.start(command, recorded, cpu) for recorded, cpu in zip((False, True), cpus)]
        took = [None, None]
        while None in took:
            pid, status, used = os.wait4(-1, 0)
            i = next((i for i, p in enumerate(processes) if p.pid == pid), None)
            if i is None:
                continue
            took[i] = time.perf_counter() - processes[i].begin, used.ru_utime + used.ru_stime
            processes[i].returncode = os.waitstatus_to_exitcode(status)
        shutil.rmtree(processes[1].spool, ignore_errors=True)
        if any(p.returncode for p in processes):
            raise RuntimeError("%s: status %d natively, %d recorded" % (command, processes[0].returncode, processes[1].returncode))
        return took

    def run(self, command, recorded):
        """Wall time of the command."""
        begin = time.perf_counter()
        self.output(command, recorded, subprocess.DEVNULL)
        return self.ended - begin

    def output(self, command, recorded, to=subprocess.PIPE):
        done = subprocess.run(command, env=self.environment(recorded), cwd=self.work, stdin=subprocess.DEVNULL, stdout=to,
                              stderr=subprocess.PIPE, shell=isinstance(command, str))
        self.ended = time.perf_counter()
        if done.returncode != 0:
            raise RuntimeError("%s: status %d: %s" % (command, done.returncode, done.stderr[-300:].decode(errors="replace")))
        if recorded and not self.keeps_spools:
            shutil.rmtree(self.spool, ignore_errors=True)
        return done.stdout


def free_port():
    """Return an unused port below the ones that the kernel gives to clients."""
    while True:
        port = 10000 + random.randrange(20000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def redis(machine, amount, recorded):
    """The server is recorded, its benchmark is timed."""
    port = free_port()
    server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"],
                              env=machine.environment(recorded), cwd=machine.work, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True).stdout == b"PONG\n":
                break
            time.sleep(0.05)
        else:
            raise RuntimeError("redis-server does not answer on port %d; its status: %s" % (port, server.poll()))
        command = ["redis-benchmark", "-p", str(port), "-q", "-t", "set,get,lpush", "-n", str(40000 * amount), "-r", "100000", "-P", "4"]
        return machine.run(command, False)
    finally:
        server.terminate()
        server.wait(20)
        if recorded:
            shutil.rmtree(machine.spool, ignore_errors=True)


PYTHON = """
import json, sys
for r in range(%d):
    d = {}
    for i in range(60000):
        d.setdefault(str(i * 7919 %% 10007), []).append(i)
    s = json.dumps(d)
    t = sorted(json.loads(s).items(), key=lambda kv: len(kv[1]))
print(len(s), t[0][0])
"""
PERL = "my %%h; for my $r (1..%d) { for my $i (1..200000) { $h{$i * 7919 %% 20011} .= chr(65 + $i %% 26) } %%h = () if $r %% 3 == 0 } print scalar(keys %%h)"
NODE = """
let s = 0;
for (let r = 0; r < %d; r++) {
  const m = new Map();
  for (let i = 0; i < 300000; i++) m.set(i * 7919 %% 50021, (m.get(i %% 50021) || 0) + i);
  const a = [...m.entries()].sort((x, y) => x[1] - y[1]);
  s += a[0][0] + JSON.stringify(a).length;
}
console.log(s);
"""
SQL = """
create table t(a integer, b integer, c text);
with recursive n(x) as (select 1 union all select x + 1 from n where x < %d)
  insert into t select x, x * 7919 %% 10007, hex(x * 31) from n;
create index i on t(b);
select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 3;
select count(*) from t t1 join t t2 on t1.a = t2.b;
"""

AWK = "BEGIN { for (r = 0; r < %d; r++) { for (i = 0; i < 200000; i++) a[i * 7919 %% 50021] = a[i %% 50021] i; delete a } }"
CONTAINERS = """
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
int main(int argc, char **argv)
{
    size_t sum = 0;
    for (int r = 0; r < atoi(argv[1]); r++) {
        std::map<int, std::string> tree;
        std::unordered_map<int, std::vector<int>> table;
        std::list<long> list;
        for (int i = 0; i < 100000; i++) {
            tree[i * 7919 % 50021] += std::to_string(i);
            table[i * 31 % 20011].push_back(i);
            list.push_back(i);
            if (i % 3 == 0) list.pop_front();
        }
        sum += tree.size() + table.size() + list.size();
    }
    printf("%zu\\n", sum);
}
"""
TEMPLATES = """
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct part { int at[N]; bool operator<(const part &o) const { return at[0] < o.at[0]; } };
template <int N> long use(std::vector<part<N>> &v)
{
    std::map<part<N>, std::string> tree;
    std::sort(v.begin(), v.end());
    for (auto &p : v) tree[p] += "x";
    return tree.size();
}
long regular(const std::string &s) { return std::regex_match(s, std::regex("a.*b")); }
"""


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def prepare(work):
    """The files that the compressors, git and gcc work on."""
    rng = random.Random(1)
    words = ["".join(rng.choice("etaoinshrdlu") for _ in range(rng.randrange(2, 9))) for _ in range(4000)]
    with open(os.path.join(work, "text"), "w") as f:
        for _ in range(160000):
            f.write(" ".join(rng.choice(words) for _ in range(10)) + "\n")
    functions = ["static double f%d(const double *a, int n) { double s = %d; for (int i = 0; i < n; i++) "
                 "s += a[i] * (i %% %d ? s : a[(i * %d) %% n]); return s; }" % (i, i, i % 5 + 2, i) for i in range(300)]
    calls = " + ".join("f%d(a, n)" % i for i in range(300))
    write(os.path.join(work, "big.c"), "\n".join(functions) + "\ndouble all(const double *a, int n) { return %s; }\n" % calls)
    write(os.path.join(work, "templates.cc"), TEMPLATES + "".join("template long use<%d>(std::vector<part<%d>> &);\n" % (i, i) for i in range(1, 15)))
    write(os.path.join(work, "big.xml"), "<all>%s</all>\n" % "".join(
        "<item id='%d'><name>%s</name><value>%d</value></item>\n" % (i, rng.choice(words), i * 31) for i in range(60000)))
    write(os.path.join(work, "containers.cc"), CONTAINERS)
    for level in ("-O2", "-O0") if shutil.which("g++") else ():
        subprocess.run(["g++", level, "-o", "containers" + level, "containers.cc"], cwd=work, check=True)
    if shutil.which("git"):
        write(os.path.join(work, "repo.sh"), """set -e
git init -q repo; cd repo; git config user.email a@example.org; git config user.name a
for i in $(seq 1 60); do for f in 1 2 3 4; do tail -n +$((i * f * 20)) ../text | head -n 4000 > f$f; done; git add -A; git commit -qm $i; done
""")
        subprocess.run(["sh", "repo.sh"], cwd=work, check=True, stdout=subprocess.DEVNULL)


def head(amount, per):
    return "head -c %d text > part && " % (amount * per)


SEVERAL_THREADS = ("matmul, OpenMP", "git repack", "redis-server")


# name, program that must exist, command for an amount of work (or a function)
def workloads(programs):
    return [
        ("STREAM-like loops", None, lambda n: [os.path.join(programs, "overhead_stream"), str(8 * n)]),
        ("matmul, OpenMP", None, lambda n: [os.path.join(programs, "overhead_matmul"), "512", str(n)]),
        ("python3", "python3", lambda n: [python(), "-c", PYTHON % n]),
        ("sqlite3", "sqlite3", lambda n: ["sqlite3", ":memory:", SQL % (250000 * n)]),
        ("xz", "xz", lambda n: "for i in $(seq %d); do xz -T1 -2 -c text; done" % n),
        ("gzip", "gzip", lambda n: "for i in $(seq %d); do gzip -9 -c text; done" % n),
        ("git repack", "git", lambda n: "cd repo; for i in $(seq %d); do git -c pack.threads=2 repack -qadf --depth=50 --window=50; done" % n),
        ("gcc -O2", "gcc", lambda n: "for i in $(seq %d); do gcc -O2 -c -o /dev/null big.c; done" % n),
        ("node", "node", lambda n: ["node", "-e", NODE % n]),
        ("perl", "perl", lambda n: ["perl", "-e", PERL % (4 * n)]),
        ("redis-server", "redis-server", redis),
    ]


# programs that allocate much
def allocating(programs):
    shared = [w for w in workloads(programs) if w[0] in ("python3", "sqlite3", "node", "perl")]
    return shared + [
        ("python3, PYTHONMALLOC=malloc", "python3", lambda n: ["env", "PYTHONMALLOC=malloc", python(), "-c", PYTHON % n]),
        ("g++ -O2", "g++", lambda n: "for i in $(seq %d); do g++ -O2 -c -o /dev/null templates.cc; done" % n),
        ("gawk", "gawk", lambda n: ["gawk", AWK % (2 * n)]),
        ("xmllint", "xmllint", lambda n: "xmllint --noout" + 4 * n * " big.xml"),
        ("containers, g++ -O2", "g++", lambda n: ["./containers-O2", str(10 * n)]),
        ("containers, g++ -O0", "g++", lambda n: ["./containers-O0", str(4 * n)]),
    ]


def python():
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"


def children_cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def once(machine, make, amount, recorded):
    """Wall time and CPU time of one run, all processes and threads of it."""
    before = children_cpu_s()
    took = redis(machine, amount, recorded) if make is redis else machine.run(make(amount), recorded)
    return took, children_cpu_s() - before


def amount_for(machine, make):
    """Double the work until a native run takes long enough; this also warms the file cache."""
    amount = 1
    while True:
        took, _ = once(machine, make, amount, False)
        if took >= LEAST_S:
            return amount
        amount = max(amount + 1, min(amount * 8, int(amount * LEAST_S * 1.15 / max(took, 0.01)) + 1))


def middle(n):
    """Return the ranks (from 0) of n sorted values between which the median is with 95 % (sign test); the
    extremes if n is below 6."""
    below, k = 0.5 ** n, 0
    while k + 1 < n // 2 and below + math.comb(n, k + 1) * 0.5 ** n <= 0.025:
        below += math.comb(n, k + 1) * 0.5 ** n
        k += 1
    return k, n - 1 - k


class Ratio:
    """Median of the rounds' ratios and its interval."""

    def __init__(self, values):
        self.median = statistics.median(values)
        low, high = middle(len(values))
        self.low, self.high = sorted(values)[low], sorted(values)[high]

    def half_width(self):
        return (self.high - self.low) / 2

    def __str__(self):
        return "**%.3f** (%.3f to %.3f)" % (self.median, self.low, self.high)


def one_round(machine, make, amount, cpus):
    """Two native and two recorded runs: side by side on these processors, or one after the other where there are none."""
    if not cpus:
        natively, first, second, again = (once(machine, make, amount, side) for side in (False, True, True, False))
        return [natively, again], [first, second]
    pairs = [machine.side_by_side(make(amount), order) for order in (cpus, cpus[::-1])]
    return [p[0] for p in pairs], [p[1] for p in pairs]


def measure(machine, make, rounds, cpus):
    """Ratios of wall time and of CPU time, and all runs."""
    amount = amount_for(machine, make)
    native, recorded = [], []
    while True:
        for runs, more in zip((native, recorded), one_round(machine, make, amount, cpus)):
            runs += more
        n = len(native) // 2
        wall, cpu = (Ratio([sum(r[k] for r in recorded[2 * i:2 * i + 2]) / sum(r[k] for r in native[2 * i:2 * i + 2]) for i in range(n)])
                     for k in range(2))
        if n >= ROUNDS_MOST * rounds or (n >= rounds and cpu.half_width() <= HALF_WIDTH):
            return wall, cpu, native, recorded


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def start_up(machine, programs, runs=100):
    command = [os.path.join(programs, "overhead_nothing")]
    native, recorded = [], []
    for _ in range(runs):
        native.append(machine.run(command, False))
        recorded.append(machine.run(command, True))
    return native, recorded


def starts(machine, programs, say, rounds=15):
    """Measure the CPU time of one start and end, for each kind natively and recorded in turns."""
    starter, nothing = (os.path.join(programs, name) for name in ("overhead_starts", "overhead_nothing"))
    say("| start and end of | native, median us of CPU | recorded, median us of CPU | more | spread native | spread recorded | runs |")
    say("|---|---|---|---|---|---|---|")
    for name, command in [("a thread", [starter, "thread", "2000"]), ("a child by fork", [starter, "fork", "200"]),
                          ("a program", [starter, "exec", "100", nothing])]:
        native, recorded = [], []
        for _ in range(rounds):
            for side in (False, True, True, False):
                (recorded if side else native).append(float(machine.output(command, side)))
        say("| %s | %.1f | %.1f | **%.1f** | %.1f %% | %.1f %% | %d + %d |" % (
            name, statistics.median(native), statistics.median(recorded), statistics.median(recorded) - statistics.median(native),
            100 * spread(native), 100 * spread(recorded), len(native), len(recorded)))


def table(machine, programs, cpus, say):
    """Measure the programs that --only names, or all programs that allocate."""
    args = machine.args
    say("| program | native, median s | recorded, median s | ratio of wall time | ratio of CPU time | runs |")
    say("|---|---|---|---|---|---|")
    ratios, cpu_ratios = [], []
    for name, needs, make in programs:
        if args.only and not machine.settings and not any(o and o in name for o in args.only.split(",")):
            continue
        if needs and not shutil.which(needs):
            say("| %s | not installed here | | | | |" % name)
            continue
        alone = len(cpus) < 2 or name in SEVERAL_THREADS
        wall, cpu, native, recorded = measure(machine, make, args.rounds, () if alone else cpus)
        ratios.append(wall.median)
        cpu_ratios.append(cpu.median)
        say("| %s | %.3f | %.3f | %s | %s | %d + %d |" % (
            name, statistics.median(w for w, _ in native), statistics.median(w for w, _ in recorded), wall, cpu, len(native), len(recorded)))
    if ratios:
        say()
        say("Median ratio %.3f, largest %.3f, of %d programs; CPU time: median %.3f, largest %.3f." % (
            statistics.median(ratios), max(ratios), len(ratios), statistics.median(cpu_ratios), max(cpu_ratios)))


def sites(machine, programs, say):
    """Allocations whose tag is another site's, as the ones show that are drawn at random."""
    say("Of allocations drawn at random (one in 4,096 bytes of small blocks, `--overhead 100%`), some have the tag of another call path,")
    say("by the five innermost frames:")
    say()
    say("| program | drawn | of another call path |")
    say("|---|---|---|")
    tool = os.path.abspath(machine.args.loadstone)
    for name, needs, make in programs:
        if needs and not shutil.which(needs):
            continue
        command = make(1)
        command = ["sh", "-c", command] if isinstance(command, str) else command
        subprocess.run([tool, "record", "-q", "-f", "--overhead", "100%", "--period", "10s", "-o", "sites.h5", "--"] + command, cwd=machine.work,
                       check=True, env=machine.environment(False), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        how = subprocess.run([tool, "report", "--how", "sites.h5"], cwd=machine.work, check=True, capture_output=True, text=True).stdout
        found = re.search(r"of ([0-9,]+) allocations drawn at random, [0-9,]+ \(([0-9.]+ %)\)", " ".join(how.split()))
        say("| %s | %s | %s |" % (name, *(found.groups() if found else ("none", ""))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--preload", "--loadstone", "--programs", "--write"):
        parser.add_argument(option, required=True)
    parser.add_argument("--rounds", type=int, default=6, help="least rounds of four runs; at most three times as many (default 6)")
    parser.add_argument("--beside", type=int, default=0, help="other busy processes that run meanwhile")
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--machine", default="", help="description of the machine")
    args = parser.parse_args()
    args.preload, args.programs = os.path.abspath(args.preload), os.path.abspath(args.programs)
    work = tempfile.mkdtemp(prefix="loadstone-overhead.")
    lines, beside, before, cpus = [], [], os.getloadavg()[0], sorted(os.sched_getaffinity(0))[:2]

    def say(line=""):
        print(line, flush=True)
        lines.append(line)

    try:
        prepare(work)
        machine = Machine(args, work)
        beside = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(args.beside)]
        table(machine, workloads(args.programs), cpus, say)
        if not args.only or "start" in args.only:
            machine.keeps_spools = True  # ext4 looks through all inodes deleted within the last minutes for each new file
            native, recorded = start_up(machine, args.programs)
            say()
            say("Start-up, a program that does nothing, %d runs each: native %.2f ms, with the runtime %.2f ms: **%.2f ms** more." % (
                len(native), 1e3 * statistics.median(native), 1e3 * statistics.median(recorded),
                1e3 * (statistics.median(recorded) - statistics.median(native))))
            say()
            starts(machine, args.programs, say)
            machine.keeps_spools = False
        if not args.only or "allocating" in args.only:
            say()
            say("## Hooks alone")
            say()
            say("Programs that allocate much, with a burst every 10 s: every allocation passes the hooks, blocks are tagged and recorded.")
            say()
            machine.settings = {"LOADSTONE_PERIOD": "10s"}
            table(machine, allocating(args.programs), cpus, say)
            say()
            sites(machine, allocating(args.programs), say)
    finally:
        for process in beside:
            process.kill()
        shutil.rmtree(work, ignore_errors=True)
    write(args.write, """# Cost of recording

Measured by `make bench-overhead` with the default budget on:

    %s

Programs of one thread ran with and without the runtime at the same time, on one processor each, and once more with the processors
exchanged; matmul, git repack and redis-server ran in rounds of the order A B B A. Every run took at least two seconds. A ratio is the
median over the rounds, with its 95 %% interval in brackets. Where other programs compete for the processors, the ratio of CPU times is
more stable. The goals are a median of 1.03, each program within 1.08, 2 ms of start-up, 40 us of CPU time for the start and end
of a thread and 1.5 ms for the start and end of a program. %d other busy processes ran meanwhile; the load of the processors was %.1f before and
%.1f after (1 minute average, the benchmark's own included). The runtime is preloaded directly: the launcher's work afterwards is not in
these ratios.

%s
""" % (args.machine.replace("\n", "\n    "), args.beside, before, os.getloadavg()[0], "\n".join(lines)))


if __name__ == "__main__":
    sys.exit(main())
