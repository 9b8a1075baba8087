/* SPDX-License-Identifier: BSD-3-Clause */
/* The papers' series of measurements as rows of a table; each varies one parameter. */
#ifndef STD_STUDY_H
#define STD_STUDY_H

#include "kernels/kn_result.h"
#include "patterns/pat_config.h"

struct std_study_options {
    struct kn_options run;
    uint64_t span_bytes;           /* extent of a pattern; 0: eight times all last-level caches */
    uint64_t elements_max;         /* largest array where the working set varies; 0: STREAM's run rule */
    const struct pat_suite *suite; /* replaces the built-in patterns, if the study accepts any; NULL: none */
};

/* A point of a curve: r is the study's, valid during the call. Another value than LS_OK ends the study. */
typedef ls_err std_study_emit(void *user, const char *series, double x, const struct kn_result *r);

/* Options that only some studies use. */
enum { STD_SPAN = 1, STD_SIZE = 2, STD_COUNT = 4 };

struct std_study {
    const char *name;
    const char *words;  /* purpose of the study */
    const char *axis;   /* meaning of x: "stride" */
    const char *source; /* the figure it repeats */
    bool takes_patterns;
    unsigned own, of_files; /* options with an effect on built-in patterns, and on patterns from files */
    unsigned span_elements, size_elements; /* the least extent and the least size */
    /* NULL: jobs of ranks run it (std_scale.h) */
    ls_err (*run)(const struct std_study_options *o, std_study_emit *emit, void *user);
};

/* Every study; std_studies_len of them. */
extern const struct std_study std_studies[];
extern const unsigned std_studies_len;

/* The row of a name, or NULL. */
const struct std_study *std_study_find(const char *name);

#endif
