/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_series.h"

#include "common/ls_span.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERIES_END_TEXT(text) (text)[sizeof(text) - 1] = '\0'

static ls_err series_begin(struct ls_cursor *c, struct spool_series *out)
{
    struct spool_series_head head;
    struct spool_series_begin begin;
    if (!ls_cursor_read(c, &head, sizeof(head)) || head.record != SPOOL_SERIES_BEGIN ||
        head.len_bytes != sizeof(begin) || !ls_cursor_read(c, &begin, sizeof(begin)) ||
        memcmp(begin.magic, SPOOL_SERIES_MAGIC, sizeof(begin.magic)) != 0)
        return ls_fail(LS_ERR_FORMAT, SPOOL_SERIES_FILE " of the spool is no file of series");
    if (begin.version != SPOOL_SERIES_VERSION)
        return ls_fail(LS_ERR_VERSION,
                       SPOOL_SERIES_FILE " of the spool has version %u, this program reads %d", begin.version,
                       SPOOL_SERIES_VERSION);
    out->interval_ns = begin.interval_ns;
    return LS_OK;
}

static ls_err series_counter(struct spool_series_counter counter, struct spool_series *out)
{
    SERIES_END_TEXT(counter.source);
    SERIES_END_TEXT(counter.name);
    SERIES_END_TEXT(counter.scope);
    SERIES_END_TEXT(counter.unit);
    SERIES_END_TEXT(counter.verified);
    if (counter.kind >= LS_COUNTER_KINDS_LEN) counter.kind = LS_COUNTER_OTHER;
    counter.is_level = counter.is_level != 0;
    return LS_VECTOR_ADD(&out->counters, counter);
}

/* A point of no counter, or one that ends before it begins, is damage. */
static bool series_is_sound(const struct spool_series_point *p, const struct spool_series *s)
{
    return p->counter < s->counters.len && p->gap < LS_GAPS_LEN && p->begin_ns <= p->end_ns &&
           (p->gap != LS_GAP_NONE || isfinite(p->value)) && s->points.len < UINT32_MAX - 1;
}

ls_err spool_series_parse(const void *data, size_t len_bytes, struct spool_series *out)
{
    struct ls_cursor c = ls_cursor_over(data, len_bytes);
    struct spool_series_head head;
    *out = (struct spool_series){.cpu_ns = UINT64_MAX};
    LS_TRY(series_begin(&c, out));
    while (ls_cursor_read(&c, &head, sizeof(head))) {
        const uint8_t *from = ls_cursor_take(&c, head.len_bytes);
        union {
            struct spool_series_counter counter;
            struct spool_series_point point;
            struct spool_series_end end;
        } as;
        if (!from) break;
        if (head.record == SPOOL_SERIES_COUNTER && head.len_bytes == sizeof(as.counter)) {
            memcpy(&as.counter, from, sizeof(as.counter));
            LS_TRY(series_counter(as.counter, out));
        } else if (head.record == SPOOL_SERIES_POINT && head.len_bytes == sizeof(as.point)) {
            memcpy(&as.point, from, sizeof(as.point));
            if (!series_is_sound(&as.point, out)) break;
            if (as.point.gap != LS_GAP_NONE) as.point.value = NAN;
            LS_TRY(LS_VECTOR_ADD(&out->points, as.point));
        } else if (head.record == SPOOL_SERIES_END && head.len_bytes == sizeof(as.end)) {
            memcpy(&as.end, from, sizeof(as.end));
            out->cpu_ns = as.end.cpu_ns;
        }
    }
    return LS_OK;
}

ls_err spool_series_read(const char *dir, struct spool_series *out)
{
    char path[4096];
    struct stat st;
    *out = (struct spool_series){.cpu_ns = UINT64_MAX};
    snprintf(path, sizeof(path), "%s/" SPOOL_SERIES_FILE, dir);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? LS_OK : ls_fail_errno(errno, "cannot read %s", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        close(fd);
        return LS_OK;
    }
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int saved_errno = errno;
    close(fd);
    if (data == MAP_FAILED) return ls_fail_errno(saved_errno, "cannot read %s", path);
    const ls_err err = spool_series_parse(data, (size_t)st.st_size, out);
    munmap(data, (size_t)st.st_size);
    return err;
}

void spool_series_fini(struct spool_series *s)
{
    free(s->counters.rows);
    free(s->points.rows);
    *s = (struct spool_series){0};
}
