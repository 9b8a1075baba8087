/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of study that need files of HDF5 or pictures. */
#ifndef STD_FILES_H
#define STD_FILES_H

#include "tools/study/std_scale.h"

struct std_files {
    /* std_plot_check */
    ls_err (*check)(const char *picture, const char *output, bool force);
    /* std_plot_publish */
    ls_err (*publish)(const struct std_report *r, const char *picture, const char *output);
    /* Run or collect the jobs, which keep their results, print and draw; returns the exit status. */
    int (*run_jobs)(const struct std_scale_options *o, enum std_format format, const char *picture,
                    const char *output);
};

/* NULL in the light program, whose calls need none of it. */
extern const struct std_files *const std_files;

#endif
