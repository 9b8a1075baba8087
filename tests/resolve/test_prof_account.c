/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_random.h"
#include "resolve/prof_replay.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
enum { MOST = 512, MOST_BURSTS = 8192 };

/* A run of processes with one thread each. */
struct book {
    struct prof_process processes[MOST];
    struct prof_cpu cpus[MOST];
    struct prof_thread threads[MOST];
    struct prof_burst bursts[MOST_BURSTS];
    size_t processes_len, bursts_len;
    struct prof_run run;
    char why[512];
};

static struct book *book_new(void)
{
    struct book *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    b->run = (struct prof_run){PROF_RUN_CPU_UNKNOWN};
    return b;
}

static uint32_t add_process(struct book *b, const char *exe, struct prof_cpu cpu)
{
    const uint32_t row = (uint32_t)b->processes_len++;
    b->processes[row] = (struct prof_process){.exe = exe, .engine = "step", PROF_PROCESS_CPU_UNKNOWN};
    b->cpus[row] = cpu;
    b->threads[row] = (struct prof_thread){.process = row};
    return row;
}

static void add_bursts(struct book *b, uint32_t process, size_t len, uint64_t weight_ns)
{
    for (size_t i = 0; i < len; i++)
        b->bursts[b->bursts_len++] = (struct prof_burst){.thread = process, .weight_ns = weight_ns};
}

static void close_book(struct book *b)
{
    const struct prof_account a = {.processes = b->processes,
                                   .cpus = b->cpus,
                                   .processes_len = b->processes_len,
                                   .threads = b->threads,
                                   .bursts = b->bursts,
                                   .bursts_len = b->bursts_len};
    assert_int_equal(prof_account_close(&a, &b->run, b->why, sizeof(b->why)), LS_OK);
    assert_int_equal(b->run.cpu_ns, b->run.user_ns + b->run.kernel_ns + b->run.recording_ns);
}

static void account_functions(struct book *b, struct prof_line *rows, size_t rows_len,
                              const struct prof_late *lates, size_t lates_len)
{
    const struct prof_account a = {.processes = b->processes,
                                   .processes_len = b->processes_len,
                                   .threads = b->threads,
                                   .bursts = b->bursts,
                                   .bursts_len = b->bursts_len,
                                   .lates = lates,
                                   .lates_len = lates_len};
    const prof_line_list lines = {.rows = rows, .len = rows_len};
    assert_int_equal(prof_account_functions(&a, &lines), LS_OK);
}

static uint64_t weight_of(const struct book *b, uint32_t process)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->bursts_len; i++)
        if (b->bursts[i].thread == process) sum += b->bursts[i].weight_ns;
    return sum;
}

static void account_is_user_and_kernel_and_recording(void **state)
{
    struct book *b = book_new();
    (void)state;
    /* 10 s, 3 of them in the kernel as reported; recording took 0.5 s, 0.2 of it in the kernel */
    const struct prof_cpu cpu = {7 * S, 3 * S, 500 * MS, 200 * MS, 4 * MS, 0};
    const uint32_t p = add_process(b, "a", cpu);
    add_bursts(b, p, 130, 50 * MS); /* 6.5 s found where 6.7 s are */
    close_book(b);
    assert_int_equal(b->run.cpu_ns, 10 * S);
    assert_int_equal(b->run.kernel_ns, 2800 * MS);
    assert_int_equal(b->run.recording_ns, 500 * MS);
    assert_int_equal(b->run.user_ns, 6700 * MS);
    assert_in_range(b->run.represented_ns, 6700 * MS - 1000, 6700 * MS);
    assert_in_range(weight_of(b, p), 6700 * MS - 1000, 6700 * MS + 1000);
    assert_in_range(b->processes[p].represented_ns, 6700 * MS - 1000, 6700 * MS + 1000);
    assert_true(b->run.unrepresented_ns < 1000);
    assert_string_equal(b->run.unrepresented_why, "");
    assert_true(fabs(b->run.weights_found - 6.5 / 6.7) < 1e-6);
    /* 2,500 ticks with a share of 0.3: 1.96 sqrt(0.21 x 2500) ticks of 4 ms, and a tenth of 0.2 s */
    assert_in_range(b->run.kernel_error_ns, 180 * MS, 182 * MS);
    free(b);
}

