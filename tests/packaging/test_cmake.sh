#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A project finds the library by CMake: the installed files, with the folders of the build tree in place of the installed ones.
. "${top_srcdir:-.}/tests/tools/check.sh"
command -v cmake >/dev/null || skip "no cmake here"
package=$scratch/lib/cmake/loadstone
mkdir -p "$package" project
for file in loadstone-config.cmake loadstone-config-version.cmake; do
    sed "s,\"[^\"]*/libloadstone,\"$top_builddir/.libs/libloadstone,; s,INCLUDE_DIRECTORIES \"[^\"]*include\",INCLUDE_DIRECTORIES \"$top_srcdir/include\"," \
        "$top_builddir/packaging/cmake/$file" >"$package/$file" || exit 99
    if grep -q '@[A-Za-z]*@' "$package/$file"; then echo "FAIL: $file has words that were not replaced"; failed=1; fi
done
cat >project/CMakeLists.txt <<'E'
cmake_minimum_required(VERSION 3.10)
project(named LANGUAGES C)
find_package(loadstone ${WANTED} REQUIRED)
message(STATUS "loadstone ${loadstone_VERSION}")
add_executable(named named.c)
target_link_libraries(named PRIVATE loadstone::loadstone)
E
cat >project/named.c <<'E'
#include <loadstone/smr.h>
#include <stdio.h>
static double numbers[100];
int main(void)
{
    const struct smr_spec spec = {"numbers", numbers, numbers + 100, sizeof(numbers[0]), 1};
    smr_tree *tree = NULL;
    smr_node *node = NULL;
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert(tree, &spec, &node) != LS_OK) return 1;
    printf("%s: %d elements\n", smr_node_label(node), (int)smr_node_elements(node));
    return 0;
}
E
configure() { cmake -S project -B "$1" -DCMAKE_PREFIX_PATH="$scratch" -DWANTED="$2" >"$1.log" 2>&1; }
configure any "" || { cat any.log; failed=1; }
version=$("$loadstone" --version | sed 's/.* //')
must grep -q -- "-- loadstone $version\$" any.log
must cmake --build any >build.log 2>&1
must test "$(any/named)" = "numbers: 100 elements"
configure same "${version%.*}" || { echo "FAIL: version ${version%.*} is not found"; cat same.log; failed=1; }
for other in 0.0.1 99.0; do
    if configure "other-$other" "$other"; then echo "FAIL: version $version passes for $other"; failed=1; fi
done
# a moved installation is reported, not linked
sed -i "s,$top_builddir/.libs,/nowhere,g" "$package/loadstone-config.cmake"
if configure moved ""; then echo "FAIL: a missing library is found"; failed=1; fi
must grep -q 'was Loadstone moved' moved.log
exit $failed
