/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_put_sigsafe.h"

struct spool_text spool_text_of(const char *text, uint32_t max_bytes)
{
    uint32_t len = 0;
    while (text && len < max_bytes && text[len] != '\0')
        len++;
    return (struct spool_text){text, len};
}

/* Copy without memcpy, which the program may replace: a thread sanitizer's version sees our chunks at one
 * address one after the other without the mappings in between, and reports false races. */
static inline void spool_copy(uint8_t *to, const uint8_t *from, size_t len)
{
    for (; len >= sizeof(uint64_t); to += 8, from += 8, len -= 8) {
        __builtin_memcpy(to, from, sizeof(uint64_t));
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* so that the compiler makes no memcpy of the loop */
    }
    for (; len > 0; len--) {
        *to++ = *from++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
}

bool spool_put(struct spool_writer *w, struct spool_rec_header what, const void *fixed,
               const struct spool_text *texts, size_t texts_len)
{
    size_t len = what.len_bytes;
    for (size_t i = 0; i < texts_len; i++)
        len += texts[i].len_bytes;
    uint8_t *rec = spool_writer_reserve(w, what.type, what.flags, len);
    if (!rec) return false;
    const size_t head = sizeof(struct spool_rec_header); /* stays zero until the commit */
    spool_copy(rec + head, (const uint8_t *)fixed + head, what.len_bytes - head);
    uint8_t *at = rec + what.len_bytes;
    for (size_t i = 0; i < texts_len; at += texts[i].len_bytes, i++) {
        const bool is_long = texts[i].len_bytes >= SPOOL_WRITE_LEAST_BYTES;
        if (is_long && spool_writer_write(w, at, texts[i].data, texts[i].len_bytes)) continue;
        spool_copy(at, texts[i].data, texts[i].len_bytes);
    }
    spool_writer_commit(w, rec);
    return true;
}

bool spool_put_process(struct spool_writer *w, struct spool_process p,
                       const struct spool_process_texts *texts)
{
    struct spool_text cmdline = texts->cmdline;
    if (cmdline.len_bytes > SPOOL_TEXT_MAX_BYTES) cmdline.len_bytes = SPOOL_TEXT_MAX_BYTES;
    const struct spool_text all[] = {
        spool_text_of(texts->engine, SPOOL_TEXT_MAX_BYTES),
        spool_text_of(texts->trigger, SPOOL_TEXT_MAX_BYTES),
        spool_text_of(texts->why, SPOOL_TEXT_MAX_BYTES),
        spool_text_of(texts->exe, SPOOL_TEXT_MAX_BYTES),
        cmdline,
        spool_text_of(texts->cwd, SPOOL_TEXT_MAX_BYTES),
    };
    uint16_t *const lens[] = {&p.engine_len, &p.trigger_len, &p.why_len,
                              &p.exe_len,    &p.cmdline_len, &p.cwd_len};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        *lens[i] = (uint16_t)all[i].len_bytes;
    return spool_put(w, SPOOL_WHAT(PROCESS, 0, p), &p, all, sizeof(all) / sizeof(all[0]));
}
