/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/translate/tr_session.h"

#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "runtime/bursts/rt_burst_processor.h"
#include "spool/spool_format.h"
#include "tests/xorshift.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP_FLAG 0x100LL
enum {
    STATUS_FLAGS = 0xcd5,
    STACK_BYTES = 1 << 18,
    BREAKPOINT = 0xcc,
    CHECKPOINTS_MOST = 1 << 19,
    CODES_MOST = 256,
    MEMORY_EVERY = 32,
    TRAIL = 64,
    NOTED_MOST = 1 << 19
};
enum { COMPONENTS = 10, MEMORIES = 3 };

enum session_mode { MODE_OFF, MODE_TRANSLATE, MODE_STEP, MODE_EACH };

struct checkpoint {
    uint64_t count, gregs[16], ip, eflags, xstate[COMPONENTS], memory[MEMORIES];
    uint8_t end, flags_dead, has_memory;
};

/* An access that a burst reported. */
struct noted {
    uint64_t position, ip, addr;
    uint16_t size_bytes, lane;
    uint8_t does;
    bool begins_list;
};

/* Shared by the children. */
struct notes {
    uint64_t len, verified;
    struct tr_figures figures;
    uint32_t finished, failed;
    uint64_t access_len, accesses_verified, probe_len, probes_verified;
    struct noted accesses[NOTED_MOST], probes[NOTED_MOST];
    struct checkpoint at[CHECKPOINTS_MOST];
};

static struct {
    enum session_mode mode;
    const struct tr_case *what;
    struct rt_burst_zydis zydis;
    struct notes *notes;
    uint64_t count, random, prev_ip;
    bool guard_is_open;
    uint64_t accesses_of;  /* the instruction whose accesses were verified */
    uint64_t trail[TRAIL]; /* last instructions that were stepped */
    uint8_t *stack;
    struct tr_region codes[CODES_MOST];
    unsigned code_count;
    bool is_generated;
    jmp_buf back;
    const struct rt_tr_plan *each_plan;
    void (*each_fault)(int, siginfo_t *, ucontext_t *);
} s;

static __thread struct {
    struct rt_tr_thread *thread;
    struct rt_tr_result result;
    enum rt_tr_refused refused;
} self;

static const int greg_order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* Vector registers in their initial state: both children begin alike. */
static const struct {
    uint8_t legacy[24];
    uint32_t mxcsr;
    uint8_t rest[576 - 28];
} initial_xstate __attribute__((aligned(64), used)) = {.mxcsr = 0x1f80};

/* Switch to the stack, trap, run, trap. */
void tr_call(void (*run)(void *), void *arg, void *stack_top);
extern const char tr_call_stop[];
__asm__(".text\n"
        ".type tr_call, @function\n"
        "tr_call:\n"
        "    movq %rdx, %rsp\n"
        "    movl $0xff, %eax\n"
        "    xorl %edx, %edx\n"
        "    xrstor64 initial_xstate(%rip)\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    xorl %ebx, %ebx\n"
        "    xorl %ebp, %ebp\n"
        "    xorl %r12d, %r12d\n"
        "    xorl %r13d, %r13d\n"
        "    xorl %r14d, %r14d\n"
        "    xorl %r15d, %r15d\n"
        "    int3\n"
        "    call *%rax\n"
        "    .globl tr_call_stop\n"
        "tr_call_stop:\n"
        "    int3\n"
        "    ud2\n"
        ".size tr_call, . - tr_call\n");

static uint64_t stop_ip(void)
{
    return (uint64_t)(uintptr_t)tr_call_stop;
}

static uint64_t next_random(void)
{
    return xorshift(&s.random);
}

static uint64_t below(uint64_t limit)
{
    return (next_random() >> 11) % limit;
}

