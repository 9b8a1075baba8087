/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_verify.h"

#include "common/ls_clock.h"
#include "common/ls_file.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_memory.h"
#include "kernels/stream/kn_loop.h"
#include "kernels/stream/kn_stream.h"
#include "machine/mach_calibration.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the comparison ---- */

/* Sums over the counters of each kind, in bytes. */
struct verify_sums {
    double of[LS_COUNTER_KINDS_LEN];
    bool has[LS_COUNTER_KINDS_LEN], has_gap;
};

static ls_err verify_read(const struct trf_source *source, const struct trf_opened *opened,
                          struct verify_sums *out)
{
    struct trf_reading *readings = calloc(opened->counters.len + 1, sizeof(*readings));
    if (!readings) return ls_nomem("counters");
    memset(out, 0, sizeof(*out));
    source->read(opened->state, readings);
    for (size_t i = 0; i < opened->counters.len; i++) {
        const struct trf_counter *c = &opened->counters.rows[i];
        out->of[c->kind] += (double)readings[i].count * c->scale;
        out->has[c->kind] = true;
        if (c->kind != LS_COUNTER_OTHER && readings[i].gap != LS_GAP_NONE) out->has_gap = true;
    }
    free(readings);
    return LS_OK;
}

double trf_verdict_factor(const struct trf_verdict *v, enum ls_counter_kind kind)
{
    return kind == LS_COUNTER_READ      ? v->read
           : kind == LS_COUNTER_WRITTEN ? v->written
           : kind == LS_COUNTER_MOVED   ? v->moved
                                        : NAN;
}

static bool verify_is_near(double factor)
{
    return isnan(factor) || fabs(factor - 1) <= TRF_TOLERANCE;
}

/* "counts 0.33 of known reads and 1.02 of known writes". */
static void verify_judge(struct trf_verdict *v)
{
    const struct {
        const char *what;
        double factor;
    } parts[] = {{"reads", v->read}, {"writes", v->written}, {"traffic", v->moved}};
    size_t used = (size_t)snprintf(v->text, sizeof(v->text), "counts");
    bool any = false;
    v->is_good = true;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (isnan(parts[i].factor)) continue;
        v->is_good = v->is_good && verify_is_near(parts[i].factor);
        used += (size_t)snprintf(v->text + used, sizeof(v->text) - used, "%s %.2f of known %s",
                                 any ? " and" : "", parts[i].factor, parts[i].what);
        any = true;
    }
    if (!any) snprintf(v->text, sizeof(v->text), "could not be compared: it had no values");
    v->is_good = v->is_good && any;
}

ls_err trf_verify(const struct trf_source *source, const struct trf_opened *opened,
                  const struct trf_known *known, struct trf_verdict *out)
{
    struct verify_sums idle, at[3];
    double bytes[2], moved_s[2], factors[2][LS_COUNTER_KINDS_LEN];
    bool has_gap = false;
    *out = (struct trf_verdict){.read = NAN, .written = NAN, .moved = NAN, .roof_per_s = NAN};
    LS_TRY(verify_read(source, opened, &idle));
    const double rest_s = known->rest(known->user);
    LS_TRY(verify_read(source, opened, &at[0]));
    for (int writes = 0; writes < 2; writes++) {
        LS_TRY(known->move(known->user, writes, &bytes[writes], &moved_s[writes]));
        LS_TRY(verify_read(source, opened, &at[writes + 1]));
        has_gap = has_gap || at[writes + 1].has_gap;
        for (int k = 0; k < LS_COUNTER_KINDS_LEN; k++) {
            const double background = (at[0].of[k] - idle.of[k]) / rest_s * moved_s[writes];
            const double counted = at[writes + 1].of[k] - at[writes].of[k] - background;
            factors[writes][k] = at[0].has[k] && !has_gap ? fmax(counted, 0) / bytes[writes] : NAN;
        }
    }
    out->read = factors[0][LS_COUNTER_READ];
    out->moved = factors[0][LS_COUNTER_MOVED];
    out->written = factors[1][LS_COUNTER_WRITTEN];
    if (known->roof && known->roof(known->user, &out->roof_per_s) != LS_OK) out->roof_per_s = NAN;
    verify_judge(out);
    return LS_OK;
}

/* ---- known traffic ---- */

#define KNOWN_NS (LS_NS_PER_S / 2)
#define KNOWN_REST_NS (LS_NS_PER_S / 5)
enum { KNOWN_CACHES = 4, KNOWN_LEAST_BYTES = 128 << 20 };

