/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of this program get its names; damaged files only lack names, and never end the process. */
#include "symbols/sym_files.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[4096];

enum { KNOWN_LINE = __LINE__ + 1 };
__attribute__((noinline)) static int known_function_of_this_test(int x)
{
    return x * 3 + 1;
}

struct own_module {
    char path[512];
    uint64_t base, end, offset;
};

/* First mapping of the file that holds addr, and the hull of its mappings. */
static struct own_module module_of(uint64_t addr)
{
    struct own_module m = {{0}, 0, 0, 0}, found = {{0}, 0, 0, 0};
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        uint64_t base, end, offset;
        char path[512] = "";
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511s", &base, &end, &offset,
                   path) < 3)
            continue;
        if (strcmp(path, m.path) != 0) {
            m.base = base;
            m.offset = offset;
            memcpy(m.path, path, sizeof(path));
        }
        m.end = end;
        if (addr >= base && addr < end) memcpy(found.path, path, sizeof(path));
        if (found.path[0] != '\0' && strcmp(found.path, m.path) == 0) found = m;
    }
    fclose(maps);
    return found;
}

int global_of_this_test[50] = {1};
static int twice(int x)
{
    static int calls[7];
    return calls[x % 7]++ + 2 * x;
}
__thread short thread_local_of_this_test[9];

/* Types of this program, whose members the test looks up. */
struct type_of_this_test {
    struct type_of_this_test *next;
    union {
        double real;
        struct {
            int low, high;
        };
    };
    unsigned flag : 3, rank : 5;
    struct {
        short x[2];
    } pairs[4];
    char tail[];
};
static struct type_of_this_test typed_of_this_test[1];

struct symbols {
    sym_files *files;
    sym_file *file;
    uint64_t bias;
};

static struct symbols symbols_of(uint64_t addr)
{
    struct symbols s;
    uint64_t linked;
    const struct own_module m = module_of(addr);
    assert_int_equal(sym_files_new((struct sym_limits){0}, &s.files), LS_OK);
    assert_int_equal(sym_files_get(s.files, m.path, &s.file), LS_OK);
    assert_string_equal(sym_file_problem(s.file), "");
    assert_true(sym_file_linked(s.file, m.offset, &linked));
    s.bias = m.base - linked;
    return s;
}

static void own_function_has_name_file_and_line(void **state)
{
    struct sym_answer a;
    (void)state;
    const uint64_t ip = (uint64_t)(uintptr_t)known_function_of_this_test;
    const struct symbols s = symbols_of(ip);
    const uint64_t linked = ip - s.bias;
    assert_string_equal(sym_file_function(s.files, s.file, linked).symbol, "known_function_of_this_test");
    assert_int_equal(sym_file_lines(s.files, s.file, &linked, 1, &a), LS_OK);
    assert_int_equal(a.lines_len, 1);
    assert_string_equal(sym_answer_text(&a, a.lines[0].function), "known_function_of_this_test");
    assert_string_equal(sym_answer_text(&a, a.lines[0].symbol), "known_function_of_this_test");
    assert_non_null(strstr(sym_answer_text(&a, a.lines[0].file), "tests/symbols/test_sym_files.c"));
    assert_in_range(a.lines[0].line, KNOWN_LINE, KNOWN_LINE + 3);
    assert_int_equal(a.lines[0].inlines_len, 0);
    sym_answer_fini(&a);
    sym_files_free(s.files);
}

static void own_variables_have_names_and_elements(void **state)
{
    (void)state;
    const uint64_t at = (uint64_t)(uintptr_t)&global_of_this_test[3];
    const struct symbols s = symbols_of((uint64_t)(uintptr_t)known_function_of_this_test);
    struct sym_thing v = sym_file_find_variable(s.files, s.file, at - s.bias);
    assert_string_equal(v.name, "global_of_this_test");
    assert_int_equal(v.base + s.bias, (uint64_t)(uintptr_t)global_of_this_test);
    assert_int_equal(v.end - v.base, sizeof(global_of_this_test));
    assert_int_equal(v.elem_size_bytes, sizeof(int));
    /* a static of a function has its function's name */
    const size_t len = sym_file_variables_len(s.files, s.file);
    size_t found = 0;
    for (uint32_t i = 0; i < len; i++)
        found += strcmp(sym_file_variable(s.file, i).name, "twice::calls") == 0;
    assert_int_equal(found, twice(1) == 2);
    v = sym_file_find_tls(s.files, s.file, 0);
    assert_string_equal(v.name, "thread_local_of_this_test");
    assert_int_equal(v.elem_size_bytes, sizeof(short));
    assert_true(sym_file_tls_len_bytes(s.file) >= sizeof(thread_local_of_this_test));
    const struct sym_thing section = sym_file_find_section(s.file, at - s.bias);
    assert_string_equal(section.name, ".data");
    sym_files_free(s.files);
}

