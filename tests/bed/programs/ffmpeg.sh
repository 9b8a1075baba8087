# SPDX-License-Identifier: BSD-3-Clause
# packages: ffmpeg
exec bash -c 'ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=4 -c:v libx264 -preset medium -threads 2 -bitexact -f h264 $SCRATCH/o.h264 && ffmpeg -nostdin -v error -i $SCRATCH/o.h264 -f framemd5 - | cksum'
