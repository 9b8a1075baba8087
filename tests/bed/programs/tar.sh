# SPDX-License-Identifier: BSD-3-Clause
# packages: tar gzip
exec bash -c 'for i in 1 2 3 4 5 6; do tar --sort=name --mtime=@0 --owner=0 --group=0 -C $DATA -cf - repo big text | cksum; done; tar -C $DATA -czf $SCRATCH/o.tgz text repo && tar -tzf $SCRATCH/o.tgz | wc -l'
