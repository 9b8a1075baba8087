# SPDX-License-Identifier: BSD-3-Clause
# packages: ghostscript
exec bash -c 'gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=ppmraw -r200 -sOutputFile=$SCRATCH/o%d.ppm $DATA/drawing.ps && cat $SCRATCH/o*.ppm | cksum'
