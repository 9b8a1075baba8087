/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged copies of a small program, made by rule: cut, with invalid pointers in headers, absurd counts,
 * circular entries, broken compression. Every question about them is answered within a time limit. */
#include "symbols/sym_files.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <elf.h>
#include <errno.h>
#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ADDRESSES = 200, CPU_S = 5 };

struct subject {
    struct spool_fixture fixture;
    sym_files *files; /* one reader for all: a file that kills it must not affect the next one */
    uint8_t *good, *bytes;
    size_t len;
    unsigned asked;
};

static char folder[4096];

static void open_subject(struct subject *s, const char *name)
{
    char path[4400];
    spool_fixture_init(&s->fixture);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    s->good = fixture_read_file(path, &s->len);
    s->bytes = malloc(s->len);
    assert_non_null(s->bytes);
    s->asked = 0;
    assert_int_equal(sym_files_new((struct sym_limits){.cpu_s = CPU_S}, &s->files), LS_OK);
}

static void close_subject(struct subject *s)
{
    sym_files_free(s->files);
    free(s->good);
    free(s->bytes);
    spool_fixture_fini(&s->fixture);
}

static uint8_t *fresh(struct subject *s)
{
    memcpy(s->bytes, s->good, s->len);
    return s->bytes;
}

static Elf64_Ehdr *head(uint8_t *bytes)
{
    return (Elf64_Ehdr *)(void *)bytes;
}

static Elf64_Shdr *sections(uint8_t *bytes, size_t *out_len)
{
    *out_len = head(bytes)->e_shnum;
    return (Elf64_Shdr *)(void *)(bytes + head(bytes)->e_shoff);
}

static const char *section_name(const struct subject *s, const Elf64_Shdr *sh)
{
    size_t len;
    const Elf64_Shdr *all = sections(s->good, &len);
    return (const char *)s->good + all[head(s->good)->e_shstrndx].sh_offset + sh->sh_name;
}

/* Return the same offset in the copy. */
static bool find_section(const struct subject *s, const char *name, Elf64_Shdr *out)
{
    size_t len;
    const Elf64_Shdr *all = sections(s->good, &len);
    for (size_t i = 0; i < len; i++)
        if (strcmp(section_name(s, &all[i]), name) == 0) {
            *out = all[i];
            return true;
        }
    return false;
}

/* Ask for types by every kind of question; the answer was checked when it was received. */
static void ask_types(struct subject *s, sym_file *f)
{
    static const char texts[] = "v\0f\0nstruct small_part\0psmall_parts\0esmall_parts[].at[]\0"
                                "e*small_names\0nno such type\0ndouble*\0t\0s\0a\0a";
    enum { QUESTIONS = 12 };
    uint64_t linked[QUESTIONS] = {0x4060, 0x1160, 0x1160, 0x1160, 0x1160, 0x1160,
                                  0x1160, 0x1160, 0,      0x1160, 0x1160, 0x1164};
    struct sym_answer a;
    const struct sym_type_questions q = {linked, QUESTIONS, texts, sizeof(texts)};
    assert_int_equal(sym_file_types(s->files, f, &q, &a), LS_OK);
    assert_true(a.typings_len == QUESTIONS || a.typings_len == 0);
    sym_answer_fini(&a);
}

/* Ask everything about the first len bytes of the copy. */
static void ask(struct subject *s, size_t len)
{
    char path[400];
    uint64_t linked[ADDRESSES];
    sym_file *f;
    struct sym_answer a;
    snprintf(path, sizeof(path), "%s/mangled.%u", s->fixture.root, s->asked++);
    fixture_write_file(path, s->bytes, len);
    for (size_t i = 0; i < ADDRESSES; i++)
        linked[i] = 0x1000 + 0x2f * i;
    assert_int_equal(sym_files_get(s->files, path, &f), LS_OK);
    for (size_t i = 0; i < ADDRESSES; i++) {
        assert_non_null(sym_file_find_variable(s->files, f, 0x3000 + 16 * i).name);
        assert_non_null(sym_file_find_tls(s->files, f, 4 * i).name);
        assert_non_null(sym_file_find_section(f, linked[i]).name);
        assert_non_null(sym_file_function(s->files, f, linked[i]).symbol);
    }
    sym_file_unwinds(s->files, f);
    ask_types(s, f);
    assert_int_equal(sym_file_lines(s->files, f, linked, ADDRESSES, &a), LS_OK);
    assert_true(a.lines_len == ADDRESSES || a.lines_len == 0);
    sym_answer_fini(&a);
    unlink(path);
}

