/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_worker.h"

#include "common/ls_span.h"
#include "symbols/sym_elf.h"
#include "symbols/sym_lines.h"
#include "symbols/sym_types.h"
#include "symbols/sym_variables.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- soundness of unwinding tables --- */

enum { SYM_CFI_REGS = 17 }; /* DWARF numbers of x86-64: general registers and the return address */

/* Linux Standard Base, .eh_frame_hdr; the encodings that linkers write: pc-relative and section-relative,
 * signed, four bytes. */
struct sym_cfi_table {
    struct ls_cursor cursor;
    uint64_t section; /* its linked address */
    uint32_t left;
};

static bool sym_cfi_table_open(const struct sym_elf *e, struct sym_cfi_table *out)
{
    enum { SYM_HDR_VERSION = 1, SYM_ENC_POINTER = 0x1b, SYM_ENC_COUNT = 0x03, SYM_ENC_TABLE = 0x3b };
    size_t len;
    uint8_t head[8];
    if (elf_getphdrnum(e->elf, &len) != 0) return false;
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(e->elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME) continue;
        Elf_Data *data = elf_getdata_rawchunk(e->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
        if (!data || !data->d_buf) return false;
        *out = (struct sym_cfi_table){ls_cursor_over(data->d_buf, data->d_size), ph.p_vaddr, 0};
        return ls_cursor_read(&out->cursor, head, sizeof(head)) &&
               ls_cursor_read(&out->cursor, &out->left, sizeof(out->left)) && head[0] == SYM_HDR_VERSION &&
               head[1] == SYM_ENC_POINTER && head[2] == SYM_ENC_COUNT && head[3] == SYM_ENC_TABLE;
    }
    return false;
}

static bool sym_cfi_table_next(struct sym_cfi_table *t, uint64_t *out)
{
    int32_t row[2]; /* first address, its entry */
    if (t->left == 0 || !ls_cursor_read(&t->cursor, row, sizeof(row))) return false;
    t->left--;
    *out = t->section + (uint64_t)(int64_t)row[0];
    return true;
}

/* Expressions with jumps may loop forever. No compiler writes such. */
static bool sym_is_straight(const Dwarf_Op *ops, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra) return false;
    return true;
}

static bool sym_frame_is_straight(Dwarf_Frame *frame)
{
    Dwarf_Op room[3], *ops;
    size_t len;
    if (dwarf_frame_cfa(frame, &ops, &len) == 0 && !sym_is_straight(ops, len)) return false;
    for (int reg = 0; reg < SYM_CFI_REGS; reg++)
        if (dwarf_frame_register(frame, reg, room, &ops, &len) == 0 && ops && ops != room &&
            !sym_is_straight(ops, len))
            return false;
    return true;
}

static bool sym_rule_is_sound(Dwarf_CFI *cfi, uint64_t at)
{
    Dwarf_Frame *frame;
    if (dwarf_cfi_addrframe(cfi, at, &frame) != 0) return true; /* no table: this is a valid answer */
    const bool is_straight = sym_frame_is_straight(frame);
    free(frame);
    return is_straight;
}

/* Evaluate every rule that .eh_frame_hdr lists. False also without tables, or with unusual ones. */
static bool sym_cfi_is_sound(const struct sym_elf *e)
{
    struct sym_cfi_table table;
    Dwarf_Addr bias;
    uint64_t at, last = 0;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(e->module, &bias);
    if (!cfi || !sym_cfi_table_open(e, &table)) return false;
    while (sym_cfi_table_next(&table, &at)) {
        /* looking up the last address of the previous entry evaluates its whole program */
        if (last && !sym_rule_is_sound(cfi, at - 1 - bias)) return false;
        if (!sym_rule_is_sound(cfi, at - bias)) return false;
        last = at;
    }
    return true;
}

/* Files that stay open: opening one again inflates its sections and decodes its tables again. Large files are limited by their
 * bytes, because decoded tables take as much memory. */
enum { SYM_OPEN_FILES = 64 };
#define SYM_OPEN_BYTES (UINT64_C(1) << 30)

struct sym_open_file {
    char *path;                  /* NULL: unused */
    bool wants_dwarf, has_dwarf; /* searched, so that it is known whether it exists */
    struct sym_elf elf;
    sym_lines *lines;   /* NULL: no file */
    uint64_t used;      /* number of the question that used it last */
    uint64_t len_bytes; /* sum of the file and its debug file */
};
struct sym_reader {
    struct sym_open_file files[SYM_OPEN_FILES];
    uint64_t questions;
    uid_t asker;
};

sym_reader *sym_reader_new(uid_t asker)
{
    sym_reader *r = calloc(1, sizeof(*r));
    if (r) r->asker = asker;
    return r;
}

