/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.data as a spool: mappings, forks, exec and samples of each process in the order of time, which resolve
 * then attributes as it does its own recordings. Binaries are named where the files of the same build id are
 * on this machine. */
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "perf/pe_sample.h"
#include "perf/pe_file.h"
#include "resolve/prof_resolve.h"
#include "spool/spool_put_sigsafe.h"
#include "symbols/sym_code.h"
#include "tools/cli/cli_message.h"
#include "tools/import/imp_perf.h"
#include "tools/import/imp_source.h"
#include "tools/record/rec_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- lost and throttled samples ---- */

/* Convert the records of a perf.data about lost or throttled samples into events of the profile. */

/* All zero is an empty one. */
struct imp_losses {
    struct pe_counts counts;
    uint64_t counted_by_perf; /* lost samples that perf reported at its end */
};

enum { REC_LOST_SAMPLES = 13 }; /* Linux 4.2 */

/* Take note of a record, with the time that it has in the file. From Linux 6.1 on, perf asks each event for
 * its lost samples (PERF_FORMAT_LOST) and writes them like records of the kernel, but without a time
 * (record__read_lost_samples). They may repeat the kernel's own records. */
static void imp_losses_take(struct imp_losses *l, const struct pe_file_record *r)
{
    struct pe_counts one = {0};
    if (r->rec.type == PERF_RECORD_SAMPLE) return;
    if (r->rec.type == REC_LOST_SAMPLES && r->time_ns == 0) {
        pe_record_count(&r->rec, &one);
        l->counted_by_perf += one.lost_samples;
        return;
    }
    pe_record_count(&r->rec, &l->counts);
}

/* Write them as events. */
static void imp_losses_put(const struct imp_losses *l, struct spool_writer *w, uint64_t time_ns)
{
    const struct pe_counts *c = &l->counts;
    const struct {
        uint64_t count;
        enum spool_event_kind kind;
    } rows[] = {{c->lost > l->counted_by_perf ? c->lost : l->counted_by_perf, SPOOL_EVENT_SAMPLES_LOST},
                {c->lost_samples, SPOOL_EVENT_HARDWARE_LOST},
                {c->throttled, SPOOL_EVENT_THROTTLED},
                {c->unthrottled, SPOOL_EVENT_UNTHROTTLED},
                {c->aux_truncated + c->aux_partial + c->aux_collided, SPOOL_EVENT_AUX_DAMAGED}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].count)
            spool_put_event(
                w, (struct spool_event){.time_ns = time_ns, .kind = rows[i].kind, .count = rows[i].count});
}

/* ---- the file ---- */

enum {
    PD_TEXT_BYTES = 4096 + 64,
    PD_NAME_BYTES = 64,
    PD_MMAP_BUILD_ID = 1 << 14, /* PERF_RECORD_MISC_MMAP_BUILD_ID */
    PD_BUILD_ID_BYTES = 20,
    PD_CHAIN_MAX = 512,
    PD_MARKS = 4095, /* chain entries above -PD_MARKS are marks (PERF_CONTEXT_*) */
};

struct pd_thread {
    uint64_t time_ns;
    uint32_t tid;
    char name[PD_NAME_BYTES];
};

/* A program image. Its spool is opened at its first sample, because perf record -a lists all processes of a
 * machine and each spool takes a file descriptor. */
struct pd_image {
    uint32_t pid, number;
    uint64_t begin_ns;
    char name[PD_NAME_BYTES];
    struct spool_ancestor ancestor; /* pid 0: not known */
    struct pd_thread *threads;      /* named before its file exists */
    size_t threads_len, threads_room;
    struct spool_writer writer;
    struct imp_maps maps;
    bool is_living;
};

struct pd_import {
    struct imp_job *job;
    pe_file *file;
    imp_perf_aux *aux;
    struct imp_losses losses;
    bool losses_written;
    struct rec_spool spool;
    struct spool_cap cap;
    LS_VECTOR(struct pd_image) images;
    struct ls_index by_pid;
    uint64_t first_ns, last_ns;
    double clock_hz;
    enum ls_latency latency_kind;
    char events[512];
};

/* --- images --- */

static struct pd_image *pd_living(struct pd_import *p, uint32_t pid)
{
    size_t step = 0;
    uint32_t row;
    while (ls_index_next(&p->by_pid, pid, &step, &row))
        if (p->images.rows[row].is_living) return &p->images.rows[row];
    return NULL;
}

