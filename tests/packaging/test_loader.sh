#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# After make install, the loader finds the library, or a message explains how programs find it.
. "${top_srcdir:-.}/tests/tools/check.sh"
loader=$top_srcdir/packaging/loader.sh
# ldconfig of a system whose cache is the file cache; it lists the folder in the file known when it is called to
mkdir bin
cat >bin/ldconfig <<'E'
#!/bin/sh
if [ "${1-}" = -p ]; then cat cache; else echo called >>calls; cat known >cache; fi
E
cat >bin/id <<'E'
#!/bin/sh
cat uid
E
chmod 755 bin/ldconfig bin/id
try() { : >calls; PATH="$scratch/bin:$PATH" sh "$loader" /opt/l/lib >said 2>&1 || { echo "FAIL: status $?"; failed=1; }; }

echo 0 >uid
echo '	libloadstone.so.0 (libc6,x86-64) => /opt/l/lib/libloadstone.so.0' >known
: >cache
try # root, and the folder is one of the loader's
must test ! -s said
must test -s calls
try # the cache is complete already
must test ! -s said
must test ! -s calls
: >known
: >cache
try # root, under another prefix
must grep -qF 'export LD_LIBRARY_PATH=/opt/l/lib ' said
must grep -qF -e '-Wl,-rpath,/opt/l/lib ' said
must grep -qF 'echo /opt/l/lib >/etc/ld.so.conf.d/loadstone.conf && ldconfig' said
echo 1000 >uid
try # not root
must test ! -s calls
must grep -qF 'does not know /opt/l/lib' said
exit $failed