static void library_function_has_its_name(void **state)
{
    (void)state;
    const uint64_t ip = (uint64_t)(uintptr_t)_cmocka_run_group_tests;
    const struct symbols s = symbols_of(ip);
    const struct sym_function_names names = sym_file_function(s.files, s.file, ip - s.bias);
    assert_non_null(strstr(names.function, "cmocka_run_group_tests"));
    assert_true(sym_file_unwinds(s.files, s.file));
    sym_files_free(s.files);
}

static void missing_file_is_reported(void **state)
{
    static const struct {
        const char *path, *problem;
    } rows[] = {{"/nonexistent/library.so", "No such file or directory"},
                {"/dev/zero", "not a regular file"},
                {"/etc/passwd", "not an ELF file"}};
    sym_files *files;
    sym_file *file;
    uint64_t linked = 4096;
    struct sym_answer a;
    (void)state;
    assert_int_equal(sym_files_new((struct sym_limits){0}, &files), LS_OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(sym_files_get(files, rows[i].path, &file), LS_OK);
        assert_string_equal(sym_file_problem(file), rows[i].problem);
        assert_int_equal(sym_file_find_variable(files, file, 4096).row, SYM_NONE);
        assert_string_equal(sym_file_function(files, file, 4096).symbol, "");
        assert_int_equal(sym_file_lines(files, file, &linked, 1, &a), LS_OK);
        assert_int_equal(a.lines_len, 0);
        sym_answer_fini(&a);
    }
    sym_files_free(files);
}

/* The effect of a file that crashes the libraries: its reader ends in the middle of a question. */
static void crashed_reader_loses_lines_but_no_names(void **state)
{
    struct sym_answer a;
    sym_file *other;
    (void)state;
    const uint64_t ip = (uint64_t)(uintptr_t)known_function_of_this_test;
    const struct symbols s = symbols_of(ip);
    const uint64_t linked = ip - s.bias;
    const int reader = sym_files_reader(s.files);
    assert_true(reader > 0);
    assert_int_equal(kill(reader, SIGKILL), 0);
    assert_string_equal(sym_file_function(s.files, s.file, linked).symbol, "known_function_of_this_test");
    assert_int_not_equal(sym_files_reader(s.files), reader);
    assert_non_null(strstr(sym_file_problem(s.file), "damaged"));
    assert_int_equal(sym_file_lines(s.files, s.file, &linked, 1, &a), LS_OK);
    assert_int_equal(a.lines_len, 1);
    assert_int_equal(a.lines[0].line, 0); /* its DWARF is not asked again */
    sym_answer_fini(&a);
    assert_int_equal(sym_files_get(s.files, "/proc/self/exe", &other), LS_OK);
    assert_string_equal(sym_file_problem(other), "");
    assert_true(sym_file_variables_len(s.files, other) > 0);
    sym_files_free(s.files);
}

/* An endless loop is ended by the time limit. */
static void reader_that_is_out_of_time_ends(void **state)
{
    sym_files *files;
    sym_file *f;
    (void)state;
    assert_int_equal(sym_files_new((struct sym_limits){.cpu_s = 1}, &files), LS_OK);
    assert_int_equal(sym_files_get(files, "/proc/self/exe", &f), LS_OK);
    assert_string_equal(sym_file_problem(f), "");
    assert_int_equal(kill(sym_files_reader(files), SIGXCPU), 0);
    assert_int_equal(sym_files_get(files, "/bin/sh", &f), LS_OK);
    assert_non_null(strstr(sym_file_problem(f), "took too long"));
    sym_files_free(files);
}

static void ask_broken_file(const char *path)
{
    sym_files *files;
    sym_file *file;
    uint64_t linked[64];
    struct sym_answer a;
    for (size_t i = 0; i < 64; i++)
        linked[i] = 0x1000 + 0x137 * i;
    assert_int_equal(sym_files_new((struct sym_limits){0}, &files), LS_OK);
    assert_int_equal(sym_files_get(files, path, &file), LS_OK);
    for (size_t i = 0; i < 64; i++) {
        sym_file_find_variable(files, file, linked[i]);
        sym_file_find_section(file, linked[i]);
        assert_non_null(sym_file_function(files, file, linked[i]).symbol);
    }
    sym_file_unwinds(files, file);
    assert_int_equal(sym_file_lines(files, file, linked, 64, &a), LS_OK);
    sym_answer_fini(&a);
    sym_files_free(files);
}

