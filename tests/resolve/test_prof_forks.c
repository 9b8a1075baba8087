/* SPDX-License-Identifier: BSD-3-Clause */
/* Process trees with known truth: state that fork children inherit, phases by thread, parents and children. */
#include "resolve/prof_phases.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CHILD = FIXTURE_PID + 10, GRANDCHILD = FIXTURE_PID - 10 };

struct tree {
    struct spool_fixture f;
    struct prof_fixture_thread parent;
    prof_profile *profile;
    const struct prof_node *nodes;
    const struct prof_process *processes;
    const struct prof_phase *phases;
    const struct prof_phase_span *spans;
    const struct prof_thread *threads;
    size_t nodes_len, processes_len, phases_len, spans_len, threads_len;
    struct prof_samples samples;
};

static void open_image(struct tree *t, struct prof_fixture_thread *thread, uint32_t pid, uint32_t image)
{
    spool_fixture_open(&t->f, &thread->writer, pid, image, pid);
    prof_fixture_process(thread, pid, "app");
}

static void open_fork(struct tree *t, struct prof_fixture_thread *thread, uint32_t pid,
                      struct spool_ancestor ancestor)
{
    thread->now_ns = ancestor.fork_ns + 10;
    open_image(t, thread, pid, 0);
    ancestor.time_ns = thread->now_ns;
    spool_put_ancestor(&thread->writer, ancestor);
    spool_put_thread_begin(&thread->writer,
                           (struct spool_thread_begin){.time_ns = thread->now_ns, .tid = pid}, "child");
    prof_fixture_maps(thread, fixture_maps);
}

static void begin(struct tree *t)
{
    memset(t, 0, sizeof(*t));
    spool_fixture_init(&t->f);
    t->parent.now_ns = FIXTURE_START_NS;
    open_image(t, &t->parent, FIXTURE_PID, 0);
    prof_fixture_maps(&t->parent, fixture_maps);
}

static void resolve(struct tree *t)
{
    char path[400];
    const struct mach_calibration calibration = fixture_calibration();
    snprintf(path, sizeof(path), "%s/run.h5", t->f.root);
    const struct prof_resolve_options options = {.spool_dir = t->f.spool,
                                                 .output_path = path,
                                                 .force = 1,
                                                 .command = "app",
                                                 .pid = FIXTURE_PID,
                                                 .exit_signal = 9,
                                                 .calibration = &calibration};
    if (prof_resolve(&options, NULL) != LS_OK || prof_open(path, &t->profile) != LS_OK)
        fail_msg("%s", ls_last_error());
    t->nodes = prof_nodes(t->profile, &t->nodes_len);
    t->processes = prof_processes(t->profile, &t->processes_len);
    t->phases = prof_phases(t->profile, &t->phases_len);
    t->spans = prof_phase_spans(t->profile, &t->spans_len);
    t->threads = prof_threads(t->profile, &t->threads_len);
    if (prof_load_samples(t->profile, ~UINT64_C(0), &t->samples) != LS_OK) fail_msg("%s", ls_last_error());
}

static void end(struct tree *t)
{
    prof_close(t->profile);
    spool_fixture_fini(&t->f);
}

static uint32_t process_of(const struct tree *t, uint64_t sample)
{
    return t->threads[t->samples.thread[sample]].process;
}

/* The only sample of pid at addr. */
static uint64_t sample_of(const struct tree *t, uint32_t pid, uint64_t addr)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < t->samples.len; i++)
        if (t->samples.addr[i] == addr && t->processes[process_of(t, i)].pid == pid) {
            assert_true(found == UINT64_MAX);
            found = i;
        }
    assert_true(found != UINT64_MAX);
    return found;
}

static const struct prof_node *node_at(const struct tree *t, uint32_t pid, uint64_t addr)
{
    return &t->nodes[t->samples.node[sample_of(t, pid, addr)]];
}

static const char *phase_at(const struct tree *t, uint64_t sample)
{
    static char path[512];
    char longer[512];
    path[0] = '\0';
    for (uint32_t p = t->samples.phase[sample]; p != UINT32_MAX; p = t->phases[p].parent) {
        snprintf(longer, sizeof(longer), "%.100s%s%.300s", t->phases[p].name, *path ? "/" : "", path);
        memcpy(path, longer, sizeof(path));
    }
    return path;
}