static uint64_t hash(uint64_t h, const void *bytes, size_t len_bytes)
{
    const uint8_t *p = bytes;
    for (; len_bytes >= 8; len_bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    for (; len_bytes; len_bytes--)
        h = (h ^ *p++) * UINT64_C(0x100000001b3);
    return h;
}

static uint32_t component_offset(unsigned component, uint32_t *len_bytes)
{
    uint32_t offset, c, d;
    __cpuid_count(0xd, component, *len_bytes, offset, c, d);
    return offset;
}

/* A hash of each component; a component in its initial state counts as zeroes. */
static void take_xstate(const void *fpregs, uint64_t out[COMPONENTS])
{
    enum { LATER = COMPONENTS - 4 };
    static const uint8_t components[LATER] = {2, 5, 6, 7, 17, 18};
    static uint32_t offsets[LATER], lens[LATER];
    static const uint8_t zeroes[8192];
    const uint8_t *area = fpregs;
    uint64_t present;
    memcpy(&present, area + 512, 8);
    memset(out, 0, COMPONENTS * sizeof out[0]);
    static const uint8_t init_x87[24] = {0x7f, 0x03};
    const bool x87 = present & 1;
    out[0] = hash(1, x87 ? area : init_x87, 8); /* control, status, tag, opcode */
    for (unsigned i = 0; i < 8; i++)
        out[0] = hash(out[0], x87 ? area + 32 + i * 16 : zeroes, 10);
    out[1] = hash(1, x87 ? area + 8 : zeroes, 16); /* last instruction and operand */
    out[2] = hash(1, area + 24, 4);
    out[3] = hash(1, present & 2 ? area + 160 : zeroes, 256);
    for (unsigned i = 0; i < LATER; i++) {
        if (!offsets[i]) offsets[i] = component_offset(components[i], &lens[i]);
        if (lens[i]) out[4 + i] = hash(1, present >> components[i] & 1 ? area + offsets[i] : zeroes, lens[i]);
    }
}

static uint64_t heap_begin;

static void guard(bool on)
{
    const struct tr_region *g = &s.what->guarded;
    if (g->base) mprotect(g->base, g->len_bytes, on ? PROT_NONE : PROT_READ | PROT_WRITE);
    s.guard_is_open = !on;
}

static void hash_memory(uint64_t out[MEMORIES])
{
    const bool was_open = s.guard_is_open;
    guard(false);
    out[0] = hash(1, s.stack, STACK_BYTES);
    out[1] = 1;
    for (unsigned i = 0; i < 8 && s.what->memory[i].base; i++)
        out[1] = hash(out[1], s.what->memory[i].base, s.what->memory[i].len_bytes);
    const uint64_t heap_end = (uint64_t)(uintptr_t)sbrk(0);
    out[2] = hash(1, (void *)(uintptr_t)heap_begin, heap_end - heap_begin);
    guard(!was_open);
}

/* A burst that ends at an indirect call has pushed the return address, and moves the stack pointer back: the call pushes it again,
 * unless it faults because its target is not canonical. */
static void forget_return_address(const ucontext_t *uc)
{
    ZydisDecodedInstruction insn;
    const void *code = (const void *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    const uint64_t offset = (uint64_t)uc->uc_mcontext.gregs[REG_RSP] - 8 - (uint64_t)(uintptr_t)s.stack;
    if (offset > STACK_BYTES - 8 ||
        ZYAN_FAILED(ZydisDecoderDecodeInstruction(&s.zydis.decoder, NULL, code, 15, &insn)))
        return;
    if (insn.mnemonic == ZYDIS_MNEMONIC_CALL) memset(s.stack + offset, 0, 8);
}

static void take_checkpoint(struct checkpoint *c, const ucontext_t *uc)
{
    forget_return_address(uc);
    c->count = s.count;
    for (unsigned i = 0; i < 16; i++)
        c->gregs[i] = (uint64_t)uc->uc_mcontext.gregs[greg_order[i]];
    c->ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    c->eflags = (uint64_t)uc->uc_mcontext.gregs[REG_EFL] & STATUS_FLAGS;
    take_xstate(uc->uc_mcontext.fpregs, c->xstate);
}

static void fail(const char *text)
{
    fprintf(stderr, "%s: instruction %lu: %s\n", s.what ? s.what->name : "", (unsigned long)s.count, text);
    if (s.notes) s.notes->failed = 1;
    _exit(1);
}

static void note_checkpoint(const ucontext_t *uc, enum rt_tr_end end, bool flags_dead)
{
    struct notes *n = s.notes;
    if (n->len == CHECKPOINTS_MOST) fail("too many checkpoints");
    struct checkpoint *c = &n->at[n->len];
    take_checkpoint(c, uc);
    c->end = (uint8_t)end;
    c->flags_dead = flags_dead;
    c->has_memory = n->len % MEMORY_EVERY == 0 || c->ip == stop_ip();
    if (c->has_memory) hash_memory(c->memory);
    n->len++;
}

static void print_difference(const struct checkpoint *a, const struct checkpoint *b)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const parts[] = {
        "x87", "fip", "mxcsr", "sse", "avx", "k", "zmm_high", "zmm_16_31", "tile configuration", "tiles"};
    fprintf(stderr, "%s: difference after %lu instructions, end %s, ip %lx %lx (translated, stepped)\n",
            s.what->name, (unsigned long)a->count, rt_tr_end_name(a->end), (unsigned long)a->ip,
            (unsigned long)b->ip);
    for (unsigned i = 0; i < 16; i++)
        if (a->gregs[i] != b->gregs[i])
            fprintf(stderr, "  %s %lx %lx\n", names[i], (unsigned long)a->gregs[i],
                    (unsigned long)b->gregs[i]);
    if (a->eflags != b->eflags)
        fprintf(stderr, "  flags %lx %lx\n", (unsigned long)a->eflags, (unsigned long)b->eflags);
    for (unsigned i = 0; i < COMPONENTS; i++)
        if (a->xstate[i] != b->xstate[i]) fprintf(stderr, "  %s\n", parts[i]);
    static const char *const memories[] = {"stack", "data", "heap"};
    for (unsigned i = 0; a->has_memory && i < MEMORIES; i++)
        if (a->memory[i] != b->memory[i]) fprintf(stderr, "  %s\n", memories[i]);
    const struct checkpoint *before = a > s.notes->at ? a - 1 : a;
    fprintf(stderr, "  checkpoint before: %lu at %lx\n", (unsigned long)before->count,
            (unsigned long)before->ip);
}

static unsigned accesses_of_next(const ucontext_t *uc, struct rt_burst_access out[RT_BURST_ACCESS_MAX])
{
    static struct rt_burst_scratch scratch;
    static struct rt_burst_xlayout layout;
    struct rt_burst_plan plan;
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    struct rt_burst_regs regs = {.gregs = uc->uc_mcontext.gregs};
    rt_burst_xlayout_learn(&layout);
    regs.xstate = rt_burst_xstate_view(uc->uc_mcontext.fpregs, layout);
    regs.fs_base = rt_burst_fs_base(false);
    if (rt_burst_decode(&s.zydis, &scratch, &plan, (const uint8_t *)(uintptr_t)ip, 15, ip) !=
        RT_BURST_DECODED)
        return 0;
    return rt_burst_accesses(&plan, &regs, out);
}

static bool is_among(const struct noted *n, uint8_t does, const struct rt_burst_access *accesses,
                     unsigned len)
{
    const uint8_t op = does == RT_TR_LOAD    ? SPOOL_OP_LOAD
                       : does == RT_TR_STORE ? SPOOL_OP_STORE
                                             : SPOOL_OP_PREFETCH;
    for (unsigned i = 0; i < len; i++)
        if (accesses[i].addr == n->addr && accesses[i].size_bytes == n->size_bytes &&
            accesses[i].lane == n->lane && accesses[i].op == op)
            return true;
    return false;
}

/* Check that a list contains each access of each instruction from its first to its last one, and no other. */
static void verify_accesses(const ucontext_t *uc)
{
    struct notes *n = s.notes;
    if (s.count == s.accesses_of) return;
    s.accesses_of = s.count;
    const struct noted *at = &n->accesses[n->accesses_verified], *end = &n->accesses[n->access_len];
    const struct noted *probe = &n->probes[n->probes_verified];
    const bool probed = n->probes_verified < n->probe_len && probe->position == s.count;
    const bool listed = at < end && (at->position == s.count || !at->begins_list);
    if (!probed && !listed) return;
    struct rt_burst_access accesses[RT_BURST_ACCESS_MAX];
    const unsigned len = accesses_of_next(uc, accesses);
    unsigned found = 0;
    for (; listed && at < end && at->position == s.count; at++, n->accesses_verified++) {
        if (at->ip != (uint64_t)uc->uc_mcontext.gregs[REG_RIP]) fail("an access of another instruction");
        for (uint8_t does = RT_TR_LOAD; does <= RT_TR_PREFETCH; does = (uint8_t)(does << 1)) {
            if (!(at->does & does)) continue;
            if (!is_among(at, does, accesses, len)) fail("an access that the instruction does not make");
            found++;
        }
    }
    const bool whole = at < end && !at->begins_list; /* the last instruction may be listed in part */
    if (listed && whole && found != len) fail("an access is missing");
    if (!probed) return;
    n->probes_verified++;
    if (probe->ip != (uint64_t)uc->uc_mcontext.gregs[REG_RIP] || !is_among(probe, RT_TR_LOAD, accesses, len))
        fail("a probe of a load that is none");
}

static void note_accesses(const struct rt_tr_result *r)
{
    struct notes *n = s.notes;
    if (n->access_len + RT_TR_ACCESSES_MAX > NOTED_MOST || n->probe_len + RT_TR_PROBES_MAX > NOTED_MOST)
        return;
    if (r->work != r->instructions) return; /* positions count lines of repeated instructions, too */
    for (unsigned i = 0; i < r->access_count; i++) {
        const struct rt_tr_access *a = &r->accesses[i];
        n->accesses[n->access_len++] = (struct noted){
            s.count + a->position, a->ip, a->addr, a->size_bytes, a->lane, a->does & 7, i == 0};
    }
    for (unsigned i = 0; i < r->probe_count; i++) {
        const struct rt_tr_probe *p = &r->probes[i];
        n->probes[n->probe_len++] =
            (struct noted){s.count + p->position, p->ip, p->addr, p->size_bytes, 0, RT_TR_LOAD, false};
    }
}

static void print_trail(void)
{
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    for (uint64_t i = s.count > TRAIL ? s.count - TRAIL : 0; i < s.count; i++) {
        ZydisDecodedInstruction insn;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        char text[128];
        const uint64_t ip = s.trail[i % TRAIL];
        if (ZYAN_FAILED(ZydisDecoderDecodeFull(&s.zydis.decoder, (void *)(uintptr_t)ip, 15, &insn, operands)))
            continue;
        ZydisFormatterFormatInstruction(&formatter, &insn, operands, insn.operand_count_visible, text,
                                        sizeof text, ip, NULL);
        fprintf(stderr, "  %lu %lx %s\n", (unsigned long)i, (unsigned long)ip, text);
    }
}

static bool is_mmx(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[i].reg.value >= ZYDIS_REGISTER_MM0 &&
            operands[i].reg.value <= ZYDIS_REGISTER_MM7)
            return true;
    return false;
}

