/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/plugin/trc_region.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trc_stretch {
    uint64_t start, end;
    char *path;
};

static struct {
    struct trc_stretch *rows;
    size_t len;
    bool is_given;
} trc_region;

static int trc_region_line(const char *line)
{
    struct trc_stretch s;
    int at = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &s.start, &s.end, &at) < 2 || at == 0) return EINVAL;
    s.path = strndup(line + at, strcspn(line + at, "\n"));
    struct trc_stretch *rows = reallocarray(trc_region.rows, trc_region.len + 1, sizeof(*rows));
    if (!rows || !s.path) {
        free(s.path);
        return ENOMEM;
    }
    rows[trc_region.len++] = s;
    trc_region.rows = rows;
    return 0;
}

int trc_region_read(const char *path)
{
    char line[PATH_MAX + 64];
    FILE *f = fopen(path, "re");
    if (!f) return errno;
    int err = 0;
    trc_region.is_given = true;
    while (err == 0 && fgets(line, sizeof(line), f))
        err = trc_region_line(line);
    fclose(f);
    return err;
}

bool trc_region_holds(const char *path, uint32_t path_len, uint64_t offset_bytes)
{
    if (!trc_region.is_given) return true;
    for (size_t i = 0; i < trc_region.len; i++) {
        const struct trc_stretch *s = &trc_region.rows[i];
        if (offset_bytes >= s->start && offset_bytes < s->end && strlen(s->path) == path_len &&
            memcmp(s->path, path, path_len) == 0)
            return true;
    }
    return false;
}
