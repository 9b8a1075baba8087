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

/* Hash the lines that identify the first processor (proc_cpuinfo(5)), without its clock, which changes. */
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

/* The processor and the file of choices, which every pattern of a suite asks for again. */
static struct {
    bool has_begin;
    uint64_t begin; /* hash of the version and the processor */
    char *text;     /* the file of choices as it was when stat had these values; NULL: not read */
    struct stat stat;
} known;

/* Reading /proc/cpuinfo takes longer than many replays: it is read once. */
static uint64_t hash_begin(void)
{
    if (!known.has_begin) known.begin = hash_processor(ls_hash_text(LS_HASH_BEGIN, PACKAGE_VERSION));
    known.has_begin = true;
    return known.begin;
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
    uint64_t hash = ls_hash_text(hash_begin(), s->backend->name);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        hash = hash_number(hash, numbers[i]);
    const struct pat_indices *const lists[] = {&c->pattern, &c->gather,        &c->scatter,
                                               &c->deltas,  &c->deltas_gather, &c->deltas_scatter};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        hash = hash_indices(hash, lists[i]);
    return hash;
}

uint64_t kn_choice_key_disturbed(uint64_t key)
{
    return ~key;
}

/* ---- the file ---- */

/* Write the line of key and v; return its length. */
static int line_of(uint64_t key, const struct kn_variant *v, char *out, size_t out_bytes)
{
    return snprintf(out, out_bytes, "%016" PRIx64 " %s %u %s\n", key, kn_method_name(v->method),
                    v->index_bits, kn_stores_name(v->stores));
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Return the text of the file at path, or NULL; it is read again only after it has changed. */
static const char *text_of(const char *path)
{
    struct stat now;
    if (stat(path, &now) != 0 || !S_ISREG(now.st_mode)) return NULL;
    if (known.text && is_same_file(&now, &known.stat)) return known.text;
    const size_t len_bytes =
        now.st_size < FILE_BYTES_MAX ? (size_t)now.st_size + 1 : FILE_BYTES_MAX + LINE_BYTES;
    free(known.text);
    known.text = malloc(len_bytes);
    known.stat = now;
    if (known.text) ls_file_read(path, known.text, len_bytes);
    return known.text;
}

/* Return the candidate whose line, which begins with key, is at `at`; or NULL. */
static const struct kn_variant *candidate_at(const char *at, uint64_t key,
                                             const struct kn_variant *const *candidates, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char line[LINE_BYTES];
        const int line_bytes = line_of(key, candidates[i], line, sizeof(line));
        if (strncmp(at, line, (size_t)line_bytes) == 0) return candidates[i];
    }
    return NULL;
}

const struct kn_variant *kn_choice_find(const char *path, uint64_t key,
                                        const struct kn_variant *const *candidates, size_t len)
{
    const char *text = text_of(path);
    const struct kn_variant *last = NULL;
    char begin[LINE_BYTES];
    snprintf(begin, sizeof(begin), "%016" PRIx64 " ", key);
    for (const char *at = text; at && (at = strstr(at, begin)); at++) {
        if (at != text && at[-1] != '\n') continue;
        const struct kn_variant *v = candidate_at(at, key, candidates, len);
        if (v) last = v;
    }
    return last;
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
