/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_memaxes.h"

#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_CPUS_MAX = 65536 };

struct vx_machine {
    unsigned numa, threads;
    struct {
        unsigned len;
        uint64_t bytes;
    } caches[3]; /* L1 to L3 */
    uint64_t memory_bytes;
    uint32_t *cpus;
    size_t cpus_len;
};

/* "48 KiB" */
static uint64_t vx_bytes_of(const char *text)
{
    static const char units[] = "BKMGT";
    char *end;
    const double value = strtod(text, &end);
    while (*end == ' ')
        end++;
    const char *unit = *end ? strchr(units, *end) : NULL;
    return unit && value > 0 ? (uint64_t)ldexp(value, 10 * (int)(unit - units)) : 0;
}

/* The number before a word of the summary: "2 threads". */
static unsigned vx_count_of(const char *summary, const char *word)
{
    const char *at = strstr(summary, word);
    if (!at || at == summary) return 1;
    do
        at--;
    while (at > summary && at[-1] >= '0' && at[-1] <= '9');
    const unsigned long n = strtoul(at, NULL, 10);
    return n >= 1 && n <= VX_CPUS_MAX ? (unsigned)n : 1;
}

/* "L2 1 MiB x 2": bytes of each, and how many. */
static void vx_cache_of(struct vx_machine *m, int level, const char *summary)
{
    static const char *const names[] = {"L1d ", "L2 ", "L3 "};
    const char *at = strstr(summary, names[level]);
    m->caches[level].len = 1;
    if (!at) return;
    at += strlen(names[level]);
    m->caches[level].bytes = vx_bytes_of(at);
    const size_t len = strcspn(at, ",;");
    const char *times = memchr(at, 'x', len);
    const unsigned long n = times ? strtoul(times + 1, NULL, 10) : 1;
    if (n >= 1 && n <= VX_CPUS_MAX) m->caches[level].len = (unsigned)n;
}

static void vx_machine_of(struct vx_machine *m, const char *summary)
{
    m->threads = vx_count_of(summary, " thread");
    m->numa = vx_count_of(summary, " NUMA node");
    for (int level = 0; level < 3; level++)
        vx_cache_of(m, level, summary);
    const char *memory = strrchr(summary, ',');
    m->memory_bytes = memory ? vx_bytes_of(memory + 1) : 0;
}

/* Processors with samples, then other ones up to the machine's number of processors, in rising order. */
static ls_err vx_cpus_of(struct vx_machine *m, const struct prof_samples *s)
{
    bool *seen = calloc(VX_CPUS_MAX, sizeof(*seen));
    m->cpus = calloc(VX_CPUS_MAX, sizeof(*m->cpus));
    if (!seen || !m->cpus) {
        free(seen);
        return ls_nomem("the machine's processors");
    }
    size_t len = 0;
    for (uint64_t i = 0; i < s->len; i++)
        if (s->cpu[i] < VX_CPUS_MAX && !seen[s->cpu[i]]) {
            seen[s->cpu[i]] = true;
            len++;
        }
    for (uint32_t cpu = 0; cpu < VX_CPUS_MAX && len < m->threads; cpu++)
        if (!seen[cpu]) {
            seen[cpu] = true;
            len++;
        }
    for (uint32_t cpu = 0; cpu < VX_CPUS_MAX; cpu++)
        if (seen[cpu]) m->cpus[m->cpus_len++] = cpu;
    free(seen);
    return LS_OK;
}

/* Part p of parts of [begin, end). */
static size_t vx_part(size_t begin, size_t end, unsigned p, unsigned parts)
{
    return begin + (end - begin) * p / parts;
}

/* Write the caches of a level for processors [begin, end), and the levels below; m counts all caches. */
static void vx_put_cache(const struct vx_machine *m, int level, size_t begin, size_t end, FILE *out)
{
    if (level < 0) {
        for (size_t i = begin; i < end; i++)
            fprintf(out, "<CPU id=\"%" PRIu32 "\"></CPU>\n", m->cpus[i]);
        return;
    }
    unsigned parts = (unsigned)(m->caches[level].len * (end - begin) / m->cpus_len);
    if (parts < 1) parts = 1;
    for (unsigned p = 0; p < parts; p++) {
        const size_t from = vx_part(begin, end, p, parts), to = vx_part(begin, end, p + 1, parts);
        if (from == to) continue;
        fprintf(out, "<Cache id=\"%d\" size=\"%" PRIu64 "\">\n", level + 1, m->caches[level].bytes);
        vx_put_cache(m, level - 1, from, to, out);
        fputs("</Cache>\n", out);
    }
}

ls_err vx_memaxes_hardware(const struct vx_source *s, FILE *out)
{
    struct vx_machine m = {0};
    vx_machine_of(&m, s->run->topology);
    const ls_err err = vx_cpus_of(&m, &s->in->samples);
    if (err == LS_OK) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Hardware id=\"0\" name=\"", out);
        vx_put_xml(out, s->run->host);
        fputs("\">\n", out);
        for (unsigned n = 0; n < m.numa; n++) {
            fprintf(out, "<NUMA id=\"%u\" size=\"%" PRIu64 "\">\n", n, m.memory_bytes / m.numa);
            vx_put_cache(&m, 2, vx_part(0, m.cpus_len, n, m.numa), vx_part(0, m.cpus_len, n + 1, m.numa),
                         out);
            fputs("</NUMA>\n", out);
        }
        fputs("</Hardware>\n", out);
    }
    free(m.cpus);
    return err;
}
