/* SPDX-License-Identifier: BSD-3-Clause */
/* The mappings of the traced program: the file of an instruction, and its address in that file. */
#include "tools/trace/plugin/trc_plugin.h"

#include "tools/trace/plugin/trc_slot.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trc_mapping {
    uint64_t start, end, offset_bytes, inode; /* as in /proc/self/maps, host addresses */
    char access[5];
    char path[PATH_MAX];
};

enum { TRC_CODES = 4096 };

static struct {
    pthread_mutex_t lock;
    struct trc_code codes[TRC_CODES]; /* that are known */
    unsigned codes_len;
    struct { /* address ranges of files that QEMU itself has mapped */
        uint64_t start, end;
    } own[256];
    unsigned own_len;
    bool is_gone[TRC_MODULES];
} trc_maps = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool trc_mapping_read(FILE *f, struct trc_mapping *m)
{
    char line[PATH_MAX + 256];
    int path_at = 0;
    unsigned major, minor;
    if (!fgets(line, sizeof(line), f)) return false;
    memset(m, 0, offsetof(struct trc_mapping, path) + 1);
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start, &m->end,
               m->access, &m->offset_bytes, &major, &minor, &m->inode, &path_at) < 7)
        return true; /* an empty mapping matches nothing */
    line[strcspn(line, "\n")] = '\0';
    snprintf(m->path, sizeof(m->path), "%s", line + path_at);
    return true;
}

void trc_maps_init(void)
{
    static struct trc_mapping m;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && trc_mapping_read(f, &m)) {
        if (m.path[0] != '/' || trc_maps.own_len == sizeof(trc_maps.own) / sizeof(trc_maps.own[0])) continue;
        trc_maps.own[trc_maps.own_len].start = m.start;
        trc_maps.own[trc_maps.own_len++].end = m.end;
    }
    if (f) fclose(f);
}

static bool trc_is_qemus(const struct trc_mapping *m)
{
    for (unsigned i = 0; i < trc_maps.own_len; i++)
        if (m->start < trc_maps.own[i].end && m->end > trc_maps.own[i].start) return true;
    return false;
}

static bool trc_is_loadstone(const char *path)
{
    const char *base = strrchr(path, '/');
    return base && strncmp(base + 1, "libloadstone", strlen("libloadstone")) == 0;
}

/* Under the lock. module spans all mappings of its file, in the program's addresses. */
static uint32_t trc_module_add(const struct trc_module *module, const char *path)
{
    const uint32_t n = trc_ring->modules_len;
    uint32_t len = (uint32_t)strlen(path);
    for (uint32_t i = 0; i < n; i++) /* other code of a file that is known */
        if (!trc_maps.is_gone[i] && trc_ring->modules[i].start == module->start &&
            trc_ring->modules[i].path_len == len &&
            memcmp(trc_ring->texts + trc_ring->modules[i].path, path, len) == 0)
            return i;
    if (n == TRC_MODULES) return UINT32_MAX;
    trc_ring->modules[n] = *module;
    trc_ring->modules[n].path = trc_text_put(path, &len);
    trc_ring->modules[n].path_len = len;
    TRC_STORE(trc_ring->modules_len, n + 1);
    return n;
}

/* Find the mapping that holds host, and the run of mappings of its file around it (a loader leaves anonymous
 * memory between them); span is empty if host is in no file. */
static bool trc_maps_look(uint64_t host, struct trc_mapping *found, struct trc_module *span)
{
    static struct trc_mapping m;
    static char run[PATH_MAX]; /* the file of span */
    FILE *f = fopen("/proc/self/maps", "re");
    bool is_found = false;
    memset(span, 0, sizeof(*span));
    run[0] = '\0';
    while (f && trc_mapping_read(f, &m)) {
        const bool is_file = m.path[0] == '/' && !trc_is_qemus(&m), is_run = is_file && !strcmp(m.path, run);
        if (is_found && is_file && !is_run) break;
        if (is_file && !is_run) {
            *span = (struct trc_module){.start = m.start, .offset_bytes = m.offset_bytes};
            strcpy(run, m.path);
        }
        if (is_file) span->end = m.end;
        if (host < m.start || host >= m.end) continue;
        is_found = true;
        *found = m;
        if (is_file) continue;
        memset(span, 0, sizeof(*span));
        break;
    }
    if (f) fclose(f);
    return is_found;
}

/* Under the lock. */
static struct trc_code trc_code_look(uint64_t ip, uint64_t bias)
{
    static struct trc_mapping m;
    struct trc_module span;
    struct trc_code code = {.module = UINT32_MAX};
    if (!trc_maps_look(ip + bias, &m, &span)) return code;
    code.start = m.start - bias;
    code.end = m.end - bias;
    code.offset_bytes = m.offset_bytes;
    if (span.end == 0) return code;
    span.start -= bias;
    span.end -= bias;
    code.module = trc_module_add(&span, m.path);
    code.is_loadstone = trc_is_loadstone(m.path);
    return code;
}

struct trc_code trc_maps_find(uint64_t ip, const void *host)
{
    struct trc_code code = {.module = UINT32_MAX};
    pthread_mutex_lock(&trc_maps.lock);
    for (unsigned i = 0; i < trc_maps.codes_len && code.end == 0; i++)
        if (trc_maps.codes[i].start <= ip && ip < trc_maps.codes[i].end) code = trc_maps.codes[i];
    if (code.end == 0) {
        code = trc_code_look(ip, (uint64_t)(uintptr_t)host - ip);
        if (code.end != 0 && trc_maps.codes_len < TRC_CODES) trc_maps.codes[trc_maps.codes_len++] = code;
    }
    pthread_mutex_unlock(&trc_maps.lock);
    return code;
}

void trc_maps_unmapped(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&trc_maps.lock);
    for (unsigned i = 0; i < trc_maps.codes_len;) {
        const struct trc_code c = trc_maps.codes[i];
        if (start >= c.end || end <= c.start) {
            i++;
            continue;
        }
        trc_maps.codes[i] = trc_maps.codes[--trc_maps.codes_len];
        if (c.module == UINT32_MAX || trc_maps.is_gone[c.module]) continue;
        trc_maps.is_gone[c.module] = true;
        trc_event_put(TRC_EVENT_MODULE_GONE, (const uint64_t[6]){c.module});
    }
    pthread_mutex_unlock(&trc_maps.lock);
}
