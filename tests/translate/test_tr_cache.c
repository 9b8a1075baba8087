/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of translated code: changes, room, threads, children; and bursts on other stacks. */
#include "runtime/translate/rt_tr_internal.h"
#include "tests/translate/tr_session.h"
#include "tests/translate/tr_unit.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t end_of_stack(uint64_t *highest_arena_end)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uint64_t base, end, stack_end = 0;
    *highest_arena_end = 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx", &base, &end) != 2) continue;
        if (strstr(line, "[stack]"))
            stack_end = end;
        else if (strstr(line, " rwxp ") && !stack_end)
            *highest_arena_end = end;
    }
    fclose(maps);
    return stack_end;
}

/* On some kernels the vDSO is directly above the stack; memory for its translation must not block the growth
 * of the stack. */
static void stack_keeps_its_room(void **state)
{
    (void)state;
    uint64_t highest_end;
    const uint64_t above = end_of_stack(&highest_end) + (16 << 20);
    uint8_t *code = mmap((void *)(uintptr_t)above, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (code == MAP_FAILED) skip(); /* the stack ends with the address space */
    tr_session_add_code(above, above + PAGE_BYTES);
    write_return(code, 5);
    assert_int_equal(call_in_burst(code), 5);
    assert_int_equal(call_in_burst(code), 5);
    const uint64_t stack_end = end_of_stack(&highest_end);
    assert_true(stack_end - highest_end >= (uint64_t)128 << 20);
    munmap(code, PAGE_BYTES);
}

static void changed_code_is_translated_again(void **state)
{
    (void)state;
    uint8_t *code = map_code(PAGE_BYTES);
    write_return(code, 7);
    assert_int_equal(call_in_burst(code), 7);
    assert_int_equal(call_in_burst(code), 7);
    write_return(code, 8);
    assert_int_equal(call_in_burst(code),
                     7); /* the translation of the old code: this is why there is a hook */
    write_return(code, 9);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    assert_int_equal(call_in_burst(code), 9);
    assert_int_equal(call_in_burst(code), 9);
}

/* More code than the cache holds. */
static void full_cache_is_dropped(void **state)
{
    enum { CODE_BYTES = 3 << 20, LEA_BYTES = 4, FUNCTION = 60 };
    (void)state;
    uint8_t *code = map_code(CODE_BYTES);
    static const uint8_t lea[] = {0x48, 0x8d, 0x40, 0x01}; /* lea 1(rax), rax */
    const unsigned functions = CODE_BYTES / (LEA_BYTES * FUNCTION);
    for (unsigned i = 0; i < functions; i++) {
        uint8_t *at = code + i * LEA_BYTES * FUNCTION;
        for (unsigned k = 0; k + 1 < FUNCTION; k++)
            memcpy(at + k * LEA_BYTES, lea, sizeof lea);
        at[(FUNCTION - 1) * LEA_BYTES] = 0xc3;
    }
    unsigned full = 0;
    uint64_t most_bytes = 0, all_bytes, code_bytes;
    for (unsigned i = 0; i < functions; i += 4) {
        tr_session_each(&whole, NULL);
        TR_TRIGGER();
        for (unsigned k = 0; k < 4 && i + k < functions; k++) {
            uint64_t counted;
            __asm__ volatile("xorl %%eax, %%eax\n\tcall *%1"
                             : "=&a"(counted)
                             : "r"(code + (i + k) * LEA_BYTES * FUNCTION)
                             : "memory", "cc");
            if (counted != FUNCTION - 1) fail_msg("%lu", (unsigned long)counted);
        }
        full += tr_session_refused() == RT_TR_ACCEPTED && tr_session_result()->end == RT_TR_END_FULL;
        rt_tr_memory(&all_bytes, &code_bytes);
        if (all_bytes > most_bytes) most_bytes = all_bytes;
    }
    assert_true(full > 0);
    assert_true(most_bytes <= 16 << 20);
    assert_int_equal(sum_in_burst(&whole), sum_words(words, WORDS));
    sum_in_burst(&whole);
    checked_result(RT_TR_END_DONE);
    munmap(code, CODE_BYTES);
}

static void child_has_a_separate_cache(void **state)
{
    (void)state;
    const uint64_t expected = sum_words(words, WORDS);
    warm_up();
    const pid_t child = fork();
    if (!child) {
        if (sum_in_burst(&whole) != expected || !tr_session_result()->translated) _exit(1);
        warm_up();
        if (sum_in_burst(&whole) != expected || tr_session_result()->translated) _exit(2);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sum_in_burst(&whole), expected);
    assert_int_equal(checked_result(RT_TR_END_DONE)->translated, 0);
}

static uint64_t __attribute__((noinline)) use_stack(unsigned depth)
{
    volatile uint8_t frame[1024];
    for (unsigned i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)depth;
    return depth ? use_stack(depth - 1) + frame[depth] : 0;
}

static uint64_t on_alternate_stack;

/* The kernel puts the frame of the trigger just below: the program then writes over it. */
static void use_alternate_stack(int sig)
{
    (void)sig;
    tr_session_each(&brief, NULL);
    TR_TRIGGER();
    on_alternate_stack = use_stack(20);
}

static void program_may_be_on_the_alternate_stack(void **state)
{
    (void)state;
    const struct sigaction a = {.sa_handler = use_alternate_stack, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    assert_int_equal(on_alternate_stack, 20 * 21 / 2);
    checked_result(RT_TR_END_DONE);
}

static void on_signal_on_alternate_stack(int sig)
{
    (void)sig;
    use_stack(8);
}

static void get_signal(void)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_UNBLOCK, &set, &before);
    raise(SIGUSR2);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A signal before the burst, such as the sample of a page fault, does not begin over the program's frames, which include
 * the frame of its own signal. */
static void signal_in_a_burst_spares_the_alternate_stack(void **state)
{
    (void)state;
    const struct sigaction a = {.sa_handler = use_alternate_stack, .sa_flags = SA_ONSTACK},
                           b = {.sa_handler = on_signal_on_alternate_stack, .sa_flags = SA_ONSTACK};
    stack_t after;
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &b, NULL);
    tr_session_before_each(get_signal);
    raise(SIGUSR1);
    tr_session_before_each(NULL);
    assert_int_equal(on_alternate_stack, 20 * 21 / 2);
    checked_result(RT_TR_END_DONE);
    sigaltstack(NULL, &after);
    assert_int_equal(after.ss_flags & SS_DISABLE, 0);
}

