/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of patterns: homes and indices, functions and lines of the very files that are loaded. */
#include "patterns/compact/pat_compact_parts.h"
#include "tests/patterns/pat_program.h"
#include "tests/unit.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct pat_compact_options quiet = {.no_symbols = true},
                                        by_kind = {.no_symbols = true, .by_kind = true};

static void names_contain_what_is_known(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    pat_program_put(s, 1);
    s->index_home = 1;
    s->cost = 1;
    s = pat_program_sequence(&p);
    pat_program_put(s, 1);
    pat_program_put(s, 2);
    pat_program_put(s, 3);
    s->home = 2;
    s->cost = 2;
    s = pat_program_sequence(&p);
    p.sites[2].op = PAT_OP_STORE;
    pat_program_put(s, 9);
    s->cost = 5;
    pat_program_compact(&p, &quiet); /* the costliest first, of both kinds */
    assert_string_equal(p.found.rows[0].config.name, "scatter of `x` at 0x401020");
    assert_string_equal(p.found.rows[1].config.name, "gather at 0x401010");
    pat_findings_fini(&p.found);
    pat_program_compact(&p, &by_kind);
    const struct pat_found *f = p.found.rows;
    assert_string_equal(f[0].config.name, "gather at 0x401010");
    assert_string_equal(f[1].config.name, "gather of `x` through `col` at 0x401000");
    assert_string_equal(f[2].config.name, "scatter of `x` at 0x401020");
    assert_int_equal(f[2].config.kernel, PAT_SCATTER);
    assert_true(fabs(f[0].access_share - 0.6) < 1e-12 && fabs(f[0].cost_share - 0.25) < 1e-12);
    assert_string_equal(f[1].index_home, "col");
    assert_string_equal(f[1].thread, "4711");
    p.found.rows[2].config.operation = PAT_OPERATION_UPDATE; /* as tables call it */
    assert_int_equal(pat_names_write(&p.found, &p.tables), LS_OK);
    assert_string_equal(p.found.rows[2].config.name, "update of `x` at 0x401020");
    pat_program_fini(&p);
}

/* The loaded object that holds an address, as the loader knows it. */
struct loaded {
    uint64_t ip;
    struct pat_module module;
    char path[4096];
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    struct loaded *l = user;
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const uint64_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || l->ip < start || l->ip >= end) continue;
        assert_non_null(realpath(path, l->path));
        l->module = (struct pat_module){l->path, start, end, info->dlpi_addr};
        return 1;
    }
    return 0;
}

/* The pattern of one access by the instruction at ip to x, with elements of elem_bytes. */
static const struct pat_found *compact_to(struct pat_program *p, struct loaded *l, uint64_t ip,
                                          uint64_t elem_bytes)
{
    pat_program_init(p);
    p->homes[0].elem_size_bytes = elem_bytes;
    *l = (struct loaded){.ip = ip};
    assert_int_equal(dl_iterate_phdr(find_loaded, l), 1);
    p->modules[0] = l->module;
    p->tables.modules_len = 1;
    p->sites[0].ip = ip;
    p->sites[0].module = 0;
    pat_program_put(pat_program_sequence(p), 1);
    return pat_program_compact(p, NULL);
}

static const struct pat_found *compact_at(struct pat_program *p, struct loaded *l, uint64_t ip)
{
    return compact_to(p, l, ip, 8);
}

/* An unloaded file, or another process's program, had the same addresses: the lookup returns the first of the
 * table. */
static void addresses_of_two_modules_are_distinguished(void **state)
{
    struct pat_program p;
    struct loaded l = {.ip = (uint64_t)(uintptr_t)&find_loaded};
    char path[] = "/nonexistent/libgone.so";
    char name[256];
    (void)state;
    pat_program_init(&p);
    assert_int_equal(dl_iterate_phdr(find_loaded, &l), 1);
    p.modules[0] = (struct pat_module){path, l.module.start, l.module.end, l.module.start};
    p.modules[1] = l.module;
    p.tables.modules_len = 2;
    for (uint32_t i = 0; i < 2; i++) {
        p.sites[i].ip = l.ip;
        p.sites[i].module = i;
        pat_program_put(pat_program_sequence(&p), 1);
    }
    pat_program_compact(&p, NULL);
    for (size_t i = 0; i < 2; i++) {
        const struct pat_found *f = &p.found.rows[i];
        const bool is_gone = f->sequence == 0;
        assert_string_equal(f->function, is_gone ? "" : "find_loaded");
        assert_string_equal(f->module, is_gone ? path : l.path);
        snprintf(name, sizeof(name), "gather of `x` in libgone.so+0x%llx",
                 (unsigned long long)(l.ip - l.module.start));
        if (is_gone) assert_string_equal(f->config.name, name);
        if (is_gone) assert_int_equal(f->linked_ip, l.ip - l.module.start);
    }
    pat_program_fini(&p);
}

