/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/translate/tr_unit.h"

#include "tests/translate/tr_session.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

const struct rt_tr_plan whole = {.warm_instructions = 600,
                                 .pace_instructions = 4000,
                                 .accesses = 64,
                                 .probes = 50,
                                 .probe_loads = 8,
                                 .random = 12345};
const struct rt_tr_plan brief = {.warm_instructions = 2000};
uint64_t words[WORDS];

uint64_t __attribute__((noinline)) sum_words(const uint64_t *from, uint64_t len)
{
    uint64_t sum = 0;
    __asm__ volatile("1: addq (%1), %0\n\t"
                     "addq $8, %1\n\t"
                     "decq %2\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(from), "+r"(len)
                     :
                     : "memory", "cc");
    return sum;
}

void fill_words(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i * i;
}

uint64_t __attribute__((noinline)) sum_in_burst(const struct rt_tr_plan *plan)
{
    tr_session_each(plan, NULL);
    TR_TRIGGER();
    return sum_words(words, WORDS);
}

const struct rt_tr_result *checked_result(enum rt_tr_end end)
{
    assert_int_equal(tr_session_refused(), RT_TR_ACCEPTED);
    assert_string_equal(rt_tr_end_name(tr_session_result()->end), rt_tr_end_name(end));
    return tr_session_result();
}

void warm_up(void)
{
    for (unsigned i = 0; i < 20; i++) {
        sum_in_burst(&whole);
        if (!tr_session_result()->translated) return;
    }
}

void write_return(uint8_t *code, uint32_t value)
{
    code[0] = 0xb8;
    memcpy(code + 1, &value, sizeof value);
    code[5] = 0xc3;
}

uint32_t call_in_burst(const uint8_t *code)
{
    tr_session_each(&brief, NULL);
    TR_TRIGGER();
    uint32_t v = 0;
    for (unsigned i = 0; i < 3; i++)
        v = ((uint32_t(*)(void))(uintptr_t)code)();
    return v;
}

uint8_t *map_code(size_t len_bytes)
{
    uint8_t *code =
        mmap(NULL, len_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + len_bytes);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, len_bytes); /* another test may have unmapped code here */
    return code;
}

int tr_unit_run(const char *without, int (*tests)(void))
{
    const char *skip = tr_session_open(0, false, without);
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    return tests();
}
