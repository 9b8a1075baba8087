/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a stack that a burst reads, also at the stack's edges and at page boundaries. */
#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/bursts/rt_burst_numa_sigsafe.h"
#include "runtime/bursts/rt_burst_stack_sigsafe.h"
#include "tests/unit.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096 };

/* Handle faults as the engine's handler does: a fault of a copy ends the copy, any other fails the test. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)sig;
    (void)info;
    if (*ip == (greg_t)(uintptr_t)rt_burst_copy_load_ip)
        *ip = (greg_t)(uintptr_t)rt_burst_copy_fault_ip;
    else if (*ip == (greg_t)(uintptr_t)rt_burst_bulk_load_ip)
        *ip = (greg_t)(uintptr_t)rt_burst_bulk_fault_ip;
    else
        _exit(98);
}

/* A page between two that cannot be read. */
static uint8_t *guarded_page(void)
{
    static uint8_t *p;
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL); /* each test has cmocka's own before */
    if (p) return p;
    uint8_t *all = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0) abort();
    return p = all + PAGE;
}

struct stack {
    long long gregs[NGREG];
    struct rt_burst_devices devices;
    struct spool_link links[RT_BURST_LINKS_MAX];
    struct rt_burst_stack_source source;
    struct spool_stack_packer packer;
};

static void stack_init(struct stack *s, const char *mode, const void *rsp, const void *rbp)
{
    memset(s, 0, sizeof *s);
    s->gregs[REG_RSP] = (long long)(uintptr_t)rsp;
    s->gregs[REG_RBP] = (long long)(uintptr_t)rbp;
    s->gregs[REG_RIP] = 0x1234;
    s->packer = (struct spool_stack_packer){0};
    s->source = (struct rt_burst_stack_source){.packer = &s->packer,
                                               .mode = rt_burst_stack_mode_named(mode),
                                               .devices = &s->devices,
                                               .gregs = s->gregs,
                                               .links = s->links,
                                               .time_ns = 77};
}

static void push_link(uint8_t *at, const void *next, uint64_t ip)
{
    const uint64_t pair[] = {(uint64_t)(uintptr_t)next, ip};
    memcpy(at, pair, sizeof pair);
}

static void stack_modes_have_names(void **state)
{
    (void)state;
    assert_false(rt_burst_stack_mode_named("off")->has_calls);
    assert_true(rt_burst_stack_mode_named("fp")->has_links);
    assert_true(rt_burst_stack_mode_named("unwind")->piece_bytes >
                rt_burst_stack_mode_named("fp")->piece_bytes);
    const struct rt_burst_stack_mode *automatic = rt_burst_stack_mode_named("auto");
    assert_true(automatic->is_in_place || strcmp(automatic->name, "fp") == 0); /* by the C library */
    assert_string_equal(rt_burst_stack_mode_named("nonsense")->name, "off");
}

static void stack_walk_ends_at_an_invalid_link(void **state)
{
    uint8_t *p = guarded_page();
    struct stack s;
    (void)state;
    memset(p, 0, PAGE);
    stack_init(&s, "unwind", p, p + 0x40);
    s.source.base = (uintptr_t)p;
    s.source.end = (uintptr_t)p + PAGE;
    push_link(p + 0x40, p + 0x80, 11);
    push_link(p + 0x80, p + 0xc0, 22);
    push_link(p + 0xc0, p + 0x90, 33); /* back down */
    assert_int_equal(rt_burst_stack_links(&s.source, 0, s.source.end), 3);
    assert_int_equal(s.links[2].ip, 33);
    assert_int_equal(s.links[2].frame, (uintptr_t)p + 0xc0);
    assert_int_equal(rt_burst_stack_links(&s.source, (uintptr_t)p + 0x80, s.source.end), 2);
    push_link(p + 0xc0, p + 0x101, 33); /* not aligned */
    assert_int_equal(rt_burst_stack_links(&s.source, 0, s.source.end), 3);
    push_link(p + 0xc0, p + PAGE - 8, 33); /* reaches out of the stack */
    assert_int_equal(rt_burst_stack_links(&s.source, 0, s.source.end), 3);
    push_link(p + 0x80, p + 0xc0, 0); /* no return address */
    assert_int_equal(rt_burst_stack_links(&s.source, 0, s.source.end), 1);
    s.gregs[REG_RBP] = 5;
    assert_int_equal(rt_burst_stack_links(&s.source, 0, s.source.end), 0);
}

