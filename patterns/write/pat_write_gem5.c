/* SPDX-License-Identifier: BSD-3-Clause */
/* Input of gem5's traffic generator: a packet trace a pattern (src/proto/packet.proto, the framing of
 * src/proto/protoio.cc), and a script that plays one of them against a memory. The paper on GS
 * Patterns ("A Workflow for the Synthesis of Irregular Memory Access Microbenchmarks", section 4) expects
 * patterns to be used in simulators that way. */
#include "common/ls_put.h"
#include "common/ls_text.h"
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAT_GEM5_READ = 1, /* ReadReq and WriteReq of enum Command, src/mem/packet.hh */
    PAT_GEM5_WRITE = 4,
    PAT_GEM5_TICKS = 500,      /* between two requests: the generator waits longer when memory does */
    PAT_GEM5_REQUEST_MAX = 64, /* bytes: a cache line */
    PAT_GEM5_MEMORY_MIN = 1 << 20
};
#define PAT_GEM5_TICK_HZ 1000000000000u /* gem5's default: a tick is a picosecond */

/* A message of protobuf: field numbers and kinds before values, varints. */
struct pat_gem5_message {
    uint8_t bytes[512];
    size_t len;
};

static void pat_gem5_varint(struct pat_gem5_message *m, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        m->bytes[m->len++] = (uint8_t)(n | 0x80);
    m->bytes[m->len++] = (uint8_t)n;
}

static void pat_gem5_number(struct pat_gem5_message *m, unsigned field, uint64_t n)
{
    pat_gem5_varint(m, field << 3);
    pat_gem5_varint(m, n);
}

static void pat_gem5_text(struct pat_gem5_message *m, unsigned field, const char *text)
{
    const size_t len = strnlen(text, sizeof(m->bytes) / 2);
    pat_gem5_varint(m, field << 3 | 2);
    pat_gem5_varint(m, len);
    memcpy(m->bytes + m->len, text, len);
    m->len += len;
}

static void pat_gem5_send(const struct pat_gem5_message *m, FILE *out)
{
    struct pat_gem5_message head = {.len = 0};
    pat_gem5_varint(&head, m->len);
    fwrite(head.bytes, 1, head.len, out);
    fwrite(m->bytes, 1, m->len, out);
}

/* Requests are aligned to their size, so that none crosses a line: an element of 24 bytes becomes a request
 * for its first 8. */
static uint64_t pat_gem5_request_bytes(uint64_t elem_size_bytes)
{
    uint64_t size = 1;
    while (size < PAT_GEM5_REQUEST_MAX && elem_size_bytes && elem_size_bytes % (2 * size) == 0)
        size *= 2;
    return size;
}

static void pat_gem5_packets(const struct pat_found *r, const struct pat_indices *p, FILE *out)
{
    struct pat_gem5_message m = {.len = 0};
    const uint64_t elem = r->elem_size_bytes ? r->elem_size_bytes : 8, size = pat_gem5_request_bytes(elem);
    fwrite("gem5", 1, 4, out);
    pat_gem5_text(&m, 1, r->config.name);
    pat_gem5_number(&m, 3, PAT_GEM5_TICK_HZ);
    pat_gem5_send(&m, out);
    for (size_t i = 0; i < p->len; i++) {
        m.len = 0;
        pat_gem5_number(&m, 1, (uint64_t)i * PAT_GEM5_TICKS);
        pat_gem5_number(&m, 2, r->op == PAT_OP_LOAD ? PAT_GEM5_READ : PAT_GEM5_WRITE);
        pat_gem5_number(&m, 3, (uint64_t)p->data[i] * elem);
        pat_gem5_number(&m, 4, size);
        pat_gem5_send(&m, out);
    }
}

struct pat_gem5_made {
    char name[PATH_MAX];
    size_t requests;
    uint64_t memory_bytes; /* smallest power of two that contains them */
};

/* Shared by all patterns of one call. */
struct pat_gem5_job {
    const struct pat_findings *found;
    const struct pat_write_options *options;
    const char *path;
    ls_outputs *files;
};

static ls_err pat_gem5_trace(const struct pat_gem5_job *job, size_t i, struct pat_gem5_made *made)
{
    const struct pat_found *r = &job->found->rows[i];
    const uint64_t elem = r->elem_size_bytes ? r->elem_size_bytes : 8;
    char name[PATH_MAX];
    struct pat_indices flat;
    FILE *out;
    int64_t highest = 0;
    pat_write_path(&pat_writer_gem5, job->path, 1 + i, job->found, name);
    LS_TRY(pat_whole(r, pat_write_max(job->options), &flat));
    for (size_t k = 0; k < flat.len; k++)
        if (flat.data[k] > highest) highest = flat.data[k];
    made->requests = flat.len;
    made->memory_bytes = PAT_GEM5_MEMORY_MIN;
    while (made->memory_bytes >> 62 == 0 && (unsigned __int128)(highest + 1) * elem > made->memory_bytes)
        made->memory_bytes *= 2;
    snprintf(made->name, sizeof(made->name), "%s", ls_base_name(name));
    ls_err err = ls_outputs_open(job->files, name, &out);
    if (err == LS_OK) {
        pat_gem5_packets(r, &flat, out);
        err = ls_outputs_close(job->files, out);
    }
    free(flat.data);
    return err;
}

