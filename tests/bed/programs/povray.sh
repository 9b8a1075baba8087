# SPDX-License-Identifier: BSD-3-Clause
# packages: povray
exec bash -c 'povray +I$DATA/scene.pov +O$SCRATCH/o.ppm +FP +W320 +H240 +WT1 -D +A0.3 -J -GA >/dev/null 2>&1; grep -av "^# Render Date" $SCRATCH/o.ppm | cksum'