static const struct prof_process *process_row(const struct tree *t, uint32_t pid, uint32_t image)
{
    for (size_t i = 0; i < t->processes_len; i++)
        if (t->processes[i].pid == pid && t->processes[i].image == image) return &t->processes[i];
    fail_msg("no process %u.%u", pid, image);
    return NULL;
}

static uint32_t row_of(const struct tree *t, const struct prof_process *p)
{
    return (uint32_t)(p - t->processes);
}

static struct spool_node range(uint32_t id, uint64_t base, uint64_t end_addr)
{
    return (struct spool_node){.node = id, .base = base, .end = end_addr, .elem_size_bytes = 80, .dims = 10};
}

/* The parent's first child; returns when it was forked. */
static uint64_t fork_of_parent(struct tree *t, struct prof_fixture_thread *child)
{
    const uint64_t fork_ns = t->parent.now_ns + 500;
    open_fork(t, child, CHILD,
              (struct spool_ancestor){.fork_ns = fork_ns, .pid = FIXTURE_PID, .tid = FIXTURE_PID});
    return fork_ns;
}

static void fork_child_knows_blocks_from_before_the_fork(void **state)
{
    struct tree t;
    struct prof_fixture_thread child = {0};
    (void)state;
    begin(&t);
    prof_fixture_alloc(&t.parent, FIXTURE_BLOCK, FIXTURE_BLOCK_BYTES);
    prof_fixture_alloc(&t.parent, FIXTURE_OTHER, 4096);
    prof_fixture_node(&t.parent, range(1, FIXTURE_BLOCK, FIXTURE_BLOCK + 8000), "A");
    spool_put_phase(&t.parent.writer, t.parent.now_ns, true, "prepared");
    const uint64_t fork_ns = fork_of_parent(&t, &child);
    /* the parent goes its own way at once */
    spool_put_phase(&t.parent.writer, fork_ns + 1, false, "prepared");
    spool_put_free(&t.parent.writer, fork_ns + 2, FIXTURE_BLOCK);
    spool_put_node_remove(&t.parent.writer, fork_ns + 2, 1, SPOOL_NODE_FREED);
    spool_put_free(&t.parent.writer, fork_ns + 3, FIXTURE_OTHER);
    t.parent.now_ns = child.now_ns + 10000;
    prof_fixture_load(&t.parent, FIXTURE_BLOCK + 80, 0);
    prof_fixture_load(&child, FIXTURE_BLOCK + 80, 0);
    prof_fixture_load(&child, FIXTURE_OTHER + 8, 0);
    spool_put_free(&child.writer, child.now_ns, FIXTURE_OTHER);
    prof_fixture_load(&child, FIXTURE_OTHER + 16, 0);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_string_equal(node_at(&t, CHILD, FIXTURE_BLOCK + 80)->label, "A");
    assert_int_equal(t.samples.element[sample_of(&t, CHILD, FIXTURE_BLOCK + 80)], 1);
    assert_int_not_equal(node_at(&t, CHILD, FIXTURE_OTHER + 8)->kind, PROF_NODE_ANONYMOUS);
    assert_int_equal(node_at(&t, CHILD, FIXTURE_OTHER + 16)->kind, PROF_NODE_ANONYMOUS);
    assert_int_equal(node_at(&t, FIXTURE_PID, FIXTURE_BLOCK + 80)->kind, PROF_NODE_ANONYMOUS);
    assert_string_equal(phase_at(&t, sample_of(&t, CHILD, FIXTURE_BLOCK + 80)), "prepared");
    assert_string_equal(phase_at(&t, sample_of(&t, FIXTURE_PID, FIXTURE_BLOCK + 80)), "");
    /* A is the parent's node, and one node only */
    const uint32_t parent_row = row_of(&t, process_row(&t, FIXTURE_PID, 0));
    assert_int_equal(node_at(&t, CHILD, FIXTURE_BLOCK + 80)->process, parent_row);
    assert_int_equal(process_row(&t, CHILD, 0)->parent, parent_row);
    assert_int_equal(process_row(&t, CHILD, 0)->origin, PROF_ORIGIN_FORK);
    end(&t);
}

static void load_tagged(struct prof_fixture_thread *t, uint64_t addr)
{
    const struct spool_access a = {.ip = FIXTURE_CODE + 4, .addr = addr, .size_bytes = 8, .site = 3};
    prof_fixture_burst_begin(t);
    spool_put_access(&t->writer, SPOOL_OP_LOAD, &a);
    prof_fixture_burst_end(t);
}

