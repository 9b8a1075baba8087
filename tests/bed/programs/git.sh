# SPDX-License-Identifier: BSD-3-Clause
# packages: git
exec bash -c 'cp -r $DATA/repo $SCRATCH/repo && cd $SCRATCH/repo && git -c pack.threads=2 repack -adfq --depth=50 --window=100 && git fsck --full 2>&1 &&
    git log --stat | cksum && git grep -c plain $(git rev-list --all | head -20) | cksum'
