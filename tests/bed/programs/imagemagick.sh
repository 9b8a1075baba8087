# SPDX-License-Identifier: BSD-3-Clause
# packages: imagemagick
exec bash -c 'convert -size 900x700 plasma:fractal -seed 7 $SCRATCH/p.ppm 2>/dev/null; convert -seed 7 -size 900x700 gradient:red-blue -blur 0x8 -swirl 90 -resize 150% -rotate 30 ppm:- | cksum'
