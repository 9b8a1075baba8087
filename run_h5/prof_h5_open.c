/* SPDX-License-Identifier: BSD-3-Clause */

#define H5_USE_110_API /* addresses of objects */
#include "common/ls_env.h"
#include "common/ls_file.h"
#include "common/ls_quantity.h"
#include "common/ls_text.h"
#include "run_h5/prof_h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Commands take up to 120 bytes of memory for each sample of a recording, which takes 7 to 10 in the file: up to 17
 * bytes per byte. HDF5 does not survive every lack of memory, so values leave some memory for it. With the
 * program itself this is less than 1 GiB for files of up to 50 MB. */
#define PROF_VALUES_ALWAYS (UINT64_C(640) << 20)
#define PROF_MEMORY_ALWAYS (UINT64_C(896) << 20)
#define PROF_VALUES_MAX (UINT64_C(1) << 50) /* so large that no sum of these overflows */
enum { PROF_VALUES_PER_BYTE = 14, PROF_MEMORY_PER_BYTE = 18 };

/* Totals of all open files. */
static struct {
    unsigned files;
    uint64_t granted_bytes, base_bytes;
    struct rlimit before;
} prof_memory;

static uint64_t prof_data_bytes(void)
{
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm && fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages) != 1) pages = 0;
    if (statm) fclose(statm);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The file decides how much HDF5 allocates: chunks are unpacked to any length they state. So the kernel
 * enforces the limit (RLIMIT_DATA counts private writable memory since Linux 4.7). */
static void prof_memory_limit(void)
{
    struct rlimit limit = prof_memory.before;
    const uint64_t most = prof_memory.base_bytes + prof_memory.granted_bytes;
    if (prof_memory.files && most < limit.rlim_cur) limit.rlim_cur = most;
    setrlimit(RLIMIT_DATA, &limit);
}

static void prof_memory_grant(uint64_t bytes)
{
    if (prof_memory.files++ == 0) {
        prof_memory.base_bytes = prof_data_bytes();
        prof_memory.granted_bytes = 0;
        if (getrlimit(RLIMIT_DATA, &prof_memory.before) != 0)
            prof_memory.before = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    }
    prof_memory.granted_bytes += bytes;
    prof_memory_limit();
}

static void prof_memory_return(uint64_t bytes)
{
    prof_memory.files--;
    prof_memory.granted_bytes -= bytes;
    prof_memory_limit();
}

static uint64_t prof_at_least(uint64_t bytes, uint64_t least)
{
    return bytes > least ? bytes : least;
}

static void prof_choose_memory(struct prof_h5_input *in)
{
    const uint64_t len = in->len_bytes < PROF_VALUES_MAX ? in->len_bytes : PROF_VALUES_MAX;
    const char *asked = getenv(ls_env_rows[LS_ENV_MEMORY].variable);
    uint64_t bytes;
    in->values_bytes = prof_at_least(PROF_VALUES_PER_BYTE * len, PROF_VALUES_ALWAYS);
    in->memory_bytes = prof_at_least(PROF_MEMORY_PER_BYTE * len, PROF_MEMORY_ALWAYS);
    if (!asked || ls_parse_bytes(asked, &bytes) != LS_OK || bytes > PROF_VALUES_MAX) return;
    in->values_bytes = bytes;
    in->memory_bytes = prof_at_least(bytes / PROF_VALUES_PER_BYTE * PROF_MEMORY_PER_BYTE, PROF_MEMORY_ALWAYS);
}

/* Files without a seal (made or changed by other tools) are left to HDF5's checks. */
static ls_err prof_check_seal(const char *path, int fd, uint64_t len_bytes)
{
    struct prof_seal found, want;
    if (pread(fd, &found, sizeof(found), 0) != (ssize_t)sizeof(found) || found.magic != PROF_SEAL_MAGIC)
        return LS_OK;
    if (len_bytes < found.file_len_bytes)
        return ls_fail(
            LS_ERR_TRUNCATED,
            "%s: %llu of %llu bytes are there: the file was cut off; copy it again, or resolve its "
            "spool again",
            path, (unsigned long long)len_bytes, (unsigned long long)found.file_len_bytes);
    LS_TRY(prof_seal_compute(fd, path, &want));
    if (found.hash != want.hash || found.file_len_bytes != want.file_len_bytes)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: damaged: its bytes differ from the written ones (checksum %016llx, expected "
                       "%016llx); copy it again, or resolve its spool again",
                       path, (unsigned long long)want.hash, (unsigned long long)found.hash);
    return LS_OK;
}