/* Half of the time in 400 children; one in sixteen has a burst. */
static void account_pools_short_processes(void **state)
{
    struct book *b = book_new();
    uint64_t children = 0;
    (void)state;
    const uint32_t parent = add_process(b, "shell", (struct prof_cpu){20 * S, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, parent, 260, 80 * MS);
    for (int i = 0; i < 400; i++) {
        const uint32_t p = add_process(b, "child", (struct prof_cpu){50 * MS, 0, 0, 0, 4 * MS, 0});
        if (i % 16 < 10) add_bursts(b, p, 1, 80 * MS);
    }
    close_book(b);
    for (uint32_t p = 1; p < b->processes_len; p++)
        children += weight_of(b, p);
    assert_in_range(weight_of(b, parent), 20 * S - 1000, 20 * S + 1000);
    assert_in_range(children, 20 * S - 1000, 20 * S + 1000);
    assert_int_equal(weight_of(b, 12), 0);
    free(b);
}

/* A process that is in the kernel for its first and last part, as getrusage has it: a tick every 4 ms, the
 * first one at first_ns, is in the kernel or not; the sum of both is exact, and all of it is user time where
 * no tick was in the kernel (cputime_adjust in Linux's kernel/sched/cputime.c). */
static struct prof_cpu split_by_ticks(uint64_t all_ns, uint64_t start_ns, uint64_t end_ns, uint64_t first_ns)
{
    uint64_t ticks = 0, in_kernel = 0;
    for (uint64_t at_ns = first_ns; at_ns < all_ns; at_ns += 4 * MS, ticks++)
        in_kernel += at_ns < start_ns || at_ns >= all_ns - end_ns;
    const uint64_t kernel_ns = in_kernel ? all_ns * in_kernel / ticks : 0;
    return (struct prof_cpu){all_ns - kernel_ns, kernel_ns, 0, 0, 4 * MS, 0};
}

/* Half of the user time is in children that start and end in the kernel. */
static void account_splits_children_of_few_ticks(void **state)
{
    static const uint64_t lengths_ns[] = {1000000, 2500000, 5200000, 6800000, 9600000};
    (void)state;
    for (size_t l = 0; l < sizeof(lengths_ns) / sizeof(lengths_ns[0]); l++) {
        const uint64_t all_ns = lengths_ns[l], start_ns = all_ns / 8, end_ns = all_ns / 16;
        const uint64_t kernel_ns = 400 * (start_ns + end_ns), user_ns = 400 * all_ns - kernel_ns;
        struct book *b = book_new();
        uint64_t children_ns = 0;
        const uint32_t parent = add_process(b, "shell", (struct prof_cpu){user_ns, 0, 0, 0, 4 * MS, 0});
        add_bursts(b, parent, 400, user_ns / 400);
        for (uint64_t i = 0; i < 400; i++) {
            const struct prof_cpu cpu = split_by_ticks(all_ns, start_ns, end_ns, i * MS / 100);
            add_bursts(b, add_process(b, "child", cpu), 1, user_ns / 400);
        }
        close_book(b);
        for (uint32_t p = 1; p < b->processes_len; p++)
            children_ns += weight_of(b, p);
        assert_in_range(weight_of(b, parent), user_ns - 1000, user_ns + 1000);
        assert_in_range(children_ns, user_ns - user_ns / 100, user_ns + user_ns / 100);
        assert_in_range(b->run.kernel_ns, kernel_ns - kernel_ns / 25, kernel_ns + kernel_ns / 25);
        free(b);
    }
}

/* Processes that are too short for a stratum even together keep their share beside the long process. */
static void account_joins_short_strata_with_the_largest(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t parent = add_process(b, "shell", (struct prof_cpu){10 * S, 0, 0, 0, 4 * MS, 0});
    const uint32_t child = add_process(b, "child", (struct prof_cpu){100 * MS, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, parent, 199, 50 * MS);
    add_bursts(b, child, 1, 50 * MS);
    close_book(b);
    assert_in_range(weight_of(b, child), 50 * MS, 51 * MS);
    assert_in_range(weight_of(b, parent) + weight_of(b, child), 10100 * MS - 1000, 10100 * MS + 1000);
    free(b);
}

static void account_without_a_burst_reports_it(void **state)
{
    struct book *b = book_new();
    (void)state;
    add_process(b, "a", (struct prof_cpu){30 * MS, 10 * MS, 0, 0, 4 * MS, 0});
    close_book(b);
    assert_int_equal(b->run.user_ns, 30 * MS);
    assert_int_equal(b->run.represented_ns, 0);
    assert_int_equal(b->run.unrepresented_ns, 30 * MS);
    assert_non_null(strstr(b->run.unrepresented_why, "too short for a burst"));
    free(b);
}

/* It was long enough: its threads were not sampled. */
static void account_tells_unsampled_time_from_short_time(void **state)
{
    struct book *b = book_new();
    (void)state;
    add_process(b, "a", (struct prof_cpu){3000 * MS, 10 * MS, 0, 0, 4 * MS, 0});
    close_book(b);
    assert_int_equal(b->run.unrepresented_ns, 3000 * MS);
    assert_null(strstr(b->run.unrepresented_why, "too short for a burst"));
    assert_non_null(strstr(b->run.unrepresented_why, "3 s had no burst: its threads are not sampled"));
    free(b);
}

/* Knuth, The Art of Computer Programming, vol. 2, 3.4.1 */
static size_t drawn_poisson(double mean, uint64_t *random)
{
    const double least = exp(-mean);
    double product = 1;
    for (size_t n = 0;; n++) {
        product *= (double)((ls_random_next(random) >> 11) + 1) * 0x1p-53;
        if (product <= least) return n;
    }
}

/* Chance alone is no shortfall, however short the recording, also where triggers counted the recording's time. */
static void account_takes_no_chance_for_a_shortfall(void **state)
{
    enum { RUNS = 20000, BURSTS = 30, PASSED = 40 };
    struct book *b = book_new();
    uint64_t random = 7;
    size_t of_found = 0, of_passed = 0;
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        for (int counts_passed = 0; counts_passed < 2; counts_passed++) {
            const uint64_t all_ns = (BURSTS + (counts_passed ? PASSED : 0)) * 50 * MS;
            const uint64_t passed_ns = counts_passed ? drawn_poisson(PASSED, &random) * 50 * MS : 0;
            b->processes_len = b->bursts_len = 0;
            const uint32_t p =
                add_process(b, "a", (struct prof_cpu){all_ns, 0, passed_ns, 0, 4 * MS, passed_ns});
            add_bursts(b, p, drawn_poisson(BURSTS, &random), 50 * MS);
            close_book(b);
            *(counts_passed ? &of_passed : &of_found) += b->run.unrepresented_ns > all_ns / 1000;
        }
    }
    assert_true(of_found <= 2 && of_passed <= 2);
    free(b);
}

/* Bursts that never came are not made up for by the others. */
static void account_does_not_scale_a_shortfall_away(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t p = add_process(b, "a", (struct prof_cpu){20 * S, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, p, 100, 100 * MS); /* 10 s: seven standard errors below the 200 bursts of 20 s */
    close_book(b);
    assert_in_range(weight_of(b, p), 15600 * MS, 15700 * MS);
    assert_in_range(b->run.unrepresented_ns, 4300 * MS, 4400 * MS);
    assert_non_null(strstr(b->run.unrepresented_why, "fewer bursts"));
    free(b);
}

/* A recording of 30 ms: all of its few ticks hit the kernel, which leaves less than nothing to the program. */
static void account_of_few_ticks_takes_user_time_from_the_bursts(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t p = add_process(b, "a", (struct prof_cpu){0, 30 * MS, 20 * MS, 5 * MS, 4 * MS, 0});
    add_bursts(b, p, 40, 200000);
    close_book(b);
    assert_int_equal(weight_of(b, p), 8 * MS);
    assert_int_equal(b->run.user_ns, 8 * MS);
    assert_int_equal(b->run.kernel_ns, 2 * MS);
    assert_int_equal(b->run.represented_ns, 8 * MS);
    assert_int_equal(b->processes[p].user_ns, 8 * MS);
    assert_int_equal(b->processes[p].kernel_ns, 2 * MS);
    assert_in_range(b->run.kernel_error_ns, 4 * MS, 30 * MS); /* a tick or more */
    assert_non_null(strstr(b->why, "8 ms"));
    free(b);
}

/* More than there is can not be the program's. */
static void account_of_few_ticks_is_at_most_the_rest_of_recording(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t p = add_process(b, "a", (struct prof_cpu){0, 30 * MS, 20 * MS, 5 * MS, 4 * MS, 0});
    add_bursts(b, p, 40, 500000);
    close_book(b);
    assert_int_equal(weight_of(b, p), 10 * MS);
    assert_int_equal(b->run.user_ns, 10 * MS);
    assert_int_equal(b->run.kernel_ns, 0);
    free(b);
}

/* A program without a system call, stepped on a busy machine: of its 1.7 s the ticks gave the kernel 0.75 s, of
 * which the handlers' time explains 0.45. The bursts found 1.1 s of user time where the ticks leave 0.85. */
static void account_corrects_ticks_that_follow_the_bursts(void **state)
{
    struct book *b = book_new();
    (void)state;
    const struct prof_cpu cpu = {950 * MS, 750 * MS, 550 * MS, 450 * MS, 4 * MS, 0};
    const uint32_t p = add_process(b, "a", cpu);
    add_bursts(b, p, 220, 5 * MS);
    close_book(b);
    assert_in_range(b->run.user_ns, 1060 * MS, 1100 * MS);
    assert_in_range(b->run.kernel_ns, 50 * MS, 90 * MS);
    assert_int_equal(b->run.recording_ns, 550 * MS);
    assert_in_range(b->processes[p].user_ns, b->run.user_ns - 2, b->run.user_ns + 2);
    assert_in_range(b->run.represented_ns, b->run.user_ns - 1000, b->run.user_ns);
    assert_in_range(b->run.kernel_error_ns, 100 * MS, 200 * MS); /* error of the bursts: 5 ms x sqrt(220) */
    free(b);
}

/* If the recording has hardly any time in the kernel, kernel time is attributed to the program. */
static void account_leaves_kernel_time_of_the_program(void **state)
{
    struct book *b = book_new();
    (void)state;
    const struct prof_cpu cpu = {950 * MS, 750 * MS, 50 * MS, 10 * MS, 4 * MS, 0};
    const uint32_t p = add_process(b, "a", cpu);
    add_bursts(b, p, 240, 5 * MS);
    close_book(b);
    assert_in_range(b->run.kernel_ns, 730 * MS, 740 * MS);
    assert_in_range(b->run.kernel_error_ns, 60 * MS,
                    90 * MS); /* of the ticks: 4 ms x sqrt(425) x 0.5 x 1.96 = 81 */
    free(b);
}

static void account_of_an_unknown_process_keeps_its_weights(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t known = add_process(b, "a", (struct prof_cpu){10 * S, 0, 0, 0, 4 * MS, 0});
    const uint32_t killed = add_process(b, "b", PROF_CPU_UNKNOWN);
    add_bursts(b, known, 110, 100 * MS);
    add_bursts(b, killed, 3, 100 * MS);
    close_book(b);
    assert_int_equal(weight_of(b, killed), 300 * MS);
    assert_int_equal(b->processes[killed].cpu_ns, UINT64_MAX);
    assert_int_equal(b->run.cpu_ns, 10300 * MS);
    assert_non_null(strstr(b->run.unrepresented_why, "is not known"));
    free(b);
    b = book_new();
    add_process(b, "b", PROF_CPU_UNKNOWN);
    const struct prof_account nothing = {
        .processes = b->processes, .cpus = b->cpus, .processes_len = 1, .threads = b->threads};
    assert_int_equal(prof_account_close(&nothing, &b->run, b->why, sizeof(b->why)), LS_OK);
    assert_int_equal(b->run.cpu_ns, UINT64_MAX);
    free(b);
}

/* Ticks are few in a short process: kernel time may come out negative, and only the sum is right. */
static void account_adds_up_over_noisy_splits(void **state)
{
    struct book *b = book_new();
    (void)state;
    for (int i = 0; i < 100; i++) {
        /* each has 5 ms, 1 ms of it recording in the kernel; the tick finds every fifth in the kernel */
        const uint64_t kernel_ns = i % 5 ? 0 : 5 * MS;
        add_process(b, "a", (struct prof_cpu){5 * MS - kernel_ns, kernel_ns, MS, MS, 4 * MS, 0});
    }
    add_bursts(b, 7, 1, 400 * MS);
    close_book(b);
    assert_int_equal(b->run.recording_ns, 100 * MS);
    assert_int_equal(b->run.kernel_ns, 0);
    assert_int_equal(b->run.user_ns, 400 * MS);
    free(b);
}

/* No tick hit the kernel, but the recording measured its own time there: the weights of the bursts add up to the
 * user time that is reported. */
static void account_of_less_than_no_kernel_time_adds_up(void **state)
{
    struct book *b = book_new();
    (void)state;
    const uint32_t p = add_process(b, "a", (struct prof_cpu){170 * MS, 0, 15 * MS, 8 * MS, 4 * MS, 0});
    const uint32_t killed = add_process(b, "killed", PROF_CPU_UNKNOWN);
    add_bursts(b, p, 100, 1500000);
    add_bursts(b, killed, 10, MS);
    close_book(b);
    assert_int_equal(b->run.kernel_ns, 0);
    assert_int_equal(b->processes[p].user_ns, 155 * MS);
    assert_int_equal(weight_of(b, p), 155 * MS);
    assert_int_equal(b->processes[p].represented_ns, 155 * MS);
    assert_int_equal(weight_of(b, killed), 10 * MS);
    assert_int_equal(b->run.user_ns, 165 * MS);
    assert_int_equal(b->run.represented_ns, 165 * MS);
    free(b);
}

/* Two functions; half of the bursts in the first lost the processor, and the second has no other. */
static void account_of_accesses_goes_to_bursts_that_continued(void **state)
{
    static struct prof_line rows[] = {{.ip = 16, .symbol = "walk"},
                                      {.ip = 17, .symbol = "walk"},
                                      {.ip = 32, .symbol = "sort"},
                                      {.ip = 48, .symbol = "call"}};
    struct book *b = book_new();
    (void)state;
    add_process(b, "a", (struct prof_cpu){10 * S, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, 0, 100, 100 * MS);
    for (int i = 0; i < 100; i++) {
        struct prof_burst *burst = &b->bursts[i];
        burst->ip = i < 60 ? (uint64_t)(16 + i % 2) : i < 80 ? 32 : 48;
        burst->instructions = i < 60 && i % 2 ? 1200 : 40;
        burst->end_why = i < 60   ? (i % 2 ? SPOOL_BURST_BUDGET : SPOOL_BURST_PREEMPTED)
                         : i < 80 ? SPOOL_BURST_PREEMPTED
                                  : SPOOL_BURST_SYSCALL;
    }
    close_book(b);
    account_functions(b, rows, 4, NULL, 0);
    assert_int_equal(b->bursts[0].data_weight_ns, 0);
    assert_int_equal(b->bursts[1].data_weight_ns, 2 * b->bursts[1].weight_ns);
    assert_int_equal(b->bursts[70].data_weight_ns, b->bursts[70].weight_ns); /* no burst represents it */
    assert_int_equal(b->bursts[90].data_weight_ns, b->bursts[90].weight_ns); /* its code ended it */
    free(b);
}

/* The bursts of "slow" are faster at their ends, the bursts of "fast" are not. Only a quarter of the bursts of "slow" have
 * this second pace. The function "few" has too few of them, and takes the ratio of the program. */
static void account_takes_paces_from_the_ends(void **state)
{
    enum { SLOW = 120, FAST = 40, FEW = 10, ALL = SLOW + FAST + FEW };
    static struct prof_line rows[] = {
        {.ip = 16, .symbol = "slow"}, {.ip = 32, .symbol = "fast"}, {.ip = 48, .symbol = "few"}};
    static struct prof_late lates[ALL];
    struct book *b = book_new();
    size_t len = 0;
    (void)state;
    add_process(b, "a", (struct prof_cpu){17 * S, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, 0, ALL, 100 * MS);
    for (uint32_t i = 0; i < ALL; i++) {
        struct prof_burst *burst = &b->bursts[i];
        burst->ip = i < SLOW ? 16 : i < SLOW + FAST ? 32 : 48;
        burst->end_why = SPOOL_BURST_BUDGET;
        burst->pace_instructions = 1000;
        burst->pace_cycles = 2000;
        if (i < SLOW && i % 4 == 0) lates[len++] = (struct prof_late){1600, 1000, i, true};
        if (i >= SLOW && i < SLOW + FAST) lates[len++] = (struct prof_late){2000, 1000, i, true};
        if (i >= SLOW + FAST) lates[len++] = (struct prof_late){100, 1000, i, false}; /* in other code */
    }
    close_book(b);
    account_functions(b, rows, 3, lates, len);
    assert_in_range(b->bursts[0].pace_cycles, 1599, 1601);
    assert_in_range(b->bursts[1].pace_cycles, 1599, 1601);
    assert_in_range(b->bursts[SLOW].pace_cycles, 1999, 2001);
    /* The 80 bursts with two paces execute 40 instructions in a unit of time by the first, 138.75 by the second. */
    assert_in_range(b->bursts[ALL - 1].pace_cycles, 576, 578);
    free(b);
}

/* Errors of single paces do not add up to waiting, and real waiting stays. */
static void account_takes_errors_off_the_rests(void **state)
{
    enum { CLOSE = 40, WAITING = 40, ALL = CLOSE + WAITING };
    static struct prof_line rows[] = {{.ip = 16, .symbol = "close"}, {.ip = 32, .symbol = "waiting"}};
    struct book *b = book_new();
    (void)state;
    add_process(b, "a", (struct prof_cpu){8 * S, 0, 0, 0, 4 * MS, 0});
    add_bursts(b, 0, ALL, 100 * MS);
    for (uint32_t i = 0; i < ALL; i++) {
        struct prof_burst *burst = &b->bursts[i];
        burst->ip = i < CLOSE ? 16 : 32;
        burst->end_why = SPOOL_BURST_BUDGET;
        burst->pace_instructions = 1000;
        burst->pace_least_cycles = 1000;
        burst->pace_cycles = (i < CLOSE ? 1000 : 2000) + i % 4 * 100;
        if (i < CLOSE && i % 4 == 0) burst->pace_cycles = 800;
    }
    close_book(b);
    account_functions(b, rows, 2, NULL, 0);
    double rest = 0;
    for (uint32_t i = 0; i < CLOSE; i++)
        rest += fmax(0, 1 - (double)b->bursts[i].pace_least_cycles / (double)b->bursts[i].pace_cycles);
    /* each four: -1/4, 1/11, 1/6 and 3/13 */
    assert_true(fabs(rest / CLOSE - (-0.25 + 1 / 11.0 + 1 / 6.0 + 3 / 13.0) / 4) < 0.001);
    for (uint32_t i = CLOSE; i < ALL; i++)
        assert_int_equal(b->bursts[i].pace_least_cycles, 1000);
    free(b);
}

/* Short children of one program: in most of them no burst of the function completed. */
static void account_of_accesses_goes_to_other_processes_of_the_program(void **state)
{
    enum { CHILDREN = 8 };
    static struct prof_line rows[CHILDREN];
    struct book *b = book_new();
    double data_ns = 0, weight_ns = 0;
    (void)state;
    for (uint32_t p = 0; p < CHILDREN; p++) {
        add_process(b, p < 6 ? "a" : "b", (struct prof_cpu){200 * MS, 0, 0, 0, 4 * MS, 0});
        add_bursts(b, p, 2, 100 * MS);
        rows[p] = (struct prof_line){.process = p, .ip = 16, .symbol = "work"};
    }
    for (size_t i = 0; i < b->bursts_len; i++) {
        b->bursts[i].ip = 16;
        b->bursts[i].instructions = i < 2 ? 1200 : 1; /* the first child's; the rest is cut */
        b->bursts[i].end_why = i < 2 ? SPOOL_BURST_BUDGET : SPOOL_BURST_PREEMPTED;
    }
    close_book(b);
    account_functions(b, rows, CHILDREN, NULL, 0);
    for (size_t i = 0; i < b->bursts_len; i++) {
        weight_ns += (double)b->bursts[i].weight_ns;
        data_ns += (double)b->bursts[i].data_weight_ns;
        if (i >= 2 && i < 12) assert_int_equal(b->bursts[i].data_weight_ns, 0);
        if (i >= 12) /* no burst represents the other program */
            assert_int_equal(b->bursts[i].data_weight_ns, b->bursts[i].weight_ns);
    }
    assert_int_equal(b->bursts[0].data_weight_ns, 6 * b->bursts[0].weight_ns);
    assert_true(fabs(data_ns - weight_ns) < 1000);
    free(b);
}

static void account_takes_the_largest_counts_and_no_damage(void **state)
{
    struct prof_cpu cpu = PROF_CPU_UNKNOWN;
    (void)state;
    prof_account_take(&cpu, &(struct spool_resources){.user_ns = UINT64_MAX, .kernel_ns = UINT64_MAX});
    assert_int_equal(cpu.user_ns, UINT64_MAX);
    prof_account_take(&cpu, &(struct spool_resources){.user_ns = 20, .kernel_ns = 10, .recording_ns = 3});
    prof_account_take(&cpu, &(struct spool_resources){.user_ns = 5, .kernel_ns = 5, .recording_ns = 4});
    prof_account_take(&cpu, &(struct spool_resources){.user_ns = 50, .recording_ns = UINT64_MAX / 2});
    assert_int_equal(cpu.user_ns, 20);
    assert_int_equal(cpu.recording_ns, 3);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(account_is_user_and_kernel_and_recording),
        cmocka_unit_test(account_pools_short_processes),
        cmocka_unit_test(account_splits_children_of_few_ticks),
        cmocka_unit_test(account_joins_short_strata_with_the_largest),
        cmocka_unit_test(account_without_a_burst_reports_it),
        cmocka_unit_test(account_tells_unsampled_time_from_short_time),
        cmocka_unit_test(account_takes_no_chance_for_a_shortfall),
        cmocka_unit_test(account_does_not_scale_a_shortfall_away),
        cmocka_unit_test(account_of_few_ticks_takes_user_time_from_the_bursts),
        cmocka_unit_test(account_of_few_ticks_is_at_most_the_rest_of_recording),
        cmocka_unit_test(account_corrects_ticks_that_follow_the_bursts),
        cmocka_unit_test(account_leaves_kernel_time_of_the_program),
        cmocka_unit_test(account_of_an_unknown_process_keeps_its_weights),
        cmocka_unit_test(account_adds_up_over_noisy_splits),
        cmocka_unit_test(account_of_less_than_no_kernel_time_adds_up),
        cmocka_unit_test(account_of_accesses_goes_to_bursts_that_continued),
        cmocka_unit_test(account_takes_paces_from_the_ends),
        cmocka_unit_test(account_takes_errors_off_the_rests),
        cmocka_unit_test(account_of_accesses_goes_to_other_processes_of_the_program),
        cmocka_unit_test(account_takes_the_largest_counts_and_no_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