/* This very function, position-independent or not as this program is. */
static void instructions_have_functions_and_lines(void **state)
{
    struct pat_program p;
    struct loaded l;
    const struct pat_found *f =
        compact_at(&p, &l, (uint64_t)(uintptr_t)&instructions_have_functions_and_lines);
    (void)state;
    assert_string_equal(f->function, "instructions_have_functions_and_lines");
    assert_string_equal(f->module, l.path);
    assert_non_null(strstr(f->config.name, "gather of `x` in instructions_have_functions_and_lines"));
    if (f->line) { /* there is debugging information */
        assert_non_null(strstr(f->file, "test_pat_names.c"));
        assert_non_null(strstr(f->config.name, "(test_pat_names.c:"));
    }
    pat_program_fini(&p);
}

#ifdef __x86_64__
struct particle {
    double place[15], mass;
};
extern const char particle_load[];

__attribute__((noinline)) static double mass_of(const struct particle *particles, long i)
{
    const struct particle *one = particles + i;
    double mass;
    __asm__ volatile(".globl particle_load\n.hidden particle_load\nparticle_load:\n\tmovsd 120(%1), %0"
                     : "=x"(mass)
                     : "r"(one), "m"(one->mass));
    return mass + one->place[0];
}

/* A block has no declaration; the instruction has one of its pointer. A size that is known stays. */
static void blocks_of_structures_have_their_size(void **state)
{
    struct pat_program p;
    struct loaded l;
    const struct particle particles[2] = {{.mass = 1}, {.mass = 2}};
    (void)state;
    assert_true(mass_of(particles, 1) == 2);
    const struct pat_found *f = compact_to(&p, &l, (uint64_t)(uintptr_t)particle_load, 0);
    if (f->line)
        assert_int_equal(f->object_bytes, sizeof(struct particle)); /* there is debugging information */
    pat_program_fini(&p);
    assert_int_equal(compact_at(&p, &l, (uint64_t)(uintptr_t)particle_load)->object_bytes, 8);
    pat_program_fini(&p);
}
#endif

static void instructions_of_libraries_have_functions(void **state)
{
    struct pat_program p;
    struct loaded l;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    void *ip = libc ? dlsym(libc, "qsort") : NULL;
    (void)state;
    if (!ip) {
        print_message("no libc.so.6 to look up a name in\n");
        skip();
    }
    const struct pat_found *f = compact_at(&p, &l, (uint64_t)(uintptr_t)ip);
    assert_true(l.module.bias != 0);
    assert_non_null(strstr(f->function, "qsort"));
    pat_program_fini(&p);
    dlclose(libc);
}

static void missing_files_leave_names_empty(void **state)
{
    struct pat_program p;
    char path[] = "/nonexistent/libgone.so";
    (void)state;
    pat_program_init(&p);
    p.modules[0] = (struct pat_module){path, 0x400000, 0x500000, 0x400000};
    p.sites[0].module = 0;
    p.tables.modules_len = 1;
    pat_program_put(pat_program_sequence(&p), 1);
    const struct pat_found *f = pat_program_compact(&p, NULL);
    assert_string_equal(f->function, "");
    assert_string_equal(f->config.name, "gather of `x` in libgone.so+0x1000");
    pat_program_fini(&p);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_contain_what_is_known),
        cmocka_unit_test(instructions_have_functions_and_lines),
#ifdef __x86_64__
        cmocka_unit_test(blocks_of_structures_have_their_size),
#endif
        cmocka_unit_test(instructions_of_libraries_have_functions),
        cmocka_unit_test(addresses_of_two_modules_are_distinguished),
        cmocka_unit_test(missing_files_leave_names_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
