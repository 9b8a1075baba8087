# SPDX-License-Identifier: BSD-3-Clause
# packages: flac
exec bash -c 'for i in 1 2 3 4 5 6; do flac -s -8 --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=44100 -c $DATA/big | tee $SCRATCH/o | cksum; flac -s -d -c $SCRATCH/o | cksum; done'
