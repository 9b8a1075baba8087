/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths equal the ones of the C library's unwinder for all forms of frames; damaged frame information
 * ends a path and has no other effect. */
#include "runtime/core/rt_cfi_sigsafe.h"
#include "runtime/core/rt_unwind_sigsafe.h"
#include "tests/unit.h"

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

static struct rt_unwind_limits limits;
static unsigned compared, differing;
static size_t frames_seen;

/* All but the innermost frame, where the two calls differ. */
static __attribute__((noinline)) void compare(void)
{
    uint64_t ours[RT_UNWIND_FRAMES_MAX];
    void *theirs[RT_UNWIND_FRAMES_MAX];
    const size_t len = rt_unwind(&limits, ours, RT_UNWIND_FRAMES_MAX, NULL);
    const int want = backtrace(theirs, RT_UNWIND_FRAMES_MAX);
    int is_same = (int)len == want;
    for (int i = 1; i < want && i < (int)len; i++)
        is_same &= ours[i] == (uint64_t)(uintptr_t)theirs[i];
    compared++;
    differing += !is_same;
    frames_seen = len;
    if (!is_same) print_message("%zu frames, the C library has %d\n", len, want);
}

/* The code after the call may not be removed, or the call would become a jump. */
static volatile int sink;

static __attribute__((noinline)) void plain(int depth)
{
    volatile char room[64];
    room[0] = (char)depth;
    if (depth == 0)
        compare();
    else
        plain(depth - 1);
    sink += room[0];
}

static __attribute__((noinline)) void with_alloca(int depth)
{
    volatile char *room = alloca((size_t)depth * 48 + 40);
    room[0] = (char)depth;
    if (depth == 0)
        compare();
    else
        with_alloca(depth - 1);
    sink += room[0];
}

static __attribute__((noinline)) void with_alignment(int depth)
{
    _Alignas(64) volatile double aligned[8] = {0};
    volatile char *room = alloca((size_t)depth * 48 + 40);
    aligned[depth & 7] = room[0] = (char)depth;
    if (depth == 0)
        compare();
    else
        with_alignment(depth - 1);
    sink += (int)aligned[1] + room[0];
}

static int compare_and_order(const void *a, const void *b)
{
    compare();
    return *(const int *)a - *(const int *)b;
}

static int frames_known(void **state)
{
    (void)state;
    limits = (struct rt_unwind_limits){0};
    compared = differing = 0;
    if (rt_unwind_works()) return 0;
    print_message("there are no call paths here (needs x86-64 and glibc 2.35)\n");
    return -1;
}

static void paths_are_those_of_the_c_library(void **state)
{
    int numbers[] = {3, 1, 2};
    (void)state;
    plain(0);
    plain(10);
    plain(45);
    with_alloca(7);
    with_alignment(7);
    qsort(numbers, 3, sizeof(numbers[0]), compare_and_order);
    plain(10); /* from the table this time */
    assert_true(compared >= 8);
    assert_int_equal(differing, 0);
}

static void deep_paths_keep_their_inner_frames(void **state)
{
    (void)state;
    plain(500);
    assert_int_equal(frames_seen, RT_UNWIND_FRAMES_MAX);
    assert_int_equal(differing, 0);
}

static void *in_a_thread(void *unused)
{
    (void)unused;
    plain(3);
    return NULL;
}

static void threads_have_separate_paths(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, in_a_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(compared, 1);
    assert_int_equal(differing, 0);
    assert_true(frames_seen >= 5 && frames_seen <= 9);
}

static ucontext_t here, there;
static void on_another_stack(void)
{
    uint64_t frames[RT_UNWIND_FRAMES_MAX];
    frames_seen = rt_unwind(&limits, frames, RT_UNWIND_FRAMES_MAX, NULL);
    swapcontext(&there, &here);
}

