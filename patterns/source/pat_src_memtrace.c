/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of DynamoRIO's sample client memtrace (api/samples/memtrace_x86.c): a file a thread, lines
 * "INSTRUCTION,r|w,BYTES,ADDRESS" with hexadecimal addresses. */
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_text.h"

#include <string.h>

struct memtrace_line {
    uint64_t ip, addr, size_bytes;
    uint8_t op;
};

static bool memtrace_parse(const char *p, struct memtrace_line *out)
{
    if (!pat_scan_hex(&p, &out->ip) || !pat_scan_char(&p, ',')) return false;
    pat_scan_blanks(&p);
    if (*p != 'r' && *p != 'w') return false;
    out->op = *p++ == 'w' ? PAT_OP_STORE : PAT_OP_LOAD;
    if (!pat_scan_char(&p, ',')) return false;
    pat_scan_blanks(&p);
    if (!pat_scan_decimal(&p, &out->size_bytes) || !pat_scan_char(&p, ',')) return false;
    pat_scan_blanks(&p);
    return pat_scan_hex(&p, &out->addr) && *p == '\0' && out->size_bytes <= UINT16_MAX;
}

static ls_err memtrace_line(struct pat_text *t, const char *line, bool *is_known)
{
    struct memtrace_line l;
    *is_known = memtrace_parse(line, &l);
    if (!*is_known) return LS_OK;
    if (t->thread == PAT_NONE) LS_TRY(pat_collect_thread(&t->collect, 0, "1", &t->thread));
    const struct pat_site site = {
        .ip = l.ip, .module = PAT_NONE, .size_bytes = (uint16_t)l.size_bytes, .op = l.op};
    return pat_collect_one(&t->collect, t->thread, &site, l.addr);
}

static bool memtrace_is_line(const char *line)
{
    struct memtrace_line l;
    return memtrace_parse(line, &l) || strncmp(line, "Format: <instr address>,", 24) == 0;
}

static bool memtrace_recognise(const void *bytes, size_t len, const char *path)
{
    size_t lines;
    (void)path;
    const size_t found = pat_text_count(bytes, len, memtrace_is_line, &lines);
    return found > 0 && 2 * found >= lines;
}

static const struct pat_text_format memtrace = {
    .line = memtrace_line, .expects = "those of DynamoRIO's memtrace: '0x401136,r,8,0x7ffd0010'"};

static ls_err memtrace_open(const char *path, const struct pat_source_options *o, void **out)
{
    return pat_text_open(path, o, &memtrace, out);
}

const struct pat_source_format pat_source_memtrace = {.name = "memtrace",
                                                      .text = "text of DynamoRIO's sample memtrace",
                                                      .recognise = memtrace_recognise,
                                                      .open = memtrace_open,
                                                      PAT_TEXT_ROW};
