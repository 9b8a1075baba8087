/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_calibration.h"
#include "common/ls_hash.h"

#include "machine/mach_isa.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_MAGIC "loadstone-calibration 5"
#define CHECK_WINDOW_NS UINT64_C(200000)

/* Whole numbers only: decimal points depend on the locale. */
#define MILLI 1000.0

static uint64_t key_of(const struct mach_cpu *cpu)
{
    const uint64_t hash = ls_hash_text(LS_HASH_BEGIN, cpu->identity);
    return ls_hash_bytes(hash, cpu->cache_bytes, sizeof(cpu->cache_bytes));
}

/* $XDG_CACHE_HOME when absolute, else $HOME/.cache (XDG Base Directory Specification). */
static ls_err cache_root(char *out, size_t out_bytes)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int len = -1;
    if (xdg && xdg[0] == '/')
        len = snprintf(out, out_bytes, "%s", xdg);
    else if (home && home[0] == '/')
        len = snprintf(out, out_bytes, "%s/.cache", home);
    else
        return ls_fail(LS_ERR_NOT_FOUND, "no cache directory: neither XDG_CACHE_HOME nor HOME is set");
    return len >= 0 && (size_t)len < out_bytes
               ? LS_OK
               : ls_fail(LS_ERR_RANGE, "the path of the cache directory is too long");
}

static ls_err cache_file(const struct mach_cpu *cpu, const char *dir, char *out, size_t out_bytes)
{
    const int len = snprintf(out, out_bytes, "%s/calibration-%016" PRIx64, dir, key_of(cpu));
    return len >= 0 && (size_t)len < out_bytes
               ? LS_OK
               : ls_fail(LS_ERR_RANGE, "the path of the calibration file is too long");
}

ls_err mach_calibration_cache_path(const struct mach_cpu *cpu, char *out, size_t out_bytes)
{
    char root[PATH_MAX], dir[PATH_MAX + 16];
    LS_TRY(cache_root(root, sizeof(root)));
    snprintf(dir, sizeof(dir), "%s/loadstone", root);
    return cache_file(cpu, dir, out, out_bytes);
}

ls_err mach_cache_path(const char *name, char *out, size_t out_bytes)
{
    char root[PATH_MAX], dir[PATH_MAX + 16];
    LS_TRY(cache_root(root, sizeof(root)));
    snprintf(dir, sizeof(dir), "%s/loadstone", root);
    (void)mkdir(root, 0700); /* a missing parent is reported when the file is created */
    (void)mkdir(dir, 0700);
    const int len = snprintf(out, out_bytes, "%s/%s", dir, name);
    return len >= 0 && (size_t)len < out_bytes ? LS_OK
                                               : ls_fail(LS_ERR_RANGE, "the path of %s is too long", name);
}

static void write_text(FILE *f, const struct mach_cpu *cpu, const struct mach_calibration *c)
{
    fprintf(f, "%s\ncpu %s\n", CACHE_MAGIC, cpu->identity);
    fprintf(f, "cache_bytes %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cpu->cache_bytes[0], cpu->cache_bytes[1],
            cpu->cache_bytes[2]);
    fprintf(f, "tsc_hz %" PRIu64 "\ntsc_step_cycles %" PRIu32 "\nprobe_cost_millicycles %" PRIu64 "\n",
            c->tsc_hz, c->tsc_step_cycles, (uint64_t)(c->probe_cost_cycles * MILLI));
    fprintf(f, "issue_width_milli %" PRIu64 "\ncore_millicycles %" PRIu64 "\nlatency_millicycles",
            (uint64_t)(c->issue_width * MILLI), (uint64_t)(c->core_cycle * MILLI));
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        fprintf(f, " %" PRIu64, (uint64_t)(c->latency_cycles[l] * MILLI));
    fprintf(f, "\nline_millicycles");
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        fprintf(f, " %" PRIu64, (uint64_t)(c->line_cycles[l] * MILLI));
    fprintf(f, " %" PRIu64 "\ncpus %" PRIu32, (uint64_t)(c->line_cycles_all * MILLI), c->cpus);
    fprintf(
        f, "\nfault_ns %" PRIu64 " %" PRIu64 "\nfault_error_milli %" PRIu64 "\ndisturbed %" PRIu32 "\nend\n",
        (uint64_t)c->fault_ns, (uint64_t)c->huge_fault_ns, (uint64_t)(c->fault_error * MILLI), c->disturbed);
}