/* Let b have the state that an instruction changes before one of its accesses faults, as a is after such a fault in a burst:
 * the program then executes it itself, with the same effect. Intel's processors clear the top of the x87 stack for an MMX
 * instruction; a gather or scatter completes elements, and writes its mask. */
static void take_changes_of_fault(const struct checkpoint *a, struct checkpoint *b)
{
    enum { X87 = 0, SSE = 3, ZMM_16_31 = 7 };
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = (const void *)(uintptr_t)a->ip;
    if (a->end != RT_TR_END_FAULT || a->ip != b->ip) return;
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&s.zydis.decoder, code, 15, &insn, operands))) return;
    if (is_mmx(&insn, operands)) b->xstate[X87] = a->xstate[X87];
    const ZydisInstructionCategory c = insn.meta.category;
    if (c != ZYDIS_CATEGORY_AVX2GATHER && c != ZYDIS_CATEGORY_GATHER && c != ZYDIS_CATEGORY_SCATTER) return;
    for (unsigned i = SSE; i <= ZMM_16_31; i++)
        b->xstate[i] = a->xstate[i];
}

static void verify_checkpoints(const ucontext_t *uc)
{
    struct notes *n = s.notes;
    for (; n->verified < n->len && n->at[n->verified].count <= s.count; n->verified++) {
        const struct checkpoint *a = &n->at[n->verified];
        struct checkpoint b = {0};
        take_checkpoint(&b, uc);
        if (a->has_memory) hash_memory(b.memory);
        take_changes_of_fault(a, &b);
        const bool same =
            a->count == b.count && a->ip == b.ip && memcmp(a->gregs, b.gregs, sizeof a->gregs) == 0 &&
            (a->flags_dead || a->eflags == b.eflags) && memcmp(a->xstate, b.xstate, sizeof a->xstate) == 0 &&
            (!a->has_memory || memcmp(a->memory, b.memory, sizeof a->memory) == 0);
        if (same) continue;
        print_difference(a, &b);
        print_trail();
        n->failed = 1;
        _exit(1);
    }
}