/* Numbers of sites that the parent gave before the fork hold in the child. */
static void fork_child_knows_its_parents_sites(void **state)
{
    static const uint64_t path[] = {FIXTURE_CODE + 0x10, FIXTURE_CODE + 0x20};
    struct tree t;
    struct prof_fixture_thread child = {0};
    (void)state;
    begin(&t);
    const struct spool_site site = {.time_ns = t.parent.now_ns, .len_bytes = 32, .site = 3, .frames_len = 2};
    spool_put_site(&t.parent.writer, site, path);
    fork_of_parent(&t, &child);
    t.parent.now_ns = child.now_ns + 10000;
    load_tagged(&t.parent, FIXTURE_BRK + 8);
    load_tagged(&child, FIXTURE_BRK + 8);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(node_at(&t, CHILD, FIXTURE_BRK + 8)->kind, PROF_NODE_SITE);
    assert_ptr_equal(node_at(&t, CHILD, FIXTURE_BRK + 8), node_at(&t, FIXTURE_PID, FIXTURE_BRK + 8));
    end(&t);
}

static void child_changes_do_not_affect_the_parent(void **state)
{
    struct tree t;
    struct prof_fixture_thread child = {0};
    (void)state;
    begin(&t);
    prof_fixture_alloc(&t.parent, FIXTURE_BLOCK, FIXTURE_BLOCK_BYTES);
    prof_fixture_node(&t.parent, range(1, FIXTURE_BLOCK, FIXTURE_BLOCK + 8000), "A");
    prof_fixture_node(&t.parent, (struct spool_node){.node = 2, .is_group = 1}, "Input");
    fork_of_parent(&t, &child);
    struct spool_node inner = range(3, FIXTURE_BLOCK + 800, FIXTURE_BLOCK + 1600);
    inner.parent = 1;
    prof_fixture_node(&child, inner, "inner");
    prof_fixture_load(&child, FIXTURE_BLOCK + 800, 0);
    prof_fixture_node(&child, range(4, FIXTURE_OTHER, FIXTURE_OTHER + 800), "late");
    spool_put_node_member(&child.writer, child.now_ns, 2, 4);
    prof_fixture_load(&child, FIXTURE_OTHER, 0);
    spool_put_free(&child.writer, child.now_ns, FIXTURE_BLOCK);
    prof_fixture_load(&child, FIXTURE_BLOCK, 0);
    /* ids continue in both processes: the same id means a different node */
    t.parent.now_ns = child.now_ns + 5;
    prof_fixture_node(&t.parent, range(3, FIXTURE_OTHER, FIXTURE_OTHER + 800), "parent's own");
    prof_fixture_load(&t.parent, FIXTURE_BLOCK, 0);
    prof_fixture_load(&t.parent, FIXTURE_OTHER, 0);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    const struct prof_node *found = node_at(&t, CHILD, FIXTURE_BLOCK + 800);
    assert_string_equal(found->label, "inner");
    assert_string_equal(t.nodes[found->parent].label, "A");
    found = node_at(&t, CHILD, FIXTURE_OTHER);
    assert_string_equal(found->label, "late");
    assert_string_equal(t.nodes[found->parent].label, "Input");
    assert_int_equal(node_at(&t, CHILD, FIXTURE_BLOCK)->kind, PROF_NODE_ANONYMOUS);
    found = node_at(&t, FIXTURE_PID, FIXTURE_BLOCK);
    assert_string_equal(found->label, "A");
    assert_true(found->died_ns == UINT64_MAX); /* the child's free is not the parent's */
    assert_string_equal(node_at(&t, FIXTURE_PID, FIXTURE_OTHER)->label, "parent's own");
    end(&t);
}

/* The grandchild has the smallest pid: it is replayed last all the same. */
static void grandchildren_inherit_through_their_parents(void **state)
{
    struct tree t;
    struct prof_fixture_thread child = {0}, grandchild = {0};
    (void)state;
    begin(&t);
    prof_fixture_node(&t.parent, range(1, FIXTURE_OTHER, FIXTURE_OTHER + 800), "A");
    fork_of_parent(&t, &child);
    prof_fixture_node(&child, range(2, FIXTURE_BLOCK, FIXTURE_BLOCK + 800), "B");
    open_fork(&t, &grandchild, GRANDCHILD,
              (struct spool_ancestor){.fork_ns = child.now_ns + 1, .pid = CHILD, .tid = CHILD});
    prof_fixture_load(&grandchild, FIXTURE_OTHER, 0);
    prof_fixture_load(&grandchild, FIXTURE_BLOCK, 0);
    spool_writer_close(&grandchild.writer);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_string_equal(node_at(&t, GRANDCHILD, FIXTURE_OTHER)->label, "A");
    assert_string_equal(node_at(&t, GRANDCHILD, FIXTURE_BLOCK)->label, "B");
    assert_int_equal(process_row(&t, GRANDCHILD, 0)->parent, row_of(&t, process_row(&t, CHILD, 0)));
    end(&t);
}