static void broken_elf_files_do_no_harm(void **state)
{
    struct spool_fixture f;
    char path[400];
    size_t len;
    uint64_t random = 1;
    (void)state;
    spool_fixture_init(&f);
    snprintf(path, sizeof(path), "%s/broken.so", f.root);
    uint8_t *bytes = fixture_read_file("/proc/self/exe", &len);
    for (int round = 0; round < 60; round++) {
        uint8_t *copy = malloc(len);
        memcpy(copy, bytes, len);
        for (int flip = 0; flip < 40; flip++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            /* half of the damage hits the headers */
            const size_t at = (size_t)(random >> 16) % (flip % 2 ? len : 1024);
            copy[at < 4 ? 4 : at] ^= (uint8_t)(1u << (random & 7));
        }
        fixture_write_file(path, copy, round % 3 ? len : len / (size_t)(round + 2));
        ask_broken_file(path);
        free(copy);
    }
    fixture_write_file(path, "", 0);
    ask_broken_file(path);
    ask_broken_file("/dev/zero");
    free(bytes);
    spool_fixture_fini(&f);
}

static const struct sym_member *member_named(const struct sym_answer *a, const struct sym_type *t,
                                             const char *path)
{
    for (uint32_t i = 0; i < t->members_len; i++) {
        const struct sym_member *m = &a->members[t->first_member + i];
        if (strcmp(sym_answer_text(a, m->path), path) == 0 && m->kind != SYM_MEMBER_WHOLE &&
            m->kind != SYM_MEMBER_ANONYMOUS)
            return m;
    }
    fail_msg("no member %s", path);
    return NULL;
}

static void types_of_variables_and_expressions(void **state)
{
    static const char texts[] = "v\0"
                                "f\0"
                                "nstruct type_of_this_test\0"
                                "ptyped_of_this_test[].next\0"
                                "etyped_of_this_test[].pairs[].x[]\0"
                                "nno_such_type\0"
                                "nlong*";
    static const uint32_t how[] = {SYM_HOW_VARIABLE, SYM_HOW_NOT, SYM_HOW_NEW, SYM_HOW_POINTER,
                                   SYM_HOW_SIZEOF,   SYM_HOW_NOT, SYM_HOW_NEW};
    enum { QUESTIONS = sizeof(how) / sizeof(how[0]) };
    struct symbols s = symbols_of((uint64_t)(uintptr_t)typed_of_this_test);
    uint64_t linked[QUESTIONS];
    struct sym_answer a;
    (void)state;
    assert_non_null(&typed_of_this_test[0].next);
    for (size_t i = 0; i < QUESTIONS; i++)
        linked[i] = (uint64_t)(uintptr_t)twice - s.bias;
    linked[0] = (uint64_t)(uintptr_t)typed_of_this_test - s.bias;
    const struct sym_type_questions q = {linked, QUESTIONS, texts, sizeof(texts)};
    assert_int_equal(sym_file_types(s.files, s.file, &q, &a), LS_OK);
    assert_int_equal(a.typings_len, QUESTIONS);
    for (size_t i = 0; i < QUESTIONS; i++)
        assert_int_equal(a.typings[i].how, how[i]);
    assert_int_equal(a.typings[2].type, a.typings[0].type);
    assert_int_equal(a.typings[3].type, a.typings[0].type);
    assert_string_equal(sym_answer_text(&a, a.types[a.typings[4].type].name), "short int");
    const struct sym_type *t = &a.types[a.typings[0].type];
    assert_string_equal(sym_answer_text(&a, t->name), "type_of_this_test");
    assert_int_equal(t->len_bytes, sizeof(struct type_of_this_test));
    assert_int_equal(t->kind, SYM_TYPE_STRUCT);
    assert_int_equal(member_named(&a, t, "real")->offset_bytes, 8);
    assert_int_equal(member_named(&a, t, "high")->offset_bytes, 12);
    assert_int_equal(member_named(&a, t, "rank")->first_bit, 3);
    assert_int_equal(member_named(&a, t, "rank")->bits_len, 5);
    assert_int_equal(member_named(&a, t, "flag|rank")->len_bytes, 1);
    assert_int_equal(member_named(&a, t, "pairs[]")->elem_len_bytes, 4);
    assert_int_equal(member_named(&a, t, "pairs[].x[]")->len_bytes, 4);
    assert_int_equal(member_named(&a, t, "tail[]")->len_bytes, 0);
    sym_answer_fini(&a);
    sym_files_free(s.files);
}

