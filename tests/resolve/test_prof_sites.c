/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap blocks at known call paths: each sample finds the block that lived then, sites count their blocks,
 * and their names are different. */
#include "resolve/prof_survey.h"
#include "resolve/prof_resolve.h"
#include "resolve/prof_site_names.h"
#include "run_h5/prof_reader.h"
#include "spool/spool_path.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Return addresses in the fixture's program: call paths, innermost first. */
static const uint64_t path_a[] = {0x555555555110, 0x555555555210},
                      path_b[] = {0x555555555120, 0x555555555210},
                      path_c[] = {0x555555555110, 0x555555555310};

struct recording {
    struct spool_fixture f;
    struct prof_fixture_thread t;
    prof_profile *profile;
    const struct prof_node *nodes;
    const struct prof_site *sites;
    const struct prof_frame *frames;
    size_t nodes_len, sites_len, frames_len;
    struct prof_samples samples;
};

static void begin(struct recording *r)
{
    memset(r, 0, sizeof(*r));
    spool_fixture_init(&r->f);
    r->t.now_ns = FIXTURE_START_NS;
    spool_fixture_open(&r->f, &r->t.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&r->t, FIXTURE_PID, "app");
    prof_fixture_maps(&r->t, fixture_maps);
}

static void finish(struct recording *r)
{
    char path[400];
    struct prof_resolve_stats stats;
    snprintf(path, sizeof(path), "%s/run.h5", r->f.root);
    const struct prof_resolve_options options = {
        .spool_dir = r->f.spool, .output_path = path, .force = 1, .command = "app"};
    spool_writer_close(&r->t.writer);
    if (prof_resolve(&options, &stats) != LS_OK || prof_open(path, &r->profile) != LS_OK)
        fail_msg("%s", ls_last_error());
    r->nodes = prof_nodes(r->profile, &r->nodes_len);
    r->sites = prof_sites(r->profile, &r->sites_len);
    r->frames = prof_frames(r->profile, &r->frames_len);
    if (prof_load_samples(r->profile, ~UINT64_C(0), &r->samples) != LS_OK) fail_msg("%s", ls_last_error());
}

static void end(struct recording *r)
{
    prof_close(r->profile);
    spool_fixture_fini(&r->f);
}

struct made {
    uint64_t base, len_bytes;
    unsigned flags;
    uint32_t period_bytes;
};

static void allocate(struct recording *r, struct made m, const uint64_t *frames, uint32_t frames_len)
{
    const struct spool_alloc a = {.time_ns = r->t.now_ns += 1000,
                                  .base = m.base,
                                  .len_bytes = m.len_bytes,
                                  .frames_len = frames_len,
                                  .sample_period_bytes = m.period_bytes};
    assert_true(spool_put_alloc(&r->t.writer, a, m.flags, frames));
}

static void release(struct recording *r, uint64_t base)
{
    spool_put_free(&r->t.writer, r->t.now_ns += 1000, base);
}

static const struct prof_node *node_of(const struct recording *r, size_t sample)
{
    assert_true(sample < r->samples.len);
    return &r->nodes[r->samples.node[sample]];
}

/* The site that holds the sample's node: itself or its parent. */
static const struct prof_node *site_of(const struct recording *r, size_t sample)
{
    const struct prof_node *n = node_of(r, sample);
    if (n->kind == PROF_NODE_BLOCK) n = &r->nodes[n->parent];
    assert_int_equal(n->kind, PROF_NODE_SITE);
    return n;
}

