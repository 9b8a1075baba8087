/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that the engine executes elsewhere: their effects on registers, memory and flags, and the
 * faults that the program's handlers receive, are the same as without the engine. */
#include "tests/step/step_victim.h"
#include "tests/xorshift.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum { PAGE = 4096, MARGIN = 16, SHOWN_MOST = 20 };
static volatile int failures;
static const char *subject;

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition) && failures++ < SHOWN_MOST)                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, subject, #condition); \
    } while (0)

static uint64_t random_bits(void)
{
    static uint64_t state = XORSHIFT_SEED;
    return xorshift(&state);
}

/* A number of len_bytes, often one of the outermost. */
static int64_t random_operand(unsigned len_bytes, bool is_signed)
{
    const unsigned unused = 64 - len_bytes * 8;
    const uint64_t top = UINT64_C(1) << 63 >> unused;
    const uint64_t ends[] = {0, 1, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2};
    const uint64_t choice = random_bits() & 31;
    const uint64_t any = random_bits() >> unused >> (random_bits() & (len_bytes * 8 - 1));
    const uint64_t v = choice < sizeof ends / sizeof ends[0] ? ends[choice] : any;
    return is_signed ? (int64_t)(v << unused) >> unused : (int64_t)(v << unused >> unused);
}

/* Registers before and after; the engine borrows rbx. */
struct division {
    uint64_t a, d, b, c, b_after, in_memory;
};
static uint64_t near_divisor;
static volatile uint64_t division_ip, resume_ip;

#define DIVISION(name, text)                                                                          \
    static void name(struct division *x)                                                              \
    {                                                                                                 \
        __asm__ volatile(                                                                             \
            "lea 1f(%%rip), %[after]\n\tmov %[after], %[ip]\n\t"                                      \
            "lea 2f(%%rip), %[after]\n\tmov %[after], %[resume]\n"                                    \
            "1:\t" text "\n2:\tmov %%rbx, %[after]"                                                   \
            : "+a"(x->a),                                                                             \
              "+d"(x->d), [after] "=&r"(x->b_after), [ip] "=m"(division_ip), [resume] "=m"(resume_ip) \
            : "b"(x->b), "c"(x->c), [far] "r"(&x->in_memory), [near] "m"(near_divisor)                \
            : "cc", "memory");                                                                        \
    }
