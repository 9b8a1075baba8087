/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow, in memory of our own: the program's allocator is not for us.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef RT_GROWN_H
#define RT_GROWN_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { RT_GROWN_FIRST_BYTES = 4096 };

#define RT_GROWN(type)   \
    struct {             \
        type *rows;      \
        size_t len, cap; \
    }

/* Zeroed pages; NULL without memory. */
static inline void *rt_grown_map(size_t len_bytes)
{
    const long at =
        ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 && at > -RT_GROWN_FIRST_BYTES ? NULL : (void *)at;
}

/* Twice as much room, or len; NULL without memory, and nothing has changed then. */
static inline void *rt_grown_more(void *rows, size_t *cap, size_t len, size_t row_bytes)
{
    size_t want = *cap ? 2 * *cap : RT_GROWN_FIRST_BYTES / row_bytes;
    if (want < len) want = len;
    const long at = rows ? ls_syscall(SYS_mremap, rows, *cap * row_bytes, want * row_bytes, MREMAP_MAYMOVE)
                         : (long)(uintptr_t)rt_grown_map(want * row_bytes);
    if (at == 0 || (at < 0 && at > -RT_GROWN_FIRST_BYTES)) return NULL;
    *cap = want;
    return (void *)at;
}

/* At least len_rows rows, new ones zero; false without memory. */
#define rt_grown_room(grown, len_rows)                                                            \
    __extension__({                                                                               \
        __typeof__(grown) grown_ = (grown);                                                       \
        const size_t len_ = (len_rows);                                                           \
        bool ok_ = true;                                                                          \
        if (len_ > grown_->cap) {                                                                 \
            void *more_ = rt_grown_more(grown_->rows, &grown_->cap, len_, sizeof(*grown_->rows)); \
            ok_ = more_ != NULL;                                                                  \
            if (ok_) grown_->rows = more_;                                                        \
        }                                                                                         \
        if (ok_ && len_ > grown_->len) grown_->len = len_;                                        \
        ok_;                                                                                      \
    })

/* Append; false without memory. */
#define rt_grown_add(grown, row)                                      \
    __extension__({                                                   \
        const bool added_ = rt_grown_room((grown), (grown)->len + 1); \
        if (added_) (grown)->rows[(grown)->len - 1] = (row);          \
        added_;                                                       \
    })

#endif
