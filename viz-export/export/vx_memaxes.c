/* SPDX-License-Identifier: BSD-3-Clause */
/* MemAxes: samples as CSV (run_h5/prof_memaxes.h), and the machine as the XML that it draws beside them. */
#include "run_h5/prof_memaxes.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the hardware description ---- */

enum { VX_CPUS_MAX = 65536 };

struct vx_machine {
    unsigned numa, threads;
    struct {
        unsigned len;
        uint64_t bytes;
    } caches[3]; /* L1 to L3 */
    uint64_t memory_bytes;
    bool *seen; /* VX_CPUS_MAX: processors with samples, or others */
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

static ls_err vx_see_cpus(void *user, const struct prof_samples *part)
{
    struct vx_machine *m = user;
    for (uint64_t i = 0; i < part->len; i++)
        if (part->cpu[i] < VX_CPUS_MAX) m->seen[part->cpu[i]] = true;
    return LS_OK;
}

/* List the processors with samples, and others up to the machine's number of processors, in rising order. */
static ls_err vx_cpus_of(struct vx_machine *m, prof_profile *profile)
{
    size_t len = 0;
    m->seen = calloc(VX_CPUS_MAX, sizeof(*m->seen));
    m->cpus = calloc(VX_CPUS_MAX, sizeof(*m->cpus));
    if (!m->seen || !m->cpus) return ls_nomem("the machine's processors");
    LS_TRY(prof_each_part(profile, PROF_MASK(cpu), vx_see_cpus, m));
    for (uint32_t cpu = 0; cpu < VX_CPUS_MAX; cpu++)
        len += m->seen[cpu];
    for (uint32_t cpu = 0; cpu < VX_CPUS_MAX && len < m->threads; cpu++)
        if (!m->seen[cpu]) {
            m->seen[cpu] = true;
            len++;
        }
    for (uint32_t cpu = 0; cpu < VX_CPUS_MAX; cpu++)
        if (m->seen[cpu]) m->cpus[m->cpus_len++] = cpu;
    return LS_OK;
}

/* Return part p of `parts` parts of [begin, end). */
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

/* NUMA nodes, three levels of caches and processors, from the recording's one-line description of the
 * machine. The line does not map processors to caches: caches are assigned evenly in order. Every sampled
 * processor is included.  Errors: LS_ERR_NOMEM. */
static ls_err vx_memaxes_hardware(const struct vx_source *s, FILE *out)
{
    struct vx_machine m = {0};
    vx_machine_of(&m, s->run->topology);
    const ls_err err = vx_cpus_of(&m, s->profile);
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
    free(m.seen);
    free(m.cpus);
    return err;
}

/* ---- the format ---- */

/* Return the grid with the most samples, the only one that MemAxes can show in 3-D. NULL: no grid. */
static const struct ndm_geometry *vx_one_grid(const struct ndm_atlas *a)
{
    const struct ndm_geometry *best = NULL;
    uint64_t most = 0;
    for (uint32_t d = 0; d < a->domains_len; d++) {
        uint64_t mapped = 0;
        for (uint32_t i = 0; i < a->fields_len; i++)
            if (a->fields[i].domain == d && a->fields[i].node != UINT32_MAX)
                mapped += a->fields[i].mapped_len;
        if (a->domains[d].kind != NDM_GRID || mapped <= most) continue;
        best = &a->domains[d];
        most = mapped;
    }
    return best;
}

/* Return the cell of the grid that contains a sample; NULL: none. */
static const uint64_t *vx_cell_of(const struct ndm_atlas *a, const struct ndm_geometry *grid,
                                  const struct prof_samples *s, uint64_t i, uint64_t out[NDM_AXES_MAX])
{
    const uint32_t field = s->field[i];
    uint64_t cell = s->value[i];
    if (!grid || field >= a->fields_len || &a->domains[a->fields[field].domain] != grid ||
        cell >= grid->cells_len)
        return NULL;
    for (int axis = 0; axis < NDM_AXES_MAX; axis++) {
        out[axis] = cell % grid->extents[axis];
        cell /= grid->extents[axis];
    }
    return out;
}

struct vx_memaxes {
    const struct an_tables *tables;
    const struct ndm_atlas *atlas;
    const struct ndm_geometry *grid;
    FILE *out;
};

static ls_err vx_memaxes_part(void *user, const struct prof_samples *part)
{
    const struct vx_memaxes *m = user;
    for (uint64_t i = 0; i < part->len; i++) {
        uint64_t cell[NDM_AXES_MAX];
        if (!prof_memaxes_has(part, i)) continue;
        const struct prof_memaxes_row row = {
            .variable = vx_node_label(m->tables, part->node[i]),
            .line = vx_line_of(m->tables, part->thread[i], part->ip[i], part->time_ns[i]),
            .cell = vx_cell_of(m->atlas, m->grid, part, i, cell)};
        prof_memaxes_put(&row, part, i, m->out);
    }
    return LS_OK;
}

static ls_err vx_memaxes_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_memaxes m = {.tables = s->tables, .atlas = s->atlas, .grid = vx_one_grid(s->atlas)};
    char hardware[PATH_MAX];
    FILE *xml;
    LS_TRY(ls_outputs_sibling(r->path, ".hardware.xml", hardware));
    LS_TRY(ls_outputs_open(files, r->path, &m.out));
    LS_TRY(ls_outputs_open(files, hardware, &xml));
    fputs(prof_memaxes_head, m.out);
    LS_TRY(prof_each_part(s->profile, PROF_MEMAXES_COLUMNS | PROF_MASK(field) | PROF_MASK(value),
                          vx_memaxes_part, &m));
    return vx_memaxes_hardware(s, xml);
}

const struct vx_exporter vx_exporter_memaxes = {
    .name = "memaxes",
    .ends = ".memaxes.csv",
    .words = "MemAxes: loads with a latency as CSV, the machine as XML beside it",
    .needs = VX_NEEDS_SAMPLES,
    .write = vx_memaxes_export};