static void __attribute__((used)) landed(void)
{
    __asm__ volatile("fninit" ::: "memory");
    const uint32_t mxcsr = 0x1f80;
    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
    longjmp(s.back, 1);
}

static void land(ucontext_t *uc)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    gregs[REG_RIP] = (greg_t)(uintptr_t)landed;
    gregs[REG_RSP] = ((greg_t)(uintptr_t)(s.stack + STACK_BYTES) & ~15LL) - 8;
    gregs[REG_EFL] &= ~(TRAP_FLAG | 0x400);
    s.mode = MODE_OFF;
}

static struct rt_tr_plan draw_plan(void)
{
    static const struct rt_tr_range never[] = {{0x1000, 0x2000}, {0x5000, 0x6000}};
    struct rt_tr_plan p = {.random = next_random(), .instructions_max = 1 + below(400)};
    const uint64_t kind = s.what->plans == TR_PLAN_SHORT ? 0 : s.what->plans == TR_PLAN_WHOLE ? 3 : below(4);
    if (kind == 0) p.warm_instructions = (uint32_t)(1 + below(60));
    if (kind == 1 || kind == 3) p.accesses = (uint32_t)below(64);
    if (kind >= 2) {
        p.probes = (uint32_t)below(40);
        p.probe_loads = (uint32_t)(1 + below(16));
        p.never_probe = never;
        p.never_probe_len = (uint32_t)below(3);
    }
    if (kind == 3) {
        p.warm_instructions = (uint32_t)below(200);
        p.settle_instructions = (uint32_t)below(600);
        p.pace_instructions = (uint32_t)below(1000);
        p.instructions_max = 1 + below(6000);
        p.pace_us = p.tsc_per_us = 1000; /* enough for any window */
        p.late_tsc = below(2);
    }
    return p;
}

