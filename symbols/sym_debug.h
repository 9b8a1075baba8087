/* SPDX-License-Identifier: BSD-3-Clause */
/* Files with debug information that a binary names: .gnu_debuglink, .gnu_debugaltlink and .dwo files. Such a
 * name may lead anywhere: only regular files are opened, and their authors are noted (ls_owner.h). */
#ifndef SYM_DEBUG_H
#define SYM_DEBUG_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <sys/types.h>

/* libdwfl's callback: find a debug file by build id, by .gnu_debuglink or through debuginfod. */
int sym_debug_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *path,
                   const char *link, GElf_Word crc, char **out_path);
/* The author of the debug file that was found. */
uid_t sym_debug_author(Dwfl_Module *module);

/* The file that .gnu_debugaltlink names. Zeroed: no such file. */
struct sym_debug_alt {
    Dwarf *dwarf;
    int fd;
};
/* Open it for dwarf, read from the file at path. The author of both takes the place of *author. */
struct sym_debug_alt sym_debug_open_alt(Dwarf *dwarf, const char *path, uid_t *author);
void sym_debug_close_alt(struct sym_debug_alt *alt); /* after dwarf itself */

/* May libdw look for the .dwo file of this unit, read from the file at path? */
bool sym_debug_may_split(Dwarf_Die *unit, const char *path);

#endif
