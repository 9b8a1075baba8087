# SPDX-License-Identifier: BSD-3-Clause
# packages: optipng imagemagick
exec bash -c 'cp $DATA/picture.png $SCRATCH/o.png && optipng -quiet -o7 $SCRATCH/o.png && cksum <$SCRATCH/o.png'