static void blocks_of_one_path_are_one_site(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    allocate(&r, (struct made){FIXTURE_OTHER, 8192, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x10000, 8192, SPOOL_ALLOC_MALLOC, 1}, path_b, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x20000, 4096, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 0x20008, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 0x10008, 5);
    finish(&r);
    assert_int_equal(r.sites_len, 2);
    assert_ptr_equal(site_of(&r, 0), site_of(&r, 1));
    assert_ptr_not_equal(site_of(&r, 0), site_of(&r, 2));
    assert_ptr_not_equal(node_of(&r, 0), node_of(&r, 1)); /* two blocks */
    assert_int_equal(node_of(&r, 0)->kind, PROF_NODE_BLOCK);
    assert_int_equal(node_of(&r, 1)->base, FIXTURE_OTHER + 0x20000);
    assert_int_equal(node_of(&r, 1)->end, FIXTURE_OTHER + 0x21000);
    assert_int_equal(node_of(&r, 2)->kind, PROF_NODE_SITE); /* the only block there */
    assert_int_equal(node_of(&r, 2)->base, FIXTURE_OTHER + 0x10000);
    assert_int_equal(r.nodes[site_of(&r, 0)->parent].kind, PROF_NODE_HEAP);
    assert_int_equal(r.sites[0].blocks, 2);
    assert_int_equal(r.sites[0].bytes, 8192 + 4096);
    assert_true(r.sites[0].sample_rate == 1);
    assert_int_equal(r.frames[r.sites[0].frame].ip, path_a[0] - 1);
    assert_int_equal(r.frames[r.frames[r.sites[0].frame].parent].ip, path_a[1] - 1);
    assert_true(prof_run_of(r.profile)->coverage_precise == 1);
    end(&r);
}

static void name_site(struct recording *r, uint32_t site, const uint64_t *frames, uint32_t frames_len)
{
    const struct spool_site s = {
        .time_ns = r->t.now_ns += 1000, .len_bytes = 32, .site = site, .frames_len = frames_len};
    assert_true(spool_put_site(&r->t.writer, s, frames));
}

static void load_tagged(struct recording *r, uint64_t addr, uint16_t site)
{
    const struct spool_access a = {.ip = FIXTURE_CODE + 4,
                                   .addr = addr,
                                   .position = 10,
                                   .size_bytes = 8,
                                   .site = site,
                                   .site_units = SPOOL_SITE_UNITS_UNKNOWN};
    prof_fixture_burst_begin(&r->t);
    spool_put_access(&r->t.writer, SPOOL_OP_LOAD, &a);
    prof_fixture_burst_end(&r->t);
}

/* Blocks without a record are found by the number that the access has. */
static void small_blocks_belong_to_the_site_of_their_tag(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    name_site(&r, 7, path_a, 2);
    name_site(&r, 9, path_b, 2);
    name_site(&r, 11, path_c, 2); /* never sampled */
    allocate(&r, (struct made){FIXTURE_BRK + 0x100, 64, SPOOL_ALLOC_MALLOC, 4096}, path_b, 2);
    load_tagged(&r, FIXTURE_BRK + 8, 7);
    load_tagged(&r, FIXTURE_BRK + 0x108, 7); /* a block with a record: the record counts */
    load_tagged(&r, FIXTURE_BRK + 0x208, 9); /* another one of that path */
    load_tagged(&r, FIXTURE_BRK + 0x308, 8); /* the record of its site was lost */
    load_tagged(&r, FIXTURE_BRK + 0x408, SPOOL_SITE_OTHERS);
    load_tagged(&r, FIXTURE_FILE, 7);      /* the memory is a file's by now */
    load_tagged(&r, FIXTURE_OTHER + 8, 7); /* the heap of another allocator */
    load_tagged(&r, FIXTURE_BRK + 0x508, 0);
    finish(&r);
    assert_int_equal(r.sites_len, 2);
    assert_int_equal(r.frames[r.sites[1].frame].ip, path_a[0] - 1);
    assert_int_equal(site_of(&r, 0)->id, r.sites[1].node);
    assert_int_equal(site_of(&r, 1)->id, r.sites[0].node);
    assert_int_equal(node_of(&r, 2)->id, r.sites[0].node);
    assert_int_equal(node_of(&r, 2)->base, 0); /* not the site's only block */
    assert_string_equal(node_of(&r, 3)->label, "small heap blocks");
    assert_string_equal(node_of(&r, 4)->label, "blocks of allocation sites after the first 32,766");
    assert_int_equal(node_of(&r, 5)->kind, PROF_NODE_FILE);
    assert_int_equal(site_of(&r, 6)->id, r.sites[1].node);
    assert_string_equal(node_of(&r, 7)->label, "small heap blocks");
    assert_int_equal(r.sites[1].blocks, 0); /* only records are counted */
    end(&r);
}