enum { THREADS = 4, ROUNDS = 3000, LIMIT_S = 60 };
static uint8_t *shared_code[8];
static uint32_t threads_failed;

static void *burst_on_and_on(void *arg)
{
    unsigned *accepted = arg;
    const time_t end = time(NULL) + LIMIT_S;
    tr_session_thread();
    /* while the thread that holds the cache's lock is preempted, all others are refused */
    for (unsigned i = 0; i < ROUNDS || (*accepted < ROUNDS / 10 && time(NULL) < end); i++) {
        TR_TRIGGER();
        if (sum_words(words, 400) != (uint64_t)399 * 400 * 799 / 6)
            __atomic_store_n(&threads_failed, 1, __ATOMIC_RELAXED);
        for (unsigned k = 0; k < 8; k++)
            if (((uint32_t(*)(void))(uintptr_t)shared_code[k])() != k)
                __atomic_store_n(&threads_failed, 2, __ATOMIC_RELAXED);
        *accepted += tr_session_refused() == RT_TR_ACCEPTED;
    }
    tr_session_end_thread();
    return NULL;
}

static void threads_share_the_cache_while_it_is_dropped(void **state)
{
    (void)state;
    fill_words();
    for (unsigned k = 0; k < 8; k++)
        write_return(shared_code[k] = map_code(PAGE_BYTES), k);
    static const struct rt_tr_plan plan = {.warm_instructions = 200,
                                           .pace_instructions = 300,
                                           .accesses = 30,
                                           .probes = 10,
                                           .probe_loads = 4,
                                           .random = 3};
    tr_session_each(&plan, NULL);
    pthread_t threads[THREADS];
    unsigned accepted[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, burst_on_and_on, &accepted[i]), 0);
    for (unsigned i = 0; i < 200; i++) {
        rt_tr_invalidate((uint64_t)(uintptr_t)shared_code[i % 8], PAGE_BYTES);
        usleep(500);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(threads_failed, 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(accepted[i] >= ROUNDS / 10);
    sum_in_burst(&whole);
    sum_in_burst(&whole);
    checked_result(RT_TR_END_DONE); /* the count of threads in bursts is complete */
}

int tr_cache_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_keeps_its_room),
        cmocka_unit_test(changed_code_is_translated_again),
        cmocka_unit_test(full_cache_is_dropped),
        cmocka_unit_test(child_has_a_separate_cache),
        cmocka_unit_test(program_may_be_on_the_alternate_stack),
        cmocka_unit_test(signal_in_a_burst_spares_the_alternate_stack),
        cmocka_unit_test(threads_share_the_cache_while_it_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

UNIT_GROUP()
{
    return tr_unit_run("", tr_cache_tests);
}