static ls_err write_aside(const char *path, char *temporary, size_t temporary_bytes, FILE **out)
{
    const int len = snprintf(temporary, temporary_bytes, "%s.XXXXXX", path);
    if (len < 0 || (size_t)len >= temporary_bytes) return ls_fail(LS_ERR_RANGE, "%s: path too long", path);
    const int fd = mkstemp(temporary);
    if (fd < 0) return ls_fail_errno(errno, "%s: cannot store the calibration", path);
    *out = fdopen(fd, "w");
    if (*out) return LS_OK;
    const int saved = errno;
    close(fd);
    unlink(temporary);
    return ls_fail_errno(saved, "%s: cannot store the calibration", path);
}

ls_err mach_calibration_cache_store(const struct mach_cpu *cpu, const struct mach_calibration *c)
{
    char root[PATH_MAX], dir[PATH_MAX + 16], path[PATH_MAX + 64], temporary[PATH_MAX + 80];
    LS_TRY(cache_root(root, sizeof(root)));
    snprintf(dir, sizeof(dir), "%s/loadstone", root);
    LS_TRY(cache_file(cpu, dir, path, sizeof(path)));
    (void)mkdir(root, 0700); /* a missing parent is reported when the file is created */
    (void)mkdir(dir, 0700);
    FILE *f = NULL;
    LS_TRY(write_aside(path, temporary, sizeof(temporary), &f));
    write_text(f, cpu, c);
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed || rename(temporary, path) != 0) {
        const int saved = errno;
        unlink(temporary);
        return ls_fail_errno(saved, "%s: cannot store the calibration", path);
    }
    return LS_OK;
}

/* The reader: lines in a fixed order, each number inside its bounds. */
struct reader {
    FILE *file;
    const char *path;
    char line[512];
};

static ls_err next_line(struct reader *r, const char *expected)
{
    if (!fgets(r->line, sizeof(r->line), r->file))
        return ls_fail(LS_ERR_FORMAT, "%s: ends before '%s'", r->path, expected);
    r->line[strcspn(r->line, "\n")] = '\0';
    return LS_OK;
}

static ls_err expect_line(struct reader *r, const char *expected)
{
    LS_TRY(next_line(r, expected));
    return strcmp(r->line, expected) == 0 ? LS_OK
                                          : ls_fail(LS_ERR_FORMAT, "%s: expected '%s'", r->path, expected);
}

struct bounds {
    const char *name;
    uint64_t least, most;
};

/* "name N N ...": exactly len numbers, all inside the bounds. */
static ls_err read_numbers(struct reader *r, const struct bounds *b, uint64_t *out, int len)
{
    LS_TRY(next_line(r, b->name));
    const size_t name_len = strlen(b->name);
    if (strncmp(r->line, b->name, name_len) != 0)
        return ls_fail(LS_ERR_FORMAT, "%s: expected '%s'", r->path, b->name);
    const char *at = r->line + name_len;
    for (int i = 0; i < len; i++) {
        char *end = NULL;
        if (at[0] != ' ' || at[1] < '0' || at[1] > '9')
            return ls_fail(LS_ERR_FORMAT, "%s: '%s' has too few numbers", r->path, b->name);
        errno = 0;
        out[i] = strtoull(at + 1, &end, 10);
        if (errno != 0 || out[i] < b->least || out[i] > b->most)
            return ls_fail(LS_ERR_FORMAT, "%s: '%s' is out of bounds", r->path, b->name);
        at = end;
    }
    return *at == '\0' ? LS_OK : ls_fail(LS_ERR_FORMAT, "%s: '%s' has too many numbers", r->path, b->name);
}

static const struct bounds cache_bounds = {"cache_bytes", 0, UINT64_C(1) << 40};
static const struct bounds hz_bounds = {"tsc_hz", 100 * 1000 * 1000, UINT64_C(100) * 1000 * 1000 * 1000};
static const struct bounds step_bounds = {"tsc_step_cycles", 1, 10000};
static const struct bounds cost_bounds = {"probe_cost_millicycles", 0, 100000000};
static const struct bounds issue_bounds = {"issue_width_milli", 10, 100000};
static const struct bounds core_bounds = {"core_millicycles", 10, 100000};
static const struct bounds fault_bounds = {"fault_ns", 0, 1000000000};
static const struct bounds fault_error_bounds = {"fault_error_milli", 0, 1000000};
static const struct bounds disturbed_bounds = {"disturbed", 0, MACH_CALIBRATIONS_MOST};
static const struct bounds line_bounds = {"line_millicycles", 1, UINT64_C(100000000)};
static const struct bounds cpus_bounds = {"cpus", 1, 1 << 20};
static const struct bounds latency_bounds = {"latency_millicycles", 1, UINT64_C(100000000)};