static void sym_open_file_close(struct sym_open_file *f)
{
    sym_lines_free(f->lines);
    sym_elf_close(&f->elf);
    free(f->path);
    *f = (struct sym_open_file){0};
}

void sym_reader_free(sym_reader *r)
{
    if (!r) return;
    for (size_t i = 0; i < SYM_OPEN_FILES; i++)
        sym_open_file_close(&r->files[i]);
    free(r);
}

static struct sym_open_file *sym_reader_known(sym_reader *r, const struct sym_request *request)
{
    for (size_t i = 0; i < SYM_OPEN_FILES; i++) {
        struct sym_open_file *f = &r->files[i];
        if (f->path && strcmp(f->path, request->path) == 0 && f->wants_dwarf == request->wants_dwarf)
            return f;
    }
    return NULL;
}

static uint64_t sym_file_len_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Close the least recently used files, apart from `kept`, until the others are within the limit of bytes. */
static void sym_reader_trim(sym_reader *r, const struct sym_open_file *kept)
{
    for (;;) {
        struct sym_open_file *oldest = NULL;
        uint64_t all_bytes = 0;
        for (size_t i = 0; i < SYM_OPEN_FILES; i++) {
            struct sym_open_file *f = &r->files[i];
            all_bytes += f->len_bytes;
            if (f->path && f != kept && (!oldest || f->used < oldest->used)) oldest = f;
        }
        if (all_bytes <= SYM_OPEN_BYTES || !oldest) return;
        sym_open_file_close(oldest);
    }
}

/* Open the file in place of the least recently used one; NULL: *out_problem is the reason. */
static struct sym_open_file *sym_reader_open(sym_reader *r, const struct sym_request *request,
                                             const char **out_problem)
{
    struct sym_open_file *f = sym_reader_known(r, request);
    if (f) return f;
    f = &r->files[0];
    for (size_t i = 1; i < SYM_OPEN_FILES; i++)
        if (r->files[i].used < f->used) f = &r->files[i];
    sym_open_file_close(f);
    if (!sym_elf_open(request->path, r->asker, &f->elf, out_problem)) return NULL;
    f->path = strdup(request->path);
    f->wants_dwarf = request->wants_dwarf;
    f->len_bytes = sym_file_len_bytes(request->path);
    *out_problem = "out of memory";
    return f->path ? f : NULL;
}

static void sym_open_file_find_dwarf(struct sym_open_file *f)
{
    if (f->wants_dwarf && !f->has_dwarf) {
        sym_elf_find_dwarf(&f->elf);
        if (f->elf.dwarf && strcmp(f->elf.dwarf_path, f->path) != 0)
            f->len_bytes += sym_file_len_bytes(f->elf.dwarf_path);
    }
    f->has_dwarf = true;
}

static ls_err sym_answer_functions(struct sym_open_file *f, const struct sym_request *request,
                                   struct sym_draft *d)
{
    sym_open_file_find_dwarf(f);
    if (!f->lines) LS_TRY(sym_lines_new(&f->elf, &f->lines));
    if (request->question == SYM_ASK_LINES)
        sym_lines_read(f->lines, request->linked, request->linked_len, d);
    else
        sym_functions_write(sym_lines_functions(f->lines), d);
    return LS_OK;
}

static ls_err sym_answer_question(struct sym_open_file *f, const struct sym_request *request,
                                  struct sym_draft *d)
{
    sym_elf_describe(&f->elf, d);
    switch (request->question) {
    case SYM_ASK_VARIABLES:
        sym_open_file_find_dwarf(f);
        return sym_variables_read(&f->elf, d);
    case SYM_ASK_FUNCTIONS:
    case SYM_ASK_LINES:
        return sym_answer_functions(f, request, d);
    case SYM_ASK_TYPES:
        sym_open_file_find_dwarf(f);
        return sym_types_read(&f->elf, request, d);
    case SYM_ASK_UNWIND:
        ((struct sym_head *)d->rows[SYM_ROW_heads].rows)->unwinds = sym_cfi_is_sound(&f->elf);
        return LS_OK;
    default:
        return LS_OK;
    }
}

ls_err sym_reader_answer(sym_reader *r, const struct sym_request *request, struct sym_draft *d)
{
    const char *problem;
    struct sym_open_file *f = sym_reader_open(r, request, &problem);
    if (!f) {
        *SYM_DRAFT_ROW(d, heads) = (struct sym_head){.problem = sym_draft_text(d, problem)};
        return LS_OK;
    }
    f->used = ++r->questions;
    LS_TRY(sym_answer_question(f, request, d));
    sym_reader_trim(r, f);
    if (!d->is_short) ((struct sym_head *)d->rows[SYM_ROW_heads].rows)->author = f->elf.author;
    return d->is_short ? ls_nomem("%s", request->path) : LS_OK;
}