static void add_figures(const struct rt_tr_result *r)
{
    struct tr_figures *f = &s.notes->figures;
    f->bursts++;
    f->accesses += r->access_count;
    f->probes += r->probe_count;
    f->paces += r->pace.instructions > 0;
    f->paces_discarded += r->pace.discarded;
    f->lates += r->late.instructions > 0;
    f->translated += r->translated;
    f->ends[r->end]++;
}

/* Bursts until an instruction must be executed natively. */
static void translate(struct rt_tr_thread *t, ucontext_t *uc, void *arg)
{
    (void)arg;
    for (;;) {
        if ((uint64_t)uc->uc_mcontext.gregs[REG_RIP] == stop_ip()) {
            note_checkpoint(uc, RT_TR_END_DONE, false);
            s.notes->figures.instructions += s.count;
            s.notes->finished = 1;
            land(uc);
            return;
        }
        const struct rt_tr_plan plan = draw_plan();
        const enum rt_tr_refused refused = rt_tr_burst(t, uc, &plan, &self.result);
        if (refused) break;
        note_accesses(&self.result);
        s.count += self.result.instructions;
        add_figures(&self.result);
        note_checkpoint(uc, self.result.end, self.result.flags_dead);
        const bool ended = self.result.end == RT_TR_END_DONE || self.result.end == RT_TR_END_INSTRUCTIONS;
        const bool goes_on =
            (ended && self.result.instructions > 0) || (uint64_t)uc->uc_mcontext.gregs[REG_RIP] == stop_ip();
        if (!goes_on) break;
    }
    s.prev_ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void (*before_each)(void);

void tr_session_before_each(void (*before)(void))
{
    before_each = before;
}

static void one_burst(struct rt_tr_thread *t, ucontext_t *uc, void *arg)
{
    (void)arg;
    if (before_each) before_each();
    self.refused = rt_tr_burst(t, uc, s.each_plan, &self.result);
}

static bool is_repeated(const uint8_t *code)
{
    bool repeats = false;
    for (unsigned i = 0; i < 14; i++) {
        const uint8_t b = code[i];
        if (b == 0xf2 || b == 0xf3) repeats = true;
        const bool prefix = b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || (b & 0xf0) == 0x40 ||
                            b == 0x64 || b == 0x65 || b == 0x2e || b == 0x3e || b == 0x26 || b == 0x36;
        if (!prefix) return repeats && ((b >= 0xa4 && b <= 0xa7) || (b >= 0xaa && b <= 0xaf));
    }
    return false;
}

static bool pushes_flags(const uint8_t *code)
{
    return code[0] == 0x9c || (code[0] == 0x66 && code[1] == 0x9c);
}

/* An instruction was stepped. False: it is not complete. */
static bool note_step(ucontext_t *uc)
{
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    const uint8_t *code = (const uint8_t *)(uintptr_t)s.prev_ip;
    if (ip == s.prev_ip && is_repeated(code)) return false;
    if (pushes_flags(code)) { /* the trap flag is in the image */
        uint8_t *upper = (uint8_t *)(uintptr_t)uc->uc_mcontext.gregs[REG_RSP] + 1;
        *upper &= 0xfe;
    }
    s.trail[s.count % TRAIL] = s.prev_ip;
    s.count++;
    return true;
}

static void step_on(ucontext_t *uc)
{
    verify_checkpoints(uc);
    verify_accesses(uc);
    s.prev_ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    if (s.prev_ip == stop_ip()) {
        const struct notes *n = s.notes;
        if (n->verified < n->len) fail("stepping was over before the translated run");
        if (n->accesses_verified < n->access_len || n->probes_verified < n->probe_len)
            fail("an access was not made");
        s.notes->finished = 1;
        land(uc);
        return;
    }
    uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    ucontext_t *uc = context;
    const bool traced = info->si_code == TRAP_TRACE;
    const bool over = traced && !note_step(uc);
    if (traced && !over && s.guard_is_open) guard(true);
    if (s.mode == MODE_EACH) {
        self.refused = rt_tr_on_own_stack(self.thread, uc, one_burst, NULL);
    } else if (s.mode == MODE_STEP) {
        if (!over) step_on(uc);
    } else if (s.mode == MODE_TRANSLATE && !over) {
        uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        if (traced) s.notes->figures.stepped++;
        const enum rt_tr_refused refused = rt_tr_on_own_stack(self.thread, uc, translate, NULL);
        fail(rt_tr_refused_text(refused));
    } else if (s.mode == MODE_OFF) {
        fail("a trap nobody waits for");
    }
}

static bool is_guarded(const void *addr)
{
    const struct tr_region *g = &s.what->guarded;
    return (uint64_t)(uintptr_t)addr - (uint64_t)(uintptr_t)g->base < g->len_bytes;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    if (rt_tr_fault(self.thread, uc)) return;
    if (s.mode == MODE_EACH && s.each_fault) {
        s.each_fault(sig, info, uc);
        return;
    }
    if (s.mode == MODE_OFF || !s.what || (!s.what->continues_past_faults && !is_guarded(info->si_addr))) {
        static const char text[] = "unexpected fault\n";
        if (write(2, text, sizeof text - 1) < 0) _exit(3);
        signal(sig, SIG_DFL);
        return;
    }
    if (is_guarded(info->si_addr)) { /* execute it again, by a single step */
        s.notes->figures.faults++;
        guard(false);
        s.prev_ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
        uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
        return;
    }
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&s.zydis.decoder, (void *)(uintptr_t)ip, 15, &insn, operands)))
        fail("a fault at no instruction");
    const uint8_t *next = (const uint8_t *)(uintptr_t)(ip + insn.length);
    if (*next == BREAKPOINT)
        next++; /* after an indirect jump, whose target in memory may have been overwritten */
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)next;
    s.trail[s.count % TRAIL] = ip;
    s.count++;
    if (s.mode == MODE_STEP) {
        step_on(uc);
        return;
    }
    s.notes->figures.faults++;
    uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    fail(rt_tr_refused_text(rt_tr_on_own_stack(self.thread, uc, translate, NULL)));
}