/* Two arrays that are several times as large as all last-level caches together. */
struct known_arrays {
    const struct kn_backend *backend;
    unsigned threads;
    struct kn_block block; /* both */
    size_t len;            /* elements of one */
    kn_loop *copy;         /* bypassing the caches if there is an instruction for it */
    bool writes;
    volatile uint64_t sink;
};

static void known_read(const uint64_t *from, size_t len, volatile uint64_t *sink)
{
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= len; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += from[i + k];
    for (size_t k = 0; k < 8; k++)
        *sink = sums[k];
}

/* Reads only read. The copy writes exactly one array, and its reads depend on the kind of stores: only the
 * writes are known. */
static void known_pass(void *user, unsigned share)
{
    enum { LINE_WORDS = 8 };
    struct known_arrays *a = user;
    const size_t lines = a->len / LINE_WORDS;
    const size_t begin = lines * share / a->threads * LINE_WORDS;
    const size_t end = lines * (share + 1) / a->threads * LINE_WORDS;
    uint64_t *words = a->block.base;
    const struct kn_loop_job job = {.to = words, .from = words + a->len};
    if (a->writes)
        a->copy(&job, begin, end);
    else
        known_read(words + 2 * begin, 2 * (end - begin), &a->sink);
}

static ls_err known_move(void *user, bool writes, double *out_bytes, double *out_s)
{
    struct known_arrays *a = user;
    const uint64_t begin_ns = ls_clock_mono_ns();
    a->writes = writes;
    *out_bytes = 0;
    while (ls_clock_mono_ns() - begin_ns < KNOWN_NS) {
        a->backend->parallel(a->threads, known_pass, a);
        *out_bytes += (double)(a->len * sizeof(uint64_t) * (writes ? 1 : 2));
    }
    *out_s = (double)(ls_clock_mono_ns() - begin_ns) / (double)LS_NS_PER_S;
    return LS_OK;
}

static double known_rest(void *user)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    const struct timespec rest = {.tv_nsec = KNOWN_REST_NS};
    (void)user;
    nanosleep(&rest, NULL);
    return (double)(ls_clock_mono_ns() - begin_ns) / (double)LS_NS_PER_S;
}

static ls_err known_roof(void *user, double *out_per_s)
{
    const struct kn_options options = {.runs = 5};
    (void)user;
    LS_TRY(kn_stream_reference(&options, KN_STORES_AUTO, out_per_s));
    *out_per_s *= 1e6;
    return LS_OK;
}

static kn_loop *known_copy(void)
{
    static const enum kn_stores stores[] = {KN_STORES_NONTEMPORAL, KN_STORES_REGULAR};
    struct kn_loop_wish wish = {.kernel = kn_kernel_find("copy"), .element_bytes = 8, .index_bits = 64};
    const struct kn_loop_variant *found = NULL;
    size_t len = 0;
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]) && len == 0; i++) {
        wish.stores = stores[i];
        kn_loop_find(&wish, &found, 1, &len);
    }
    return len ? kn_loop_of(found, wish.kernel) : NULL;
}

static ls_err verify_by_kernels(const struct trf_source *source, const struct trf_opened *opened,
                                struct trf_verdict *out)
{
    const struct kn_options options = {.runs = 0};
    struct known_arrays a = {.threads = 1, .copy = known_copy()};
    const struct trf_known known = {known_move, known_rest, known_roof, &a};
    uint64_t bytes = KNOWN_CACHES * kn_caches_last_level_bytes();
    if (bytes < KNOWN_LEAST_BYTES) bytes = KNOWN_LEAST_BYTES;
    if (!a.copy) return ls_fail(LS_ERR_UNSUPPORTED, "there is no kernel with known traffic here");
    LS_TRY(kn_backend_choose(&options, &a.backend, &a.threads));
    LS_TRY(kn_memory_check("the comparison of a counter", 2 * bytes, 0));
    LS_TRY(kn_block_init(&a.block, 2 * bytes, KN_PAGES_DEFAULT));
    a.len = bytes / sizeof(uint64_t);
    memset(a.block.base, 1,
           2 * bytes); /* causes page faults, because untouched pages would all be the same zero page */
    const ls_err err = trf_verify(source, opened, &known, out);
    kn_block_fini(&a.block);
    return err;
}

