/* SPDX-License-Identifier: BSD-3-Clause */
/* make_patterns WRITER FILE: the patterns of found_fixture.h as that writer writes them, its listing on the
 * standard output. */
#include "patterns/write/pat_write.h"
#include "tests/patterns/found_fixture.h"

#include <string.h>

int main(int argc, char **argv)
{
    struct pat_findings f;
    const struct pat_write_options o = {.source = "run.h5"};
    const struct pat_writer *w = NULL;
    for (size_t i = 0; argc == 3 && pat_writer_at(i); i++)
        if (strcmp(pat_writer_at(i)->name, argv[1]) == 0) w = pat_writer_at(i);
    if (!w) return 2;
    found_fixture(&f);
    const ls_err err = pat_write(w, &f, &o, argv[2]);
    if (err != LS_OK) fprintf(stderr, "%s\n", ls_last_error());
    if (w->print) w->print(&f, &o, argv[2], stdout);
    pat_findings_fini(&f);
    return err == LS_OK ? 0 : 1;
}
