/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that are decoded without Zydis, beside their decoding with it: at each byte of the code of all loaded
 * libraries, and of random bytes. */
#include "common/ls_random.h"
#include "runtime/translate/rt_tr_internal.h"
#include "tests/translate/tr_session.h"
#include "tests/unit.h"

#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct counts {
    uint64_t instructions, common;
};

static bool same_operand(const struct rt_burst_mem *a, const struct rt_burst_mem *b)
{
    return a->disp == b->disp && a->kind == b->kind && a->does == b->does && a->segment == b->segment &&
           a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->addr_width_bytes == b->addr_width_bytes && a->repeated == b->repeated && a->mask == b->mask &&
           a->size_bytes == b->size_bytes && a->bit_reg == b->bit_reg;
}

static bool same(const struct rt_tr_insn *a, const struct rt_tr_insn *b)
{
    const struct rt_burst_plan *p = &a->plan, *q = &b->plan;
    if (a->ip != b->ip || a->target != b->target || a->flags_read != b->flags_read ||
        a->flags_written != b->flags_written || a->disp_offset != b->disp_offset || a->copied != b->copied ||
        a->may_fault != b->may_fault || a->repeats != b->repeats)
        return false;
    if (p->ip != q->ip || memcmp(p->code, q->code, sizeof p->code) != 0 || p->len_bytes != q->len_bytes ||
        p->klass != q->klass || p->mem_count != q->mem_count || p->flow != q->flow ||
        p->flow_code != q->flow_code || p->is_locked != q->is_locked ||
        p->is_rip_relative != q->is_rip_relative || p->rip_disp != q->rip_disp ||
        p->displacement != q->displacement)
        return false;
    for (unsigned i = 0; i < p->mem_count; i++)
        if (!same_operand(&p->mem[i], &q->mem[i])) return false;
    return true;
}

static void print_insn(const struct rt_tr_insn *n, uint64_t named)
{
    const struct rt_burst_plan *p = &n->plan;
    print_message(
        "len %u target +%llx read %x written %x disp at %u copied %u faults %u flow %u.%u rip %u %lld named %llx\n",
        p->len_bytes, (unsigned long long)(n->target - n->ip), n->flags_read, n->flags_written,
        n->disp_offset, n->copied, n->may_fault, p->flow, p->flow_code, p->is_rip_relative,
        (long long)p->rip_disp, (unsigned long long)named);
    for (unsigned i = 0; i < p->mem_count; i++)
        print_message("  [%u + %u * %u + %lld] of segment %u: %u bytes, does %u, kind %u\n", p->mem[i].base,
                      p->mem[i].index, p->mem[i].scale, (long long)p->mem[i].disp, p->mem[i].segment,
                      p->mem[i].size_bytes, p->mem[i].does, p->mem[i].kind);
}

/* No sequence is elsewhere. */
static uint64_t in_user_space(uint64_t addr)
{
    return addr >= 65536 && addr >> 47 == 0 ? addr : 0;
}

/* Compare both for the instruction in len_bytes of code; returns its length. */
static unsigned compare(const uint8_t *code, size_t len_bytes, struct counts *counts)
{
    static struct rt_tr_insn common, any;
    uint8_t bytes[RT_BURST_CODE_BYTES] = {0};
    const size_t have = len_bytes < sizeof bytes ? len_bytes : sizeof bytes;
    const uint64_t ip = 0x7ffff7a00000;
    uint64_t named = 0, expected = 0;
    enum rt_tr_end forbidden = RT_TR_END_NONE;
    memcpy(bytes, code, have);
    const enum rt_burst_decoded d = rt_tr_decode_any(&any, bytes, have, ip, &expected, &forbidden);
    const bool is_common = rt_tr_decode_common(&common, bytes, have, ip, &named);
    counts->instructions += d == RT_BURST_DECODED;
    counts->common += is_common;
    const bool equal = d == RT_BURST_DECODED && !forbidden && same(&common, &any) &&
                       in_user_space(named) == in_user_space(expected);
    if (is_common && !equal) {
        for (unsigned i = 0; i < sizeof bytes; i++)
            print_message("%02x ", bytes[i]);
        print_message("\nZydis: %u, forbidden: %u\n", d, forbidden);
        print_insn(&any, expected);
        print_insn(&common, named);
        fail();
    }
    return d == RT_BURST_DECODED ? any.plan.len_bytes : 1;
}

/* The code of one library: at each byte, and instruction by instruction. */
static int compare_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct counts *counts = arg, at_all_bytes = {0};
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || !(h->p_flags & PF_R)) continue;
        const uint8_t *code = (const uint8_t *)(info->dlpi_addr + h->p_vaddr);
        for (size_t at = 0; at < h->p_filesz; at++)
            compare(code + at, h->p_filesz - at, &at_all_bytes);
        for (size_t at = 0; at < h->p_filesz;)
            at += compare(code + at, h->p_filesz - at, counts);
    }
    return 0;
}

/* Most instructions of compiled code are common. */
static void code_is_decoded_alike(void **state)
{
    struct counts counts = {0};
    (void)state;
    dl_iterate_phdr(compare_library, &counts);
    print_message("%.1f %% of %llu instructions are common\n",
                  100.0 * (double)counts.common / (double)counts.instructions,
                  (unsigned long long)counts.instructions);
    assert_true(counts.instructions > 300000);
    assert_true(counts.common > counts.instructions * 8 / 10);
}

static void random_bytes_are_decoded_alike(void **state)
{
    enum { TRIES = 2000000 };
    static const uint8_t prefixes[] = {0x66, 0x64, 0xf2, 0xf3, 0x0f, 0x48,
                                       0x41, 0x4c, 0x67, 0x65, 0xf0, 0x2e};
    uint64_t random = 3;
    struct counts counts = {0};
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        uint8_t bytes[RT_BURST_CODE_BYTES];
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)ls_random_next(&random);
        const unsigned begins = (unsigned)ls_random_below(&random, 4);
        for (unsigned k = 0; k < begins; k++)
            bytes[k] = prefixes[ls_random_below(&random, sizeof prefixes)];
        compare(bytes, 1 + ls_random_below(&random, sizeof bytes), &counts);
    }
    assert_true(counts.common > TRIES / 10);
}

UNIT_GROUP()
{
    const char *skip = tr_session_open(0, false, "");
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_is_decoded_alike),
                                       cmocka_unit_test(random_bytes_are_decoded_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
