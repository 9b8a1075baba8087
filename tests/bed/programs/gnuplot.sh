# SPDX-License-Identifier: BSD-3-Clause
# packages: gnuplot-nox
exec bash -c 'gnuplot -e "set terminal svg; set output \"$SCRATCH/o.svg\"; set isosamples 250; set samples 250; set hidden3d; splot sin(sqrt(x*x+y*y))/(1+sqrt(x*x+y*y)); plot [-20:20] for [i=1:60] sin(x*i)/i" && grep -v -i title $SCRATCH/o.svg | cksum'
