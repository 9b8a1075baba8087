/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_record.h"

#include <stdio.h>
#include <string.h>

bool spool_file_name_parse(const char *name, struct spool_name *out)
{
    int used = 0;
    if (name[0] != 'p' || name[1] < '0' || name[1] > '9') return false;
    return sscanf(name, "p%9u.%9u.t%9u.%9u%n", &out->pid, &out->image, &out->tid, &out->stream, &used) == 4 &&
           name[used] == '\0';
}

/* A type's fixed part, and where the length of the variable part is (0: there is none), in units. */
struct spool_rec_row {
    const char *name;
    uint16_t fixed_len_bytes;
    uint16_t len_at;
    uint16_t len_unit_bytes;
};

#define SPOOL_ROW(type, payload) [SPOOL_REC_##type] = {#type, sizeof(struct payload), 0, 0}
#define SPOOL_ROW_TAIL(type, payload, field, unit) \
    [SPOOL_REC_##type] = {#type, sizeof(struct payload), offsetof(struct payload, field), unit}

static const struct spool_rec_row spool_rec_rows[] = {
    SPOOL_ROW(PAD, spool_rec_header),
    SPOOL_ROW(PROCESS, spool_process), /* six strings: see spool_process_tail */
    SPOOL_ROW_TAIL(THREAD_BEGIN, spool_thread_begin, name_len, 1),
    SPOOL_ROW(THREAD_END, spool_thread_end),
    SPOOL_ROW_TAIL(MAPS, spool_maps, text_len, 1),
    SPOOL_ROW_TAIL(MMAP, spool_mmap, path_len, 1),
    SPOOL_ROW(MUNMAP, spool_extent),
    SPOOL_ROW_TAIL(ALLOC, spool_alloc, frames_len, 8),
    SPOOL_ROW(FREE, spool_extent),
    SPOOL_ROW_TAIL(SITE, spool_site, frames_len, 8),
    SPOOL_ROW(SITE_DIFF, spool_site_diff), /* bytes: see spool_site_diff_tail */
    SPOOL_ROW_TAIL(NODE_ADD, spool_node, label_len, 1),
    SPOOL_ROW_TAIL(NODE_RANGE, spool_node, label_len, 1),
    SPOOL_ROW(NODE_REMOVE, spool_node_remove),
    SPOOL_ROW(NODE_MEMBER, spool_node_member),
    SPOOL_ROW_TAIL(PHASE, spool_phase, name_len, 1),
    SPOOL_ROW(BURST_BEGIN, spool_burst_begin),
    SPOOL_ROW(ACCESS, spool_access),
    SPOOL_ROW_TAIL(ACCESSES, spool_accesses, bytes_len, 1),
    SPOOL_ROW(BURST_END, spool_burst_end),
    SPOOL_ROW(BURST_LATE, spool_burst_late),
    SPOOL_ROW(MPI, spool_mpi),
    SPOOL_ROW(EVENT, spool_event),
    SPOOL_ROW(STACK, spool_stack), /* links and bytes: see spool_stack_tail */
    SPOOL_ROW_TAIL(STACK_DIFF, spool_stack_diff, bytes_len, 1),
    SPOOL_ROW_TAIL(PAGES, spool_pages, pages_len, 8),
    SPOOL_ROW_TAIL(IMAGE, spool_image_bytes, len_bytes, 1),
    SPOOL_ROW(ANCESTOR, spool_ancestor),
    SPOOL_ROW_TAIL(RANK, spool_rank, name_len, 1),
    SPOOL_ROW(EXITED, spool_exited),
    SPOOL_ROW(RESOURCES, spool_resources),
    SPOOL_ROW_TAIL(DUMP, spool_dump, path_len, 1),
    SPOOL_ROW_TAIL(SETTING, spool_setting, text_len, 1),
    SPOOL_ROW_TAIL(TLS_MODULES, spool_tls_modules, rows_len, 16),
    SPOOL_ROW_TAIL(TLS_BLOCKS, spool_tls_blocks, rows_len, 16),
    SPOOL_ROW(CHILD_ENDED, spool_child_ended),
    SPOOL_ROW(DOMAIN, spool_domain),
    SPOOL_ROW_TAIL(DOMAIN_DATA, spool_domain_data, bytes_len, 1),
    SPOOL_ROW(MAP, spool_map),
    SPOOL_ROW_TAIL(POINT, spool_point, points_len, sizeof(struct spool_point_row)),
    SPOOL_ROW(NODE_MAP, spool_node_map),
    SPOOL_ROW(DOMAIN_END, spool_domain_end),
    SPOOL_ROW(SCRIPT, spool_script),     /* two strings: see spool_script_tail */
    SPOOL_ROW(CALLBACK, spool_callback), /* two strings: see spool_callback_tail */
    SPOOL_ROW(PIECE, spool_piece),
    SPOOL_ROW(SAMPLE, spool_sample),
    SPOOL_ROW_TAIL(CHAIN, spool_chain, ips_len, 8),
    SPOOL_ROW_TAIL(SAMPLING, spool_sampling, text_len, 1),
    SPOOL_ROW(COST, spool_cost),
    SPOOL_ROW_TAIL(WATCH, spool_watch, text_len, 1),
    SPOOL_ROW(FAULT, spool_kernel_fault),
    SPOOL_ROW(CALL, spool_kernel_call),
    SPOOL_ROW_TAIL(DEVICE_BLOCK, spool_device_block, frames_len, 8),
    SPOOL_ROW(DEVICE_FREE, spool_extent),
    SPOOL_ROW_TAIL(DEVICE_COPY, spool_device_copy, frames_len, 8),
    SPOOL_ROW_TAIL(IN_PLACE, spool_in_place, rows_len, sizeof(struct spool_in_place_row)),
};
enum { SPOOL_REC_ROWS = sizeof(spool_rec_rows) / sizeof(spool_rec_rows[0]) };
/* Numbers may have gaps; that each has its row is tested (tests/spool/test_spool_domains.c). */
#define SPOOL_REC_HAS_ROW(name, number) &&(number) < SPOOL_REC_ROWS
_Static_assert(1 SPOOL_REC_LIST(SPOOL_REC_HAS_ROW), "every record type has a row");

const char *spool_rec_name(uint16_t type)
{
    return type < SPOOL_REC_ROWS && spool_rec_rows[type].name ? spool_rec_rows[type].name : "unknown";
}

static uint64_t spool_process_tail(const struct spool_process *p)
{
    return (uint64_t)p->engine_len + p->trigger_len + p->why_len + p->exe_len + p->cmdline_len + p->cwd_len;
}

static uint64_t spool_stack_tail(const struct spool_stack *s)
{
    return (uint64_t)s->links_len * sizeof(struct spool_link) + s->bytes_len;
}

static uint64_t spool_callback_tail(const struct spool_callback *c)
{
    return (uint64_t)c->label_len + c->name_len;
}

static uint64_t spool_script_tail(const struct spool_script *s)
{
    return (uint64_t)s->file_len + s->name_len;
}

static uint64_t spool_site_diff_tail(const struct spool_site_diff *s)
{
    return s->bytes_len;
}

static uint64_t spool_tail_len(const struct spool_rec_header *rec, const struct spool_rec_row *row)
{
    const void *const whole = rec;
    switch (rec->type) {
    case SPOOL_REC_PROCESS:
        return spool_process_tail(whole);
    case SPOOL_REC_STACK:
        return spool_stack_tail(whole);
    case SPOOL_REC_CALLBACK:
        return spool_callback_tail(whole);
    case SPOOL_REC_SCRIPT:
        return spool_script_tail(whole);
    case SPOOL_REC_SITE_DIFF:
        return spool_site_diff_tail(whole);
    }
    if (row->len_at == 0) return 0;
    uint32_t len;
    memcpy(&len, (const char *)rec + row->len_at, sizeof(len));
    return (uint64_t)len * row->len_unit_bytes;
}

static const char *spool_data_fault(const struct spool_domain_data *d)
{
    if (d->data == 0) return "data without a number";
    if (d->bytes_len > d->total_bytes || d->first_byte > d->total_bytes - d->bytes_len)
        return "a piece outside of its data";
    return NULL;
}

static const char *spool_content_fault(const struct spool_rec_header *rec)
{
    const void *const whole = rec;
    const struct spool_domain *d = whole;
    const struct spool_map *m = whole;
    const struct spool_in_place *i = whole;
    const struct spool_stack_diff *s = whole;
    switch (rec->type) {
    case SPOOL_REC_DOMAIN:
        return d->domain == 0 || d->data == 0 ? "a domain without number or content" : NULL;
    case SPOOL_REC_MAP:
        return m->map == 0 || m->data == 0 ? "a map without number or content" : NULL;
    case SPOOL_REC_DOMAIN_DATA:
        return spool_data_fault(whole);
    case SPOOL_REC_CALLBACK:
        return rec->flags > SPOOL_CALLBACK_LAST ? "no such news of a callback" : NULL;
    case SPOOL_REC_STACK_DIFF:
        return s->stack_len_bytes > SPOOL_STACK_LEAF_BYTES ? "more of the stack than is recorded" : NULL;
    case SPOOL_REC_IN_PLACE:
        return i->rows_len > SPOOL_IN_PLACE_ROWS_MOST ? "more instructions than are counted" : NULL;
    }
    return NULL;
}

const char *spool_rec_fault(const struct spool_rec_header *rec)
{
    if (rec->type >= SPOOL_REC_ROWS || !spool_rec_rows[rec->type].name) return "no such record type";
    if (rec->type == SPOOL_REC_PAD) return NULL;
    const struct spool_rec_row *row = &spool_rec_rows[rec->type];
    if (rec->len_bytes < row->fixed_len_bytes) return "record shorter than its type";
    if (row->fixed_len_bytes + spool_tail_len(rec, row) > rec->len_bytes)
        return "text reaches out of its record";
    return spool_content_fault(rec);
}
