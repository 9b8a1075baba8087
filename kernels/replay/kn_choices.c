/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_choices.h"

#include "config.h"

#include "common/ls_file.h"
#include "common/ls_hash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 256 * 1024, LINE_BYTES = 80, CPUINFO_BYTES = 4096 };

/* ---- keys ---- */

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return ls_hash_bytes(hash, &number, sizeof(number));
}

static uint64_t hash_indices(uint64_t hash, const struct pat_indices *p)
{
    return ls_hash_bytes(hash_number(hash, p->len), p->data, p->len * sizeof(*p->data));
}

/* Copy the lines that identify the first processor (proc_cpuinfo(5)), without its clock, which changes. */
static uint64_t hash_processor(uint64_t hash)
{
    static const char *const lines[] = {"vendor_id",       "cpu family", "model",     "stepping",
                                        "CPU implementer", "CPU part",   "cache size"};
    char text[CPUINFO_BYTES], *rest = text;
    ls_file_read("/proc/cpuinfo", text, sizeof(text));
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
            if (strncmp(line, lines[i], strlen(lines[i])) == 0) hash = ls_hash_text(hash, line);
    return hash;
}

uint64_t kn_choice_key(const struct kn_session *s)
{
    const struct pat_config *c = s->plan.config;
    const struct kn_options *o = s->options;
    const uint64_t numbers[] = {c->kernel,
                                c->operation,
                                (uint64_t)c->delta,
                                (uint64_t)c->delta_gather,
                                (uint64_t)c->delta_scatter,
                                c->count,
                                c->wrap,
                                s->plan.threads,
                                s->plan.element_bytes,
                                o->method,
                                o->stores,
                                o->index_bits,
                                c->index_bits,
                                o->pages,
                                o->dense_per_thread};
    uint64_t hash = ls_hash_text(LS_HASH_BEGIN, PACKAGE_VERSION);
    hash = ls_hash_text(hash_processor(hash), s->backend->name);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        hash = hash_number(hash, numbers[i]);
    const struct pat_indices *const lists[] = {&c->pattern, &c->gather,        &c->scatter,
                                               &c->deltas,  &c->deltas_gather, &c->deltas_scatter};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        hash = hash_indices(hash, lists[i]);
    return hash;
}

/* ---- the file ---- */

static int line_of(uint64_t key, const struct kn_variant *v, char *out, size_t out_bytes)
{
    return snprintf(out, out_bytes, "%016" PRIx64 " %s %u %s\n", key, kn_method_name(v->method),
                    v->index_bits, kn_stores_name(v->stores));
}

/* Return the last whole line of text that equals line, or NULL. */
static const char *last_line(const char *text, const char *line)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, line)); at++)
        if (at == text || at[-1] == '\n') found = at;
    return found;
}

const struct kn_variant *kn_choice_find(const char *path, uint64_t key,
                                        const struct kn_variant *const *candidates, size_t len)
{
    char *text = malloc(FILE_BYTES_MAX + LINE_BYTES);
    const struct kn_variant *best = NULL;
    const char *last = NULL;
    if (!text) return NULL;
    ls_file_read(path, text, FILE_BYTES_MAX + LINE_BYTES);
    for (size_t i = 0; i < len; i++) {
        char line[LINE_BYTES];
        line_of(key, candidates[i], line, sizeof(line));
        const char *at = last_line(text, line);
        if (at && (!last || at > last)) {
            last = at;
            best = candidates[i];
        }
    }
    free(text);
    return best;
}

void kn_choice_keep(const char *path, uint64_t key, const struct kn_variant *v)
{
    char line[LINE_BYTES];
    struct stat s;
    const int len = line_of(key, v, line, sizeof(line));
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return;
    const bool writable =
        fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (s.st_size <= FILE_BYTES_MAX || ftruncate(fd, 0) == 0);
    if (writable && write(fd, line, (size_t)len) != len) unlink(path);
    close(fd);
}
