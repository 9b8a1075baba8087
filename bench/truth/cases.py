# SPDX-License-Identifier: BSD-3-Clause
"""The cases of the truth benchmark: our own programs, which clock themselves, and programs of the distribution, which perf samples."""
import dataclasses
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass
class Case:
    name: str
    command: list
    options: tuple = ()  # options of loadstone record
    env: tuple = ()
    perf: bool = False  # perf is the reference, not the program
    part: bool = False  # only a part of the program is recorded
    hooked: bool = False  # each slice calls hooked functions, so that the program's own times contain the hooks


# The programs that make check records, with an amount of work that takes about a second of CPU time.
QUICK = {"compute": 0.3, "paused": 0.3, "threads-1000x2ms": 0.2, "forks-400x5ms": 0.2, "exec-chain": 0.3}

COVERAGE = ["compute", "three", "four", "calls-direct", "threads-100x20ms", "forks-400x5ms"]


def own_cases(programs, amount=1):
    """The programs of this folder, without the ones that were not built."""
    passive = (("OMP_WAIT_POLICY", "passive"),)
    table = [(mode, "mix", mode) for mode in ("compute", "memory", "three", "four", "uneven", "divide", "modulo")]
    table += [("calls-" + mode, "calls", mode) for mode in ("direct", "virtual", "plt", "recursive")]
    table += [("exceptions", "calls", "exceptions"), ("unordered_map", "tables", "unordered"), ("open-addressing", "tables", "probing"),
              ("strings", "tables", "strings"), ("threads-1000x2ms", "threads", "shorter"), ("threads-100x20ms", "threads", "short"),
              ("threads-sleeping", "threads", "sleeping"), ("threads-blocked", "threads", "blocked"), ("signals", "threads", "signals"),
              ("malloc", "threads", "allocating"), ("forks-400x5ms", "processes", "forks"), ("exec-chain", "processes", "exec"),
              ("kernel-read", "kernel", "read"), ("kernel-pipe", "kernel", "pipe"), ("page-faults", "kernel", "faults")]
    cases = [Case(name, [os.path.join(programs, program), mode, "%g" % amount]) for name, program, mode in table]
    cases += [Case("paused", [os.path.join(programs, "mix"), "paused", "%g" % amount], ("--paused",), part=True),
              Case("stop-start", [os.path.join(programs, "mix"), "restart", "%g" % amount], part=True),
              Case("openmp", [os.path.join(programs, "openmp"), "%g" % amount], env=passive),
              Case("fortran", [os.path.join(programs, "fortran")])]
    for case in cases:
        case.hooked = case.name in ("malloc", "strings", "exceptions")
    return [c for c in cases if os.access(c.command[0], os.X_OK)]


SQL = """
create table t(a integer, b integer, c text);
with recursive n(x) as (select 1 union all select x + 1 from n where x < 1200000)
  insert into t select x, x * 7919 % 10007, hex(x * 31) from n;
create index i on t(b);
select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 3;
select count(*) from t t1 join t t2 on t1.a = t2.b;
"""
PERL = ("my %h; for my $r (1..30) { for my $i (1..200000) { $h{$i * 7919 % 20011} .= chr(65 + $i % 26) } "
        "%h = () if $r % 3 == 0 } print scalar(keys %h)")
AWK = ('BEGIN { for (r = 0; r < 20; r++) { for (i = 0; i < 200000; i++) { a[i * 7919 % 20011] = a[i % 20011] (i % 10); '
       'if (length(a[i % 20011]) > 200) a[i % 20011] = "" } n += length(a) } print n }')
CXX = "".join("int f%d(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * (s ^ %d) %% 7; return s; }\n" % (i, i)
              for i in range(1500))


def make_inputs(folder):
    """Input files, the same bytes on every machine."""
    x = 12345
    with open(os.path.join(folder, "text"), "w") as f:
        for i in range(2000000):
            x = (x * 1103515245 + 12345) % 2147483648
            f.write("%d line %d of %s\n" % (x, i, "plain" if x % 3 else "other"))
    with open(os.path.join(folder, "script.sql"), "w") as f:
        f.write(SQL)
    with open(os.path.join(folder, "source.cc"), "w") as f:
        f.write(CXX)
    with open(os.path.join(folder, "text"), "rb") as f, open(os.path.join(folder, "part"), "wb") as part:
        part.write(f.read(4 << 20))


def compiler_proper():
    """The program that g++ starts to compile C++, or None."""
    try:
        found = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True).stdout.strip()
    except OSError:
        return None
    return found if os.path.isabs(found) else None


def real_cases():
    cases = [Case("python3", ["/usr/bin/python3", os.path.join(HERE, "python.py"), "3"]),
             Case("sqlite3", ["sqlite3", "-init", "script.sql", ":memory:", ".quit"]),
             Case("perl", ["perl", "-e", PERL], env=(("PERL_HASH_SEED", "0"),)),
             Case("xz", ["xz", "-k", "-c", "-T1", "-4", "part"]),
             Case("gzip", ["gzip", "-k", "-c", "-6", "text"]),
             Case("sort", ["sort", "--parallel=1", "-k", "4,4", "-k", "1,1n", "text"]),
             Case("awk", ["awk", AWK]),
             Case("openssl", ["openssl", "speed", "-seconds", "1", "-bytes", "4096", "sha256", "aes-128-cbc"])]
    if compiler_proper():
        cases.append(Case("cc1plus", [compiler_proper(), "-quiet", "-O1", "source.cc", "-o", "/dev/null"]))
    for case in cases:
        case.perf = True
    return cases