static enum rt_tr_end may_translate(void *arg, uint64_t ip, uint64_t *end, bool *is_generated)
{
    (void)arg;
    *is_generated = s.is_generated;
    for (unsigned i = 0; i < s.code_count; i++) {
        const uint64_t base = (uint64_t)(uintptr_t)s.codes[i].base;
        if (ip - base >= s.codes[i].len_bytes) continue;
        *end = base + s.codes[i].len_bytes;
        return RT_TR_END_NONE;
    }
    return RT_TR_END_CODE;
}

void tr_session_add_code(uint64_t base, uint64_t end)
{
    if (s.code_count < CODES_MOST)
        s.codes[s.code_count++] =
            (struct tr_region){.base = (void *)(uintptr_t)base, .len_bytes = end - base};
}

void tr_session_generate(void)
{
    s.is_generated = true;
}

static void read_maps(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        unsigned long base, end;
        char permissions[5];
        if (sscanf(line, "%lx-%lx %4s", &base, &end, permissions) == 3 && permissions[2] == 'x')
            tr_session_add_code(base, end);
    }
    if (f) fclose(f);
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigfillset(&a.sa_mask);
    sigdelset(&a.sa_mask, SIGSEGV);
    sigdelset(&a.sa_mask, SIGBUS);
    sigdelset(&a.sa_mask, SIGFPE);
    sigdelset(&a.sa_mask, SIGILL);
    sigaction(sig, &a, NULL);
}

