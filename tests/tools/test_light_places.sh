#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The light program finds the full one in an installed tree that was moved as a whole, and names it where it is missing.
. "${top_srcdir:-.}/tests/tools/check.sh"
umask 022
few="-p UNIFORM:8:1 -l 64 -r 2 --warmups 1 --no-stream"

# ---- no full program ----

mkdir -p alone/tools same/loadstone
cp "$loadstone" alone/tools/loadstone
expect 0 "loadstone " alone/tools/loadstone --version
# shellcheck disable=SC2086
expect 0 "" alone/tools/loadstone replay $few
if alone/tools/loadstone report --help >out 2>&1; then
    echo "not tested: a missing full program (Loadstone is installed here)"
else
    for call in "report run.h5" "record -- true" "--help" "" "stream -n 1000 -o stream.h5"; do
        # shellcheck disable=SC2086
        expect 125 "$scratch/alone/tools/full/loadstone is missing" alone/tools/loadstone $call
        must grep -q 'install Loadstone again' err
        must test ! -s out
    done
    # a folder with the name of the full program's does not make it start itself for ever
    cp "$loadstone" same/loadstone/loadstone
    expect 125 "loadstone is missing" timeout 20 same/loadstone/loadstone report run.h5
fi
# a full program that others can change is not started
mkdir -p open/tools/full
cp "$loadstone" open/tools/loadstone
cp "$top_builddir/tools/full/loadstone" open/tools/full/loadstone
expect 0 "Usage: loadstone report" open/tools/loadstone report --help
chmod o+w open/tools/full
expect 125 "others may change $scratch/open/tools/full/loadstone" open/tools/loadstone report --help
chmod o-w open/tools/full
chmod a-x open/tools/full/loadstone
expect 125 "cannot be started: Permission denied" open/tools/loadstone report --help

# a tree that was made with umask 002 is as open as the light program in it
mkdir -p group/tools/full
cp "$loadstone" group/tools/loadstone
cp "$top_builddir/tools/full/loadstone" group/tools/full/loadstone
chmod -R g+w group
expect 0 "Usage: loadstone report" group/tools/loadstone report --help
chmod g-w group/tools/loadstone
expect 125 "others may change" group/tools/loadstone report --help
chmod g-w group/tools/full/loadstone
expect 0 "Usage: loadstone report" group/tools/loadstone report --help
chmod g-w group/tools
expect 125 "others may change" group/tools/loadstone report --help

# ---- an installed tree that was moved ----

make -s -C "$top_builddir" DESTDIR="$scratch/put" install >install.log 2>&1 || { tail -20 install.log; exit 1; }
bin=$(find put -path '*/bin/loadstone')
must test "$(find put -type f -name loadstone -perm -u+x | wc -l)" -eq 2
mv "${bin%/bin/loadstone}" moved
rm -r put
expect 0 "Usage: loadstone report" moved/bin/loadstone report --help
# shellcheck disable=SC2086
expect 0 "" moved/bin/loadstone replay $few -o kept.h5
must test -s kept.h5
expect 0 "runtime" moved/bin/loadstone doctor
must grep -q "$scratch/moved/lib" out
if "$loadstone" record -q -o there.h5 --engine null -- true >out 2>err </dev/null; then
    expect 0 "" moved/bin/loadstone record -q -o run.h5 --engine null -- true
    expect 0 "" moved/bin/loadstone report run.h5
    expect 0 "" moved/bin/loadstone run -- sh -c 'grep -q "$0" /proc/self/maps' "$scratch/moved/lib"
fi
# a part of it alone
mkdir -p part/bin
mv moved/bin/loadstone part/bin/loadstone
if ! part/bin/loadstone report --help >out 2>&1; then
    expect 125 "$scratch/part/" part/bin/loadstone report run.h5
fi
exit $failed
