/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/translate/rt_tr_code_sigsafe.h"

#include "common/ls_compat.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "spool/spool_format.h"

#include <string.h>
#include <sys/mman.h>

enum {
    ROWS_MOST = 512, /* mappings with code; more are not translated */
};

struct row {
    uint64_t base, end;
    uint64_t offset, inode;
    uint64_t is_generated; /* not from a file, or writable */
};
struct table {
    uint32_t rows_len;
    struct row rows[ROWS_MOST]; /* by address */
};

static struct {
    uint32_t lock;    /* of writers; never waited for in a handler */
    uint32_t version; /* odd: now is being written */
    uint32_t changes; /* of mappings, reported by hooks */
    uint32_t unloading;
    struct table now;
    /* the snapshot under way */
    uint32_t building; /* 1: there is one */
    uint32_t changes_before;
    struct table next;
} code;

static bool try_lock(void)
{
    return !__atomic_exchange_n(&code.lock, 1, __ATOMIC_ACQUIRE);
}

static void unlock(void)
{
    __atomic_store_n(&code.lock, 0, __ATOMIC_RELEASE);
}

static void begin_write(void)
{
    __atomic_add_fetch(&code.version, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_write(void)
{
    __atomic_add_fetch(&code.version, 1, __ATOMIC_SEQ_CST);
}

/* Return the first row that ends after addr. */
static uint32_t row_after(const struct table *t, uint64_t addr)
{
    uint32_t from = 0, to = t->rows_len <= ROWS_MOST ? t->rows_len : 0;
    while (from < to) {
        const uint32_t middle = (from + to) / 2;
        if (t->rows[middle].end > addr)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static enum rt_tr_end judge(const struct table *t, uint64_t ip, uint64_t *end, bool *is_generated)
{
    const uint32_t at = row_after(t, ip);
    if (at >= t->rows_len || at >= ROWS_MOST || t->rows[at].base > ip) return RT_TR_END_CODE;
    *end = t->rows[at].end;
    *is_generated = t->rows[at].is_generated;
    return RT_TR_END_NONE;
}

enum rt_tr_end rt_tr_code_may_translate(void *unused, uint64_t ip, uint64_t *end, bool *is_generated)
{
    (void)unused;
    const uint32_t before = __atomic_load_n(&code.version, __ATOMIC_ACQUIRE);
    const enum rt_tr_end verdict = judge(&code.now, ip, end, is_generated);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint32_t after = __atomic_load_n(&code.version, __ATOMIC_RELAXED);
    return before != after || before & 1 ? RT_TR_END_CODE : verdict;
}

/* --- a snapshot --- */

struct cursor {
    const char *at, *end;
};

static uint64_t take_number(struct cursor *c, unsigned base)
{
    uint64_t value = 0;
    for (; c->at < c->end; c->at++) {
        const char letter = *c->at;
        unsigned digit = base;
        if (letter >= '0' && letter <= '9') digit = (unsigned)(letter - '0');
        if (letter >= 'a' && letter <= 'f') digit = (unsigned)(letter - 'a') + 10;
        if (digit >= base) break;
        value = value * base + digit;
    }
    return value;
}

static void skip_past(struct cursor *c, char letter)
{
    while (c->at < c->end && *c->at != letter)
        c->at++;
    if (c->at < c->end) c->at++;
}

/* Files that can be mapped a second time to be written, or that generated code is put in, count as memory
 * without a file; modules for character sets come and go without dlclose. */
static bool is_lasting(const char *path, size_t len)
{
    static const char deleted[] = " (deleted)";
    const size_t tail = sizeof deleted - 1;
    if (len == 0 || path[0] != '/' || memmem(path, len, "/gconv/", 7)) return false;
    if (len > 5 && memcmp(path, "/dev/", 5) == 0) return false;
    return len < tail || memcmp(path + len - tail, deleted, tail) != 0;
}

/* base-end perms offset device inode path (proc(5)) */
static void take_line(const char *line, const char *line_end)
{
    static const char vdso[] = "[vdso]";
    struct cursor c = {line, line_end};
    struct row r = {0};
    r.base = take_number(&c, 16);
    skip_past(&c, '-');
    r.end = take_number(&c, 16);
    skip_past(&c, ' ');
    if (c.end - c.at < 5 || c.at[0] != 'r' || c.at[2] != 'x') return;
    r.is_generated = memcmp(c.at, "r-xp", 4) != 0;
    skip_past(&c, ' ');
    r.offset = take_number(&c, 16);
    skip_past(&c, ' ');
    skip_past(&c, ' ');
    r.inode = take_number(&c, 10);
    while (c.at < c.end && *c.at == ' ')
        c.at++;
    const size_t len = (size_t)(c.end - c.at);
    const bool is_vdso = len == sizeof vdso - 1 && memcmp(c.at, vdso, len) == 0;
    r.is_generated |= !is_vdso && (r.inode == 0 || !is_lasting(c.at, len));
    if (r.base < rt_state.text_end && rt_state.text_base < r.end) {
        r.base = (uint64_t)(uintptr_t)__start_rt_quick_hooks;
        r.end = (uint64_t)(uintptr_t)__stop_rt_quick_hooks;
        if (r.base == r.end) return;
    }
    if (code.next.rows_len < ROWS_MOST) code.next.rows[code.next.rows_len++] = r;
}

static bool is_in(const struct table *t, const struct row *r)
{
    const uint32_t at = row_after(t, r->base);
    return at < t->rows_len && memcmp(&t->rows[at], r, sizeof *r) == 0;
}

/* Code that went without a hook: by the loader itself. */
static void invalidate_gone(const struct table *before)
{
    for (uint32_t i = 0; i < before->rows_len; i++)
        if (!before->rows[i].is_generated && !is_in(&code.now, &before->rows[i]))
            rt_tr_invalidate(before->rows[i].base, before->rows[i].end - before->rows[i].base);
}

static bool publish(void)
{
    if (!try_lock()) return false;
    const bool is_true = code.changes_before == __atomic_load_n(&code.changes, __ATOMIC_ACQUIRE);
    bool differs = false;
    if (is_true) {
        differs = memcmp(&code.now.rows_len, &code.next.rows_len, sizeof code.now.rows_len) != 0 ||
                  memcmp(code.now.rows, code.next.rows, code.next.rows_len * sizeof(struct row)) != 0;
        const struct table *before = &code.next; /* after the exchange */
        if (differs) {
            begin_write();
            const uint32_t most =
                code.now.rows_len > code.next.rows_len ? code.now.rows_len : code.next.rows_len;
            for (uint32_t i = 0; i < most; i++) {
                const struct row r = code.now.rows[i];
                code.now.rows[i] = code.next.rows[i];
                code.next.rows[i] = r;
            }
            const uint32_t len = code.now.rows_len;
            code.now.rows_len = code.next.rows_len;
            code.next.rows_len = len;
            end_write();
            invalidate_gone(before);
        }
    }
    unlock();
    return is_true;
}

bool rt_tr_code_take_maps(const char *text, uint32_t len_bytes, unsigned flags)
{
    if (flags & SPOOL_MAPS_FIRST) {
        code.next.rows_len = 0;
        code.changes_before = __atomic_load_n(&code.changes, __ATOMIC_ACQUIRE);
        __atomic_store_n(&code.building, 1, __ATOMIC_SEQ_CST);
    }
    const char *const end = text + len_bytes;
    for (const char *line = text; line < end;) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line));
        if (!next) break;
        take_line(line, next);
        line = next + 1;
    }
    if (!(flags & SPOOL_MAPS_LAST)) return true;
    const bool is_true = publish();
    __atomic_store_n(&code.building, 0, __ATOMIC_SEQ_CST);
    return is_true;
}

/* --- changes --- */

static bool overlaps(const struct row *r, uint64_t base, uint64_t end)
{
    return r->base < end && r->end > base;
}

static bool intersects(uint64_t base, uint64_t end)
{
    const uint32_t at = row_after(&code.now, base);
    return at < code.now.rows_len && code.now.rows[at].base < end;
}

static bool holds_files(uint64_t base, uint64_t end)
{
    const struct table *t = &code.now;
    for (uint32_t i = row_after(t, base); i < t->rows_len && t->rows[i].base < end; i++)
        if (!t->rows[i].is_generated) return true;
    return false;
}

static void insert(struct table *t, uint32_t at, struct row r)
{
    if (t->rows_len == ROWS_MOST) return;
    memmove(&t->rows[at + 1], &t->rows[at], (t->rows_len - at) * sizeof(struct row));
    t->rows[at] = r;
    t->rows_len++;
}

/* Files go whole: what else of them changed is not known. */
static void remove_rows(struct table *t, uint64_t base, uint64_t end)
{
    struct row rest = {0};
    uint32_t len = 0;
    for (uint32_t i = 0; i < t->rows_len; i++) {
        struct row r = t->rows[i];
        if (overlaps(&r, base, end)) {
            if (!r.is_generated || (r.base >= base && r.end <= end)) continue;
            if (r.base < base && r.end > end) {
                rest = r;
                rest.base = end;
            }
            if (r.base < base)
                r.end = base;
            else
                r.base = end;
        }
        t->rows[len++] = r;
    }
    t->rows_len = len;
    if (rest.end) insert(t, row_after(t, rest.base), rest);
}

static void add_generated(struct table *t, uint64_t base, uint64_t end)
{
    const uint32_t at = row_after(t, base);
    struct row *before = at ? &t->rows[at - 1] : NULL;
    if (before && before->is_generated && before->end == base)
        before->end = end;
    else
        insert(t, at, (struct row){.base = base, .end = end, .is_generated = 1});
}

void rt_tr_code_changed(uint64_t base, uint64_t end, int protection)
{
    enum { CODE = PROT_READ | PROT_EXEC };
    if (!rt_is_own_process()) { /* a fork child that the runtime did not take over yet: nobody else is here */
        code.now.rows_len = 0;
        return;
    }
    const bool adds = (protection & CODE) == CODE;
    /* a snapshot under way may have seen the old mapping; one that begins later sees the new one */
    if (!adds && !__atomic_load_n(&code.building, __ATOMIC_SEQ_CST) && !intersects(base, end)) return;
    while (!try_lock())
        ls_syscall(SYS_sched_yield);
    __atomic_add_fetch(&code.changes, 1, __ATOMIC_RELEASE);
    const bool held_files = holds_files(base, end);
    if (adds || intersects(base, end)) {
        begin_write();
        remove_rows(&code.now, base, end);
        if (adds) add_generated(&code.now, base, end);
        end_write();
    }
    unlock();
    if (!held_files) return;
    rt_tr_invalidate(base, end - base);
    rt_maps_mark_dirty(); /* their mappings hold more code, which is still there */
}

void rt_tr_code_unloading(bool begins)
{
    if (begins)
        __atomic_add_fetch(&code.unloading, 1, __ATOMIC_SEQ_CST);
    else
        __atomic_sub_fetch(&code.unloading, 1, __ATOMIC_SEQ_CST);
}

bool rt_tr_code_is_unloading(void)
{
    return __atomic_load_n(&code.unloading, __ATOMIC_SEQ_CST) != 0;
}

void rt_tr_code_after_fork_child(void)
{
    code.lock = code.building = code.unloading = 0;
    code.changes++;
    if (!(code.version & 1)) return;
    code.version++;
    code.now.rows_len = 0;
}
