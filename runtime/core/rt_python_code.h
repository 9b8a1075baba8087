/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of CPython's code objects, as bytes that were copied from them.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_PYTHON_CODE_H
#define RT_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The expression of an instruction. Columns are bytes, from 1; 0: not known. */
struct rt_python_location {
    uint32_t line, end_line, column, end_column;
};

/* Find the location of instruction `unit` in a table (Objects/locations.md of CPython 3.11). False: it has none. */
bool rt_python_locate(const uint8_t *table, size_t len_bytes, uint32_t unit, struct rt_python_location *l);

/* Encode len letters of 1, 2 or 4 bytes each as UTF-8, as many as fit.  Returns the number of bytes. */
size_t rt_python_utf8(const uint8_t *letters, size_t len, unsigned letter_bytes, char *out, size_t out_bytes);

#endif