static uint32_t pd_next_number(const struct pd_import *p, uint32_t pid)
{
    uint32_t number = 0, row;
    size_t step = 0;
    while (ls_index_next(&p->by_pid, pid, &step, &row))
        number++;
    return number;
}

static void pd_end(struct pd_image *image, uint64_t time_ns)
{
    const struct spool_exited r = {.time_ns = time_ns, .status = SPOOL_STATUS_UNKNOWN};
    if (spool_writer_is_open(&image->writer)) {
        spool_put(&image->writer, SPOOL_WHAT(EXITED, 0, r), &r, NULL, 0);
        spool_writer_close(&image->writer);
    }
    imp_maps_fini(&image->maps);
    free(image->threads);
    image->threads = NULL;
    image->is_living = false;
}

static void pd_put_process(struct pd_import *p, struct pd_image *image)
{
    const char *name = image->name;
    const uint64_t time_ns = image->begin_ns;
    const struct pe_file_about *about = pe_file_about(p->file);
    const struct spool_process process = {
        .time_ns = time_ns, .pid = image->pid, .tsc_hz = (uint64_t)p->clock_hz};
    const struct spool_process_texts texts = {.engine = "imported (perf.data)",
                                              .trigger = "",
                                              .why = "imported",
                                              .exe = name,
                                              .cwd = "",
                                              .cmdline = spool_text_of(about->command, SPOOL_TEXT_MAX_BYTES)};
    const struct spool_sampling sampling = {.time_ns = time_ns, .latency_kind = p->latency_kind};
    const struct spool_thread_begin thread = {.time_ns = time_ns, .tid = image->pid};
    spool_put_process(&image->writer, process, &texts);
    spool_put_thread_begin(&image->writer, thread, name);
    const unsigned late = pe_file_trace(p->file)->kind == PE_TRACE_SPE ? SPOOL_SAMPLING_LATE : 0;
    spool_put_sampling(&image->writer, late, sampling, p->events);
    if (image->ancestor.pid)
        spool_put(&image->writer, SPOOL_WHAT(ANCESTOR, 0, image->ancestor), &image->ancestor, NULL, 0);
    for (size_t i = 0; i < image->threads_len; i++) {
        const struct spool_thread_begin named = {.time_ns = image->threads[i].time_ns,
                                                 .tid = image->threads[i].tid};
        spool_put_thread_begin(&image->writer, named, image->threads[i].name);
    }
}

static ls_err pd_begin(struct pd_import *p, uint32_t pid, uint64_t time_ns, const char *name,
                       struct pd_image **out)
{
    const uint32_t number = pd_next_number(p, pid);
    LS_TRY(LS_VECTOR_ROOM(&p->images));
    LS_TRY(ls_index_put(&p->by_pid, pid, (uint32_t)p->images.len));
    struct pd_image *image = &p->images.rows[p->images.len++];
    *image = (struct pd_image){
        .pid = pid, .number = number, .begin_ns = time_ns, .writer = SPOOL_WRITER_CLOSED, .is_living = true};
    snprintf(image->name, sizeof(image->name), "%s", name);
    *out = image;
    return LS_OK;
}

/* The file of an image, from its first sample on. */
static ls_err pd_open(struct pd_import *p, struct pd_image *image)
{
    const uint32_t pid = image->pid;
    char name[SPOOL_NAME_BYTES];
    if (spool_writer_is_open(&image->writer)) return LS_OK;
    const struct spool_file_header ids = {.pid = pid, .tid = pid, .image = image->number};
    spool_file_name(name, (struct spool_name){pid, image->number, pid, 0});
    const int error = spool_writer_open(&image->writer, p->spool.fd, name, &ids, &p->cap);
    if (error) return ls_fail_errno(error, "cannot write to %s/%s", p->spool.path, name);
    ((struct spool_file_header *)(void *)image->writer.chunk.at)->mono_ns =
        p->first_ns; /* by the clock of the recording machine */
    pd_put_process(p, image);
    if (!p->losses_written)
        imp_losses_put(&p->losses, &image->writer, image->begin_ns); /* for all processes */
    p->losses_written = true;
    return LS_OK;
}

static ls_err pd_image_of(struct pd_import *p, uint32_t pid, uint64_t time_ns, struct pd_image **out)
{
    *out = pd_living(p, pid);
    return *out ? LS_OK : pd_begin(p, pid, time_ns, "", out);
}

