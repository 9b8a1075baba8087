#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_packages.sh [FOLDER]: build the Debian packages from the distribution (or take those in FOLDER), look for errors with
# lintian, install them into a bare Debian 12, record a program there, and build programs with the development package.
. "${top_srcdir:-.}/tests/tools/check.sh"
for tool in dpkg-buildpackage dh lintian mmdebstrap; do
    command -v $tool >/dev/null || skip "no $tool here (Debian: debhelper dpkg-dev fakeroot lintian mmdebstrap)"
done
packages=${1-}
if [ -z "$packages" ]; then
    packages=$scratch
    make -C "$top_builddir" WITHOUT_PAGE=yes distdir >dist.log 2>&1 || { tail -20 dist.log; exit 1; }
    mv "$top_builddir"/loadstone-[0-9]* tree || exit 1
    chmod -R u+w tree
    (cd tree && dpkg-checkbuilddeps) 2>lacking || skip "$(cat lacking)"
    (cd tree && dpkg-buildpackage -us -uc -b -j"$(nproc)") >build.log 2>&1 </dev/null || { tail -60 build.log; exit 1; }
fi
ls "$packages"/loadstone_*.deb "$packages"/libloadstone0_*.deb "$packages"/libloadstone-dev_*.deb "$packages"/python3-loadstone_*.deb >/dev/null || exit 1
must lintian --allow-root --fail-on error "$packages"/loadstone_*.changes

mkdir put
cp "$packages"/loadstone_*.deb "$packages"/libloadstone0_*.deb "$packages"/libloadstone-dev_*.deb "$packages"/python3-loadstone_*.deb put
cat >put/named.c <<'E'
#include <loadstone/smr.h>
#include <stdio.h>
static double numbers[100];
int main(void)
{
    const struct smr_spec spec = {"numbers", numbers, numbers + 100, sizeof(numbers[0]), 1};
    smr_tree *tree = NULL;
    smr_node *node = NULL;
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert(tree, &spec, &node) != LS_OK) return 1;
    puts(smr_node_label(node));
    return 0;
}
E
cat >put/CMakeLists.txt <<'E'
cmake_minimum_required(VERSION 3.10)
project(named LANGUAGES C)
find_package(loadstone REQUIRED)
add_executable(named named.c)
target_link_libraries(named loadstone::loadstone)
E
cat >put/try.sh <<'E'
set -e
export DEBIAN_FRONTEND=noninteractive
cd /put
apt-get install -y -q --no-install-recommends ./*.deb
echo "= installed"
loadstone --version
loadstone record -q -o run.h5 -- sh -c 'i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done'
loadstone report run.h5 | grep ^trust
apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config cmake make
gcc named.c $(pkg-config --cflags --libs loadstone) -o named
[ "$(./named)" = numbers ]
cmake -S . -B built
cmake --build built
[ "$(built/named)" = numbers ]
echo "= linked"
cat >named.py <<'P'
import loadstone
numbers = bytearray(1000000)
assert loadstone.register("numbers", numbers).is_registered
P
loadstone record -q -o python.h5 -- python3 named.py
loadstone export -f csv --table nodes -o nodes.csv python.h5
grep numbers nodes.csv
echo "= imported"
apt-get purge -y -q loadstone libloadstone0 libloadstone-dev python3-loadstone
left=$(find / -xdev -name '*loadstone*' -not -path '/put/*' -not -path '/proc/*')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "= purged"
E
proxies=()
while read -r line; do proxies+=(--aptopt="$line"); done < <(apt-config dump 2>/dev/null | grep -E '^Acquire::https?::Proxy ')
mmdebstrap --variant=apt "${proxies[@]}" --customize-hook="copy-in '$scratch/put' /" --customize-hook='chroot "$1" sh /put/try.sh' bookworm /dev/null >system.log 2>&1 </dev/null
status=$?
if [ $status -ne 0 ] && ! grep -q 'running --customize-hook' system.log; then skip "mmdebstrap made no Debian 12: $(grep -E '^E:|[Ee]rror' system.log | head -n 1)"; fi
for step in installed linked imported purged; do must grep -qx "= $step" system.log; done
if [ $status -ne 0 ] || [ $failed -ne 0 ]; then tail -80 system.log; exit 1; fi
grep '^trust' system.log