/* Find the instruction of a program at which the function is inlined, and its line. */
static uint64_t find_inlined(sym_files *files, sym_file *file, const char *path, const char *function,
                             struct sym_answer *a)
{
    size_t len, row = 0;
    uint8_t *bytes = fixture_read_file(path, &len);
    const struct sym_thing text =
        sym_file_find_section(file, ((const Elf64_Ehdr *)(const void *)bytes)->e_entry);
    free(bytes);
    assert_string_equal(text.name, ".text");
    uint64_t *linked = malloc((text.end - text.base) * sizeof(*linked));
    for (uint64_t at = text.base; at < text.end; at++)
        linked[at - text.base] = at;
    assert_int_equal(sym_file_lines(files, file, linked, text.end - text.base, a), LS_OK);
    free(linked);
    while (row < a->lines_len && strcmp(sym_answer_text(a, a->lines[row].function), function) != 0)
        row++;
    if (row == a->lines_len) fail_msg("%s: no instruction of %s", path, function);
    a->lines[0] = a->lines[row];
    return text.base + row;
}

/* Compilers put functions of local types, nested functions and functions of OpenMP's regions inside the functions around them. */
static void functions_in_functions_have_names_and_types(void **state)
{
    static const char *const programs[] = {"sym_types", "sym_split"};
    static const char text[] = "nonly_there";
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        sym_files *files;
        sym_file *file;
        struct sym_answer a, types;
        char path[4400];
        snprintf(path, sizeof(path), "%s/%s", folder, programs[i]);
        assert_int_equal(sym_files_new((struct sym_limits){0}, &files), LS_OK);
        assert_int_equal(sym_files_get(files, path, &file), LS_OK);
        const uint64_t at = find_inlined(files, file, path, "inlined_into_local", &a);
        assert_non_null(strstr(sym_answer_text(&a, a.lines[0].symbol), "local::product"));
        assert_int_equal(a.lines[0].inlines_len, 1);
        const struct sym_type_questions q = {&at, 1, text, sizeof(text)};
        assert_int_equal(sym_file_types(files, file, &q, &types), LS_OK);
        assert_int_equal(types.typings[0].how, SYM_HOW_NEW);
        sym_answer_fini(&types);
        sym_answer_fini(&a);
        sym_files_free(files);
    }
}

/* Does the process map a file with this path? */
static bool maps_file(int pid, const char *path)
{
    char line[1024], name[64];
    bool is_mapped = false;
    snprintf(name, sizeof(name), "/proc/%d/maps", pid);
    FILE *maps = fopen(name, "re");
    assert_non_null(maps);
    while (!is_mapped && fgets(line, sizeof(line), maps))
        is_mapped = strstr(line, path) != NULL;
    fclose(maps);
    return is_mapped;
}

/* A program has dozens of libraries, and each is asked about several times: opening one again inflates its sections again. */
static void files_asked_about_stay_open(void **state)
{
    enum { FILES = 24 };
    char paths[FILES][400];
    struct spool_fixture f;
    sym_files *files;
    sym_file *file;
    size_t len;
    (void)state;
    spool_fixture_init(&f);
    uint8_t *bytes = fixture_read_file("/proc/self/exe", &len);
    assert_int_equal(sym_files_new((struct sym_limits){0}, &files), LS_OK);
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/open.%d.", f.root, i);
        fixture_write_file(paths[i], bytes, len);
        assert_int_equal(sym_files_get(files, paths[i], &file), LS_OK);
        assert_true(sym_file_variables_len(files, file) > 0);
    }
    for (int i = 0; i < FILES; i++)
        assert_true(maps_file(sym_files_reader(files), paths[i]));
    sym_files_free(files);
    for (int i = 0; i < FILES; i++)
        unlink(paths[i]);
    free(bytes);
    spool_fixture_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_variables_and_expressions),
        cmocka_unit_test(functions_in_functions_have_names_and_types),
        cmocka_unit_test(own_function_has_name_file_and_line),
        cmocka_unit_test(own_variables_have_names_and_elements),
        cmocka_unit_test(library_function_has_its_name),
        cmocka_unit_test(missing_file_is_reported),
        cmocka_unit_test(crashed_reader_loses_lines_but_no_names),
        cmocka_unit_test(reader_that_is_out_of_time_ends),
        cmocka_unit_test(broken_elf_files_do_no_harm),
        cmocka_unit_test(files_asked_about_stay_open),
    };
    thread_local_of_this_test[0] = 1;
    snprintf(folder, sizeof(folder), "%s", dirname(strdupa(program_invocation_name)));
    return known_function_of_this_test(0) == 1 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
