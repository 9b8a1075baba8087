/* SPDX-License-Identifier: BSD-3-Clause */
/* Two text formats of gem5.
 *
 * Packets: output of util/decode_packet_trace.py for a packet trace (MemTraceProbe, CommMonitor):
 * "[ID,]r|w|u,ADDRESS,BYTES[,FLAGS],TICK[,PC]", all decimal. Newer versions always write FLAGS, so two
 * numbers after BYTES are FLAGS and TICK.
 *
 * Execution: --debug-flags=Exec with ExecEffAddr (ExeTracer, src/cpu/exetrace.cc): "TICK: CPU: T0 : 0xPC
 * @symbol : disassembly : MemRead : D=0x0 A=0xADDRESS"; 0xPC may be followed by a micro-operation. The lines
 * have no widths. */
#include "patterns/source/pat_sources.h"
#include "common/ls_hash.h"
#include "patterns/source/pat_text.h"

#include <stdio.h>
#include <string.h>

/* --- packets --- */

enum { PACKET_NUMBERS = 5 };

struct packet {
    char command;
    uint64_t numbers[PACKET_NUMBERS]; /* address, bytes, and the numbers that follow */
    size_t len;
};

static bool packet_parse(const char *p, struct packet *out)
{
    uint64_t id;
    *out = (struct packet){0};
    if (pat_scan_decimal(&p, &id) && !pat_scan_char(&p, ',')) return false;
    if (*p != 'r' && *p != 'w' && *p != 'u') return false;
    out->command = *p++;
    while (*p == ',' && out->len < PACKET_NUMBERS) {
        p++;
        if (!pat_scan_decimal(&p, &out->numbers[out->len++])) return false;
    }
    return *p == '\0' && out->len >= 3 && out->numbers[1] <= UINT16_MAX;
}

static ls_err packet_line(struct pat_text *t, const struct packet *k, bool *is_known)
{
    *is_known = k->command != 'u'; /* neither a read nor a write request */
    if (!*is_known) return LS_OK;
    const bool has_pc = k->len == PACKET_NUMBERS;
    if (!has_pc)
        pat_text_note(t,
                      "packets without the address of their instruction: all loads of a width look like one "
                      "instruction, all stores too (gem5: MemTraceProbe with_pc=True)");
    if (t->thread == PAT_NONE) LS_TRY(pat_collect_thread(&t->collect, 0, "all packets", &t->thread));
    const struct pat_site site = {.ip = has_pc ? k->numbers[4] : 0,
                                  .module = PAT_NONE,
                                  .size_bytes = (uint16_t)k->numbers[1],
                                  .op = k->command == 'w' ? PAT_OP_STORE : PAT_OP_LOAD};
    return pat_collect_one(&t->collect, t->thread, &site, k->numbers[0]);
}

/* --- execution --- */

struct exec_line {
    const char *cpu; /* "system.cpu: T0" */
    size_t cpu_len;
    uint64_t ip, micro;
    const char *rest; /* text after the instruction's address */
};

/* Is it a line of the execution trace, of any kind? */
static bool exec_parse(const char *line, struct exec_line *out)
{
    uint64_t tick;
    const char *p = line;
    pat_scan_blanks(&p);
    if (!pat_scan_decimal(&p, &tick) || *p != ':' || p[1] != ' ') return false;
    out->cpu = p + 2;
    const char *end = strstr(out->cpu, " : ");
    if (!end) return false;
    out->cpu_len = (size_t)(end - out->cpu);
    p = end + 3;
    if (p[0] != '0' || p[1] != 'x' || !pat_scan_hex(&p, &out->ip)) return false;
    out->micro = 0;
    if (pat_scan_char(&p, '.')) {
        pat_scan_blanks(&p);
        pat_scan_decimal(&p, &out->micro);
    }
    out->rest = p;
    return true;
}

/* Find the last " A=0x...", because symbols and disassembly come before it. */
static bool exec_address(const char *rest, uint64_t *out)
{
    const char *at = NULL;
    for (const char *p = rest; (p = strstr(p, " A=0x")); p += 5)
        at = p + 3;
    return at && pat_scan_hex(&at, out);
}

static uint64_t exec_cpu_id(const struct exec_line *e)
{
    return ls_hash_bytes(LS_HASH_BEGIN, e->cpu, e->cpu_len);
}

static ls_err exec_line(struct pat_text *t, const struct exec_line *e, bool *is_known)
{
    const bool is_load = strstr(e->rest, "MemRead") != NULL, is_store = strstr(e->rest, "MemWrite") != NULL;
    uint64_t addr;
    char label[128];
    *is_known = (is_load || is_store) && exec_address(e->rest, &addr);
    if (!*is_known) return LS_OK;
    snprintf(label, sizeof(label), "%.*s", (int)(e->cpu_len < sizeof(label) ? e->cpu_len : sizeof(label) - 1),
             e->cpu);
    LS_TRY(pat_collect_thread(&t->collect, exec_cpu_id(e), label, &t->thread));
    const struct pat_site site = {.ip = e->ip,
                                  .module = PAT_NONE,
                                  .operand = (uint8_t)e->micro,
                                  .op = is_load ? PAT_OP_LOAD : PAT_OP_STORE};
    return pat_collect_one(&t->collect, t->thread, &site, addr);
}

/* --- both --- */

static ls_err gem5_line(struct pat_text *t, const char *line, bool *is_known)
{
    struct packet k;
    struct exec_line e;
    *is_known = false;
    if (packet_parse(line, &k)) return packet_line(t, &k, is_known);
    return exec_parse(line, &e) ? exec_line(t, &e, is_known) : LS_OK;
}

static bool gem5_is_line(const char *line)
{
    struct packet k;
    struct exec_line e;
    return packet_parse(line, &k) || exec_parse(line, &e);
}

static bool gem5_recognise(const void *bytes, size_t len, const char *path)
{
    size_t lines;
    (void)path;
    const size_t found = pat_text_count(bytes, len, gem5_is_line, &lines);
    return found > 0 && 4 * found >= lines; /* gem5's messages come before the trace */
}

static const struct pat_text_format gem5 = {.line = gem5_line,
                                            .expects =
                                                "packets as 'r,2147483648,8,0,1000,4198710', or lines of "
                                                "--debug-flags=Exec with MemRead, MemWrite and A=0xADDRESS"};

static ls_err gem5_open(const char *path, const struct pat_source_options *o, void **out)
{
    return pat_text_open(path, o, &gem5, out);
}

const struct pat_source_format pat_source_gem5 = {.name = "gem5",
                                                  .text = "gem5: decode_packet_trace.py, --debug-flags=Exec",
                                                  .recognise = gem5_recognise,
                                                  .open = gem5_open,
                                                  PAT_TEXT_ROW};
