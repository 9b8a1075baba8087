/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as an ELF file that every question is asked about, in this process (fuzz_elf) or through the
 * reading process, as resolve does (fuzz_elf_worker): whatever the libraries do, the process that asks goes
 * on. */
#include "config.h"

#include "symbols/sym_files.h"
#include "symbols/sym_worker.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-elf/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

enum { FUZZ_ADDRESSES = 64, FUZZ_STEP = 0x49 };

/* Questions about types, one after the other for the addresses. */
static const char *const type_questions[] = {
    "v",    "t", "f", "nstruct node", "nlong*", "pfirst->next", "p*table", "erows[][]", "estd::list<int>",
    "nint", "s", "a"};
enum { TYPE_QUESTIONS = sizeof(type_questions) / sizeof(type_questions[0]), TYPE_QUESTION_BYTES = 24 };

static size_t put_type_questions(char texts[FUZZ_ADDRESSES * TYPE_QUESTION_BYTES])
{
    char *at = texts;
    for (size_t i = 0; i < FUZZ_ADDRESSES; i++)
        at = stpcpy(at, type_questions[i % TYPE_QUESTIONS]) + 1;
    return (size_t)(at - texts);
}

static void ask_in_process(const char *path, const uint64_t *linked)
{
    char texts[FUZZ_ADDRESSES * TYPE_QUESTION_BYTES];
    const size_t texts_len = put_type_questions(texts);
    sym_reader *r = sym_reader_new(0);
    if (!r) abort();
    for (int question = 0; question < SYM_QUESTIONS; question++) {
        struct sym_request request = {.question = (enum sym_question)question,
                                      .path = path,
                                      .wants_dwarf = true,
                                      .linked = linked,
                                      .linked_len = FUZZ_ADDRESSES,
                                      .texts = texts,
                                      .texts_len = texts_len};
        struct sym_draft d = {0};
        struct sym_answer a;
        uint8_t *bytes;
        size_t len;
        if (sym_reader_answer(r, &request, &d) == LS_OK && sym_draft_pack(&d, &bytes, &len) == LS_OK) {
            if (sym_answer_unpack(bytes, len, &a) != LS_OK) abort(); /* a generated input is valid */
            fuzz_sum += a.variables_len + a.lines_len + a.routines_len + a.members_len;
            sym_answer_fini(&a);
        }
        sym_draft_fini(&d);
    }
    sym_reader_free(r);
}

static void ask_worker(const char *path, const uint64_t *linked)
{
    sym_files *files;
    sym_file *f;
    struct sym_answer a;
    const struct sym_limits limits = {.cpu_s = 10};
    if (sym_files_new(limits, &files) != LS_OK || sym_files_get(files, path, &f) != LS_OK) abort();
    for (size_t i = 0; i < FUZZ_ADDRESSES; i++)
        fuzz_sum += sym_file_find_variable(files, f, linked[i]).row;
    fuzz_sum += sym_file_unwinds(files, f);
    if (sym_file_lines(files, f, linked, FUZZ_ADDRESSES, &a) != LS_OK) abort();
    sym_answer_fini(&a);
    char texts[FUZZ_ADDRESSES * TYPE_QUESTION_BYTES];
    const struct sym_type_questions types = {linked, FUZZ_ADDRESSES, texts, put_type_questions(texts)};
    if (sym_file_types(files, f, &types, &a) != LS_OK) abort();
    sym_answer_fini(&a);
    sym_files_free(files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    uint64_t linked[FUZZ_ADDRESSES];
    char path[64];
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, len_bytes) != (ssize_t)len_bytes) abort();
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
    for (size_t i = 0; i < FUZZ_ADDRESSES; i++)
        linked[i] = FUZZ_STEP * i;
    if (FUZZ_WORKER)
        ask_worker(path, linked);
    else
        ask_in_process(path, linked);
    close(fd);
    return 0;
}
