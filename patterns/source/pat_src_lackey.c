/* SPDX-License-Identifier: BSD-3-Clause */
/* valgrind --tool=lackey --trace-mem=yes (its manual, "Lackey"): an instruction is "I  ADDRESS,BYTES", its
 * accesses follow as " L ", " S " and " M " (load, then store); valgrind's own lines begin with ==PID==. The
 * format does not distinguish threads. */
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_text.h"

#include <string.h>

struct lackey_line {
    char kind; /* I L S M */
    uint64_t addr, size_bytes;
};

static bool lackey_parse(const char *line, struct lackey_line *out)
{
    const bool is_access = line[0] == ' ' && line[1] && strchr("LSM", line[1]) && line[2] == ' ';
    if (!is_access && strncmp(line, "I  ", 3) != 0) return false;
    const char *p = line + 3;
    out->kind = is_access ? line[1] : 'I';
    return pat_scan_hex(&p, &out->addr) && pat_scan_char(&p, ',') && pat_scan_decimal(&p, &out->size_bytes) &&
           *p == '\0' && out->size_bytes <= UINT16_MAX;
}

static ls_err lackey_line(struct pat_text *t, const char *line, bool *is_known)
{
    struct lackey_line l;
    *is_known = lackey_parse(line, &l);
    if (!*is_known) return LS_OK;
    if (t->thread == PAT_NONE) {
        LS_TRY(pat_collect_thread(&t->collect, 0, "all threads", &t->thread));
        t->collect.thread = t->thread;
        t->collect.module = PAT_NONE;
    }
    if (l.kind == 'I') return pat_collect_begin(&t->collect, t->thread, l.addr, PAT_NONE);
    if (l.kind != 'S') LS_TRY(pat_collect_access(&t->collect, l.addr, (uint16_t)l.size_bytes, PAT_OP_LOAD));
    if (l.kind == 'L') return LS_OK;
    return pat_collect_access(&t->collect, l.addr, (uint16_t)l.size_bytes, PAT_OP_STORE);
}

static bool lackey_is_line(const char *line)
{
    struct lackey_line l;
    return lackey_parse(line, &l);
}

static bool lackey_recognise(const void *bytes, size_t len, const char *path)
{
    size_t lines;
    (void)path;
    const size_t found = pat_text_count(bytes, len, lackey_is_line, &lines);
    return found >= 2 && 2 * found >= lines / 2; /* messages of the program may be between the lines */
}

static const struct pat_text_format lackey = {
    .line = lackey_line,
    .expects = "those of valgrind --tool=lackey --trace-mem=yes: 'I  04000b70,3', ' L 1ffe,8'"};

static ls_err lackey_open(const char *path, const struct pat_source_options *o, void **out)
{
    return pat_text_open(path, o, &lackey, out);
}

const struct pat_source_format pat_source_lackey = {.name = "lackey",
                                                    .text = "valgrind --tool=lackey --trace-mem=yes",
                                                    .recognise = lackey_recognise,
                                                    .open = lackey_open,
                                                    PAT_TEXT_ROW};
