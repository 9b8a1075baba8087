/* SPDX-License-Identifier: BSD-3-Clause */
/* One ELF file opened through elfutils, with its separate debug file (by build id or .gnu_debuglink). Runs in
 * the reading process (sym_worker.h): a broken file may crash elfutils. */
#ifndef SYM_ELF_H
#define SYM_ELF_H

#include "symbols/sym_answer.h"
#include "symbols/sym_debug.h"
#include "symbols/sym_dies.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <sys/types.h>

struct sym_elf {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *elf;               /* the file itself */
    Dwarf *dwarf;           /* NULL: not present, or not requested */
    Dwarf_Addr dwarf_bias;  /* linked address minus address in DWARF */
    uid_t author;           /* common owner of the file and its debug file (ls_owner.h) */
    const char *dwarf_path; /* path of the file with the DWARF */
    struct sym_debug_alt alt;
    struct sym_units *units; /* NULL: no DWARF */
};

/* Open path, which asker named (ls_owner.h). Owns: the caller calls sym_elf_close. False: *out_problem is the
 * reason. */
bool sym_elf_open(const char *path, uid_t asker, struct sym_elf *out, const char **out_problem);
/* Find the DWARF; none is no failure. */
void sym_elf_find_dwarf(struct sym_elf *e);
void sym_elf_close(struct sym_elf *e);

/* Head, segments and sections. */
void sym_elf_describe(const struct sym_elf *e, struct sym_draft *d);

/* Is the file linked with a library whose name begins like this? */
bool sym_elf_needs(const struct sym_elf *e, const char *library);

/* A symbol of the file or of its debug file. */
struct sym_elf_symbol {
    const char *name; /* until the file is closed */
    uint64_t linked;  /* thread-local ones: offset in the module's block */
    uint64_t len_bytes;
    unsigned char type, bind; /* STT_*, STB_* */
};
/* Number of symbols; 0 without a table. */
int sym_elf_symbols_len(const struct sym_elf *e);
/* Get symbol i; false for symbols that name nothing here (undefined, absolute, nameless). */
bool sym_elf_symbol(const struct sym_elf *e, int i, struct sym_elf_symbol *out);

#endif