/* JSON texts and numbers are literals of Python, too. */
static void pat_gem5_row(const struct pat_found *r, const struct pat_gem5_made *made, FILE *out)
{
    char origin[1024];
    pat_origin_text(r, origin, sizeof(origin));
    fputs("    (", out);
    ls_put_json(out, made->name, "");
    fprintf(out, ", %zu, %" PRIu64 ", ", made->requests, made->memory_bytes);
    ls_put_json(out, r->config.name, "");
    fputs(", ", out);
    ls_put_json(out, origin, "");
    fputs("),\n", out);
}

static const char pat_gem5_head[] =
    ", for gem5's traffic generator: gem5.opt THIS.py --pattern 0\n"
    "# (gem5 21 or later, built with protobuf; any build will do, build/NULL is the smallest).\n"
    "# Each pattern is a trace of packets beside this file, addresses from 0 on.\n"
    "PATTERNS = [  # trace, requests, bytes of memory, name, where it is from\n";

static const char pat_gem5_body[] =
    "]\n"
    "\n"
    "import argparse\n"
    "import os\n"
    "\n"
    "import m5\n"
    "import m5.objects\n"
    "from m5.objects import *\n"
    "\n"
    "parser = argparse.ArgumentParser()\n"
    "parser.add_argument('--pattern', type=int, default=0, help='row of PATTERNS')\n"
    "parser.add_argument('--dram', default='DDR4_2400_8x8', help='a DRAM interface of gem5')\n"
    "parser.add_argument('--l2', default='', help='size of a cache in front of memory, as 1MiB')\n"
    "options = parser.parse_args()\n"
    "trace, requests, memory_bytes, name, origin = PATTERNS[options.pattern]\n"
    "\n"
    "system = System(mem_mode='timing', mem_ranges=[AddrRange(size=memory_bytes)])\n"
    "system.clk_domain = SrcClockDomain(clock='2GHz', voltage_domain=VoltageDomain())\n"
    "system.membus = SystemXBar(width=64)\n"
    "system.mem_ctrl = MemCtrl()\n"
    "system.mem_ctrl.dram = getattr(m5.objects, options.dram)(range=system.mem_ranges[0], null=True)\n"
    "system.mem_ctrl.port = system.membus.mem_side_ports\n"
    "system.system_port = system.membus.cpu_side_ports\n"
    "# elastic: a request that had to wait delays all that follow\n"
    "system.tgen = PyTrafficGen(elastic_req=True)\n"
    "if options.l2:\n"
    "    system.l2 = Cache(size=options.l2, assoc=16, tag_latency=10, data_latency=10,\n"
    "                      response_latency=10, mshrs=32, tgts_per_mshr=16)\n"
    "    system.tgen.port = system.l2.cpu_side\n"
    "    system.l2.mem_side = system.membus.cpu_side_ports\n"
    "else:\n"
    "    system.tgen.port = system.membus.cpu_side_ports\n"
    "\n"
    "\n"
    "def traffic(tgen):\n"
    "    # duration 0: to the end of the trace\n"
    "    yield tgen.createTrace(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), trace))\n"
    "    yield tgen.createExit(0)\n"
    "\n"
    "\n"
    "root = Root(full_system=False, system=system)\n"
    "m5.instantiate()\n"
    "system.tgen.start(traffic(system.tgen))\n"
    "print('pattern %d, %s: %s' % (options.pattern, name, origin))\n"
    "event = m5.simulate()\n"
    "print('%d requests in %d ticks: %s' % (requests, m5.curTick(), event.getCause()))\n";

static ls_err pat_gem5_write(const struct pat_findings *f, const struct pat_write_options *o,
                             const char *path, ls_outputs *files)
{
    const struct pat_gem5_job job = {f, o, path, files};
    FILE *out;
    LS_TRY(ls_outputs_open(files, path, &out));
    pat_whole_note(f, o);
    fputs("# Access patterns of ", out);
    ls_put_json(out, ls_base_name(o->source), "");
    fputs(pat_gem5_head, out);
    for (size_t i = 0; i < f->len; i++) {
        struct pat_gem5_made made;
        LS_TRY(pat_gem5_trace(&job, i, &made));
        pat_gem5_row(&f->rows[i], &made, out);
    }
    fputs(pat_gem5_body, out);
    return LS_OK;
}

const struct pat_writer pat_writer_gem5 = {
    .name = "gem5",
    .text = "packet traces and a script for gem5's traffic generator",
    .end = ".py",
    .each = ".trc",
    .write = pat_gem5_write,
};
