/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: sym_names FILE <ADDRESSES: print the function at each linked address (hexadecimal) of standard input. */
#include "symbols/sym_files.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sym_files *files = NULL;
    sym_file *file;
    uint64_t linked;
    if (argc != 2 || sym_files_new((struct sym_limits){0}, &files) != LS_OK ||
        sym_files_get(files, argv[1], &file) != LS_OK)
        return 2;
    while (scanf("%" SCNx64, &linked) == 1)
        printf("%" PRIx64 " %s\n", linked, sym_file_function(files, file, linked).symbol);
    sym_files_free(files);
    return 0;
}