static void stack_walk_survives_the_end_of_memory(void **state)
{
    uint8_t *p = guarded_page();
    struct stack s;
    (void)state;
    memset(p, 0, PAGE);
    stack_init(&s, "unwind", p + PAGE - 0x40, p + PAGE - 0x20); /* the end of this stack is unknown */
    push_link(p + PAGE - 0x20, p + PAGE + 0x100, 11);
    assert_int_equal(rt_burst_stack_links(&s.source, 0, rt_burst_stack_limit(&s.source, (uintptr_t)p)), 1);
    s.gregs[REG_RBP] = (long long)(uintptr_t)(p + PAGE - 8); /* half of it can be read */
    assert_int_equal(rt_burst_stack_links(&s.source, 0, rt_burst_stack_limit(&s.source, (uintptr_t)p)), 0);
}

static void stack_copy_ends_with_the_memory(void **state)
{
    uint8_t *p = guarded_page(), to[PAGE + 64];
    (void)state;
    memset(p, 0x5a, PAGE);
    assert_int_equal(rt_burst_copy_bulk(to, p, PAGE), PAGE);
    assert_int_equal(rt_burst_copy_bulk(to, p + PAGE - 24, 64), 24);
    assert_int_equal(rt_burst_copy_bulk(to, p + PAGE, 64), 0);
    assert_int_equal(rt_burst_copy_bulk(to, p - 8, 64), 0);
    assert_int_equal(rt_burst_copy_bulk(to, p, 0), 0);
}

static void stack_limit_is_the_stacks_end_or_a_bounded_way(void **state)
{
    const struct rt_burst_stack_source s = {.base = 0x1000, .end = 0x9000};
    (void)state;
    assert_int_equal(rt_burst_stack_limit(&s, 0x1000), 0x9000);
    assert_int_equal(rt_burst_stack_limit(&s, 0x8fff), 0x9000);
    assert_true(rt_burst_stack_limit(&s, 0x9000) > 0x9000);
    assert_true(rt_burst_stack_limit(&s, 0x9000) <= 0x9000 + (1 << 20));
    assert_int_equal(rt_burst_stack_limit(&s, UINT64_MAX - 15), UINT64_MAX - 15);
}

static void stack_never_reads_devices(void **state)
{
    uint8_t *p = guarded_page();
    struct stack s;
    (void)state;
    memset(p, 0, PAGE);
    push_link(p + 0x40, p + 0x80, 11);
    stack_init(&s, "unwind", p, p + 0x40);
    rt_burst_devices_add(&s.devices, (uintptr_t)p, (uintptr_t)p + PAGE);
    assert_int_equal(rt_burst_stack_links(&s.source, 0, (uintptr_t)p + PAGE), 0);
}

