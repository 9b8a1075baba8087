/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_source.h"

#include "common/ls_owner.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ls_err spool_source_of_file(const char *path, struct spool_source *out)
{
    struct stat st;
    const int fd = ls_open_regular(path);
    if (fd < 0) return ls_fail_errno(errno, "cannot read spool file %s", path);
    *out = (struct spool_source){.path = path, .author = ls_owner_of(fd)};
    if (fstat(fd, &st) == 0) out->len_bytes = (uint64_t)st.st_size;
    close(fd);
    return LS_OK;
}

ls_err spool_source_open(const struct spool_source *s, int *out_fd)
{
    const int fd = ls_open_regular(s->path);
    if (fd < 0) return ls_fail_errno(errno, "cannot open spool file %s", s->path);
    if (ls_owner_of(fd) != s->author) {
        close(fd);
        return ls_fail(LS_ERR_IO, "%s: replaced by another user's file", s->path);
    }
    *out_fd = fd;
    return LS_OK;
}

static ls_err spool_source_read_file(const struct spool_source *s, uint64_t at_bytes, void *out,
                                     size_t len_bytes, size_t *out_len_bytes)
{
    /* opened for each read, because a program of ten thousand threads leaves as many streams */
    int fd;
    LS_TRY(spool_source_open(s, &fd));
    size_t have = 0;
    while (have < len_bytes) {
        const ssize_t got = pread(fd, (char *)out + have, len_bytes - have, (off_t)(at_bytes + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int saved = errno;
            close(fd);
            return ls_fail_errno(saved, "cannot read spool file %s", s->path);
        }
        if (got == 0) break;
        have += (size_t)got;
    }
    close(fd);
    *out_len_bytes = have;
    return LS_OK;
}

ls_err spool_source_read(const struct spool_source *s, uint64_t at_bytes, void *out, size_t len_bytes,
                         size_t *out_len_bytes)
{
    const uint64_t left = at_bytes < s->len_bytes ? s->len_bytes - at_bytes : 0;
    const size_t len = left < len_bytes ? (size_t)left : len_bytes;
    if (!s->bytes) return spool_source_read_file(s, at_bytes, out, len, out_len_bytes);
    if (len > 0) memcpy(out, s->bytes + at_bytes, len);
    *out_len_bytes = len;
    return LS_OK;
}

ls_err spool_source_header(const struct spool_source *s, uint32_t chunk_len_bytes,
                           struct spool_file_header *out)
{
    struct spool_file_header h;
    size_t have;
    LS_TRY(spool_source_read(s, 0, &h, sizeof(h), &have));
    if (have < sizeof(h))
        return ls_fail(LS_ERR_TRUNCATED, "%s: %llu bytes are too few for the header of a spool file", s->path,
                       (unsigned long long)have);
    if (h.magic != SPOOL_MAGIC)
        return ls_fail(LS_ERR_FORMAT, "%s: byte 0: not a Loadstone spool file", s->path);
    if (h.version != SPOOL_VERSION)
        return ls_fail(LS_ERR_VERSION,
                       "%s: byte 8: spool version %u, this program reads version %u: resolve it with the "
                       "Loadstone that recorded it",
                       s->path, h.version, SPOOL_VERSION);
    if (h.features != 0)
        return ls_fail(LS_ERR_VERSION,
                       "%s: byte 56: spool features 0x%llx are not known here: use a newer Loadstone",
                       s->path, (unsigned long long)h.features);
    if (h.header_len_bytes != sizeof(h) || h.chunk_len_bytes != chunk_len_bytes)
        return ls_fail(LS_ERR_FORMAT, "%s: byte 10: header of %u and chunks of %u bytes, expected %zu and %u",
                       s->path, h.header_len_bytes, h.chunk_len_bytes, sizeof(h), chunk_len_bytes);
    *out = h;
    return LS_OK;
}
