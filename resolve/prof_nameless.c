/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_nameless.h"

#include <string.h>

static ls_err prof_nameless_add(struct prof_run_state *run, const char *text)
{
    return LS_VECTOR_ADD(
        &run->events,
        (struct prof_event){
            .process = UINT32_MAX, .time_ns = UINT64_MAX, .kind = "NO_SYMBOLS", .text = text, .count = 1});
}

/* Images of interpreters and memory without a name have no symbols; /events has them all the same. */
static bool prof_is_mapped_data(const sym_file *f)
{
    return strcmp(sym_file_problem(f), SYM_PROBLEM_NOT_ELF) == 0 ||
           strncmp(sym_file_path(f), "/memfd:", strlen("/memfd:")) == 0;
}

ls_err prof_nameless_tell(struct prof_run_state *run, void (*warn)(void *user, const char *text))
{
    const sym_file *f;
    for (size_t i = 0; (f = sym_files_at(run->files, i)) != NULL; i++) {
        const char *problem = sym_file_problem(f);
        if (*problem == '\0' || !sym_file_was_asked(f)) continue;
        const char *text = prof_name_printf(
            run->names, "%s: %s; names of its functions and data are missing, addresses are kept",
            sym_file_path(f), problem);
        LS_TRY(prof_nameless_add(run, text));
        if (warn && !prof_is_mapped_data(f)) warn(run->user, text);
    }
    return LS_OK;
}