static void exec_starts_clean_and_ends_are_reported(void **state)
{
    struct tree t;
    struct prof_fixture_thread child = {0}, image = {0};
    (void)state;
    begin(&t);
    prof_fixture_node(&t.parent, range(1, FIXTURE_OTHER, FIXTURE_OTHER + 800), "A");
    fork_of_parent(&t, &child);
    prof_fixture_load(&child, FIXTURE_OTHER, 0);
    image.now_ns = child.now_ns;
    open_image(&t, &image, CHILD, 1);
    prof_fixture_maps(&image, fixture_maps);
    prof_fixture_load(&image, FIXTURE_OTHER + 8, 0);
    struct spool_exited *exited =
        spool_writer_reserve(&image.writer, SPOOL_REC_EXITED, 0, sizeof(struct spool_exited));
    exited->time_ns = image.now_ns;
    exited->status = 3;
    exited->peak_bytes = 1 << 20;
    spool_writer_commit(&image.writer, exited);
    spool_writer_close(&image.writer);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_string_equal(node_at(&t, CHILD, FIXTURE_OTHER)->label, "A");
    assert_int_equal(node_at(&t, CHILD, FIXTURE_OTHER + 8)->kind, PROF_NODE_ANONYMOUS);
    const struct prof_process *first = process_row(&t, CHILD, 0), *second = process_row(&t, CHILD, 1);
    assert_int_equal(first->ended, PROF_ENDED_EXEC);
    assert_int_equal(second->parent, row_of(&t, first));
    assert_int_equal(second->origin, PROF_ORIGIN_EXEC);
    assert_int_equal(second->ended, PROF_ENDED_EXIT);
    assert_int_equal(second->exit_code, 3);
    assert_int_equal(second->peak_bytes, 1 << 20);
    assert_true(first->peak_bytes == UINT64_MAX);
    const struct prof_process *top = process_row(&t, FIXTURE_PID, 0);
    assert_int_equal(top->parent, PROF_NO_PROCESS);
    assert_int_equal(top->ended, PROF_ENDED_SIGNAL);
    assert_int_equal(top->exit_signal, 9);
    assert_int_equal(top->rank, -1);
    end(&t);
}

/* The child was killed: its parent reports it. Its pid occurs twice. */
static void parents_report_how_killed_children_ended(void **state)
{
    enum { SIGNAL_11 = 11 };
    struct tree t;
    struct prof_fixture_thread child = {0}, again = {0};
    (void)state;
    begin(&t);
    child.now_ns = t.parent.now_ns + 10;
    open_image(&t, &child, CHILD, 0);
    t.parent.now_ns = child.now_ns + 10;
    spool_put_child_ended(
        &t.parent.writer,
        (struct spool_child_ended){.time_ns = t.parent.now_ns, .pid = CHILD, .status = SIGNAL_11});
    spool_put_child_ended(
        &t.parent.writer,
        (struct spool_child_ended){.time_ns = t.parent.now_ns, .pid = CHILD + 1, .status = SIGNAL_11});
    again.now_ns = t.parent.now_ns + 10;
    open_image(&t, &again, CHILD, 1);
    spool_put_child_ended(
        &t.parent.writer,
        (struct spool_child_ended){.time_ns = again.now_ns + 10, .pid = CHILD, .status = 5 << 8});
    spool_writer_close(&again.writer);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    const struct prof_process *first = process_row(&t, CHILD, 0), *second = process_row(&t, CHILD, 1);
    assert_int_equal(first->ended, PROF_ENDED_SIGNAL);
    assert_int_equal(first->exit_signal, SIGNAL_11);
    assert_int_equal(second->ended, PROF_ENDED_EXIT);
    assert_int_equal(second->exit_code, 5);
    assert_int_not_equal(second->parent, row_of(&t, first)); /* another process, not its next image */
    end(&t);
}