#define DIVISIONS(name, text, by_c, by_b)  \
    DIVISION(name##_c, text " %%" by_c)    \
    DIVISION(name##_b, text " %%" by_b)    \
    DIVISION(name##_far, text " (%[far])") \
    DIVISION(name##_near, text " %[near]")
DIVISIONS(div8, "divb", "cl", "bl")
DIVISIONS(div16, "divw", "cx", "bx")
DIVISIONS(div32, "divl", "ecx", "ebx")
DIVISIONS(div64, "divq", "rcx", "rbx")
DIVISIONS(idiv8, "idivb", "cl", "bl")
DIVISIONS(idiv16, "idivw", "cx", "bx")
DIVISIONS(idiv32, "idivl", "ecx", "ebx")
DIVISIONS(idiv64, "idivq", "rcx", "rbx")
DIVISION(div8_high, "divb %%ch")
DIVISION(idiv8_high, "idivb %%bh")

struct division_row {
    const char *name;
    void (*divide)(struct division *x);
    unsigned len_bytes;
    bool is_signed, is_high;
};
#define DIVISION_ROWS(name, len, sign)                                                  \
    {#name " c", name##_c, len, sign, false}, {#name " b", name##_b, len, sign, false}, \
        {#name " far", name##_far, len, sign, false},                                   \
    {                                                                                   \
#name " near", name##_near, len, sign, false                                    \
    }
static const struct division_row divisions[] = {
    DIVISION_ROWS(div8, 1, false),          DIVISION_ROWS(div16, 2, false),
    DIVISION_ROWS(div32, 4, false),         DIVISION_ROWS(div64, 8, false),
    DIVISION_ROWS(idiv8, 1, true),          DIVISION_ROWS(idiv16, 2, true),
    DIVISION_ROWS(idiv32, 4, true),         DIVISION_ROWS(idiv64, 8, true),
    {"div8 ch", div8_high, 1, false, true}, {"idiv8 bh", idiv8_high, 1, true, true},
};
enum { DIVISION_ROWS_LEN = sizeof divisions / sizeof divisions[0] };

static uint64_t low_bytes(uint64_t v, unsigned len_bytes)
{
    return v << (64 - len_bytes * 8) >> (64 - len_bytes * 8);
}

/* Random bits wherever the division does not look. */
static struct division division_of(const struct division_row *row, __int128 dividend, int64_t divisor)
{
    const unsigned len_bytes = row->len_bytes, bits = len_bytes * 8;
    const uint64_t all = UINT64_MAX >> (64 - bits);
    struct division x = {.a = random_bits(), .d = random_bits(), .b = random_bits(), .c = random_bits()};
    if (len_bytes == 1) {
        x.a = (x.a & ~UINT64_C(0xffff)) | ((uint64_t)dividend & 0xffff);
    } else {
        x.a = (x.a & ~all) | ((uint64_t)dividend & all);
        x.d = (x.d & ~all) | ((uint64_t)(dividend >> bits) & all);
    }
    const unsigned shift = row->is_high ? 8 : 0;
    x.b = (x.b & ~(all << shift)) | ((uint64_t)divisor & all) << shift;
    x.c = (x.c & ~(all << shift)) | ((uint64_t)divisor & all) << shift;
    x.in_memory = near_divisor = x.c;
    return x;
}

static void expect_quotient(const struct division_row *row)
{
    const unsigned len_bytes = row->len_bytes;
    int64_t divisor = random_operand(len_bytes, row->is_signed);
    const int64_t quotient = random_operand(len_bytes, row->is_signed);
    if (divisor == 0) divisor = 1;
    uint64_t below = row->is_signed && divisor < 0 ? -(uint64_t)divisor : (uint64_t)divisor;
    below = (UINT64_C(1) << (63 - __builtin_clzll(below))) - 1;
    int64_t remainder = (int64_t)(random_bits() & below);
    __int128 dividend;
    if (row->is_signed) {
        dividend = (__int128)quotient * divisor;
        if (dividend < 0) remainder = -remainder;
    } else {
        dividend = (__int128)((unsigned __int128)(uint64_t)quotient * (uint64_t)divisor);
    }
    dividend += remainder;
    struct division x = division_of(row, dividend, divisor);
    const struct division before = x;
    row->divide(&x);
    EXPECT(x.b_after == before.b);
    if (len_bytes == 1) {
        EXPECT(low_bytes(x.a, 1) == low_bytes((uint64_t)quotient, 1));
        EXPECT(low_bytes(x.a >> 8, 1) == low_bytes((uint64_t)remainder, 1));
        EXPECT(x.a >> 16 == before.a >> 16 && x.d == before.d);
        return;
    }
    EXPECT(low_bytes(x.a, len_bytes) == low_bytes((uint64_t)quotient, len_bytes));
    EXPECT(low_bytes(x.d, len_bytes) == low_bytes((uint64_t)remainder, len_bytes));
    if (len_bytes == 2) EXPECT(x.a >> 16 == before.a >> 16 && x.d >> 16 == before.d >> 16);
    if (len_bytes == 4) EXPECT(x.a >> 32 == 0 && x.d >> 32 == 0);
}

static volatile int divide_errors;
static const struct division *faulting;

static void on_divide_error(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    EXPECT(sig == SIGFPE && info->si_code == FPE_INTDIV);
    EXPECT((uint64_t)g[REG_RIP] == division_ip && (uint64_t)(uintptr_t)info->si_addr == division_ip);
    EXPECT((uint64_t)g[REG_RAX] == faulting->a && (uint64_t)g[REG_RDX] == faulting->d);
    EXPECT((uint64_t)g[REG_RBX] == faulting->b && (uint64_t)g[REG_RCX] == faulting->c);
    g[REG_RIP] = (greg_t)resume_ip;
    divide_errors++;
}

/* The program's handler gets the original registers, and continues after the division. */
static void expect_divide_error(const struct division_row *row, __int128 dividend, int64_t divisor)
{
    struct division x = division_of(row, dividend, divisor);
    const struct division before = x;
    const int errors = divide_errors;
    faulting = &before;
    row->divide(&x);
    EXPECT(divide_errors == errors + 1);
    EXPECT(x.a == before.a && x.d == before.d && x.b_after == before.b);
}

static void expect_divide_errors(const struct division_row *row)
{
    const __int128 limit = (__int128)1 << (row->len_bytes * 8 - 1);
    const int64_t divisor = random_operand(row->len_bytes, false) >> 1 | 1; /* above zero also with a sign */
    expect_divide_error(row, random_operand(row->len_bytes, row->is_signed), 0);
    if (!row->is_signed) {
        expect_divide_error(row, 2 * limit * divisor, divisor);
        return;
    }
    expect_divide_error(row, -limit, -1); /* INT_MIN / -1 */
    expect_divide_error(row, limit * divisor, divisor);
    expect_divide_error(row, (limit + 1) * divisor, -divisor);
}

static void divide_once(unsigned round)
{
    const struct division_row *row = &divisions[round % DIVISION_ROWS_LEN];
    subject = row->name;
    expect_quotient(row);
    if (round % (29 * DIVISION_ROWS_LEN) < DIVISION_ROWS_LEN) expect_divide_errors(row);
}

/* String instructions: the effect according to the processor's manual, beside the actual one. */
enum string_what { MOVE, STORE, LOAD, COMPARE, SCAN };
struct strings {
    uint64_t si, di, c, a;
    bool carry, zero;
};

#define STRING(name, text)                                                                      \
    static void name(struct strings *x, bool down)                                              \
    {                                                                                           \
        __asm__ volatile("test %[down], %[down]\n\tjz 1f\n\tstd\n1:\tstc\n\t" text "\n\tcld"    \
                         : "+S"(x->si), "+D"(x->di), "+c"(x->c), "+a"(x->a), "=@ccc"(x->carry), \
                           "=@ccz"(x->zero)                                                     \
                         : [down] "r"((uint64_t)down)                                           \
                         : "memory");                                                           \
    }
#define STRINGS(letter)                                   \
    STRING(movs##letter, "rep movs" #letter)              \
    STRING(movs##letter##_f2, ".byte 0xf2; movs" #letter) \
    STRING(stos##letter, "rep stos" #letter)              \
    STRING(lods##letter, "rep lods" #letter)              \
    STRING(cmps##letter##_e, "repe cmps" #letter)         \
    STRING(cmps##letter##_ne, "repne cmps" #letter)       \
    STRING(scas##letter##_e, "repe scas" #letter)         \
    STRING(scas##letter##_ne, "repne scas" #letter)
STRINGS(b)
STRINGS(w)
STRINGS(l)
STRINGS(q)

struct string_row {
    const char *name;
    void (*execute)(struct strings *x, bool down);
    enum string_what what;
    unsigned len_bytes;
    bool while_equal;
};
#define STRING_ROWS(letter, len)                                                                             \
    {"movs" #letter, movs##letter, MOVE, len, false},                                                        \
        {"repne movs" #letter, movs##letter##_f2, MOVE, len, false},                                         \
        {"stos" #letter, stos##letter, STORE, len, false}, {"lods" #letter, lods##letter, LOAD, len, false}, \
        {"repe cmps" #letter, cmps##letter##_e, COMPARE, len, true},                                         \
        {"repne cmps" #letter, cmps##letter##_ne, COMPARE, len, false},                                      \
        {"repe scas" #letter, scas##letter##_e, SCAN, len, true},                                            \
    {                                                                                                        \
        "repne scas" #letter, scas##letter##_ne, SCAN, len, false                                            \
    }
static const struct string_row string_rows[] = {STRING_ROWS(b, 1), STRING_ROWS(w, 2), STRING_ROWS(l, 4),
                                                STRING_ROWS(q, 8)};
enum { STRING_ROWS_LEN = sizeof string_rows / sizeof string_rows[0] };

static uint64_t element(uint64_t addr, unsigned len_bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const void *)(uintptr_t)addr, len_bytes);
    return v;
}

/* to: the memory that x->di points to belongs there. */
static void imitate(const struct string_row *row, struct strings *x, bool down, uint8_t *to,
                    const uint8_t *at)
{
    const uint64_t step = down ? -(uint64_t)row->len_bytes : row->len_bytes;
    const unsigned len = row->len_bytes;
    const bool uses_si = row->what == MOVE || row->what == LOAD || row->what == COMPARE,
               uses_di = row->what != LOAD;
    x->carry = true;
    while (x->c != 0) {
        uint8_t *const target = to + (x->di - (uint64_t)(uintptr_t)at);
        const uint64_t source =
            row->what == STORE || row->what == SCAN ? low_bytes(x->a, len) : element(x->si, len);
        if (row->what == MOVE || row->what == STORE) memcpy(target, &source, len);
        if (row->what == LOAD) x->a = len == 4 ? source : (x->a & ~low_bytes(UINT64_MAX, len)) | source;
        const uint64_t other = row->what == COMPARE || row->what == SCAN ? element(x->di, len) : 0;
        x->si += uses_si ? step : 0;
        x->di += uses_di ? step : 0;
        x->c--;
        if (row->what != COMPARE && row->what != SCAN) continue;
        x->carry = source < other;
        x->zero = source == other;
        if (x->zero != row->while_equal) break;
    }
}

/* Two pages each; the second may be closed. */
static uint8_t *from, *to, *imitated;
static volatile int page_faults;
static struct strings began;
static unsigned began_len_bytes;
static bool began_down;
extern const char __executable_start, etext;

/* Registers are between two iterations, at the program's instruction; opening the page lets it continue. */
static void on_page_fault(int sig, siginfo_t *info, void *context)
{
    const greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    const char *ip = (const char *)(uintptr_t)g[REG_RIP];
    const uint64_t done = (began.c - (uint64_t)g[REG_RCX]) * began_len_bytes;
    const uint64_t moved = began_down ? -done : done;
    EXPECT(sig == SIGSEGV && ip >= &__executable_start && ip < &etext);
    EXPECT((uint64_t)g[REG_RSI] == began.si || (uint64_t)g[REG_RSI] == began.si + moved);
    EXPECT((uint64_t)g[REG_RDI] == began.di || (uint64_t)g[REG_RDI] == began.di + moved);
    page_faults++;
    mprotect((void *)((uintptr_t)info->si_addr & ~(PAGE - 1ul)), PAGE, PROT_READ | PROT_WRITE);
}

static void prepare_strings(const struct string_row *row, struct strings *x, bool down, size_t offset,
                            uint64_t count)
{
    const uint64_t value = random_bits(), size_bytes = count * row->len_bytes;
    const uint64_t first = down && count ? size_bytes - row->len_bytes : 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t others = row->while_equal ? value : value + 1 + i;
        memcpy(from + offset + i * row->len_bytes, &value, row->len_bytes);
        memcpy(to + offset + i * row->len_bytes, &others, row->len_bytes);
    }
    if (count && row->what >= COMPARE && random_bits() & 1) { /* one element is not like the others */
        const uint64_t at = offset + random_operand(1, false) % count * row->len_bytes;
        memcpy(to + at, from + at, row->len_bytes);
        if (row->while_equal) to[at] ^= 1;
    }
    *x = (struct strings){.si = (uint64_t)(uintptr_t)(from + offset + first),
                          .di = (uint64_t)(uintptr_t)(to + offset + first),
                          .c = count,
                          .a = value};
}

static void repeat_once(unsigned round)
{
    static const uint64_t counts[] = {0, 1, 7, 64};
    const struct string_row *row = &string_rows[round % STRING_ROWS_LEN];
    const uint64_t count = counts[random_bits() & 3];
    const bool down = random_bits() & 1, closed = random_bits() % 32 == 0;
    const size_t offset =
        PAGE - (random_bits() % (count * row->len_bytes + MARGIN)); /* most cross the page */
    struct strings x;
    subject = row->name;
    prepare_strings(row, &x, down, offset, count);
    const size_t around = offset - MARGIN, around_bytes = count * row->len_bytes + 2 * MARGIN;
    memcpy(imitated + around, to + around, around_bytes);
    struct strings wanted = x;
    imitate(row, &wanted, down, imitated, to);
    began = x;
    began_len_bytes = row->len_bytes;
    began_down = down;
    if (closed) mprotect((random_bits() & 1 ? from : to) + (down ? 0 : PAGE), PAGE, PROT_NONE);
    row->execute(&x, down);
    if (closed) mprotect(from, 2 * PAGE, PROT_READ | PROT_WRITE);
    if (closed) mprotect(to, 2 * PAGE, PROT_READ | PROT_WRITE);
    EXPECT(x.si == wanted.si && x.di == wanted.di && x.c == wanted.c && x.a == wanted.a);
    EXPECT(x.carry == wanted.carry);
    if (row->what >= COMPARE && count) EXPECT(x.zero == wanted.zero);
    EXPECT(memcmp(to + around, imitated + around, around_bytes) == 0);
}

/* Returns: as bytes where assemblers differ. */
__asm__(".pushsection .text\n"
        "step_ret_plain: lea 3(%rdi), %rax\n\tret\n"
        "step_ret_rep: lea 3(%rdi), %rax\n\t.byte 0xf3, 0xc3\n"
        "step_ret_bnd: lea 3(%rdi), %rax\n\t.byte 0xf2, 0xc3\n"
        "step_ret_wide: lea 3(%rdi), %rax\n\t.byte 0x48, 0xc3\n"
        "step_ret_pops: lea 3(%rdi), %rax\n\tret $24\n"
        "step_ret_jumps: lea step_ret_plain(%rip), %rax\n\tpush %rax\n\tret\n"
        ".popsection");
extern const char step_ret_plain[], step_ret_rep[], step_ret_bnd[], step_ret_wide[], step_ret_pops[],
    step_ret_jumps[];
static const struct {
    const char *name, *code;
    uint64_t pops_bytes;
} returns[] = {
    {"ret", step_ret_plain, 0},           {"rep ret", step_ret_rep, 0},  {"bnd ret", step_ret_bnd, 0},
    {"ret with REX.W", step_ret_wide, 0}, {"ret 24", step_ret_pops, 24}, {"push; ret", step_ret_jumps, 0},
};
enum { RETURNS_LEN = sizeof returns / sizeof returns[0] };

static void return_once(unsigned round)
{
    const unsigned i = round % RETURNS_LEN;
    const uint64_t number = random_bits();
    uint64_t result, off;
    bool carry;
    subject = returns[i].name;
    __asm__ volatile("lea -256(%%rsp), %%rsp\n\t"
                     "mov %%rsp, %[off]\n\t"
                     "sub %[pops], %%rsp\n\t"
                     "stc\n\t"
                     "call *%[code]\n\t"
                     "setc %[carry]\n\t"
                     "sub %%rsp, %[off]\n\t"
                     "lea 256(%%rsp,%[off]), %%rsp"
                     : "=&a"(result), [off] "=&r"(off), [carry] "=&q"(carry)
                     : "D"(number), [code] "r"(returns[i].code), [pops] "r"(returns[i].pops_bytes)
                     : "memory", "cc");
    EXPECT(result == number + 3);
    EXPECT(off == 0);
    EXPECT(carry);
}

/* loop, loopne and jrcxz: to the end of an array, or to the byte that is looked for. */
static void loop_once(unsigned round)
{
    static uint8_t bytes[64];
    const uint64_t len = 1 + round % sizeof bytes, at = random_bits() % (2 * sizeof bytes);
    uint64_t left = len, sum = 0, found = len;
    const uint8_t *next = bytes;
    subject = "loop";
    for (uint64_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i == at ? 7 : 1;
    __asm__ volatile("1:\tmovzbl (%[next]), %%eax\n\tadd %%rax, %[sum]\n\tinc %[next]\n\tloop 1b"
                     : "+c"(left), [next] "+r"(next), [sum] "+r"(sum)
                     :
                     : "rax", "cc", "memory");
    EXPECT(left == 0 && next == bytes + len && sum == len + (at < len ? 6 : 0));
    __asm__ volatile("jrcxz 2f\n1:\tcmpb $7, -1(%[bytes],%%rcx)\n\tloopne 1b\n2:"
                     : "+c"(found)
                     : [bytes] "r"(bytes)
                     : "cc", "memory");
    EXPECT(found == (at < len ? at : 0));
}

__attribute__((noinline)) static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint8_t *two_pages(void)
{
    return mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int step_victim_results(void)
{
    struct sigaction divides = {.sa_sigaction = on_divide_error, .sa_flags = SA_SIGINFO};
    struct sigaction opens = {.sa_sigaction = on_page_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &divides, NULL);
    sigaction(SIGSEGV, &opens, NULL);
    from = two_pages();
    to = two_pages();
    imitated = two_pages();
    for (unsigned round = 0; clock() < CLOCKS_PER_SEC * 3 / 2; round++) {
        for (unsigned i = 0; i < 100; i++) {
            divide_once(100 * round + i);
            return_once(100 * round + i);
            repeat_once(100 * round + i);
        }
        loop_once(round);
        subject = "recursion";
        EXPECT(fibonacci(10) == 55);
    }
    EXPECT(divide_errors > 0 && page_faults > 0);
    return failures;
}
