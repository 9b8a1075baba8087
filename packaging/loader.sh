#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: loader.sh LIBDIR: after make install, let the dynamic loader know the library in LIBDIR, or report how a linked program
# finds it. Where only root may change the loader's cache, others get the report.
libdir=$1
PATH=$PATH:/sbin:/usr/sbin
knows() {
    ldconfig -p 2>/dev/null | grep -qF "=> $libdir/libloadstone.so.0"
}

command -v ldconfig >/dev/null || exit 0 # no glibc: there is no cache
knows && exit 0
if [ "$(id -u)" -eq 0 ]; then
    ldconfig 2>/dev/null
    knows && exit 0
fi
cat <<END
The dynamic loader does not know $libdir. Programs that are linked with -lloadstone find it there by one of these:
    export LD_LIBRARY_PATH=$libdir      in each shell that starts them
    -Wl,-rpath,$libdir                  when they are linked
    echo $libdir >/etc/ld.so.conf.d/loadstone.conf && ldconfig      once, as root
loadstone record itself needs none of them.
END
