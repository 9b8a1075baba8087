# SPDX-License-Identifier: BSD-3-Clause
"""Ways to allocate in Python. A comment after a line, marked by "=", has the names that a person would give to the memory
allocated there, in this order, `here` for the place in the source: idioms_check.py compares them."""
import array
import collections
import ctypes
import mmap

N = 1000000


class World:
    def __init__(self):
        self.particles = bytearray(N)  #= self.particles
        self.rows = [bytearray(N + i) for i in range(3)]  #= self.rows
        self.names = {}

    def add(self, name):
        self.names[name] = bytearray(N)  #= self.names

    def resize(self, length):
        self.work = self.temporary = array.array("d", bytes(8)) * length  #= self.work

    @property
    def copy(self):
        return bytes(self.particles)

    @classmethod
    def default(cls):
        cls.shared = bytearray(N)  #= cls.shared
        return cls()


class Stack:
    def __init__(self, length):
        self._data = [None] * length  #= self._data


def make(length):
    return bytearray(length)


def make_twice(length):
    made = make(length)  #= made
    return made


def cells(count):
    for _ in range(count):
        cell = bytearray(N)  #= cell
        yield cell


def nothing(*blocks):
    return len(blocks)


def fill(out, key):
    out[key] = bytearray(N)  #= out


def main():
    text = "x" * N  #= text
    data = b"x" * (N + 7)  #= data
    buffer = bytearray(N)  #= buffer
    numbers = array.array("d", range(N // 8))  #= numbers
    zeros = [0] * N  #= zeros
    listed = list(range(N))  #= listed
    squares = [i * i for i in range(N)]  #= squares
    table = dict.fromkeys(range(N))  #= table
    doubled = {i: 2 * i for i in range(N)}  #= doubled
    unique = set(range(N))  #= unique
    queue = collections.deque([], 10)
    queue.append(bytearray(N))  #= queue
    fixed = (ctypes.c_double * N)()  #= fixed
    mapped = mmap.mmap(-1, 4 * N)  #= mapped
    made = make(N)  #= made
    again = make_twice(N)
    left, right = make(N), bytearray(N)  #= left, right
    joined = "".join(str(i) for i in range(N))  #= joined
    pairs = tuple(listed)  #= pairs
    part = listed[10:]  #= part
    both = listed + zeros  #= both
    ordered = sorted(table)  #= ordered
    copied = listed.copy()  #= copied
    if (found := bytearray(N)) is not None:  #= found
        nothing(found)
    length = len(bytearray(N))  #= here main
    nothing(bytearray(N))  #= here main
    wide: bytearray = bytearray(N)  #= wide
    wide += bytes(8 * N)  #= here main, wide
    many = {}
    fill(many, "x")
    lazy = buffer if length < 0 else bytearray(N)  #= lazy
    wrapped = bytearray(
        N)  #= wrapped
    generated = list(cells(2))
    world = World.default()
    world.add("a")
    world.resize(N)
    world.extra = bytearray(N)  #= world.extra
    last = world.copy  #= last
    stack = Stack(N)
    return (text, data, numbers, squares, doubled, unique, fixed, mapped, made, again, left, right, joined, pairs, part, both,
            ordered, copied, lazy, wrapped, generated, last, stack)


if __name__ == "__main__":
    main()