static ls_err prof_check_file(const char *path, uint64_t *out_len_bytes)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK |
                                  O_CLOEXEC); /* so that opening a FIFO does not wait for its writer */
    if (fd < 0) return ls_fail_errno(errno, "cannot open %s", path);
    ls_err e = fstat(fd, &st) == 0 ? LS_OK : ls_fail_errno(errno, "cannot read %s", path);
    if (e == LS_OK && !S_ISREG(st.st_mode)) e = ls_fail(LS_ERR_FORMAT, "%s: not a regular file", path);
    if (e == LS_OK) e = prof_check_seal(path, fd, *out_len_bytes = (uint64_t)st.st_size);
    close(fd);
    return e;
}

struct prof_visit {
    struct prof_h5_bytes bytes;
    const char *problem;
};

static herr_t prof_check_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct prof_visit *v = user;
    (void)group;
    (void)name;
    if (info->type == H5L_TYPE_HARD)
        v->problem = prof_h5_object_problem(&v->bytes, info->u.address);
    else if (info->type != H5L_TYPE_SOFT)
        v->problem =
            "has links to other files, which are not opened"; /* HDF5 follows them when the object is */
    return v->problem != NULL;
}

/* The bytes that HDF5 reads, and the address of the root group. */
static const char *prof_get_bytes(hid_t file, uint64_t len_bytes, struct prof_h5_bytes *out, uint64_t *root)
{
    enum { ADDRESS_BYTES = 8 };
    const hid_t properties = H5Fget_create_plist(file);
    hsize_t base = 0;
    size_t address_bytes = 0, length_bytes = 0;
    void *handle = NULL;
    H5O_info_t info;
    const bool is_known = H5Pget_userblock(properties, &base) >= 0 &&
                          H5Pget_sizes(properties, &address_bytes, &length_bytes) >= 0 &&
                          H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle &&
                          H5Oget_info2(file, &info, H5O_INFO_BASIC) >= 0;
    H5Pclose(properties);
    if (!is_known || base > len_bytes) return "is damaged";
    if (address_bytes != ADDRESS_BYTES || length_bytes != ADDRESS_BYTES)
        return "has addresses that are not of 8 bytes";
    *out = (struct prof_h5_bytes){*(const int *)handle, base, len_bytes};
    *root = info.addr;
    return NULL;
}

/* Refuse links to other files, and attributes that libhdf5 would read beyond their end. */
static ls_err prof_check_objects(const char *path, hid_t file, uint64_t len_bytes)
{
    struct prof_visit v = {.problem = NULL};
    uint64_t root;
    v.problem = prof_get_bytes(file, len_bytes, &v.bytes, &root);
    if (!v.problem) v.problem = prof_h5_object_problem(&v.bytes, root);
    const bool is_listed =
        v.problem || H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, prof_check_link, &v) >= 0;
    if (!is_listed) v.problem = "has groups that cannot be listed: the file is damaged";
    if (v.problem == prof_h5_no_memory) return ls_nomem("the objects of %s", path);
    return v.problem ? ls_fail(LS_ERR_FORMAT, "%s: %s", path, v.problem) : LS_OK;
}

static ls_err prof_fail_foreign(const char *path, const char *writer)
{
    char begin[64];
    const size_t len = ls_file_read(path, begin, sizeof(begin));
    if (ls_is_lfs_pointer(begin, len)) return ls_fail(LS_ERR_FORMAT, LS_LFS_POINTER, path);
    return ls_fail(LS_ERR_FORMAT, "%s: not an HDF5 file: %s writes them", path, writer);
}

ls_err prof_h5_open(const char *path, const char *writer, struct prof_h5_input *out)
{
    *out = (struct prof_h5_input){.id = H5I_INVALID_HID};
    H5dont_atexit();
    H5PLset_loading_state(0);              /* no filters from plugins, because the file would choose them */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5's error stack does not help users */
    LS_TRY(prof_check_file(path, &out->len_bytes));
    if (H5Fis_hdf5(path) <= 0) return prof_fail_foreign(path, writer);
    prof_choose_memory(out);
    prof_memory_grant(out->memory_bytes);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_sec2(access);
    H5Pset_cache(access, 0, 0, 0, 0); /* no chunk is cached: their length in the index may be too short */
    out->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    const ls_err e =
        out->id >= 0 ? prof_check_objects(path, out->id, out->len_bytes)
                     : ls_fail(LS_ERR_TRUNCATED,
                               "%s: HDF5 cannot open it: damaged, truncated or still being written", path);
    if (e == LS_OK) return LS_OK;
    if (out->id < 0) prof_memory_return(out->memory_bytes);
    prof_h5_close(out);
    return e;
}

void prof_h5_close(struct prof_h5_input *in)
{
    if (in->id < 0) return;
    H5Fclose(in->id);
    in->id = H5I_INVALID_HID;
    prof_memory_return(in->memory_bytes);
}
