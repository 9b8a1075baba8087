#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Spools that cannot be written, or only partly: the program continues, the loss is counted.
. "${top_srcdir:-.}/tests/runtime/preload.inc"

# unharmed NAME: the program under $1 ends as it should.
unharmed() {
    local name=$1
    shift
    preloaded "$@" >"$work/with.out" 2>"$work/with.err" </dev/null
    local status=$?
    [ "$status" = 0 ] || fail "$name: status $status"
    [ -s "$work/with.err" ] && fail "$name: said $(head -3 "$work/with.err")"
    grep -q '^sum 2500$' "$work/with.out" || fail "$name: output is $(head -3 "$work/with.out")"
}

LOADSTONE_SPOOL=/proc/no/such/place unharmed unwritable "$victim" threads
LOADSTONE_SPOOL=/dev/null unharmed 'not a directory' "$victim" threads

# A cap of two chunks: the first thread has room, the others lose theirs.
rm -rf "$work/spool"
LOADSTONE_SPOOL_MAX=512K unharmed cap "$victim" threads
"$lines" "$work/spool" >"$work/lines" || fail "cap: damaged"
LOADSTONE_SPOOL_MAX=256K unharmed cap1 "$victim" threads

# No growth over the limit of the shell (SIGXFSZ would kill): the same error path as a full disk, without root.
rm -rf "$work/spool"
(ulimit -f 160; preloaded "$victim" closefds loop) >"$work/with.out" 2>&1 || fail "limit: status"
"$lines" "$work/spool" >"$work/lines" || fail "limit: damaged"
holds limit 1 'EVENT kind=2 errno=27 ' # DISK_FULL, EFBIG
holds limit 1 'EVENT kind=0 errno=27 count=[1-9]'
holds limit 1 THREAD_END

if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=200k none "$work/small" 2>/dev/null; then
    LOADSTONE_SPOOL=$work/small/spool preloaded "$victim" closefds loop >"$work/with.out" 2>&1 || fail "full disk: status"
    "$lines" "$work/small/spool" >"$work/lines" || fail "full disk: damaged"
    umount "$work/small"
    holds 'full disk' 1 'EVENT kind=2 errno=28 '
    holds 'full disk' 1 'EVENT kind=0 errno=28 count=[1-9]'
    holds 'full disk' 1 THREAD_END
else
    echo "not tested: a full file system (needs root and tmpfs)"
fi

# Preloaded by hand without LOADSTONE_SPOOL, the spool is in the runtime directory, otherwise in the one for temporary files,
# never in the working directory; children use the same spool.
mkdir "$work/run" "$work/here" "$work/tmp"
(cd "$work/here" && XDG_RUNTIME_DIR=$work/run LD_PRELOAD=$preload LOADSTONE_ENGINE=null "$victim" spawn) >/dev/null 2>&1
[ "$(ls "$work/run")" ] || fail "by hand: no spool in the runtime directory"
[ "$(ls "$work"/run/loadstone-spool-* | grep -c '^p')" = 3 ] || fail "by hand: $(ls -R "$work/run")"
(cd "$work/here" && unset XDG_RUNTIME_DIR && TMPDIR=$work/tmp LD_PRELOAD=$preload LOADSTONE_ENGINE=null "$victim" spawn) >/dev/null 2>&1
[ "$(ls "$work"/tmp/loadstone-spool-* | grep -c '^p')" = 3 ] || fail "by hand: $(ls -R "$work/tmp")"
[ "$(stat -c %a "$work"/tmp/loadstone-spool-*)" = 700 ] || fail "by hand: the spool is open to others"
[ -z "$(ls "$work/here")" ] || fail "by hand: $(ls "$work/here") where the program stands"
mkdir "$work/tree"
(cd "$work/here" && unset XDG_RUNTIME_DIR && export TMPDIR=$work/tree && LD_PRELOAD=$preload LOADSTONE_ENGINE=null /usr/bin/python3 -c '
import os
os.system("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")') >/dev/null 2>&1
[ "$(ls "$work/tree" | wc -l)" = 1 ] || fail "by hand: children of system() have spools of their own: $(ls "$work/tree")"

# not_entered NAME DIR: nothing is recorded there
not_entered() {
    LOADSTONE_SPOOL=$2 unharmed "$1" "$victim" threads
    [ -z "$(ls "$2" 2>/dev/null)" ] || fail "$1: entered: $(ls "$2")"
}
mkdir -m 700 "$work/real" && ln -s "$work/real" "$work/link"
not_entered 'a symbolic link' "$work/link"
mkdir -m 755 "$work/open"
not_entered 'a directory that others may read' "$work/open"
LOADSTONE_START=1 not_entered 'a directory that is gone' "$work/gone"
[ ! -e "$work/gone" ] || fail "a directory that is gone: it was made again"
if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 "$work/other" && chown 65534 "$work/other"
    not_entered 'a directory of another user' "$work/other"
else
    echo "not tested: a directory of another user (needs root)"
fi
LOADSTONE_SPOOL=$work/real unharmed 'a directory of our own' "$victim" threads
[ "$(ls "$work/real")" ] || fail "a directory of our own was not entered"
finish
