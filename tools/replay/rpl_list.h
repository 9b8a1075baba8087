/* SPDX-License-Identifier: BSD-3-Clause */
/* What replay can run here. */
#ifndef RPL_LIST_H
#define RPL_LIST_H

#include <stdio.h>

/* Kernels, backends, methods and kinds of stores, from their tables. */
void rpl_list(FILE *out);

#endif
