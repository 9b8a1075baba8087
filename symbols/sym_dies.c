/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_dies.h"

#include <dwarf.h>
#include <stddef.h>

bool sym_die_child(Dwarf_Die *parent, Dwarf_Die *out)
{
    return dwarf_child(parent, out) == 0 && dwarf_dieoffset(out) > dwarf_dieoffset(parent);
}

bool sym_die_next(Dwarf_Die *die)
{
    const Dwarf_Off at = dwarf_dieoffset(die);
    Dwarf_Die next;
    if (dwarf_siblingof(die, &next) != 0 || dwarf_dieoffset(&next) <= at) return false;
    *die = next;
    return true;
}

static const char *sym_die_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

const char *sym_die_name(Dwarf_Die *die, struct sym_demangler *d)
{
    const char *linkage = sym_die_text(die, DW_AT_linkage_name);
    if (!linkage) linkage = sym_die_text(die, DW_AT_MIPS_linkage_name);
    if (linkage) return sym_demangle(d, linkage);
    return sym_die_text(die, DW_AT_name);
}

bool sym_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return false;
    *out = value;
    return true;
}

bool sym_die_is_fortran(Dwarf_Die *unit)
{
    static const int languages[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95,
                                    DW_LANG_Fortran03, DW_LANG_Fortran08};
    const int language = dwarf_srclang(unit);
    for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
        if (language == languages[i]) return true;
    return false;
}
