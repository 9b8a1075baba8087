# SPDX-License-Identifier: BSD-3-Clause
"""Ways to allocate arrays of NumPy; the comments are those of idioms.py."""
import loadstone
import numpy as np

N = 200000


class Grid:
    def __init__(self, n):
        self.x = np.zeros(n)  #= self.x
        self.y, self.z = np.empty(n), np.full(n, 2.0)  #= self.y, self.z
        self.levels = [np.ones(n >> i) for i in range(2)]  #= self.levels
        self.fields = {}

    def field(self, name):
        self.fields[name] = np.zeros_like(self.x)  #= self.fields

    def sum(self):
        return self.x + self.z


def generate(n):
    return np.random.default_rng(1).random(n)


def main():
    grid = Grid(N)
    grid.field("u")
    steps = np.arange(N)  #= steps
    points = np.linspace(0, 1, N)  #= points
    grid.y[:] = 1
    total = grid.x + points  #= total
    added = grid.sum()  #= added
    scaled = points * 2  #= scaled
    sines = np.sin(points)  #= sines
    noise = generate(N)  #= noise
    joined = np.concatenate([points, noise])  #= joined
    copied = points.copy()  #= copied
    ints = points.astype(np.int64)  #= ints
    mask = np.repeat(points, 8) > 0.5  #= here main, mask
    chosen = joined[joined > 0.1]  #= chosen
    taken = np.take(points, steps)  #= taken
    stacked = np.vstack((points, noise))  #= stacked
    parsed = np.array([[0.5] * 100] * 2000)  #= parsed
    ordered = np.sort(points)  #= ordered
    shaped = np.zeros((N // 100, 100)).reshape(100, -1)  #= shaped
    pairs = [np.zeros(N) for _ in range(3)]  #= pairs
    struct = np.zeros(N, dtype=[("mass", "f8"), ("id", "i4")])  #= struct
    filled = np.empty_like(points); filled[:] = 1  #= filled
    loadstone.register("pressure", filled)
    loadstone.register("edge", stacked[0, :10], group="borders")
    mean = (points + noise).mean()  #= here main
    return (total, added, scaled, sines, copied, ints, mask, chosen, taken, stacked, parsed, ordered, shaped, pairs, struct,
            filled, mean)


main()