/* A subshell that recorded nothing is between a program and its ancestor. */
static void parents_without_records_are_skipped(void **state)
{
    struct tree t;
    struct prof_fixture_thread program = {0};
    (void)state;
    begin(&t);
    prof_fixture_node(&t.parent, range(1, FIXTURE_OTHER, FIXTURE_OTHER + 800), "A");
    program.now_ns = t.parent.now_ns + 10;
    open_image(&t, &program, CHILD, 0); /* its parent process is 1 */
    spool_put_ancestor(&program.writer,
                       (struct spool_ancestor){.time_ns = program.now_ns, .pid = FIXTURE_PID});
    prof_fixture_load(&program, FIXTURE_OTHER, 0);
    spool_writer_close(&program.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(process_row(&t, CHILD, 0)->parent, row_of(&t, process_row(&t, FIXTURE_PID, 0)));
    assert_int_equal(process_row(&t, CHILD, 0)->origin, PROF_ORIGIN_EXEC);
    assert_int_equal(node_at(&t, CHILD, FIXTURE_OTHER)->kind, PROF_NODE_UNMAPPED); /* not A */
    end(&t);
}

/* Damage: two images that claim to be each other's child. */
static void a_circle_of_forks_resolves(void **state)
{
    struct tree t;
    struct prof_fixture_thread child = {0}, other = {0};
    (void)state;
    begin(&t);
    open_fork(&t, &child, CHILD,
              (struct spool_ancestor){.fork_ns = FIXTURE_START_NS + 9000, .pid = CHILD + 1});
    open_fork(&t, &other, CHILD + 1,
              (struct spool_ancestor){.fork_ns = FIXTURE_START_NS + 9000, .pid = CHILD});
    prof_fixture_load(&child, FIXTURE_OTHER, 0);
    prof_fixture_load(&other, FIXTURE_OTHER, 0);
    spool_writer_close(&other.writer);
    spool_writer_close(&child.writer);
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(t.samples.len, 2);
    end(&t);
}

static void open_thread(struct tree *t, struct prof_fixture_thread *thread, uint32_t tid)
{
    thread->now_ns = t->parent.now_ns;
    spool_fixture_open(&t->f, &thread->writer, FIXTURE_PID, 0, tid);
    spool_put_thread_begin(&thread->writer,
                           (struct spool_thread_begin){.time_ns = thread->now_ns, .tid = tid}, "worker");
}

static void phases_belong_to_threads_and_workers_are_where_the_master_is(void **state)
{
    struct tree t;
    struct prof_fixture_thread worker = {0};
    (void)state;
    begin(&t);
    open_thread(&t, &worker, FIXTURE_PID + 1);
    prof_fixture_load(&worker, FIXTURE_OTHER, 0);
    t.parent.now_ns = worker.now_ns;
    spool_put_phase(&t.parent.writer, t.parent.now_ns, true, "solve");
    prof_fixture_load(&worker, FIXTURE_OTHER + 8, 0); /* no phase of the thread: the master's */
    spool_put_phase(&worker.writer, worker.now_ns, true, "assemble");
    prof_fixture_load(&worker, FIXTURE_OTHER + 16, 0);
    t.parent.now_ns = worker.now_ns;
    prof_fixture_load(&t.parent, FIXTURE_OTHER, 0);
    spool_put_phase(&t.parent.writer, t.parent.now_ns, false, "assemble"); /* not open in this thread */
    spool_put_phase(&t.parent.writer, t.parent.now_ns, false, "solve");
    worker.now_ns = t.parent.now_ns;
    prof_fixture_load(&worker, FIXTURE_OTHER + 24, 0); /* still inside the phase that it began */
    spool_put_thread_end(&worker.writer, (struct spool_thread_end){.time_ns = worker.now_ns});
    spool_writer_close(&worker.writer);
    spool_put_phase(&t.parent.writer, t.parent.now_ns, true, "open at the end");
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    static const char *const paths[] = {"", "solve", "solve/assemble", "solve/assemble"};
    uint64_t seen = 0;
    for (uint64_t i = 0; i < t.samples.len; i++) {
        if (t.threads[t.samples.thread[i]].tid == FIXTURE_PID) {
            assert_string_equal(phase_at(&t, i), "solve");
            continue;
        }
        assert_string_equal(phase_at(&t, i), paths[(t.samples.addr[i] - FIXTURE_OTHER) / 8]);
        seen++;
    }
    assert_int_equal(seen, 4);
    assert_int_equal(t.spans_len, 3);
    for (size_t i = 0; i < t.spans_len; i++) {
        const char *name = t.phases[t.spans[i].phase].name;
        if (strcmp(name, "open at the end") == 0)
            assert_true(t.spans[i].end_ns == UINT64_MAX);
        else
            assert_true(t.spans[i].begin_ns < t.spans[i].end_ns && t.spans[i].end_ns != UINT64_MAX);
    }
    size_t events_len, found = 0;
    const struct prof_event *events = prof_events(t.profile, &events_len);
    for (size_t i = 0; i < events_len; i++) {
        if (strncmp(events[i].kind, "PHASE_", 6) != 0) continue;
        assert_int_equal(events[i].count, 1);
        found++;
    }
    assert_int_equal(found, 2); /* one unmatched, one left open by a thread that ended */
    end(&t);
}

static void many_phases_keep_their_ids(void **state)
{
    enum { PHASES = 1000 };
    struct tree t;
    char name[32];
    (void)state;
    begin(&t);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < PHASES; i++) {
            snprintf(name, sizeof(name), "step %d", i);
            spool_put_phase(&t.parent.writer, t.parent.now_ns, true, name);
            spool_put_phase(&t.parent.writer, t.parent.now_ns, false, name);
        }
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(t.phases_len, PHASES);
    assert_int_equal(t.spans_len, 2 * PHASES);
    assert_string_equal(t.phases[t.spans[PHASES + 7].phase].name, "step 7");
    end(&t);
}

