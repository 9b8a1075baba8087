/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ls_err rep_code_init(struct rep_code *c, const struct rep_view *v)
{
    memset(c, 0, sizeof(*c));
    c->modules = prof_modules(v->profile, &c->modules_len);
    c->files = calloc(c->modules_len + 1, sizeof(*c->files));
    return c->files ? LS_OK : ls_nomem("%zu modules", c->modules_len);
}

void rep_code_fini(struct rep_code *c)
{
    for (size_t i = 0; c->files && i < c->modules_len; i++)
        sym_code_free(c->files[i].code);
    free(c->files);
    c->files = NULL;
}

static void rep_code_say(struct rep_code *c, const char *why)
{
    if (!*c->why) snprintf(c->why, sizeof(c->why), "%s", why);
}

/* Return the row of the module that contains l->ip in the line's process; modules_len if there is none. */
static size_t rep_module_of(const struct rep_code *c, const struct prof_line *l)
{
    size_t i = 0;
    while (i < c->modules_len &&
           (c->modules[i].process != l->process || l->ip < c->modules[i].base || l->ip >= c->modules[i].end))
        i++;
    return i;
}

static sym_code *rep_code_of(struct rep_code *c, size_t module)
{
    struct rep_code_file *f = &c->files[module];
    if (!f->is_tried &&
        sym_code_open(c->modules[module].path, c->modules[module].build_id, &f->code) != LS_OK) {
        f->code = NULL;
        rep_code_say(c, ls_last_error());
    }
    f->is_tried = true;
    return f->code;
}

const char *rep_code_text(struct rep_code *c, const struct prof_line *l, char out[REP_INSTRUCTION_TEXT])
{
    uint8_t bytes[REP_INSTRUCTION_BYTES];
    out[0] = '\0';
    const size_t module = rep_module_of(c, l);
    if (module == c->modules_len) {
        rep_code_say(c, "some instructions lie in no module");
        return out;
    }
    sym_code *code = rep_code_of(c, module);
    if (!code) return out;
    const size_t len = sym_code_read(code, l->ip - c->modules[module].bias, bytes, sizeof(bytes));
    if (rep_disassemble(l->ip, bytes, len, out) == 0) {
        out[0] = '\0';
        rep_code_say(c,
                     "some instructions cannot be decoded (or this build has no decoder: Zydis was missing)");
    }
    return out;
}