ls_err trf_verify_here(const struct trf_machine *m, const struct trf_source *source,
                       const struct trf_opened *opened, struct trf_verdict *out)
{
    if (trf_verdict_load(m, source, out) == LS_OK) return LS_OK;
    LS_TRY(verify_by_kernels(source, opened, out));
    (void)trf_verdict_store(m, source,
                            out); /* without a writable cache the next run takes two seconds more */
    return LS_OK;
}

/* ---- the kept verdict ---- */

/* Whole numbers only: decimal points depend on the locale. -1: not a number. */
#define VERDICT_MAGIC "loadstone-counters 1"
#define VERDICT_MILLI 1000.0
enum { VERDICT_BOOT_BYTES = 64 };

static int64_t verdict_pack(double n, double unit)
{
    return isfinite(n) && n >= 0 && n * unit < (double)INT64_MAX ? (int64_t)llround(n * unit) : -1;
}

static double verdict_unpack(int64_t n, double unit)
{
    return n < 0 ? NAN : (double)n / unit;
}

/* The identity of a machine's boot; "" where the kernel does not give it: then nothing is kept. */
static void verdict_boot(char out[VERDICT_BOOT_BYTES])
{
    ls_file_read("/proc/sys/kernel/random/boot_id", out, VERDICT_BOOT_BYTES);
    out[strcspn(out, "\n")] = '\0';
}

static ls_err verdict_path(const struct trf_source *source, char out[PATH_MAX])
{
    char host[128] = "", name[192];
    gethostname(host, sizeof(host) - 1);
    for (char *c = host; *c; c++)
        if (*c == '/') *c = '_';
    snprintf(name, sizeof(name), "counters-%s-%s", host, source->name);
    return mach_cache_path(name, out, PATH_MAX);
}

ls_err trf_verdict_load(const struct trf_machine *m, const struct trf_source *source, struct trf_verdict *out)
{
    char path[PATH_MAX], boot[VERDICT_BOOT_BYTES], line[4][512] = {""};
    int64_t read, written, moved, roof;
    int end = 0;
    LS_TRY(verdict_path(source, path));
    verdict_boot(boot);
    FILE *f = fopen(path, "re");
    if (!f) return ls_fail_errno(errno, "%s: cannot read the kept comparison", path);
    for (int i = 0; i < 4 && fgets(line[i], sizeof(line[i]), f); i++)
        line[i][strcspn(line[i], "\n")] = '\0';
    fclose(f);
    if (strcmp(line[0], VERDICT_MAGIC) != 0 || !*boot || strcmp(line[1], boot) != 0 ||
        strcmp(line[2], trf_sys_root(m)) != 0 ||
        sscanf(line[3], "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " end%n", &read, &written, &moved,
               &roof, &end) != 4 ||
        end == 0)
        return ls_fail(LS_ERR_FORMAT, "%s: is of another boot or machine, or damaged", path);
    *out = (struct trf_verdict){.read = verdict_unpack(read, VERDICT_MILLI),
                                .written = verdict_unpack(written, VERDICT_MILLI),
                                .moved = verdict_unpack(moved, VERDICT_MILLI),
                                .roof_per_s = verdict_unpack(roof, 1)};
    verify_judge(out);
    return LS_OK;
}

ls_err trf_verdict_store(const struct trf_machine *m, const struct trf_source *source,
                         const struct trf_verdict *v)
{
    char path[PATH_MAX], temporary[PATH_MAX + 16], boot[VERDICT_BOOT_BYTES];
    const bool has_values = !isnan(v->read) || !isnan(v->written) || !isnan(v->moved);
    verdict_boot(boot);
    if (!*boot || !has_values) return ls_fail(LS_ERR_NOT_FOUND, "nothing to keep");
    LS_TRY(verdict_path(source, path));
    snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
    FILE *f = fopen(temporary, "wxe");
    if (!f) return ls_fail_errno(errno, "%s: cannot keep the comparison", temporary);
    fprintf(f, "%s\n%s\n%s\n%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " end\n", VERDICT_MAGIC, boot,
            trf_sys_root(m), verdict_pack(v->read, VERDICT_MILLI), verdict_pack(v->written, VERDICT_MILLI),
            verdict_pack(v->moved, VERDICT_MILLI), verdict_pack(v->roof_per_s, 1));
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed && rename(temporary, path) == 0) return LS_OK;
    const int saved_errno = errno;
    unlink(temporary);
    return ls_fail_errno(saved_errno, "%s: cannot keep the comparison", path);
}
