/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the registers and the stack of a thread of this very program, mapped at a fixed address. */
#include "symbols/sym_unwind.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-unwind/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

#define FUZZ_BASE UINT64_C(0x555555554000)
enum { FUZZ_FRAMES_MAX = 64 };

static sym_unwinder *unwinder(void)
{
    static sym_session *session; /* one for all inputs: opening it is most of the work */
    static sym_unwinder *u;
    if (u) return u;
    if (sym_session_new(&session) != LS_OK ||
        sym_session_add(session, "/proc/self/exe", FUZZ_BASE) != LS_OK ||
        sym_unwinder_new(session, &u) != LS_OK)
        abort();
    return u;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    uint64_t regs[SYM_REGS] = {0};
    struct sym_frame frames[FUZZ_FRAMES_MAX];
    const size_t head = len_bytes < sizeof(regs) ? len_bytes : sizeof(regs);
    bool is_whole;
    memcpy(regs, data, head);
    const struct sym_stack stack = {
        .regs = regs, .bytes = data + head, .base = regs[SYM_REG_SP], .len_bytes = len_bytes - head};
    const size_t len = sym_unwind(unwinder(), &stack, NULL, frames, FUZZ_FRAMES_MAX, &is_whole);
    if (len == 0 || len > FUZZ_FRAMES_MAX) abort();
    for (size_t i = 0; i < len; i++) {
        if (i > 1 && frames[i - 1].cfa <= frames[i - 2].cfa) abort(); /* callers are above */
        fuzz_sum += frames[i].ip + frames[i].cfa;
    }
    return 0;
}
