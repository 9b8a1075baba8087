/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: spool_lines DIR: the records of a spool as lines of text, for the tests of the runtime. Exits 1 when
 * one is damaged, 3 when there is no spool. */
#include "spool/spool_dir.h"
#include "spool/spool_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

static void print_process(const struct spool_process *p)
{
    const char *text = (const char *)(p + 1);
    const char *trigger = text + p->engine_len;
    const char *why = trigger + p->trigger_len;
    const char *exe = why + p->why_len;
    printf(" parent=%u engine=%.*s trigger=%.*s exe=%.*s why=%.*s", p->parent_pid, p->engine_len, text,
           p->trigger_len, trigger, p->exe_len, exe, p->why_len, why);
}

static void print_maps(const struct spool_maps *m)
{
    printf(" flags=%u text_len=%u text=%.*s", m->rec.flags, m->text_len, (int)m->text_len,
           (const char *)(m + 1));
}

static void print_points(const struct spool_point *p)
{
    const struct spool_point_row *rows = (const void *)(p + 1);
    printf(" node=%u map=%u tid=%u burst=%u points=%u", p->node, p->map, p->tid, p->burst, p->points_len);
    for (uint32_t i = 0; i < p->points_len; i++)
        printf(" %u:%g,%g,%g", rows[i].access, rows[i].at[0], rows[i].at[1], rows[i].at[2]);
}

static void print_callback(const struct spool_callback *c)
{
    const char *const label = (const char *)(c + 1);
    printf(" what=%u node=%u entered=%u calls=%" PRIu64 " all_ns=%" PRIu64 " longest_ns=%" PRIu64
           " label=%.*s name=%.*s",
           c->rec.flags, c->node, c->entered, c->calls, c->all_ns, c->longest_ns, (int)c->label_len, label,
           (int)c->name_len, label + c->label_len);
}

/* Records of the natural domain; false: another record. */
static bool print_natural(const struct spool_rec_header *rec)
{
    const struct spool_map *m = (const void *)rec;
    const struct spool_domain *d = (const void *)rec;
    const struct spool_domain_data *piece = (const void *)rec;
    const struct spool_node_map *n = (const void *)rec;
    switch (rec->type) {
    case SPOOL_REC_DOMAIN:
        printf(" domain=%u data=%u", d->domain, d->data);
        return true;
    case SPOOL_REC_DOMAIN_END:
        printf(" domain=%u", ((const struct spool_domain_end *)rec)->domain);
        return true;
    case SPOOL_REC_DOMAIN_DATA:
        printf(" data=%u total=%" PRIu64 " first=%" PRIu64 " bytes=%u", piece->data, piece->total_bytes,
               piece->first_byte, piece->bytes_len);
        return true;
    case SPOOL_REC_MAP:
        printf(" map=%u domain=%u data=%u", m->map, m->domain, m->data);
        return true;
    case SPOOL_REC_NODE_MAP:
        printf(" node=%u map=%u", n->node, n->map);
        return true;
    case SPOOL_REC_POINT:
        print_points((const void *)rec);
        return true;
    case SPOOL_REC_CALLBACK:
        print_callback((const void *)rec);
        return true;
    default:
        return false;
    }
}

/* Times and causes of the kernel. False: another record. */
static bool print_kernel(const struct spool_rec_header *rec)
{
    switch (rec->type) {
    case SPOOL_REC_FAULT: {
        const struct spool_kernel_fault *r = (const void *)rec;
        printf(" ip=%#" PRIx64 " addr=%#" PRIx64 " faults=%u flags=%u", r->ip, r->addr, r->faults,
               rec->flags);
        return true;
    }
    case SPOOL_REC_CALL: {
        const struct spool_kernel_call *r = (const void *)rec;
        printf(" ip=%#" PRIx64 " addr=%#" PRIx64 " len=%" PRIu64 " cpu_ns=%" PRIu64 " calls=%u flags=%#x",
               r->ip, r->addr, r->len_bytes, r->cpu_ns, r->calls, rec->flags);
        return true;
    }
    case SPOOL_REC_RESOURCES: {
        const struct spool_resources *r = (const void *)rec;
        printf(" user_ns=%" PRIu64 " kernel_ns=%" PRIu64 " recording_ns=%" PRIu64
               " recording_kernel_ns=%" PRIu64 " passed_ns=%" PRIu64,
               r->user_ns, r->kernel_ns, r->recording_ns, r->recording_kernel_ns, r->passed_ns);
        return true;
    }
    default:
        return false;
    }
}