static void forgotten_ends_do_not_nest_without_end(void **state)
{
    enum { FORGOTTEN = 20000 };
    struct tree t;
    (void)state;
    begin(&t);
    spool_put_phase(&t.parent.writer, t.parent.now_ns, true, "run");
    for (int i = 0; i < FORGOTTEN; i++)
        spool_put_phase(&t.parent.writer, t.parent.now_ns, true, "step");
    prof_fixture_load(&t.parent, FIXTURE_OTHER, 0);
    for (int i = 0; i < FORGOTTEN; i++)
        spool_put_phase(&t.parent.writer, t.parent.now_ns, false, "step");
    prof_fixture_load(&t.parent, FIXTURE_OTHER + 8, 0);
    spool_put_phase(&t.parent.writer, t.parent.now_ns, false, "run");
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(t.phases_len, PROF_PHASE_DEPTH_MAX);
    assert_int_equal(t.spans_len, PROF_PHASE_DEPTH_MAX);
    for (size_t i = 0; i < t.spans_len; i++)
        assert_true(t.spans[i].end_ns != UINT64_MAX);
    assert_int_equal(t.samples.phase[0], PROF_PHASE_DEPTH_MAX - 1);
    assert_string_equal(phase_at(&t, 1), "run");
    size_t events_len, hidden = 0;
    const struct prof_event *events = prof_events(t.profile, &events_len);
    for (size_t i = 0; i < events_len; i++)
        if (strcmp(events[i].kind, "PHASE_TOO_DEEP") == 0) hidden += events[i].count;
    assert_int_equal(hidden, FORGOTTEN + 1 - PROF_PHASE_DEPTH_MAX);
    end(&t);
}

static void ranks_come_from_the_environment(void **state)
{
    struct tree t;
    (void)state;
    begin(&t);
    spool_put_rank(&t.parent.writer,
                   (struct spool_rank){.time_ns = t.parent.now_ns, .rank = 3, .ranks_len = 4}, "PMI_RANK");
    spool_writer_close(&t.parent.writer);
    resolve(&t);
    assert_int_equal(t.processes[0].rank, 3);
    assert_int_equal(t.processes[0].ranks_len, 4);
    assert_string_equal(t.processes[0].rank_from, "PMI_RANK");
    end(&t);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork_child_knows_blocks_from_before_the_fork),
        cmocka_unit_test(fork_child_knows_its_parents_sites),
        cmocka_unit_test(child_changes_do_not_affect_the_parent),
        cmocka_unit_test(grandchildren_inherit_through_their_parents),
        cmocka_unit_test(exec_starts_clean_and_ends_are_reported),
        cmocka_unit_test(parents_report_how_killed_children_ended),
        cmocka_unit_test(parents_without_records_are_skipped),
        cmocka_unit_test(a_circle_of_forks_resolves),
        cmocka_unit_test(phases_belong_to_threads_and_workers_are_where_the_master_is),
        cmocka_unit_test(many_phases_keep_their_ids),
        cmocka_unit_test(forgotten_ends_do_not_nest_without_end),
        cmocka_unit_test(ranks_come_from_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
