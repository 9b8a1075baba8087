#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The preloaded object exports the hook list, the signal hooks and the public API, nothing else; it needs
# nothing but the C library, and none of its functions that write memory.
top_builddir=${top_builddir:-.} top_srcdir=${top_srcdir:-.}
preload=$top_builddir/.libs/libloadstone-preload.so
command -v nm >/dev/null && command -v readelf >/dev/null || { echo "skipped: binutils are missing"; exit 77; }
exported=$(nm -D --defined-only "$preload" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep -vE '^(smr_tree_|smr_node_|ndm_domain_|ndm_map_|ndm_unmap|ndm_shape_points|loadstone_|ls_err_|ls_last_)' | sort)
listed=$({
    sed -n 's/^ *X([^,]*, \([A-Za-z_0-9]*\),.*/\1/p' "$top_srcdir/runtime/core/rt_hook_list.h"
    sed -n 's/^ *X([A-Z_]*, "[^"]*", \([A-Za-z_]*\), \([a-z_]*\),.*/\1\n\2/p' "$top_srcdir/common/ls_mpi.h"
    sed -n 's/^ *X([A-Z_]*, \([A-Za-z_0-9]*\), [0-9].*/\1/p' "$top_srcdir/runtime/core/rt_device_list.h"
    printf '%s\n' cuGetProcAddress cuGetProcAddress_v2 dlsym
    echo __asan_default_options
    [ ! -e "$top_builddir/librthooks.la" ] || sed -n 's/^LS_EXPORT .*[ *]\([a-z_]*\)(.*/\1/p' "$top_srcdir/runtime/hooks/rt_hooks_signal.c" \
        "$top_srcdir/runtime/hooks/rt_hooks_sigwait.c"
} | sort)
status=0
diff <(echo "$listed") <(echo "$exported") >/dev/null || {
    echo "FAIL: hook list (<) and exports (>) differ:"
    diff <(echo "$listed") <(echo "$exported") | grep '^[<>]'
    status=1
}
needed=$(readelf -d "$preload" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|ld-linux|libm\.so)')
[ -z "$needed" ] || { echo "FAIL: brings into the program: $needed"; status=1; }
nm -D --undefined-only "$preload" | grep -q __tls_get_addr && { echo "FAIL: a thread-local is not initial-exec"; status=1; }
own=$(nm -D --undefined-only "$preload" | grep -E ' mem(cpy|move|set)(@|$)')
[ -z "$own" ] || { echo "FAIL: calls a function of the process where its own is due:$own"; status=1; }
exit $status
