/* SPDX-License-Identifier: BSD-3-Clause */
/* List the kernels and settings that replay can use on this machine. */
#ifndef RPL_LIST_H
#define RPL_LIST_H

#include <stdio.h>

/* Kernels, backends, methods and kinds of stores, from their tables. */
void rpl_list(FILE *out);

#endif
