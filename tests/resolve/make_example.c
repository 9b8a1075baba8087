/* SPDX-License-Identifier: BSD-3-Clause */
/* make_example OUTPUT: resolve the example recording of doc/run-h5.md into OUTPUT. */
#include "resolve/prof_resolve.h"
#include "tests/resolve/prof_fixture.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct spool_fixture f;
    const struct mach_calibration calibration = fixture_calibration();
    if (argc != 2) {
        fprintf(stderr, "usage: make_example OUTPUT\n");
        return 2;
    }
    spool_fixture_init(&f);
    prof_fixture_example(&f);
    const struct prof_resolve_options options = {.spool_dir = f.spool,
                                                 .output_path = argv[1],
                                                 .force = 1,
                                                 .command = "app --size 1024",
                                                 .calibration = &calibration};
    const ls_err e = prof_resolve(&options, NULL);
    if (e != LS_OK) fprintf(stderr, "make_example: %s\n", ls_last_error());
    spool_fixture_fini(&f);
    return e == LS_OK ? 0 : 1;
}