static void freed_and_reused_addresses_resolve_by_time(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    allocate(&r, (struct made){FIXTURE_OTHER, 8192, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    release(&r, FIXTURE_OTHER);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5); /* nobody's */
    allocate(&r, (struct made){FIXTURE_OTHER, 4096, SPOOL_ALLOC_MALLOC, 1}, path_b, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 5000, 5); /* after the smaller block */
    release(&r, FIXTURE_OTHER);                       /* realloc in place: an end and a begin */
    allocate(&r, (struct made){FIXTURE_OTHER, 16384, SPOOL_ALLOC_REALLOC, 1}, path_c, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 5000, 5);
    /* its end is lost: the newer block wins */
    allocate(&r, (struct made){FIXTURE_OTHER, 4096, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    finish(&r);
    assert_int_equal(r.sites_len, 3);
    assert_int_equal(site_of(&r, 0)->id, r.sites[0].node);
    assert_int_equal(node_of(&r, 1)->kind, PROF_NODE_ANONYMOUS);
    assert_int_equal(site_of(&r, 2)->id, r.sites[1].node);
    assert_int_equal(node_of(&r, 3)->kind, PROF_NODE_ANONYMOUS);
    assert_int_equal(site_of(&r, 4)->id, r.sites[2].node);
    assert_int_equal(site_of(&r, 5)->id, r.sites[0].node);
    assert_true(node_of(&r, 0)->died_ns > node_of(&r, 0)->born_ns);
    assert_true(node_of(&r, 0)->died_ns < node_of(&r, 2)->born_ns);
    assert_true(node_of(&r, 5)->died_ns == UINT64_MAX);
    end(&r);
}

static void paths_given_before_are_known_by_hash(void **state)
{
    const uint64_t known = spool_path_hash(path_a, 2), lost = spool_path_hash(path_b, 2);
    struct recording r;
    (void)state;
    begin(&r);
    allocate(&r, (struct made){FIXTURE_OTHER, 8192, SPOOL_ALLOC_CALLOC, 1}, path_a, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x10000, 64, SPOOL_ALLOC_CALLOC | SPOOL_ALLOC_KNOWN_PATH, 1},
             &known, 1);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x20000, 64, SPOOL_ALLOC_CALLOC | SPOOL_ALLOC_KNOWN_PATH, 1},
             &lost, 1);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x30000, 64, SPOOL_ALLOC_MALLOC, 1}, NULL, 0);
    for (uint64_t i = 0; i < 4; i++)
        prof_fixture_load(&r.t, FIXTURE_OTHER + i * 0x10000 + 8, 5);
    finish(&r);
    assert_int_equal(r.sites_len, 1);
    assert_ptr_equal(site_of(&r, 0), site_of(&r, 1));
    assert_int_equal(node_of(&r, 2)->kind, PROF_NODE_HEAP); /* the record that gave it was lost */
    assert_int_equal(node_of(&r, 3)->kind, PROF_NODE_HEAP);
    assert_int_equal(r.sites[0].recorded, 2);
    end(&r);
}

static void sampled_blocks_represent_others(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    for (uint64_t i = 0; i < 10; i++)
        allocate(&r, (struct made){FIXTURE_OTHER + i * 0x1000, 64, SPOOL_ALLOC_MALLOC, 4096}, path_a, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x100000, 8192, SPOOL_ALLOC_MALLOC, 1}, path_b, 2);
    finish(&r);
    const double each = 1 / (1 - exp(-64.0 / 4096));
    assert_true(fabs(prof_block_weight(64, 4096) - each) < 1e-9);
    assert_true(prof_block_weight(64, 1) == 1 && prof_block_weight(64, 0) == 1);
    assert_int_equal(r.sites[0].recorded, 10);
    assert_int_equal(r.sites[0].blocks, (uint64_t)(10 * each + 0.5));
    assert_int_equal(r.sites[0].bytes, (uint64_t)(640 * each + 0.5));
    assert_true(fabs(r.sites[0].sample_rate - each) < 1e-6);
    assert_true(r.sites[1].sample_rate == 1);
    assert_int_equal(r.sites[1].node, UINT32_MAX); /* no sample hit it */
    end(&r);
}

