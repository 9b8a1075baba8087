/* SPDX-License-Identifier: BSD-3-Clause */
/* Additions of the DWARF to the variables of the symbol tables. */
#ifndef SYM_VARIABLE_TYPES_H
#define SYM_VARIABLE_TYPES_H

#include "symbols/sym_variables.h"

/* Complete the rows of f, which are sorted: elements of arrays, the function around a static. Fortran's
 * COMMON blocks get their names; rows for their members are appended.  Errors: LS_ERR_NOMEM. */
ls_err sym_variable_types_read(struct sym_finding *f);

#endif
