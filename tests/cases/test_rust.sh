#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The recipe for Rust (doc/languages.md): ranges, phases, variables and functions have their names, with both schemes of symbols.
. "${top_srcdir:-.}/tests/cases/proc.inc"
rustc=
for compiler in "${RUSTC-}" /usr/bin/rustc rustc; do
    [ -n "$compiler" ] && "$compiler" --version >/dev/null 2>&1 && { rustc=$compiler; break; }
done
[ -n "$rustc" ] || skip "no rustc here (Debian: rustc)"
export LD_LIBRARY_PATH="$top_builddir/.libs"
"$rustc" -O -g -C symbol-mangling-version=v0 "$top_srcdir/examples/rust_names.rs" -L "$top_builddir/.libs" -l loadstone -o rust_v0 2>err ||
    { cat err; exit 1; }
must "$rustc" -O -g "$top_srcdir/examples/rust_names.rs" -L "$top_builddir/.libs" -l loadstone -o rust_default
must ./rust_v0 >alone
for kind in v0 default; do
    recorded 0 $kind --engine null -- ./rust_$kind
    must cmp -s alone out
    holds 1 '^span solve process 0 .* end [0-9]+$'
    expect 0 "next:" "$loadstone" report --allocations $kind.h5
    for name in table index unnamed; do must grep -qE "^ +(16|32)\.0 MiB +1 +1 +$name  " out; done
done

can_sample || { echo "not tested: samples in functions (the step engine does not work here)"; exit $failed; }
for kind in v0 default; do
    # shellcheck disable=SC2086
    recorded 0 sampled_$kind $sampled -- ./rust_$kind
    holds_some '^sample .* phase solve node table$'
    holds_some '^sample .* phase solve node index$'
    holds_some '^sample .* phase solve node (unnamed|block .*)$'
    # the table hides functions in which no burst began
    expect 0 "rust_names::gather::" "$loadstone" report --by function --json sampled_$kind.h5
done
exit $failed
