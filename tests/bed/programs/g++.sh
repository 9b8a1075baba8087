# SPDX-License-Identifier: BSD-3-Clause
# packages: g++
exec bash -c 'g++ -O2 -std=c++20 -c -o $SCRATCH/templates.o $DATA/templates.cc && cksum <$SCRATCH/templates.o'