static void print_payload(const struct spool_rec_header *rec)
{
    if (print_natural(rec) || print_kernel(rec)) return;
    switch (rec->type) {
    case SPOOL_REC_PROCESS:
        print_process((const struct spool_process *)rec);
        break;
    case SPOOL_REC_THREAD_BEGIN: {
        const struct spool_thread_begin *r = (const void *)rec;
        printf(" stack=%#" PRIx64 "-%#" PRIx64 " name=%.*s%s", r->stack_base, r->stack_end, (int)r->name_len,
               (const char *)(r + 1), rec->flags & SPOOL_THREAD_OWN ? " own" : "");
        break;
    }
    case SPOOL_REC_THREAD_END: {
        const struct spool_thread_end *r = (const void *)rec;
        printf(" cpu_ns=%" PRIu64 " spent_ns=%" PRIu64, r->cpu_ns, r->spent_ns);
        break;
    }
    case SPOOL_REC_MAPS:
        print_maps((const struct spool_maps *)rec);
        break;
    case SPOOL_REC_ALLOC: {
        const struct spool_alloc *r = (const void *)rec;
        printf(" base=%#" PRIx64 " len=%" PRIu64 " call=%u frames=%u", r->base, r->len_bytes,
               rec->flags & SPOOL_ALLOC_CALL_MASK, r->frames_len);
        if (rec->flags & SPOOL_ALLOC_KNOWN_PATH) printf(" known");
        if (r->sample_period_bytes > 1) printf(" period=%u", r->sample_period_bytes);
        break;
    }
    case SPOOL_REC_SITE: {
        const struct spool_site *r = (const void *)rec;
        printf(" site=%u len=%" PRIu64 " frames=%u", r->site, r->len_bytes, r->frames_len);
        break;
    }
    case SPOOL_REC_ACCESS: {
        const struct spool_access *r = (const void *)rec;
        printf(" addr=%#" PRIx64 " site=%u units=%u", r->addr, r->site, r->site_units);
        break;
    }
    case SPOOL_REC_FREE:
    case SPOOL_REC_MUNMAP: {
        const struct spool_extent *r = (const void *)rec;
        printf(" base=%#" PRIx64 " len=%" PRIu64, r->base, r->len_bytes);
        break;
    }
    case SPOOL_REC_MMAP: {
        const struct spool_mmap *r = (const void *)rec;
        printf(" base=%#" PRIx64 " len=%" PRIu64 " path=%.*s", r->base, r->len_bytes, (int)r->path_len,
               (const char *)(r + 1));
        if (r->rec.flags & SPOOL_MMAP_FROM) printf(" from=%#" PRIx64, r->offset_bytes);
        break;
    }
    case SPOOL_REC_NODE_ADD:
    case SPOOL_REC_NODE_RANGE: {
        const struct spool_node *r = (const void *)rec;
        printf(" node=%u len=%" PRIu64 " label=%.*s", r->node, r->end - r->base, (int)r->label_len,
               (const char *)(r + 1));
        break;
    }
    case SPOOL_REC_NODE_REMOVE:
        printf(" node=%u why=%u", ((const struct spool_node_remove *)rec)->node, rec->flags);
        break;
    case SPOOL_REC_PHASE: {
        const struct spool_phase *r = (const void *)rec;
        printf(" %s name=%.*s", rec->flags & SPOOL_PHASE_BEGIN ? "begin" : "end", (int)r->name_len,
               (const char *)(r + 1));
        break;
    }
    case SPOOL_REC_EVENT: {
        const struct spool_event *r = (const void *)rec;
        printf(" kind=%u errno=%u count=%" PRIu64, r->kind, r->detail_errno, r->count);
        break;
    }
    default:
        break;
    }
}

#define NAME(name, number) [number] = #name,
static const char *const names[] = {SPOOL_REC_LIST(NAME)};
#undef NAME

/* All payloads begin with their time but those inside a burst. */
static int check_time(const struct spool_rec_header *rec, uint64_t *last_ns)
{
    if (rec->type == SPOOL_REC_ACCESS || rec->len_bytes < 16) return 0;
    const uint64_t time_ns = ((const uint64_t *)rec)[1];
    const int bad = time_ns < *last_ns;
    *last_ns = time_ns;
    return bad;
}

static int print_stream(const struct spool_image *image, const struct spool_stream *stream)
{
    spool_reader *r;
    const struct spool_rec_header *rec;
    uint64_t last_ns = 0;
    int bad = 0;
    ls_err e = spool_reader_open(stream, &r);
    if (e != LS_OK) {
        fprintf(stderr, "%s\n", ls_last_error());
        return 1;
    }
    while ((e = spool_reader_next(r, &rec)) == LS_OK && rec) {
        printf("p%u.%u t%u %s", image->pid, image->image, spool_reader_header(r)->tid, names[rec->type]);
        print_payload(rec);
        putchar('\n');
        if (check_time(rec, &last_ns)) {
            fprintf(stderr, "%s: thread %u: a record is older than the one before it\n", image->path,
                    stream->tid);
            bad = 1;
        }
    }
    if (e != LS_OK) fprintf(stderr, "%s\n", ls_last_error());
    spool_reader_free(r);
    return bad || e != LS_OK;
}

int main(int argc, char **argv)
{
    spool_dir *d;
    size_t images_len;
    int bad = 0;
    if (argc != 2 || spool_dir_open(argv[1], &d) != LS_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: spool_lines DIR" : ls_last_error());
        return 3;
    }
    const struct spool_image *images = spool_dir_images(d, &images_len);
    for (size_t i = 0; i < images_len; i++)
        for (size_t s = 0; s < images[i].streams.len; s++)
            bad |= print_stream(&images[i], &images[i].streams.rows[s]);
    spool_dir_free(d);
    return bad;
}
