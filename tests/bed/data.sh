#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the inputs of the programs in programs/: the same bytes every time on one machine. usage: data.sh
# INPUTS-DIRECTORY; writes into the current directory. Inputs that cannot be made here are left out with a
# message.
set -u
inputs=$1
export LC_ALL=C
try() { "$@" || echo "input not made: $*" >&2; }

cp "$inputs"/* .
awk 'BEGIN { x = 12345; for (i = 0; i < 500000; i++) { x = (x * 1103515245 + 12345) % 2147483648
     printf "%d line %d of %s\n", x, i * 7919 % 500009, (x % 3 ? "plain" : "other") } }' >text
awk 'BEGIN { for (i = 0; i < 60; i++) { printf "static int t%d[256];\n", i
     for (j = 0; j < 25; j++) printf "int f%d_%d(int a, int *p) { int s = a; for (int i = 0; i < %d; i++) { s += p[i] * t%d[(s ^ i) & 255]; if (s %% %d == 1) s ^= f%d_%d(s >> 1, p + 1); } return s; }\n", \
         i, j, j + 7, i, i + j + 3, j ? i : 0, j ? j - 1 : 0 } }' | awk '/f0_0\(s >> 1/ && !/int f0_0/ { sub(/f0_0\(s >> 1, p \+ 1\)/, "(s >> 1)") } { print }' >many.c
head -c 8000000 text >big
mkdir repo && (cd repo && git init -q . && git config user.email a@b && git config user.name n &&
    for i in $(seq 120); do
        for f in 1 2 3 4 5 6; do awk -v from=$((i * 40 + f * 3000)) 'NR > from && NR <= from + 800' ../text >f$f; done
        git add . && GIT_AUTHOR_DATE="@$i +0000" GIT_COMMITTER_DATE="@$i +0000" git commit -qm "change $i"
    done) >/dev/null
awk 'BEGIN { printf "["; for (i = 0; i < 200000; i++) printf "%s{\"k\":%d,\"v\":\"value %d\"}", (i ? "," : ""), i * 7919 % 100003, i % 977; print "]" }' >list.json
awk 'BEGIN { print "digraph g {"; for (i = 1; i < 260; i++) { printf "n%d -> n%d;\n", int(i / 2), i; if (i % 3 == 0) printf "n%d -> n%d;\n", i, i * 7 % 260 } print "}" }' >graph.dot
# A random 3-SAT problem near the threshold.
awk 'BEGIN { n = 300; m = 1270; x = 4321; printf "p cnf %d %d\n", n, m
     for (i = 0; i < m; i++) { for (j = 0; j < 3; j++) { x = (x * 1103515245 + 12345) % 2147483648; v = int(x / 7) % n + 1; printf "%d ", (int(x / 1024) % 2 ? v : -v) } print 0 } }' >problem.cnf
# A genome and reads from it, every tenth with a change.
awk 'BEGIN { x = 99; split("A C G T", b, " "); for (i = 0; i < 400000; i++) { x = (x * 1103515245 + 12345) % 2147483648; g = g b[int(x / 4096) % 4 + 1] }
     print ">g" >"genome.fa"; print g >"genome.fa"
     for (r = 0; r < 20000; r++) { x = (x * 1103515245 + 12345) % 2147483648; s = substr(g, x % 399800 + 1, 100); if (r % 10 == 0) s = substr(s, 1, 50) "A" substr(s, 52)
         q = s; gsub(/./, "I", q); printf "@r%d\n%s\n+\n%s\n", r, s, q >"reads.fq"
         printf "r%d\t0\tg\t%d\t60\t100M\t*\t0\t0\t%s\t%s\n", r, x % 399800 + 1, s, q >"rows" } }'
{ printf '@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:g\tLN:400000\n'; for i in 1 2 3 4 5; do cat rows; done; } >alignments.sam
awk 'BEGIN { print "P3 700 500 255"; for (y = 0; y < 500; y++) for (x = 0; x < 700; x++) print (x * y) % 256, (x * 3 + y) % 256, int((x ^ 2 + y ^ 2) / 997) % 256 }' >picture.ppm
command -v convert >/dev/null && try convert picture.ppm -define png:compression-level=1 picture.png
try gcc -O2 -g -fopenmp -o openmp-histogram openmp-histogram.c
command -v gfortran >/dev/null && try gfortran -O2 -g -o fortran-stencil fortran-stencil.f90
command -v mpicc >/dev/null && try mpicc -O2 -g -o mpi-stencil mpi-stencil.c
command -v javac >/dev/null && try javac -d . Work.java
if [ -r /usr/share/doc/hpcc/examples/_hpccinf.txt ]; then cp /usr/share/doc/hpcc/examples/_hpccinf.txt hpccinf.txt; fi
exit 0