/* --- records: linux/perf_event.h --- */

static bool pd_fields(const struct pe_record *rec, size_t bytes, const uint8_t **out)
{
    *out = (const uint8_t *)rec->bytes.data + sizeof(struct perf_event_header);
    return rec->bytes.len_bytes >= sizeof(struct perf_event_header) + bytes;
}

static uint32_t pd_u32(const uint8_t *at, size_t offset)
{
    uint32_t v;
    memcpy(&v, at + offset, sizeof(v));
    return v;
}

static uint64_t pd_u64(const uint8_t *at, size_t offset)
{
    uint64_t v;
    memcpy(&v, at + offset, sizeof(v));
    return v;
}

/* Return the path, or a path that does not exist if the file on this machine is another build. */
static void pd_module_path(const struct pd_import *p, const char *path, const char *build_id,
                           char out[PD_TEXT_BYTES])
{
    sym_code *code = NULL;
    const char *known = *build_id ? build_id : pe_file_build_id(p->file, path);
    snprintf(out, PD_TEXT_BYTES, "%s", path);
    if (path[0] != '/' || !*known) return;
    if (sym_code_open(path, known, &code) == LS_ERR_VERSION)
        snprintf(out, PD_TEXT_BYTES, "%.3900s (build %.40s)", path, known);
    sym_code_free(code);
}