static void numa_nodes_are_counted(void **state)
{
    static const struct {
        const char *list;
        unsigned nodes;
    } rows[] = {{"0\n", 1}, {"0-1\n", 2}, {"0-1,3\n", 3}, {"0,2,4-7", 6}, {"", 0},
                {"\n", 0},  {"x", 0},     {"1-", 0},      {"3-1", 0},     {"1234567", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rt_burst_numa_nodes(rows[i].list, strlen(rows[i].list)) != rows[i].nodes)
            fail_msg("%s", rows[i].list);
}

static void numa_pages_are_noted_once_and_bounded(void **state)
{
    struct rt_burst_numa n = {0};
    (void)state;
    rt_burst_numa_touch(&n, 0x5008);
    rt_burst_numa_touch(&n, 0x5ff8);
    rt_burst_numa_touch(&n, 0x6000);
    rt_burst_numa_touch(&n, 0x10);
    assert_int_equal(n.len, 2);
    assert_int_equal(n.pages[0], 0x5000);
    for (uint64_t i = 0; i < 1000; i++)
        rt_burst_numa_touch(&n, 0x100000 + i * PAGE);
    assert_int_equal(n.len, RT_BURST_NUMA_PAGES_MAX);
    rt_burst_numa_clear(&n);
    rt_burst_numa_touch(&n, 0x5008);
    assert_int_equal(n.len, 1);
}

static void numa_kernel_reports_the_node_of_a_page(void **state)
{
    uint8_t *p = guarded_page();
    int nodes[2] = {-77, -77};
    (void)state;
    *p = 1;
    const uint64_t pages[] = {(uintptr_t)p, (uintptr_t)p + PAGE};
    const long e = rt_burst_numa_ask_kernel(2, pages, nodes);
    if (e == -ENOSYS || e == -EPERM) skip();
    assert_int_equal(e, 0);
    assert_in_range(nodes[0], 0, 4095);
    assert_true(nodes[1] < 0); /* no page there */
}

/* A table instead of a machine: odd pages are on node 2, the fourth has no memory. */
static long fake_query(size_t len, const uint64_t *pages, int *nodes)
{
    for (size_t i = 0; i < len; i++)
        nodes[i] = i == 3 ? -ENOENT : pages[i] / PAGE % 2 ? 2 : 0;
    return 0;
}

static long refusing_query(size_t len, const uint64_t *pages, int *nodes)
{
    (void)len;
    (void)pages;
    (void)nodes;
    return -EPERM;
}

static void numa_answers_go_to_the_spool(void **state)
{
    char folder[] = "step-stack-test-XXXXXX";
    struct spool_cap cap = {0};
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    struct rt_burst_numa n = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(
        spool_writer_open(&w, -100 /* AT_FDCWD */, "t", &(struct spool_file_header){.pid = 1}, &cap), 0);
    const uint32_t begin = w.chunk.used_bytes;
    rt_burst_numa_put(&w, &n, fake_query, 5); /* nothing was touched */
    for (uint64_t i = 0; i < 4; i++)
        rt_burst_numa_touch(&n, 0x10000 + i * PAGE);
    rt_burst_numa_put(&w, &n, refusing_query, 5);
    assert_int_equal(w.chunk.used_bytes, begin);
    rt_burst_numa_put(&w, &n, fake_query, 5);
    const struct spool_pages *r = (const void *)(w.chunk.at + begin);
    const uint64_t *pages = (const void *)(r + 1);
    assert_int_equal(r->rec.type, SPOOL_REC_PAGES);
    assert_int_equal(r->pages_len, 3);
    assert_int_equal(pages[0], 0x10000);
    assert_int_equal(pages[1], 0x11000 | 2);
    assert_int_equal(pages[2], 0x12000);
    spool_writer_close(&w);
    unlink("t");
    assert_int_equal(chdir(".."), 0);
    rmdir(folder);
}

static void stack_record_holds_registers_links_and_bytes(void **state)
{
    char folder[] = "step-stack-test-XXXXXX";
    struct spool_cap cap = {0};
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    uint8_t *p = guarded_page();
    struct stack s;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(spool_writer_open(&w, -100, "t", &(struct spool_file_header){.pid = 1}, &cap), 0);
    memset(p, 0, PAGE);
    p[PAGE - 64] = 9;
    stack_init(&s, "unwind", p + PAGE - 64, NULL); /* the memory ends before the limit does */
    const uint32_t begin = w.chunk.used_bytes;
    assert_true(rt_burst_stack_put(&w, &s.source));
    const struct spool_stack *r = (const void *)(w.chunk.at + begin);
    assert_int_equal(r->rec.type, SPOOL_REC_STACK);
    assert_int_equal(r->rec.flags, SPOOL_STACK_CALLS);
    assert_int_equal(r->time_ns, 77);
    assert_int_equal(r->regs[SPOOL_REG_RSP], (uintptr_t)p + PAGE - 64);
    assert_int_equal(r->regs[SPOOL_REG_IP], 0x1234);
    assert_int_equal(r->links_len, 0);
    assert_int_equal(r->bytes_len, 64);
    assert_int_equal(((const uint8_t *)(r + 1))[0], 9);
    spool_writer_close(&w);
    unlink("t");
    assert_int_equal(chdir(".."), 0);
    rmdir(folder);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_modes_have_names),
        cmocka_unit_test(stack_walk_ends_at_an_invalid_link),
        cmocka_unit_test(stack_walk_survives_the_end_of_memory),
        cmocka_unit_test(stack_copy_ends_with_the_memory),
        cmocka_unit_test(stack_limit_is_the_stacks_end_or_a_bounded_way),
        cmocka_unit_test(stack_never_reads_devices),
        cmocka_unit_test(stack_record_holds_registers_links_and_bytes),
        cmocka_unit_test(numa_nodes_are_counted),
        cmocka_unit_test(numa_pages_are_noted_once_and_bounded),
        cmocka_unit_test(numa_kernel_reports_the_node_of_a_page),
        cmocka_unit_test(numa_answers_go_to_the_spool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