static void whole_file_reports_everything(void **state)
{
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    fresh(&s);
    ask(&s, s.len);
    const sym_file *f = sym_files_at(s.files, 0);
    assert_string_equal(sym_file_problem(f), "");
    bool has_points = false, has_calls = false;
    struct sym_thing v;
    for (uint32_t i = 0; (v = sym_file_variable(f, i)).row != SYM_NONE; i++) {
        has_points |= strcmp(v.name, "small_points") == 0 && v.elem_size_bytes == 16;
        has_calls |= strcmp(v.name, "small_sum::small_calls") == 0;
    }
    assert_true(has_points && has_calls);
    close_subject(&s);
}

static void cut_files(void **state)
{
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    for (size_t part = 0; part < 64; part++) {
        fresh(&s);
        ask(&s, s.len * part / 64);
    }
    close_subject(&s);
}

static void other_class_and_order(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
    } rows[] = {{EI_CLASS, ELFCLASS32}, {EI_CLASS, 7},   {EI_DATA, ELFDATA2MSB}, {EI_DATA, 9},
                {EI_VERSION, 200},      {EI_OSABI, 255}, {EI_MAG1, 'e'}};
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fresh(&s)[rows[i].at] = rows[i].value;
        ask(&s, s.len);
    }
    for (unsigned type = 0; type < 8; type++) {
        head(fresh(&s))->e_type = (uint16_t)type;
        ask(&s, s.len);
        head(fresh(&s))->e_machine = (uint16_t)(type * 13);
        ask(&s, s.len);
    }
    close_subject(&s);
}

static const uint64_t absurd[] = {0,          1,          7,          0xffff,         UINT32_MAX,
                                  1ull << 40, 1ull << 63, UINT64_MAX, UINT64_MAX - 64};
enum { ABSURD = sizeof(absurd) / sizeof(absurd[0]) };

static void headers_that_point_nowhere(void **state)
{
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    for (size_t i = 0; i < ABSURD; i++) {
        head(fresh(&s))->e_shoff = absurd[i];
        ask(&s, s.len);
        head(fresh(&s))->e_phoff = absurd[i];
        ask(&s, s.len);
        head(fresh(&s))->e_shnum = (uint16_t)absurd[i];
        ask(&s, s.len);
        head(fresh(&s))->e_phnum = (uint16_t)absurd[i];
        ask(&s, s.len);
        head(fresh(&s))->e_shstrndx = (uint16_t)absurd[i];
        ask(&s, s.len);
        head(fresh(&s))->e_shentsize = (uint16_t)absurd[i];
        ask(&s, s.len);
    }
    close_subject(&s);
}

/* Each field of each section header in turn. */
static void absurd_sections(void **state)
{
    static const size_t fields[] = {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size),
                                    offsetof(Elf64_Shdr, sh_addr), offsetof(Elf64_Shdr, sh_flags),
                                    offsetof(Elf64_Shdr, sh_entsize)};
    struct subject s;
    size_t len;
    (void)state;
    open_subject(&s, "sym_small");
    sections(s.good, &len);
    for (size_t i = 0; i < len; i++) {
        for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
            const uint64_t value = absurd[(i + 2 * f) % ABSURD];
            memcpy((uint8_t *)&sections(fresh(&s), &len)[i] + fields[f], &value, sizeof(value));
            ask(&s, s.len);
        }
        sections(fresh(&s), &len)[i].sh_type = (uint32_t)(i * 7 % 20);
        ask(&s, s.len);
        sections(fresh(&s), &len)[i].sh_link = (uint32_t)absurd[i % ABSURD];
        ask(&s, s.len);
        /* marked as compressed without being so */
        sections(fresh(&s), &len)[i].sh_flags |= SHF_COMPRESSED;
        ask(&s, s.len);
    }
    close_subject(&s);
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 16;
}

