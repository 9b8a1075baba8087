# SPDX-License-Identifier: BSD-3-Clause
"""The accesses of truth_loops.c, worked out from the algorithms alone.

expected(name, size) gives, by operation and array, the sequences of words of 8 bytes that the instructions of the
loop touch: as many as there are accesses of the array in the loop's text, in their order."""


class Steps:
    """Knuth's MMIX generator, the upper 31 bits."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 33


def spmv(n):
    step, row_of, x = Steps(1), [], []
    for row in range(n):
        for _ in range(1 + step() % 7):
            row_of.append(row)
            x.append(step() % n)
    entries = list(range(len(x)))
    return {("load", "col"): [entries], ("load", "a"): [entries], ("load", "x"): [x], ("store", "y"): [list(range(n))]}


def hash_join(n):
    step, slots = Steps(2), 4
    while slots < 2 * n:
        slots *= 2

    def home(key):
        return (key * 0x9E3779B97F4A7C15 % 2**64 >> 40) % slots

    table = {}
    for _ in range(n):
        key = 1 + step() % (2 * n)
        at = home(key)
        while table.get(at, key) != key:
            at = (at + 1) % slots
        table[at] = key
    seen, found = [], []
    for _ in range(n):
        key = 1 + step() % (2 * n)
        at = home(key)
        seen.append(at)
        while table.get(at, key) != key:
            at = (at + 1) % slots
            seen.append(at)
        if at in table:
            found.append(at)
    return {("load", "probes"): [list(range(n))], ("load", "slots"): [seen], ("load", "payload"): [found]}


def stencil(n):
    planes, rows, columns = n, n + 1, n + 2
    centre = [(z * rows + y) * columns + x
              for z in range(1, planes - 1) for y in range(1, rows - 1) for x in range(1, columns - 1)]
    steps = [0, -1, 1, -columns, columns, -rows * columns, rows * columns]
    return {("load", "in"): [[at + d for at in centre] for d in steps], ("store", "out"): [centre]}


def matmul(n):
    every = range(n)
    return {("load", "A"): [[i * n + k for i in every for j in every for k in every]],
            ("load", "B"): [[k * n + j for i in every for j in every for k in every]],
            ("store", "C"): [list(range(n * n))]}


def linked_list(n):
    step, order = Steps(3), list(range(n))
    for i in range(n - 1, 1, -1):
        k = 1 + step() % i
        order[i], order[k] = order[k], order[i]
    # nodes are 8 words: the first is the next pointer, the second the value
    return {("load", "nodes"): [[8 * node + 1 for node in order], [8 * node for node in order]]}


def histogram(n):
    step = Steps(4)
    values = []
    for _ in range(n):
        first, second = step() % (n // 4), step() % (n // 4)
        values.append((first + second) // 2)
    return {("load", "data"): [list(range(n))], ("load", "bins"): [values], ("store", "bins"): [values]}


def fields(n):
    return {("load", "particles"): [[7 * i + 4 for i in range(n)]]}


def shuffle(bits):
    pairs = []
    for i in range(2**bits):
        k = int(format(i, f"0{bits}b")[::-1], 2)
        if i < k:
            pairs.append((i, k))
    lower, upper = [i for i, _ in pairs], [k for _, k in pairs]
    return {("load", "values"): [lower, upper], ("store", "values"): [lower, upper]}


PROGRAMS = {"spmv": (spmv, 3000), "hash": (hash_join, 4000), "stencil": (stencil, 14), "matmul": (matmul, 24),
            "list": (linked_list, 5000), "histogram": (histogram, 8000), "fields": (fields, 8000),
            "shuffle": (shuffle, 13)}

# The array whose values are the indices of the other; "": none. In the hash table the index is a product of
# the key.
THROUGH = {"spmv": {("load", "x"): "col", ("load", "col"): ""},
           "histogram": {("load", "bins"): "data", ("store", "bins"): "data"},
           "hash": {("load", "slots"): "", ("load", "payload"): ""}, "stencil": {("load", "in"): "", ("store", "out"): ""},
           "shuffle": {("store", "values"): ""}}

# Classes that follow from the definitions. Linear probing: more than a third of the slots follow the one
# before. In the shuffle the lower addresses mostly advance by 1, the upper ones have no frequent distance.
UNIFORM = {"uniform stride"}
CLASSES = {"spmv": {("load", "col"): UNIFORM, ("load", "a"): UNIFORM, ("store", "y"): UNIFORM, ("load", "x"): {"random"}},
           "hash": {("load", "probes"): UNIFORM, ("load", "slots"): {"mostly stride-1"}, ("load", "payload"): {"random"}},
           "stencil": {("load", "in"): {"stencil"}, ("store", "out"): {"mostly stride-1"}},
           "fields": {("load", "particles"): UNIFORM}, "matmul": {("store", "C"): UNIFORM},
           "list": {("load", "nodes"): {"pointer chase"}}, "histogram": {("store", "bins"): {"random"}},
           "shuffle": {("store", "values"): {"mostly stride-1", "complex"}}}

# How each pattern is to be replayed, and of how many instructions it is.
REDUCE, FILL, UPDATE = {("reduce", 1)}, {("fill", 1)}, {("update", 2)}
OPERATIONS = {"spmv": {("load", "x"): REDUCE, ("load", "a"): REDUCE, ("load", "col"): REDUCE, ("store", "y"): FILL},
              "hash": {("load", "slots"): REDUCE}, "stencil": {("load", "in"): {("reduce", 7)}, ("store", "out"): FILL},
              "matmul": {("load", "A"): REDUCE, ("load", "B"): REDUCE, ("store", "C"): FILL},
              "list": {("load", "nodes"): {("chase", 2)}}, "histogram": {("store", "bins"): UPDATE},
              "fields": {("load", "particles"): REDUCE}, "shuffle": {("store", "values"): UPDATE}}


def expected(name, size=None):
    function, default = PROGRAMS[name]
    return function(size or default)
