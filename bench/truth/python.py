# SPDX-License-Identifier: BSD-3-Clause
"""Work in the interpreter and in its C code. The truth of its functions comes from perf; it prints its total."""
import resource
import sys


def interpreted(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def main():
    rounds = int(40 * (float(sys.argv[1]) if len(sys.argv) > 1 else 1))
    values = [(i * 7919) % 1000003 for i in range(100000)]
    text = b"the quick brown fox jumps over the lazy dog " * 20000
    for _ in range(rounds):
        interpreted(300000)
        sorted(values)
        text.count(b"lazy cat")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print("truth total %d %d" % (usage.ru_utime * 1e9, usage.ru_stime * 1e9))


main()