/* Repeatedly, because cmocka replaces handlers of faults. */
static void install_handlers(void)
{
    handle(SIGTRAP, on_trap);
    handle(SIGSEGV, on_fault);
    handle(SIGBUS, on_fault);
    handle(SIGFPE, on_fault);
    handle(SIGILL, on_fault);
}

const char *tr_session_open(unsigned trace_most, bool map_twice, const char *without)
{
    ZydisDecoderInit(&s.zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    s.zydis.decode_full = ZydisDecoderDecodeFull;
    const struct rt_tr_options options = {.zydis = &s.zydis,
                                          .may_translate = may_translate,
                                          .trace_most = trace_most,
                                          .map_twice = map_twice,
                                          .has_fsgsbase = rt_burst_has_fsgsbase(without),
                                          .has_rdtscp = rt_burst_has_rdtscp(without),
                                          .has_bmi2 = rt_burst_has_bmi2(without)};
    const enum rt_tr_refused refused = rt_tr_open(&options);
    if (refused) return rt_tr_refused_text(refused);
    if (!tr_session_thread()) return "no memory";
    read_maps();
    install_handlers();
    s.stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    s.notes = mmap(NULL, sizeof *s.notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    heap_begin = (uint64_t)(uintptr_t)sbrk(0);
    return NULL;
}

struct rt_tr_thread *tr_session_thread(void)
{
    enum { ALTSTACK_BYTES = 1 << 16 };
    if (self.thread) return self.thread;
    const int protection = PROT_READ | PROT_WRITE;
    const stack_t alternate = {.ss_sp =
                                   mmap(NULL, ALTSTACK_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                               .ss_size = ALTSTACK_BYTES};
    sigaltstack(&alternate, NULL);
    return self.thread = rt_tr_thread_new();
}

void tr_session_end_thread(void)
{
    rt_tr_thread_free(self.thread);
    self.thread = NULL;
}

const struct rt_tr_result *tr_session_result(void)
{
    return &self.result;
}

enum rt_tr_refused tr_session_refused(void)
{
    return self.refused;
}

void tr_session_each(const struct rt_tr_plan *plan,
                     void (*on_fault_of_program)(int, siginfo_t *, ucontext_t *))
{
    s.each_plan = plan;
    s.each_fault = on_fault_of_program;
    s.mode = MODE_EACH;
    install_handlers();
}

static int run_child(enum session_mode mode)
{
    fflush(NULL);
    s.notes->finished = 0;
    const pid_t child = fork();
    if (!child) {
        s.mode = mode;
        s.count = 0;
        s.accesses_of = UINT64_MAX;
        s.random = s.what->seed | 1;
        guard(true);
        if (!setjmp(s.back)) tr_call(s.what->run, s.what->arg, s.stack + STACK_BYTES / 2);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0 && s.notes->finished) return 0;
    fprintf(stderr, "%s: the %s child ended with status %x\n", s.what->name,
            mode == MODE_STEP ? "stepping" : "translating", (unsigned)status);
    return 1;
}

enum { COMPARISONS = 2, STEPPINGS = 3 };

/* A virtual machine may lose the trap of a single step when an interrupt arrives with it, so that two instructions
 * count as one (seen once in three million steps). A difference is one that repeats. */
static int compare(void)
{
    struct notes *n = s.notes;
    memset(&n->figures, 0, sizeof n->figures);
    n->len = n->access_len = n->probe_len = 0;
    n->failed = 0;
    const int translated =
        run_child(MODE_TRANSLATE) || n->failed; /* when it failed, the stepped one finds where */
    int stepped = 1;
    for (unsigned i = 0; i < STEPPINGS && stepped; i++) {
        n->verified = n->accesses_verified = n->probes_verified = 0;
        n->failed = 0;
        stepped = run_child(MODE_STEP);
    }
    return stepped || translated;
}

int tr_session_compare(const struct tr_case *c, struct tr_figures *figures)
{
    s.what = c;
    int failed = 1;
    for (unsigned i = 0; i < COMPARISONS && failed; i++)
        failed = compare();
    const uint64_t *from = (const uint64_t *)&s.notes->figures;
    uint64_t *to = (uint64_t *)figures;
    for (unsigned i = 0; i < sizeof *figures / sizeof *to; i++)
        to[i] += from[i];
    s.what = NULL;
    return failed || s.notes->failed;
}
