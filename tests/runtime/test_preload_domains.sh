#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The copy of a natural domain to the spool takes longer than the budget of seconds; blocks are recorded all the same after it.
. "${top_srcdir:-.}/tests/runtime/preload.inc"
LOADSTONE_OVERHEAD=3%
preloaded "$top_builddir/tests/runtime/domain_victim" || fail "domain_victim: status $?"
"$lines" "$work/spool" >"$work/lines" || fail "the spool is damaged"
holds "blocks after the copy" 300 ' ALLOC .* len=5000 '
holds_some "the copy" ' DOMAIN_DATA .* total=33'
finish
