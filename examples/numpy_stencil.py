#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: numpy_stencil.py [POINTS] [STEPS]

Heat in a rod, and a lookup in random order, with NumPy: names for the arrays and the phases of the run.
    loadstone record -o heat.h5 -- python3 numpy_stencil.py
    loadstone report heat.h5; loadstone report --by phase heat.h5
"""
import sys

import loadstone
import numpy


@loadstone.phase("step")
def step(heat, flow):
    numpy.subtract(heat[1:], heat[:-1], out=flow)
    heat[1:-1] += 0.25 * (flow[1:] - flow[:-1])


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 2000000
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    heat = numpy.zeros(points)
    flow = numpy.empty(points - 1)
    order = numpy.random.default_rng(1).permutation(points)
    heat[points // 2] = 1000.0
    for label, array in (("heat", heat), ("flow", flow)):
        loadstone.register(label, array, group="rod")
    loadstone.register("order", order)
    total = 0.0
    for _ in range(steps):
        step(heat, flow)
        with loadstone.phase("lookup"):
            total += heat[order].sum()
    print("%d points, %d steps: mean total %.1f" % (points, steps, total / steps))


main()
