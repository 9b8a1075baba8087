/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_code.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE_TABLE_MAX = 1 << 28, CODE_BEHIND = 64 };

struct code_function {
    uint64_t start, end;
};
struct pat_code {
    int fd;
    Elf64_Phdr *segments;
    size_t segments_len;
    struct code_function *functions; /* by start */
    size_t functions_len;
};

/* len_bytes of the file; NULL when they are not all there. */
static void *code_read(int fd, uint64_t offset, uint64_t len_bytes)
{
    if (len_bytes == 0 || len_bytes > CODE_TABLE_MAX || offset > INT64_MAX - len_bytes) return NULL;
    uint8_t *bytes = malloc(len_bytes);
    uint64_t got = 0;
    while (bytes && got < len_bytes) {
        const ssize_t n = pread(fd, bytes + got, len_bytes - got, (off_t)(offset + got));
        if (n <= 0) break;
        got += (uint64_t)n;
    }
    if (got == len_bytes) return bytes;
    free(bytes);
    return NULL;
}

static int code_by_start(const void *a, const void *b)
{
    const struct code_function *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool code_take_symbols(struct pat_code *c, const Elf64_Shdr *table)
{
    Elf64_Sym *symbols = code_read(c->fd, table->sh_offset, table->sh_size);
    const size_t len = symbols ? table->sh_size / sizeof(*symbols) : 0;
    c->functions = calloc(len + 1, sizeof(*c->functions));
    c->functions_len = 0;
    for (size_t i = 0; c->functions && i < len; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_size == 0) continue;
        c->functions[c->functions_len++] = (struct code_function){s->st_value, s->st_value + s->st_size};
    }
    free(symbols);
    if (c->functions_len) qsort(c->functions, c->functions_len, sizeof(*c->functions), code_by_start);
    return c->functions_len > 0;
}

/* The table of all symbols, or else the one of those that are exported. */
static void code_read_symbols(struct pat_code *c, const Elf64_Ehdr *head)
{
    static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    if (head->e_shentsize != sizeof(Elf64_Shdr)) return;
    Elf64_Shdr *sections = code_read(c->fd, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*sections));
    for (size_t kind = 0; sections && kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        for (size_t i = 0; i < head->e_shnum && !c->functions_len; i++)
            if (sections[i].sh_type == kinds[kind]) {
                free(c->functions);
                code_take_symbols(c, &sections[i]);
            }
    free(sections);
}

static bool code_read_head(struct pat_code *c)
{
    Elf64_Ehdr *head = code_read(c->fd, 0, sizeof(*head));
    const bool is_ours = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                         head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
                         head->e_machine == EM_X86_64 && head->e_phentsize == sizeof(Elf64_Phdr);
    if (is_ours) {
        c->segments = code_read(c->fd, head->e_phoff, (uint64_t)head->e_phnum * sizeof(*c->segments));
        c->segments_len = c->segments ? head->e_phnum : 0;
        code_read_symbols(c, head);
    }
    free(head);
    return c->segments_len > 0;
}

pat_code *pat_code_open(const char *path)
{
    struct pat_code *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (c->fd >= 0 && code_read_head(c)) return c;
    pat_code_free(c);
    return NULL;
}

void pat_code_free(pat_code *c)
{
    if (!c) return;
    if (c->fd >= 0) close(c->fd);
    free(c->segments);
    free(c->functions);
    free(c);
}

/* The function of the symbols that holds the address. */
static bool code_find(const pat_code *c, uint64_t linked, struct code_function *out)
{
    size_t from = 0, to = c->functions_len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (c->functions[middle].start <= linked)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || linked >= c->functions[from - 1].end) return false;
    *out = c->functions[from - 1];
    return true;
}

size_t pat_code_function(const pat_code *c, uint64_t linked, uint64_t known, uint64_t *out_start,
                         uint8_t **out)
{
    struct code_function f = {known, linked + CODE_BEHIND};
    code_find(c, linked, &f);
    if (f.start > linked || f.end <= f.start || f.end - f.start > PAT_CODE_FUNCTION_MAX) return 0;
    for (size_t i = 0; i < c->segments_len; i++) {
        const Elf64_Phdr *s = &c->segments[i];
        if (s->p_type != PT_LOAD || f.start < s->p_vaddr || f.start - s->p_vaddr >= s->p_filesz) continue;
        const uint64_t offset = f.start - s->p_vaddr, left = s->p_filesz - offset;
        const uint64_t len_bytes = f.end - f.start < left ? f.end - f.start : left;
        if (s->p_offset > INT64_MAX - offset) return 0;
        *out = code_read(c->fd, s->p_offset + offset, len_bytes);
        *out_start = f.start;
        return *out ? len_bytes : 0;
    }
    return 0;
}
