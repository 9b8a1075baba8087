/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the lines of perf script: every reported part is inside its line. */
#include "patterns/source/pat_script_line.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-perf-script/*";

static void check_inside(const char *line, struct pat_span s)
{
    const char *end = line + strlen(line);
    if (s.len && (s.at < line || s.at > end || s.len > (size_t)(end - s.at))) abort();
}

static void check_line(const char *line)
{
    struct pat_script_sample s;
    struct pat_script_location frame;
    struct pat_span file;
    uint32_t number;
    if (pat_script_sample_of(line, &s)) {
        check_inside(line, s.comm);
        check_inside(line, s.event);
        check_inside(line, s.data.symbol);
        check_inside(line, s.data.module);
        check_inside(line, s.code.symbol);
        check_inside(line, s.code.module);
    }
    if (pat_script_frame_of(line, &frame)) {
        check_inside(line, frame.symbol);
        check_inside(line, frame.module);
    }
    if (pat_script_source_of(line, &file, &number)) check_inside(line, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    char *text = malloc(len_bytes + 1), *rest = text;
    if (!text) return 0;
    memcpy(text, data, len_bytes);
    text[len_bytes] = '\0';
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *copy = strdup(line); /* an allocation with the exact size */
        if (copy) check_line(copy);
        free(copy);
    }
    free(text);
    return 0;
}
