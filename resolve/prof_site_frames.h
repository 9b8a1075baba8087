/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of a call path as a reader of the source sees them: inlined functions are frames like others. */
#ifndef PROF_SITE_FRAMES_H
#define PROF_SITE_FRAMES_H

#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed tables: /frames, /lines (sorted), /inlines (sorted by line, depth), /modules (sorted by process). */
struct prof_place_tables {
    const struct prof_frame *frames;
    const struct prof_line *lines;
    const struct prof_inline *inlines;
    const struct prof_module *modules;
    size_t frames_len, lines_len, inlines_len, modules_len;
    uint8_t *line_kinds; /* parallel to lines: zeroed, for findings about them; NULL: do not note any */
};

/* The place of a call in the source. Strings: "" when not known. */
struct prof_call_place {
    uint32_t frame; /* row of /frames */
    uint32_t depth; /* 0: the innermost function at this address, else it was inlined there */
    const char *module, *function, *file;
    uint32_t line; /* 0: not known */
};

/* The next place of the path further out. False: there is none. */
bool prof_place_next(const struct prof_place_tables *t, struct prof_call_place *place);

/* The first place outside of allocators; the innermost one when there is no other. */
bool prof_place_of_site(const struct prof_place_tables *t, uint32_t frame, struct prof_call_place *out);

/* Address in the file's own view, which does not depend on where it is mapped. */
uint64_t prof_frame_offset(const struct prof_place_tables *t, uint32_t frame);

/* For each frame, so that paths of equal code have equal numbers, whatever process ran it and wherever its
 * files were mapped. out has room for all frames. */
void prof_path_identities(const struct prof_place_tables *t, uint64_t *out);

#endif
