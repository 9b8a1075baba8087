#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Choice of the preloaded runtime: the installed one, or the one in the binary's build tree, and only where no
# other user can change it.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
unset LOADSTONE_PRELOAD
cat >foreign.c <<'E2'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { close(open(MARK, O_CREAT | O_WRONLY, 0666)); }
E2
${CC:-cc} -shared -fPIC -DMARK="\"$scratch/loaded\"" -o foreign.so foreign.c || skip "no C compiler"

# ran DIR: record by the copy of the binary in DIR, whether or not it finds a runtime; was the library at hand preloaded?
ran() {
    rm -f loaded run.h5
    "$scratch/$1/loadstone" record -q -o run.h5 --engine null -- true >out 2>err </dev/null
    status=$?
    [ -e loaded ]
}
# below_prefix NAME: a folder of configure, relative to its prefix
below_prefix() {
    prefix=$(sed -n 's/^prefix = //p' "$top_builddir/Makefile") exec_prefix=$prefix
    eval "folder=$(sed -n "s/^$1 = //p" "$top_builddir/Makefile")"
    echo "${folder#"$prefix"/}"
}
libexec=$(below_prefix libexecdir) lib=$(below_prefix libdir)
# copied DIR LIBRARY-DIR: both programs as in a build tree, or as in an installed one
copied() {
    case $1 in
    */bin) other=${1%/bin}/$libexec/loadstone ;;
    *) other=${1%/.libs}/full ;;
    esac
    mkdir -p "$1" "$2" "$other"
    cp "$loadstone" "$1/loadstone"
    cp "$top_builddir/tools/full/loadstone" "$other/loadstone"
    cp foreign.so "$2/libloadstone-preload.so"
}
# An installed binary below directories of other users: files around it are not preloaded.
for place in .libs pkg/.libs runtime/.libs pkg/runtime/.libs; do
    copied pkg/bin $place
    ! ran pkg/bin || { echo "FAIL: a library in $place was preloaded"; failed=1; }
    rm -r "${scratch:?}/$place"
done
copied pkg/bin none
ran pkg/bin
if [ $status -eq 125 ]; then
    must grep -q "libloadstone-preload.so is not in " err
    copied moved/bin "moved/$lib/loadstone"
    must ran moved/bin
else
    echo "not tested: a moved installation (Loadstone is installed here)"
fi
copied tree/tools tree/.libs
must ran tree/tools
copied deep/tools/.libs deep/.libs
must ran deep/tools/.libs

# refused TREE: its library must not be preloaded, because other users could change it
refused() {
    ! ran "$1/tools" || { echo "FAIL: $2: preloaded"; failed=1; }
    must test $status -eq 125
    must grep -q "others may change .*$1/.libs/libloadstone-preload.so" err
}
chmod o+w tree/.libs
refused tree "a directory that others may write"
chmod o-w tree/.libs
chmod g+w tree/.libs/libloadstone-preload.so
refused tree "a file that a group may write"
chmod g-w tree/.libs/libloadstone-preload.so
must ran tree/tools
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 tree/.libs/libloadstone-preload.so
    refused tree "a file of another user"
    chown 0 tree/.libs/libloadstone-preload.so
    chown 65534 tree/.libs
    refused tree "a directory of another user"
else
    echo "not tested: a library of another user (needs root)"
fi
exit $failed