static void mappings_have_sites_until_unmapped(void **state)
{
    enum { LEN = 0x10000 };
    struct recording r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        const uint64_t base = FIXTURE_OTHER + (uint64_t)i * LEN;
        spool_put_mmap(
            &r.t.writer,
            (struct spool_mmap){.time_ns = r.t.now_ns += 1000, .base = base, .len_bytes = LEN, .prot = 3},
            NULL);
        allocate(&r, (struct made){base, LEN, i == 0 ? SPOOL_ALLOC_MMAP : SPOOL_ALLOC_ARENA, 1}, path_a, 2);
    }
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + LEN + 8, 5); /* an allocator's mapping, for an unknown purpose */
    allocate(&r, (struct made){FIXTURE_OTHER + LEN + 0x100, 64, SPOOL_ALLOC_MALLOC, 1}, path_b, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + LEN + 0x108, 5); /* a block in it */
    spool_put_munmap(&r.t.writer, r.t.now_ns += 1000, FIXTURE_OTHER, 2 * LEN);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + LEN + 0x108, 5);
    finish(&r);
    assert_int_equal(r.nodes[site_of(&r, 0)->parent].kind, PROF_NODE_ANONYMOUS);
    assert_int_equal(node_of(&r, 1)->kind, PROF_NODE_HEAP_SMALL);
    assert_int_equal(site_of(&r, 2)->id, r.sites[1].node);
    assert_int_equal(r.nodes[site_of(&r, 2)->parent].kind, PROF_NODE_HEAP);
    assert_int_equal(node_of(&r, 3)->kind, PROF_NODE_ANONYMOUS); /* a mapping without a site */
    assert_int_equal(node_of(&r, 4)->kind, PROF_NODE_ANONYMOUS);
    end(&r);
}

static void put_mapping(struct recording *r, struct spool_mmap m, const char *path)
{
    m.time_ns = r->t.now_ns += 1000;
    m.prot = 3;
    assert_true(spool_put_mmap(&r->t.writer, m, path));
}

/* The runtime takes any memory that mremap maps for anonymous memory. */
static void mappings_by_mremap_are_of_the_file(void **state)
{
    enum { LEN = 0x10000 };
    const uint64_t moved = FIXTURE_OTHER + 16 * LEN;
    struct recording r;
    (void)state;
    begin(&r);
    put_mapping(&r, (struct spool_mmap){.base = FIXTURE_OTHER, .len_bytes = LEN}, "/data/grows");
    put_mapping(&r,
                (struct spool_mmap){.rec.flags = SPOOL_MMAP_FROM,
                                    .base = FIXTURE_OTHER + LEN,
                                    .len_bytes = LEN,
                                    .offset_bytes = FIXTURE_OTHER},
                NULL);
    allocate(&r, (struct made){FIXTURE_OTHER, 2 * LEN, SPOOL_ALLOC_MMAP, 1}, path_a, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    prof_fixture_load(&r.t, FIXTURE_OTHER + LEN + 8, 5);
    spool_put_munmap(&r.t.writer, r.t.now_ns += 1000, FIXTURE_OTHER, 2 * LEN);
    put_mapping(
        &r,
        (struct spool_mmap){
            .rec.flags = SPOOL_MMAP_FROM, .base = moved, .len_bytes = 4 * LEN, .offset_bytes = FIXTURE_OTHER},
        NULL);
    prof_fixture_load(&r.t, moved + 3 * LEN, 5);
    finish(&r);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(node_of(&r, i)->kind, PROF_NODE_FILE);
        assert_string_equal(node_of(&r, i)->label, "/data/grows");
    }
    end(&r);
}