/* MMAP: pid tid addr len pgoff, name. MMAP2: ... 24 bytes of device, inode or build id, prot, flags, name. */
static ls_err pd_on_mmap(struct pd_import *p, const struct pe_file_record *r)
{
    const bool is_second = r->rec.type == PERF_RECORD_MMAP2;
    const size_t fixed = is_second ? 64 : 32;
    char build_id[2 * PD_BUILD_ID_BYTES + 1] = "", name[4097], path[PD_TEXT_BYTES], nothing[] = "";
    struct pd_image *image;
    const uint8_t *at;
    if (!pd_fields(&r->rec, fixed + 1, &at)) return LS_OK;
    const uint32_t pid = pd_u32(at, 0);
    if (pid == UINT32_MAX || (r->rec.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
        return LS_OK;
    const size_t left = r->rec.bytes.len_bytes - sizeof(struct perf_event_header) - fixed;
    snprintf(name, sizeof(name), "%.*s", (int)strnlen((const char *)at + fixed, left < 4096 ? left : 4096),
             (const char *)at + fixed);
    for (int i = 0; is_second && r->rec.misc & PD_MMAP_BUILD_ID && i < PD_BUILD_ID_BYTES; i++)
        snprintf(build_id + 2 * i, 3, "%02x", at[36 + i]);
    LS_TRY(pd_image_of(p, pid, r->time_ns, &image));
    const bool is_file = name[0] == '/' && name[1] != '/'; /* not "//anon" */
    pd_module_path(p, name, build_id, path);
    const struct imp_mapping m = {.base = pd_u64(at, 8),
                                  .end = pd_u64(at, 8) + pd_u64(at, 16),
                                  .offset_bytes = is_file ? pd_u64(at, 24) : 0,
                                  .inode = is_file,
                                  .prot = is_second                                  ? pd_u32(at, 56)
                                          : r->rec.misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ | PROT_WRITE
                                                                                     : PROT_READ | PROT_EXEC,
                                  .path = is_file || name[0] == '[' ? path : nothing};
    return m.end > m.base ? imp_maps_add(&image->maps, &m) : LS_OK;
}

static ls_err pd_keep_thread(struct pd_image *image, const struct spool_thread_begin *thread,
                             const char *name)
{
    LS_TRY(LS_GROW(image->threads, image->threads_room, image->threads_len + 1));
    struct pd_thread *t = &image->threads[image->threads_len++];
    *t = (struct pd_thread){.time_ns = thread->time_ns, .tid = thread->tid};
    snprintf(t->name, sizeof(t->name), "%s", name);
    return LS_OK;
}

/* Fields: pid tid name; a flag marks a name set by exec. */
static ls_err pd_on_comm(struct pd_import *p, const struct pe_file_record *r)
{
    const uint8_t *at;
    char name[PD_NAME_BYTES];
    if (!pd_fields(&r->rec, 9, &at)) return LS_OK;
    const uint32_t pid = pd_u32(at, 0), tid = pd_u32(at, 4);
    const size_t left = r->rec.bytes.len_bytes - sizeof(struct perf_event_header) - 8;
    snprintf(name, sizeof(name), "%.*s", (int)strnlen((const char *)at + 8, left < 63 ? left : 63),
             (const char *)at + 8);
    struct pd_image *living = pd_living(p, pid);
    if (living && !(r->rec.misc & PERF_RECORD_MISC_COMM_EXEC)) {
        const struct spool_thread_begin thread = {.time_ns = r->time_ns, .tid = tid};
        if (tid == pid) return LS_OK;
        if (!spool_writer_is_open(&living->writer)) return pd_keep_thread(living, &thread, name);
        spool_put_thread_begin(&living->writer, thread, name);
        return LS_OK;
    }
    if (living) pd_end(living, r->time_ns);
    return pd_begin(p, pid, r->time_ns, name, &living);
}

/* pid ppid tid ptid time */
static ls_err pd_on_fork(struct pd_import *p, const struct pe_file_record *r)
{
    const uint8_t *at;
    struct pd_image *child, *parent;
    if (!pd_fields(&r->rec, 24, &at)) return LS_OK;
    const uint32_t pid = pd_u32(at, 0), ppid = pd_u32(at, 4);
    if (pid == ppid || pd_living(p, pid)) return LS_OK; /* a thread */
    LS_TRY(pd_image_of(p, ppid, r->time_ns, &parent));
    const uint32_t number = parent->number;
    LS_TRY(pd_begin(p, pid, r->time_ns, "", &child));
    LS_TRY(pd_image_of(p, ppid, r->time_ns, &parent)); /* the table may have been reallocated */
    LS_TRY(imp_maps_copy(&parent->maps, &child->maps));
    child->ancestor = (struct spool_ancestor){
        .time_ns = r->time_ns, .fork_ns = r->time_ns, .pid = ppid, .image = number, .tid = pd_u32(at, 12)};
    return LS_OK;
}

static ls_err pd_on_exit(struct pd_import *p, const struct pe_file_record *r)
{
    const uint8_t *at;
    if (!pd_fields(&r->rec, 24, &at)) return LS_OK;
    struct pd_image *living = pd_living(p, pd_u32(at, 0));
    if (living && pd_u32(at, 0) == pd_u32(at, 8)) pd_end(living, r->time_ns);
    return LS_OK;
}

/* --- samples --- */

static enum spool_sample_kind pd_kind(const struct perf_event_attr *a)
{
    if (a->type == PERF_TYPE_BREAKPOINT) return SPOOL_SAMPLE_WATCH;
    if (a->type != PERF_TYPE_SOFTWARE) return SPOOL_SAMPLE_ACCESS;
    return a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ? SPOOL_SAMPLE_FAULT_MAJOR : SPOOL_SAMPLE_FAULT_MINOR;
}

static void pd_put_chain(struct spool_writer *w, uint64_t time_ns, const struct pe_sample *s)
{
    uint64_t ips[PD_CHAIN_MAX];
    uint32_t len = 0;
    for (uint32_t i = 0; i < s->callchain_len && len < PD_CHAIN_MAX; i++) {
        const uint64_t ip = pe_word_at(s->callchain, i);
        if (ip < UINT64_MAX - PD_MARKS && ip >> 63 == 0)
            ips[len++] = ip; /* neither a mark nor a kernel address */
    }
    if (len > 1) spool_put_chain(w, 0, time_ns, ips, len);
}

/* kind: enum spool_sample_kind */
static ls_err pd_put_sample(struct pd_import *p, const struct pe_sample *sample, uint64_t time_ns,
                            uint8_t kind)
{
    struct pe_sample s = *sample;
    struct pd_image *image;
    if (!(s.has & PERF_SAMPLE_ADDR) || s.addr == 0 || s.addr >> 63 || !(s.has & PERF_SAMPLE_TID)) {
        p->job->skipped++;
        return LS_OK;
    }
    if (s.has & PERF_SAMPLE_DATA_SRC) pe_data_src_decode(s.data_src, p->latency_kind, &s);
    if (s.has & PE_SAMPLE_WEIGHTS) pe_weight_decode(p->latency_kind, &s);
    LS_TRY(pd_image_of(p, s.pid, time_ns, &image));
    LS_TRY(pd_open(p, image));
    LS_TRY(imp_maps_put(&image->maps, &image->writer, time_ns));
    const struct spool_sample out = {.time_ns = time_ns,
                                     .ip = s.ip,
                                     .addr = s.addr,
                                     .events = s.period_events,
                                     .tid = s.tid,
                                     .cpu = s.has & PERF_SAMPLE_CPU ? s.cpu : UINT32_MAX,
                                     .latency_cycles = s.latency_cycles,
                                     .latency_kind = s.latency_kind,
                                     .page_bytes = (uint32_t)s.data_page_bytes,
                                     .kind = kind,
                                     .source = s.source,
                                     .snoop = s.snoop,
                                     .tlb = s.tlb,
                                     .numa = SPOOL_NOT_REPORTED};
    const unsigned op = s.op == LS_NOT_REPORTED ? SPOOL_OP_NOT_REPORTED : s.op;
    spool_put_sample(&image->writer, op | spool_flags_of_locked(s.locked), &out);
    pd_put_chain(&image->writer, time_ns, &s);
    p->job->samples++;
    return LS_OK;
}

static ls_err pd_on_sample(struct pd_import *p, const struct pe_file_record *r)
{
    const struct perf_event_attr *attr = &r->event->attr;
    struct pe_sample s = pe_sample_missing();
    if (!pe_sample_read(&r->event->layout, &r->rec, &s)) return LS_OK;
    if (!(s.has & PERF_SAMPLE_PERIOD)) s.period_events = attr->freq ? 0 : attr->sample_period;
    return pd_put_sample(p, &s, r->time_ns, (uint8_t)pd_kind(attr));
}

/* The samples of AUX areas up to a time. */
static ls_err pd_take_aux(struct pd_import *p, uint64_t until_ns)
{
    struct pe_sample s;
    for (;;) {
        bool is_any;
        LS_TRY(imp_perf_aux_next(p->aux, until_ns, &s, &is_any));
        if (!is_any) return LS_OK;
        if (s.time > p->last_ns) p->last_ns = s.time;
        LS_TRY(pd_put_sample(p, &s, s.time > p->first_ns ? s.time : p->first_ns, SPOOL_SAMPLE_ACCESS));
    }
}

static const struct {
    uint32_t type;
    ls_err (*take)(struct pd_import *p, const struct pe_file_record *r);
} pd_takers[] = {{PERF_RECORD_SAMPLE, pd_on_sample}, {PERF_RECORD_MMAP, pd_on_mmap},
                 {PERF_RECORD_MMAP2, pd_on_mmap},    {PERF_RECORD_COMM, pd_on_comm},
                 {PERF_RECORD_FORK, pd_on_fork},     {PERF_RECORD_EXIT, pd_on_exit}};

static ls_err pd_take_all(struct pd_import *p)
{
    size_t len;
    const struct pe_file_record *records = pe_file_records(p->file, &len);
    for (size_t i = 0; i < len; i++) {
        struct pe_file_record r = records[i];
        if (r.time_ns < p->first_ns) r.time_ns = p->first_ns; /* perf synthesised it earlier */
        LS_TRY(pd_take_aux(p, r.time_ns));
        LS_TRY(imp_perf_aux_note(p->aux, &r));
        p->last_ns = r.time_ns;
        for (size_t k = 0; k < sizeof(pd_takers) / sizeof(pd_takers[0]); k++)
            if (pd_takers[k].type == r.rec.type) LS_TRY(pd_takers[k].take(p, &r));
    }
    LS_TRY(pd_take_aux(p, UINT64_MAX));
    for (size_t i = 0; i < p->images.len; i++)
        if (p->images.rows[i].is_living) pd_end(&p->images.rows[i], p->last_ns);
    if (p->cap.disk_errno) return ls_fail_errno((int)p->cap.disk_errno, "cannot write to %s", p->spool.path);
    return LS_OK;
}

/* --- header of the file --- */

/* "... @ 2.60GHz", as Intel names its processors. */
static double pd_clock_of(const char *cpu)
{
    const char *at = strstr(cpu, "@ ");
    const double ghz = at && strstr(at, "GHz") ? strtod(at + 2, NULL) : 0;
    return ghz > 0.1 && ghz < 100 ? ghz * 1e9 : 0;
}

static void pd_describe(struct pd_import *p)
{
    const struct pe_file_about *about = pe_file_about(p->file);
    size_t len, records_len;
    const struct pe_file_event *events = pe_file_events(p->file, &len);
    const struct pe_file_record *records = pe_file_records(p->file, &records_len);
    bool is_hardware = false;
    for (size_t i = 0; i < len; i++)
        is_hardware |=
            events[i].attr.type != PERF_TYPE_SOFTWARE && events[i].attr.type != PERF_TYPE_BREAKPOINT;
    for (size_t i = 0; i < records_len; i++) {
        if (!p->first_ns) p->first_ns = records[i].time_ns;
        imp_losses_take(&p->losses, &records[i]);
    }
    if (p->first_ns == 0) p->first_ns = 1;
    const bool is_amd = strstr(about->cpu, "AMD") != NULL,
               is_arm =
                   strncmp(about->arch, "aarch64", 7) == 0 || pe_file_trace(p->file)->kind == PE_TRACE_SPE,
               is_power = strncmp(about->arch, "ppc64", 5) == 0;
    p->latency_kind = !is_hardware ? LS_LATENCY_NONE
                                   : pe_latency_kind_of(is_amd     ? "amd"
                                                        : is_arm   ? "arm"
                                                        : is_power ? "power"
                                                                   : "intel");
    p->clock_hz = p->job->clock_hz > 0 ? p->job->clock_hz : pd_clock_of(about->cpu);
    if (p->clock_hz <= 0 && is_hardware)
        p->job->remedies =
            "the clock frequency of the file's cycles is unknown: a cycle counts as a nanosecond; set it by "
            "--ghz";
    if (p->clock_hz <= 0) p->clock_hz = 1e9;
    snprintf(p->events, sizeof(p->events), "%s",
             is_hardware ? "loads and stores (perf record)" : "page faults (perf record)");
}

static ls_err pd_resolve(struct pd_import *p)
{
    const struct pe_file_about *about = pe_file_about(p->file);
    const struct prof_resolve_options options = {.spool_dir = p->spool.path,
                                                 .author = pe_file_author(p->file),
                                                 .output_path = p->job->output_path,
                                                 .force = p->job->force,
                                                 .command = *about->command ? about->command : p->job->path,
                                                 .host = about->host,
                                                 .cpu = about->cpu};
    struct prof_resolve_stats stats = {0};
    if (p->job->samples == 0 && pe_file_trace(p->file)->bytes) return imp_perf_aux_none(p->aux, p->job->path);
    if (p->job->samples == 0)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: no sample in it has an address of data; record "
                       "with `perf mem record`, or with `perf record -d`",
                       p->job->path);
    LS_TRY(prof_resolve(&options, &stats));
    return LS_OK;
}

static bool perf_data_probe(const char *head, size_t len_bytes)
{
    return pe_file_probe(head, len_bytes);
}

static ls_err perf_data_run(struct imp_job *job)
{
    struct pd_import p = {.job = job};
    LS_TRY(pe_file_open(job->path, &p.file));
    pd_describe(&p);
    ls_err err = imp_perf_aux_new(p.file, &p.aux);
    if (err == LS_OK) err = rec_spool_make(&p.spool, NULL);
    if (err == LS_OK) err = pd_take_all(&p);
    if (err == LS_OK) err = pd_resolve(&p);
    imp_perf_aux_warn(p.aux, job->path);
    if (pe_file_broken(p.file))
        cli_warn(
            "%s: %llu samples were left out: they are of no event of the file, or do not fit their length",
            job->path, (unsigned long long)pe_file_broken(p.file));
    if (pe_file_truncated(p.file))
        cli_warn("%s ends inside a record: its last %llu bytes were left out", job->path,
                 (unsigned long long)pe_file_truncated(p.file));
    if (p.spool.path[0]) rec_spool_remove(&p.spool);
    for (size_t i = 0; i < p.images.len; i++) /* images that are still open after a failure */
        if (p.images.rows[i].is_living) pd_end(&p.images.rows[i], p.last_ns);
    ls_index_fini(&p.by_pid);
    imp_perf_aux_free(p.aux);
    free(p.images.rows);
    pe_file_free(p.file);
    return err;
}

const struct imp_source imp_source_perf_data = {
    .name = "perf-data", .words = "perf.data of Linux perf", .probe = perf_data_probe, .run = perf_data_run};