/* Bytes of one section: a value everywhere, at every multiple of a step, and at random. */
static void mangle_section(struct subject *s, const char *name)
{
    static const uint8_t values[] = {0x00, 0xff, 0x80, 0x01, 0x7f};
    Elf64_Shdr sh;
    uint64_t random = 1;
    if (!find_section(s, name, &sh) || sh.sh_size == 0 || sh.sh_type == SHT_NOBITS) return;
    for (size_t v = 0; v < sizeof(values); v++) {
        memset(fresh(s) + sh.sh_offset, values[v], sh.sh_size);
        ask(s, s->len);
        memset(fresh(s) + sh.sh_offset + sh.sh_size / 2, values[v], sh.sh_size - sh.sh_size / 2);
        ask(s, s->len);
    }
    for (int round = 0; round < 24; round++) {
        fresh(s);
        for (int k = 0; k < 1 + round; k++)
            s->bytes[sh.sh_offset + next_random(&random) % sh.sh_size] = (uint8_t)next_random(&random);
        ask(s, s->len);
    }
}

static void broken_tables(void **state)
{
    static const char *const names[] = {
        ".symtab",       ".strtab",   ".dynsym",   ".dynstr",   ".eh_frame",
        ".eh_frame_hdr", ".shstrtab", ".dynamic",  ".gnu.hash", ".note.gnu.build-id",
        ".plt",          ".plt.got",  ".rela.plt", ".rela.dyn"};
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        mangle_section(&s, names[i]);
    close_subject(&s);
}

static void broken_dwarf(void **state)
{
    static const char *const names[] = {".debug_info",     ".debug_abbrev",   ".debug_line",
                                        ".debug_str",      ".debug_line_str", ".debug_rnglists",
                                        ".debug_loclists", ".debug_aranges"};
    struct subject s;
    (void)state;
    open_subject(&s, "sym_small");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        mangle_section(&s, names[i]);
    close_subject(&s);
}

/* References of entries are four bytes, counted from their unit: let them lead to earlier entries. */
static void entries_in_circles(void **state)
{
    struct subject s;
    Elf64_Shdr sh;
    (void)state;
    open_subject(&s, "sym_small");
    assert_true(find_section(&s, ".debug_info", &sh));
    const size_t step = 1 + sh.sh_size / 150;
    for (size_t at = 12; at + 4 < sh.sh_size; at += step) {
        const uint32_t back = (uint32_t)(12 + at % 40);
        memcpy(fresh(&s) + sh.sh_offset + at, &back, sizeof(back));
        ask(&s, s.len);
    }
    /* all that look like references at once, to themselves and to the first entry */
    for (uint32_t to = 0; to < 64; to += 12) {
        fresh(&s);
        for (size_t at = 12; at + 4 < sh.sh_size; at += 4) {
            uint32_t value;
            memcpy(&value, s.bytes + sh.sh_offset + at, sizeof(value));
            if (value > 0 && value < sh.sh_size) memcpy(s.bytes + sh.sh_offset + at, &to, sizeof(to));
        }
        ask(&s, s.len);
    }
    close_subject(&s);
}

static void broken_compression(void **state)
{
    static const char *const names[] = {".debug_info", ".debug_line", ".debug_str", ".debug_abbrev"};
    struct subject s;
    Elf64_Shdr sh;
    (void)state;
    open_subject(&s, "sym_small_gz");
    fresh(&s);
    ask(&s, s.len);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        mangle_section(&s, names[i]);
        for (size_t k = 0; find_section(&s, names[i], &sh) && k < ABSURD; k++) {
            Elf64_Chdr *c = (void *)(fresh(&s) + sh.sh_offset);
            c->ch_size = absurd[k];
            ask(&s, s.len);
            c = (void *)(fresh(&s) + sh.sh_offset);
            c->ch_type = (uint32_t)absurd[k];
            c->ch_addralign = absurd[ABSURD - 1 - k];
            ask(&s, s.len);
        }
    }
    close_subject(&s);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file_reports_everything),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(other_class_and_order),
        cmocka_unit_test(headers_that_point_nowhere),
        cmocka_unit_test(absurd_sections),
        cmocka_unit_test(broken_tables),
        cmocka_unit_test(broken_dwarf),
        cmocka_unit_test(entries_in_circles),
        cmocka_unit_test(broken_compression),
    };
    snprintf(folder, sizeof(folder), "%s", dirname(program_invocation_name));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