/* The growth of the heap is recorded late: blocks in the new part stay alive. */
static void heap_that_grew_keeps_its_blocks(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    const uint64_t base = FIXTURE_BRK + 0x20000; /* after the heap of the snapshot */
    allocate(&r, (struct made){base, 8192, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    spool_put_mmap(&r.t.writer,
                   (struct spool_mmap){
                       .time_ns = r.t.now_ns += 1000, .base = base - 0x1000, .len_bytes = 0x10000, .prot = 3},
                   "[heap]");
    prof_fixture_load(&r.t, base + 8, 5);
    prof_fixture_load(&r.t, base + 0x4000, 5);
    finish(&r);
    assert_int_equal(node_of(&r, 0)->kind, PROF_NODE_SITE);
    assert_int_equal(node_of(&r, 1)->kind, PROF_NODE_HEAP_SMALL);
    end(&r);
}

/* A program that makes blocks without end resolves in bounded memory: only the first ones get nodes. */
static void nodes_of_blocks_are_bounded(void **state)
{
    enum { BLOCKS = 3 * PROF_SITE_BLOCKS_MAX };
    struct recording r;
    (void)state;
    begin(&r);
    for (int i = 0; i < BLOCKS; i++) {
        allocate(&r, (struct made){FIXTURE_OTHER, 8192, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
        prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
        release(&r, FIXTURE_OTHER);
    }
    finish(&r);
    size_t blocks = 0, on_site = 0;
    for (size_t i = 0; i < r.nodes_len; i++)
        blocks += r.nodes[i].kind == PROF_NODE_BLOCK;
    for (size_t i = 0; i < r.samples.len; i++)
        on_site += node_of(&r, i)->kind == PROF_NODE_SITE;
    assert_int_equal(blocks, PROF_SITE_BLOCKS_MAX);
    assert_int_equal(on_site, BLOCKS - PROF_SITE_BLOCKS_MAX);
    assert_int_equal(r.sites_len, 1);
    assert_int_equal(r.sites[0].blocks, BLOCKS);
    end(&r);
}

/* The program's file is not there: sites are named by module and offset, and differ. */
static void names_differ_even_without_symbols(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    allocate(&r, (struct made){FIXTURE_OTHER, 8192, SPOOL_ALLOC_MALLOC, 1}, path_a, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x10000, 8192, SPOOL_ALLOC_MALLOC, 1}, path_b, 2);
    allocate(&r, (struct made){FIXTURE_OTHER + 0x20000, 8192, SPOOL_ALLOC_MALLOC, 1}, path_c, 2);
    prof_fixture_load(&r.t, FIXTURE_OTHER + 8, 5);
    finish(&r);
    assert_int_equal(r.sites_len, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(strncmp(r.sites[i].label, "app+0x", 6), 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r.sites[i].label, r.sites[k].label);
    }
    assert_string_equal(node_of(&r, 0)->label, r.sites[0].label);
    assert_non_null(strstr(r.sites[2].label, " < ")); /* the same call, from another caller */
    end(&r);
}

static void allocators_are_reported_from_their_users(void **state)
{
    static const char *const yes[][3] = {
        {"/lib/x86_64-linux-gnu/libc.so.6", "fopen", ""},
        {"/bin/x", "xmalloc", ""},
        {"/bin/x", "_Znwm", ""},
        {"/bin/x", "_ZNSt6vectorIdSaIdEE7reserveEm", ""},
        {"/bin/x", "allocate", "/usr/include/c++/12/bits/new_allocator.h"},
        {"/lib/libgfortran.so.5", "_gfortran_reshape", ""},
        {"/bin/x", "std::vector<int>::push_back", ""},
        {"/usr/bin/python3.11", "PyObject_Malloc", ""},
        {"/bin/x", "zmalloc_usable", ""},
    };
    static const char *const no[][3] = {
        {"/bin/x", "main", "/src/main.c"},    {"/bin/x", "", ""},
        {"/bin/x", "matrix_new", "/src/m.c"}, {"", "", ""},
        {"/bin/x", "_Z4makem", ""},           {"/lib/libm.so.6", "exp", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(prof_is_allocator(yes[i][0], yes[i][1], yes[i][2]));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(prof_is_allocator(no[i][0], no[i][1], no[i][2]));
}

/* A site is named after the first frame outside of allocators, also through inlined ones; names are
 * distinguished by line, then callers, then numbers. */
static void sites_are_named_by_their_users(void **state)
{
    static const struct prof_line lines[] = {
        {.ip = 1, .module = "/bin/x", .function = "_Znwm", .file = "", .line = 0},
        {.ip = 2, .module = "/bin/x", .function = "allocate", .file = "/usr/include/c++/12/a.h", .line = 9},
        {.ip = 3, .module = "/bin/x", .function = "fill", .file = "/nowhere/x.cc", .line = 10},
        {.ip = 4, .module = "/bin/x", .function = "main", .file = "/nowhere/x.cc", .line = 20},
        {.ip = 5, .module = "/bin/x", .function = "main", .file = "/nowhere/x.cc", .line = 21},
    };
    static const struct prof_inline inlines[] = {
        {.line = 1, .depth = 1, .function = "grow", .file = "/nowhere/x.cc", .line_number = 7}};
    static const struct prof_module modules[] = {{.path = "/bin/x", .base = 0, .end = 100}};
    struct prof_frame frames[] = {
        {.parent = UINT32_MAX, .ip = 4, .line = 3}, {.parent = 0, .ip = 3, .line = 2},
        {.parent = 1, .ip = 1, .line = 0},          {.parent = UINT32_MAX, .ip = 5, .line = 4},
        {.parent = 3, .ip = 3, .line = 2},          {.parent = 4, .ip = 1, .line = 0},
        {.parent = 0, .ip = 2, .line = 1},
    };
    const struct prof_caller_tables tables = {.frames = frames,
                                              .frames_len = 7,
                                              .lines = lines,
                                              .lines_len = 5,
                                              .inlines = inlines,
                                              .inlines_len = 1,
                                              .modules = modules,
                                              .modules_len = 1};
    static const uint32_t paths[] = {2, 5, 6};
    struct prof_sites sites = {0};
    prof_names *names = prof_names_new();
    prof_tree *tree = prof_tree_new(names);
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint32_t site;
        assert_int_equal(prof_sites_intern(&sites, &(struct prof_site_key){.frame = paths[i]}, &site), LS_OK);
        assert_int_equal(site, i);
    }
    assert_int_equal(prof_sites_name(&sites, &tables, names, tree), LS_OK);
    assert_string_equal(sites.rows.rows[0].label, "fill:10 < main:20");
    assert_string_equal(sites.rows.rows[1].label, "fill:10 < main:21");
    assert_string_equal(sites.rows.rows[2].label,
                        "grow:7"); /* inlined into it: the container's own function */
    assert_int_equal(sites.rows.rows[0].label_frame, 1);
    prof_sites_fini(&sites);
    prof_tree_free(tree);
    prof_names_free(names);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_one_path_are_one_site),
        cmocka_unit_test(small_blocks_belong_to_the_site_of_their_tag),
        cmocka_unit_test(freed_and_reused_addresses_resolve_by_time),
        cmocka_unit_test(paths_given_before_are_known_by_hash),
        cmocka_unit_test(sampled_blocks_represent_others),
        cmocka_unit_test(mappings_have_sites_until_unmapped),
        cmocka_unit_test(mappings_by_mremap_are_of_the_file),
        cmocka_unit_test(heap_that_grew_keeps_its_blocks),
        cmocka_unit_test(nodes_of_blocks_are_bounded),
        cmocka_unit_test(names_differ_even_without_symbols),
        cmocka_unit_test(allocators_are_reported_from_their_users),
        cmocka_unit_test(sites_are_named_by_their_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
