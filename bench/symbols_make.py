# SPDX-License-Identifier: BSD-3-Clause
"""usage: symbols_make.py FOLDER MEGABYTES [CC]
Make FOLDER/big.so, a library with at least MEGABYTES of debugging information. One generated unit is compiled, and linked many
times under other names: a compiler would take minutes, a linker takes seconds."""
import os
import subprocess
import sys

FUNCTIONS = 1200

HEAD = """
struct vec { double x, y, z; };
struct cell { struct vec at, speed; int kind; struct cell *next; };
"""
BODY = """
static inline __attribute__((always_inline)) double dot_{n}(const struct vec *a, const struct vec *b)
{{
    double sum = a->x * b->x;
    sum += a->y * b->y;
    return sum + a->z * b->z + {n};
}}
static inline __attribute__((always_inline)) double push_{n}(struct cell *c, double by)
{{
    const double energy = dot_{n}(&c->at, &c->speed);
    if (c->kind > {n}) c->speed.x += by;
    c->at.y += energy * by;
    return energy;
}}
double walk_{n}(struct cell *c, int steps)
{{
    double all = 0;
    for (struct cell *at = c; at && steps > 0; at = at->next, steps--) {{
        all += push_{n}(at, 0.5 * steps);
        if (all > {n}) all -= push_{n}(c, 1.0);
    }}
    return all;
}}
"""


def main():
    folder, megabytes, cc = sys.argv[1], int(sys.argv[2]), (sys.argv[3:] or ["cc"])[0].split()
    os.makedirs(folder, exist_ok=True)
    source, unit = os.path.join(folder, "unit.c"), os.path.join(folder, "unit.o")
    with open(source, "w") as out:
        out.write(HEAD)
        for n in range(FUNCTIONS):
            out.write(BODY.format(n=n))
    subprocess.run([*cc, "-g", "-O2", "-fPIC", "-c", "-o", unit, source], check=True)
    copies = 1 + megabytes * 1000000 // os.path.getsize(unit) * 2
    objects = []
    for copy in range(copies):
        objects.append(os.path.join(folder, f"unit{copy}.o"))
        subprocess.run(["objcopy", f"--prefix-symbols=u{copy}_", unit, objects[-1]], check=True)
    big = os.path.join(folder, "big.so")
    subprocess.run([*cc, "-shared", "-nostdlib", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--build-id", "-o", big, *objects],
                   check=True)
    for path in (source, unit, *objects):
        os.remove(path)
    print(f"{big}: {os.path.getsize(big) / 1e6:.0f} MB, {copies} units, {copies * FUNCTIONS} functions")


main()
