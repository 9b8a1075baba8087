/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of Rust, which are untrusted text.
 *
 * Thread: any. */
#ifndef SYM_DEMANGLE_RUST_H
#define SYM_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* Write the readable form of a v0 name (RFC 2603; `_R...`), without hashes of crates and lifetimes. False: it is none, or longer
 * than out. */
bool sym_demangle_rust(const char *name, char *out, size_t out_bytes);

/* Make a legacy name readable that was demangled as one of C++, in place: `_$LT$T$GT$::f::h0123456789abcdef` is `<T>::f`. Other
 * names stay. */
void sym_tidy_rust(char *text);

#endif