/* A stack right below memory that may not be read: the walk stops there instead of crashing. */
static void unknown_stacks_are_tried_before_they_are_read(void **state)
{
    enum { STACK_BYTES = 65536 };
    char *stack = mmap(NULL, STACK_BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(stack != MAP_FAILED);
    assert_int_equal(mprotect(stack + STACK_BYTES, 4096, PROT_NONE), 0);
    frames_seen = 0;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_BYTES;
    there.uc_link = &here;
    makecontext(&there, on_another_stack, 0);
    swapcontext(&here, &there);
    assert_true(frames_seen >= 1);
    munmap(stack, STACK_BYTES + 4096);
}

static void stack_that_ends_early_ends_the_path(void **state)
{
    uint64_t frames[RT_UNWIND_FRAMES_MAX];
    char mark;
    (void)state;
    limits.stack_base = (uint64_t)(uintptr_t)&mark - 65536;
    limits.stack_end =
        ((uint64_t)(uintptr_t)&mark & ~UINT64_C(7)) - 8; /* before the caller's return address */
    assert_true(rt_unwind(&limits, frames, RT_UNWIND_FRAMES_MAX, NULL) <= 1);
}

static void own_code_is_left_out(void **state)
{
    uint64_t frames[RT_UNWIND_FRAMES_MAX], fewer[RT_UNWIND_FRAMES_MAX];
    bool is_nested;
    (void)state;
    const size_t all = rt_unwind(&limits, frames, RT_UNWIND_FRAMES_MAX, &is_nested);
    assert_true(all >= 3);
    assert_false(is_nested);
    limits.own_base = frames[0] - 512; /* this function, whatever the call */
    limits.own_end = frames[0] + 512;
    assert_int_equal(rt_unwind(&limits, fewer, RT_UNWIND_FRAMES_MAX, &is_nested), all - 1);
    assert_int_equal(fewer[0], frames[1]);
    assert_false(is_nested);
    limits.own_base = frames[1] - 16; /* after a frame that is kept */
    limits.own_end = frames[1] + 16;
    assert_int_equal(rt_unwind(&limits, fewer, RT_UNWIND_FRAMES_MAX, &is_nested), all - 1);
    assert_true(is_nested);
}

static void forgotten_rules_are_found_again(void **state)
{
    (void)state;
    plain(5);
    rt_unwind_forget();
    plain(5);
    assert_int_equal(differing, 0);
}

/* The paths of a handler, and of the code that another one interrupted. */
static struct {
    uint64_t frames[RT_UNWIND_FRAMES_MAX];
    size_t len;
} of_handler, of_interrupted[2];
static bool interrupted_is_whole;

static void on_signal(int number, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    const struct rt_unwind_registers from = {(uint64_t)uc->uc_mcontext.gregs[REG_RIP],
                                             (uint64_t)uc->uc_mcontext.gregs[REG_RSP],
                                             (uint64_t)uc->uc_mcontext.gregs[REG_RBP]};
    const int depth = number == SIGUSR2; /* begun inside the other one */
    (void)info;
    of_handler.len = rt_unwind(&limits, of_handler.frames, RT_UNWIND_FRAMES_MAX, NULL);
    of_interrupted[depth].len = rt_unwind_from(&limits, &from, of_interrupted[depth].frames,
                                               RT_UNWIND_FRAMES_MAX, &interrupted_is_whole);
    if (depth == 0) raise(SIGUSR2);
}

/* Do the frames end with these? */
static bool end_with(const uint64_t *frames, size_t len, const uint64_t *last, size_t last_len)
{
    return len > last_len && memcmp(frames + len - last_len, last, last_len * sizeof(*last)) == 0;
}

static void paths_continue_in_interrupted_code(void **state)
{
    uint64_t callers[RT_UNWIND_FRAMES_MAX];
    const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    (void)state;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
    const size_t len = rt_unwind(&limits, callers, RT_UNWIND_FRAMES_MAX, NULL);
    assert_true(len > 1);
    assert_true(of_handler.len >= 1 && of_handler.len <= 3); /* a handler's own path ends with it */
    for (int depth = 0; depth < 2; depth++)                  /* equal except for the address of the call */
        assert_true(end_with(of_interrupted[depth].frames, of_interrupted[depth].len, callers + 1, len - 1));
    assert_true(of_interrupted[1].len > of_interrupted[0].len);
    assert_true(interrupted_is_whole);
    const struct rt_unwind_registers nowhere = {.ip = 1, .sp = 16, .bp = 16};
    assert_int_equal(rt_unwind_from(&limits, &nowhere, callers, RT_UNWIND_FRAMES_MAX, &interrupted_is_whole),
                     0);
    assert_false(interrupted_is_whole);
}

/* The program's own object, its frame information in a copy that may be damaged. */
static void damaged_frame_information_ends_paths(void **state)
{
    struct dl_find_object found;
    (void)state;
    if (_dl_find_object((void *)(uintptr_t)&plain, &found) != 0) fail();
    const size_t len = (size_t)((char *)found.dlfo_map_end - (char *)found.dlfo_map_start);
    uint8_t *copy = malloc(len), *damaged = malloc(len);
    const struct rt_cfi_object object = {copy, copy + len,
                                         copy + ((char *)found.dlfo_eh_frame - (char *)found.dlfo_map_start)};
    const struct rt_cfi_object bad = {damaged, damaged + len, damaged + (object.eh_frame_hdr - copy)};
    const size_t header = (size_t)(object.eh_frame_hdr - copy);
    const uint64_t ip =
        (uint64_t)(uintptr_t)copy + (uint64_t)((char *)(uintptr_t)&plain - (char *)found.dlfo_map_start);
    FILE *maps = fopen("/proc/self/mem", "r"); /* holes between segments read as nothing */
    memset(copy, 0, len);
    for (size_t at = 0; at < len; at += 4096) {
        fseek(maps, (long)(uintptr_t)found.dlfo_map_start + (long)at, SEEK_SET);
        if (fread(copy + at, 1, 4096, maps) == 0) clearerr(maps);
    }
    fclose(maps);
    const struct rt_cfi_rule whole = rt_cfi_find(&object, ip);
    assert_int_equal(whole.cfa, RT_CFI_SP);
    assert_int_equal(whole.cfa_offset_bytes, 8); /* at the first instruction nothing was pushed yet */
    unsigned ends = 0;
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        memcpy(damaged + header, copy + header, len - header);
        for (int k = 0; k < 4; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            damaged[header + (random >> 33) % (round % 2 ? 64 : len - header)] ^=
                (uint8_t)(1u << (random >> 30 & 7));
        }
        ends += rt_cfi_find(&bad, ip - (uint64_t)(uintptr_t)copy + (uint64_t)(uintptr_t)damaged).cfa ==
                RT_CFI_END;
    }
    assert_true(ends > 100); /* and no crash */
    free(copy);
    free(damaged);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(paths_are_those_of_the_c_library, frames_known),
        cmocka_unit_test_setup(deep_paths_keep_their_inner_frames, frames_known),
        cmocka_unit_test_setup(threads_have_separate_paths, frames_known),
        cmocka_unit_test_setup(unknown_stacks_are_tried_before_they_are_read, frames_known),
        cmocka_unit_test_setup(stack_that_ends_early_ends_the_path, frames_known),
        cmocka_unit_test_setup(own_code_is_left_out, frames_known),
        cmocka_unit_test_setup(forgotten_rules_are_found_again, frames_known),
        cmocka_unit_test_setup(paths_continue_in_interrupted_code, frames_known),
        cmocka_unit_test_setup(damaged_frame_information_ends_paths, frames_known),
    };
    return rt_unwind_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
