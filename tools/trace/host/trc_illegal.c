/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_illegal.h"

#include "common/ls_text.h"
#include "symbols/sym_files.h"
#include "tools/report/rep_disassemble.h"

#include <stdio.h>
#include <string.h>

enum { TRC_BEGIN_BYTES = 4 };

static const struct pat_module *trc_module_at(const struct pat_tables *t, uint64_t ip)
{
    for (size_t i = t->modules_len; i-- > 0;) /* the latest there */
        if (ip >= t->modules[i].start && ip < t->modules[i].end) return &t->modules[i];
    return NULL;
}

static void trc_put_function(const struct pat_module *m, uint64_t ip, char *out, size_t room)
{
    sym_files *files;
    sym_file *file;
    if (sym_files_new((struct sym_limits){0}, &files) != LS_OK) return;
    if (sym_files_get(files, m->path, &file) == LS_OK) {
        const struct sym_names n = sym_file_function(files, file, ip - m->bias);
        const char *name = *n.function ? n.function : n.symbol;
        if (*name) snprintf(out, room, " in %s", name);
    }
    sym_files_free(files);
}

static void trc_put_place(const struct pat_tables *t, uint64_t ip, char *out, size_t room)
{
    const struct pat_module *m = trc_module_at(t, ip);
    char function[256] = "";
    if (m) trc_put_function(m, ip, function, sizeof(function));
    const char *file = m ? ls_base_name(m->path) : "";
    snprintf(out, room, *file ? "0x%llx%s (%s)" : "0x%llx%s%s", (unsigned long long)ip, function, file);
}

/* Write "clui (f3 0f 01 ee)"; an unknown instruction has no known length: "that begins with 06 eb cd 0f". */
static void trc_put_what(const struct trc_illegal *i, const char *name, char *out, size_t room)
{
    const uint32_t len = *name || i->len < TRC_BEGIN_BYTES ? i->len : TRC_BEGIN_BYTES;
    size_t used = (size_t)snprintf(out, room, *name ? "%s (" : "that begins with%s", name);
    for (uint32_t k = 0; k < len && used + 4 < room; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%02x", k || !*name ? " " : "", i->bytes[k]);
    if (*name) snprintf(out + used, room - used, ")");
}

void trc_illegal_tell(const struct trc_ring *ring, const struct pat_tables *t, struct trc_illegal_text *out)
{
    struct trc_illegal i = ring->illegal; /* the program had a hand in it */
    char name[REP_INSTRUCTION_TEXT] = "";
    memset(out, 0, sizeof(*out));
    if (i.len > sizeof(i.bytes)) i.len = sizeof(i.bytes);
    if (i.ip == 0 || i.len == 0) return;
    if (rep_disassemble(i.ip, i.bytes, i.len, name) == 0) name[0] = '\0';
    out->is_own_trap = strncmp(name, "ud", 2) == 0;
    trc_put_place(t, i.ip, out->place, sizeof(out->place));
    trc_put_what(&i, name, out->what, sizeof(out->what));
}