static ls_err read_levels(struct reader *r, const struct bounds *bounds, double *out_cycles, int len)
{
    uint64_t milli[MACH_LEVEL_COUNT + 1];
    LS_TRY(read_numbers(r, bounds, milli, len));
    for (int l = 0; l < len; l++) {
        if (l > 0 && milli[l] < milli[l - 1])
            return ls_fail(LS_ERR_FORMAT, "%s: a farther level is faster than a nearer one", r->path);
        out_cycles[l] = (double)milli[l] / MILLI;
    }
    return LS_OK;
}

static ls_err read_sweeps(struct reader *r, struct mach_calibration *c)
{
    double cycles[MACH_LEVEL_COUNT + 1]; /* the last: all CPUs at once */
    uint64_t cpus = 0;
    LS_TRY(read_levels(r, &line_bounds, cycles, MACH_LEVEL_COUNT + 1));
    memcpy(c->line_cycles, cycles, sizeof(c->line_cycles));
    c->line_cycles_all = cycles[MACH_LEVEL_COUNT];
    LS_TRY(read_numbers(r, &cpus_bounds, &cpus, 1));
    c->cpus = (uint32_t)cpus;
    return LS_OK;
}

static ls_err read_text(struct reader *r, const struct mach_cpu *cpu, struct mach_calibration *c)
{
    char identity[MACH_CPU_NAME_BYTES + 8];
    uint64_t n = 0;
    LS_TRY(expect_line(r, CACHE_MAGIC));
    snprintf(identity, sizeof(identity), "cpu %s", cpu->identity);
    LS_TRY(expect_line(r, identity));
    LS_TRY(read_numbers(r, &cache_bounds, c->cache_bytes, MACH_CPU_CACHE_LEVELS));
    if (memcmp(c->cache_bytes, cpu->cache_bytes, sizeof(cpu->cache_bytes)) != 0)
        return ls_fail(LS_ERR_FORMAT, "%s: is of a machine with other caches", r->path);
    LS_TRY(read_numbers(r, &hz_bounds, &c->tsc_hz, 1));
    LS_TRY(read_numbers(r, &step_bounds, &n, 1));
    c->tsc_step_cycles = (uint32_t)n;
    LS_TRY(read_numbers(r, &cost_bounds, &n, 1));
    c->probe_cost_cycles = (double)n / MILLI;
    LS_TRY(read_numbers(r, &issue_bounds, &n, 1));
    c->issue_width = (double)n / MILLI;
    LS_TRY(read_numbers(r, &core_bounds, &n, 1));
    c->core_cycle = (double)n / MILLI;
    LS_TRY(read_levels(r, &latency_bounds, c->latency_cycles, MACH_LEVEL_COUNT));
    LS_TRY(read_sweeps(r, c));
    uint64_t fault_ns[2];
    LS_TRY(read_numbers(r, &fault_bounds, fault_ns, 2));
    c->fault_ns = (double)fault_ns[0];
    c->huge_fault_ns = (double)fault_ns[1];
    LS_TRY(read_numbers(r, &fault_error_bounds, &n, 1));
    c->fault_error = (double)n / MILLI;
    LS_TRY(read_numbers(r, &disturbed_bounds, &n, 1));
    c->disturbed = (uint32_t)n;
    return expect_line(r, "end");
}

/* Check the clock of the file against a short measurement: names like "AMD EPYC" cover processors with
 * different clocks. */
static ls_err check_clock(const struct mach_calibration *c)
{
    uint64_t hz = 0;
    LS_TRY(mach_tsc_hz(CHECK_WINDOW_NS, &hz));
    if (fabs((double)hz - (double)c->tsc_hz) > 0.02 * (double)hz)
        return ls_fail(LS_ERR_FORMAT, "the cached calibration is of a machine with another clock");
    return LS_OK;
}

ls_err mach_calibration_cache_load(const struct mach_cpu *cpu, struct mach_calibration *out)
{
    char path[PATH_MAX + 64];
    LS_TRY(mach_calibration_cache_path(cpu, path, sizeof(path)));
    struct reader r = {.path = path, .file = fopen(path, "re")};
    if (!r.file) return ls_fail_errno(errno, "%s: cannot read the cached calibration", path);
    struct mach_calibration c = {0};
    const ls_err e = read_text(&r, cpu, &c);
    fclose(r.file);
    LS_TRY(e);
    LS_TRY(check_clock(&c));
    mach_calibration_set_limits(&c);
    *out = c;
    return LS_OK;
}
