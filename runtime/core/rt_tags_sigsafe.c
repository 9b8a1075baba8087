/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_tags_sigsafe.h"

#include <sys/mman.h>

enum {
    PATHS_BITS = 16,
    PROBES = 32,            /* memory of regions and paths */
    NEAR_PROBES = 8,        /* of near_paths */
    LINES_MOST = 4,         /* of signatures */
    CHECKS_FIRST = 4,       /* unwindings that check a new signature */
    CHECK_COMPARISONS = 16, /* comparisons of the stack that are worth one of them */
    FRAME_BITS = 48,        /* in a kept return address; its place is in the bits above */
    CHILDREN_MOST = 512,    /* more: the word is no return address */
    CLEAR_PAGE_BYTES = 4096,
};
#define SITES_ALL ((size_t)RT_TAG_OTHERS + 1)

struct rt_tags rt_tags;

/* Huge pages would cost memory, a core file of them time. */
static void *tags_map(size_t len_bytes)
{
    const long at = ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0 && at > -4096) return NULL;
    ls_syscall(SYS_madvise, at, len_bytes, MADV_NOHUGEPAGE);
    ls_syscall(SYS_madvise, at, len_bytes, MADV_DONTDUMP);
    return (void *)at;
}

static void tags_unmap(void *at, size_t len_bytes)
{
    if (at) ls_syscall(SYS_munmap, at, len_bytes);
}

int rt_tags_init(void)
{
    const size_t regions_bytes = RT_TAG_REGIONS * sizeof(struct rt_tag_region),
                 paths_bytes = sizeof(uint64_t) << PATHS_BITS,
                 kept_bytes = SITES_ALL * RT_TAG_FRAMES * sizeof(uint64_t),
                 children_bytes = SITES_ALL * sizeof(uint16_t), rows_bytes = RT_TAG_ROWS * sizeof(uint64_t);
    uint8_t *at = tags_map(regions_bytes + paths_bytes + kept_bytes + children_bytes);
    uint64_t *rows = tags_map(rows_bytes); /* aligned to cache lines */
    if (!at || !rows) {
        tags_unmap(at, regions_bytes + paths_bytes + kept_bytes + children_bytes);
        tags_unmap(rows, rows_bytes);
        return ENOMEM;
    }
    rt_tags.regions = (struct rt_tag_region *)(void *)at;
    rt_tags.paths = (uint64_t *)(void *)(at += regions_bytes);
    rt_tags.kept = (uint64_t *)(void *)(at += paths_bytes);
    rt_tags.children = (uint16_t *)(void *)(at + kept_bytes);
    rt_tags.rows = rows;
    __atomic_store_n(&rt_tags.is_on, 1, __ATOMIC_RELEASE);
    return 0;
}

void rt_tags_pause(void)
{
    __atomic_store_n(&rt_tags.is_on, 0, __ATOMIC_RELEASE);
}

static void zero(void *at, size_t len_bytes)
{
    ls_syscall(SYS_madvise, at, len_bytes, MADV_DONTNEED);
}

bool rt_tags_resume(void)
{
    if (!rt_tags.rows) return false;
    const size_t paths_bytes = sizeof(uint64_t) << PATHS_BITS,
                 kept_bytes = SITES_ALL * RT_TAG_FRAMES * sizeof(uint64_t),
                 children_bytes = SITES_ALL * sizeof(uint16_t);
    for (size_t i = 0; i < RT_TAG_REGIONS; i++)
        if (rt_tags.regions[i].tags) zero(rt_tags.regions[i].tags, RT_TAG_REGION_BYTES);
    /* they come after the regions and do not begin a page */
    memset(rt_tags.paths, 0, paths_bytes);
    memset(rt_tags.kept, 0, kept_bytes + children_bytes);
    zero(rt_tags.rows, RT_TAG_ROWS * sizeof(uint64_t));
    memset(rt_tags.near_rows, 0, sizeof rt_tags.near_rows);
    memset(rt_tags.near_paths, 0, sizeof rt_tags.near_paths);
    rt_tags.sites = rt_tags.is_flat = rt_tags.held = rt_tags.unwound = 0;
    rt_tags.regions_refused = rt_tags.others = rt_tags.checked = rt_tags.wrong = 0;
    __atomic_store_n(&rt_tags.is_on, 1, __ATOMIC_RELEASE);
    return true;
}

/* --- regions --- */

static struct rt_tag_region *region_next(struct rt_tag_region *r)
{
    return r + 1 < rt_tags.regions + RT_TAG_REGIONS ? r + 1 : rt_tags.regions;
}

/* Every region that is mapped is found, whatever row it is in. */
static uint16_t *region_find(uint64_t number)
{
    struct rt_tag_region *r = &rt_tags.regions[number & (RT_TAG_REGIONS - 1)];
    for (int i = 0; i < PROBES; i++, r = region_next(r)) {
        const uint64_t there = __atomic_load_n(&r->claimed, __ATOMIC_RELAXED);
        if (there == number + 1) return __atomic_load_n(&r->tags, __ATOMIC_ACQUIRE);
        if (there == 0) return NULL;
    }
    return NULL;
}

static struct rt_tag_region *region_claim(uint64_t number)
{
    struct rt_tag_region *r = &rt_tags.regions[number & (RT_TAG_REGIONS - 1)];
    for (int i = 0; i < PROBES; i++, r = region_next(r)) {
        uint64_t there = 0;
        if (__atomic_compare_exchange_n(&r->claimed, &there, number + 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == number + 1)
            return r;
    }
    return NULL;
}

static uint16_t *region_make(uint64_t number)
{
    struct rt_tag_region *r = region_claim(number);
    uint16_t *made = r ? tags_map(RT_TAG_REGION_BYTES) : NULL, *there = NULL;
    if (!made) {
        __atomic_fetch_add(&rt_tags.regions_refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&r->tags, &there, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        tags_unmap(made, RT_TAG_REGION_BYTES); /* another thread was faster */
        made = there;
    }
    __atomic_store_n(&r->key, number + 1, __ATOMIC_RELEASE);
    return made;
}

/* --- blocks --- */

/* Tag the granules of a block that are in one region; a region without tags needs none where the site is unknown. */
static void put_part(uint64_t granule, size_t len, uint32_t site, bool is_first)
{
    const uint64_t number = granule >> (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS);
    uint16_t *tags = region_find(number);
    if (!tags && site) tags = region_make(number);
    if (!tags) return;
    const size_t first = granule & (RT_TAG_REGION_TAGS - 1);
    rt_tag_put(tags, first, len, site);
    if (is_first) return;
    tags[first] = (uint16_t)site; /* that of the region, and so of its first span */
    if (site && tags[RT_TAG_REGION_TAGS]) tags[RT_TAG_REGION_TAGS] = (uint16_t)site;
}

void rt_tag_put_slowly(uint64_t base, size_t len_bytes, uint32_t site)
{
    if (len_bytes > RT_TAG_FILL_BYTES) len_bytes = 1;
    uint64_t granule = base >> RT_TAG_GRANULE_BITS;
    const uint64_t end = (base + len_bytes + (len_bytes == 0) + 15) >> RT_TAG_GRANULE_BITS;
    for (bool is_first = true; granule < end; is_first = false) {
        uint64_t part_end = (granule | (RT_TAG_REGION_TAGS - 1)) + 1;
        if (part_end > end) part_end = end;
        put_part(granule, part_end - granule, site, is_first);
        granule = part_end;
    }
}

static const uint16_t *tags_of(uint64_t granule)
{
    return region_find(granule >> (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS));
}

/* Return the tag of granule i of a region. *is_span: all granules of its span have it, and the first one is the first of the
 * block if the tag says so. */
static uint32_t tag_at(const uint16_t *tags, size_t i, bool *is_span)
{
    const uint32_t span =
        __atomic_load_n(&tags[RT_TAG_REGION_TAGS + i / RT_TAG_SPAN_GRANULES], __ATOMIC_RELAXED);
    *is_span = span != 0;
    return span ? span : __atomic_load_n(&tags[i], __ATOMIC_RELAXED);
}

void rt_tag_prefetch(uint64_t addr)
{
    const uint64_t granule = addr >> RT_TAG_GRANULE_BITS;
    const uint16_t *tags = rt_tags.is_on ? tags_of(granule) : NULL;
    if (!tags) return;
    const size_t i = granule & (RT_TAG_REGION_TAGS - 1);
    __builtin_prefetch(&tags[RT_TAG_REGION_TAGS + i / RT_TAG_SPAN_GRANULES]);
    __builtin_prefetch(&tags[i]);
}

/* Return the distance in granules from one of a block of site to the block's first one. A granule of another site before
 * it: this is the rest of an older block. */
static uint16_t back_to_first(uint64_t granule, uint32_t site)
{
    const uint64_t from = granule, least = from > RT_TAG_SEARCH_GRANULES ? from - RT_TAG_SEARCH_GRANULES : 1;
    const uint16_t *tags = NULL;
    while (granule >= least) {
        const size_t i = granule & (RT_TAG_REGION_TAGS - 1);
        if (!tags) tags = tags_of(granule);
        if (!tags) break;
        bool is_span;
        const uint32_t tag = tag_at(tags, i, &is_span);
        if ((tag & ~(uint32_t)RT_TAG_FIRST) != site) break;
        const uint64_t begin = is_span ? granule - i % RT_TAG_SPAN_GRANULES : granule;
        if (tag & RT_TAG_FIRST) return begin >= least ? (uint16_t)(from - begin) : RT_TAG_BACK_UNKNOWN;
        if ((begin & (RT_TAG_REGION_TAGS - 1)) == 0) tags = NULL;
        granule = begin - 1;
    }
    return RT_TAG_BACK_UNKNOWN;
}

uint16_t rt_tag_find(uint64_t addr, uint16_t *out_back)
{
    *out_back = 0;
    if (!rt_tags.is_on) return 0;
    const uint64_t granule = addr >> RT_TAG_GRANULE_BITS;
    const uint16_t *tags = tags_of(granule);
    bool is_span;
    const uint32_t tag = tags ? tag_at(tags, granule & (RT_TAG_REGION_TAGS - 1), &is_span) : 0;
    const uint32_t site = tag & ~(uint32_t)RT_TAG_FIRST;
    if (!site) return 0;
    *out_back = back_to_first(granule, site);
    return (uint16_t)site;
}

static void clear_tags(uint16_t *tags, size_t len)
{
    const uintptr_t begin = (uintptr_t)tags, end = begin + len * sizeof(*tags);
    const uintptr_t page = (begin + CLEAR_PAGE_BYTES - 1) & -(uintptr_t)CLEAR_PAGE_BYTES,
                    page_end = end & -(uintptr_t)CLEAR_PAGE_BYTES;
    if (page >= page_end || ls_syscall(SYS_madvise, page, page_end - page, MADV_DONTNEED) != 0) {
        memset(tags, 0, len * sizeof(*tags));
        return;
    }
    memset(tags, 0, page - begin);
    memset((void *)page_end, 0, end - page_end);
}

/* Mappings begin and end at pages. */
static void clear_region(uint16_t *tags, size_t first, size_t len)
{
    const size_t span = first / RT_TAG_SPAN_GRANULES,
                 span_end = (first + len + RT_TAG_SPAN_GRANULES - 1) / RT_TAG_SPAN_GRANULES;
    clear_tags(tags + first, len);
    clear_tags(tags + RT_TAG_REGION_TAGS + span, span_end - span);
}

void rt_tags_clear(uint64_t base, uint64_t len_bytes)
{
    uint64_t granule = base >> RT_TAG_GRANULE_BITS;
    const uint64_t end = (base + len_bytes) >> RT_TAG_GRANULE_BITS;
    if (!rt_tags.is_on || base + len_bytes < base) return;
    while (granule < end) {
        uint64_t part_end = (granule | (RT_TAG_REGION_TAGS - 1)) + 1;
        if (part_end > end) part_end = end;
        uint16_t *tags = region_find(granule >> (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS));
        if (tags) clear_region(tags, granule & (RT_TAG_REGION_TAGS - 1), part_end - granule);
        granule = part_end;
    }
}

/* --- signatures --- */

/* The first of these rows that has the signature or is free. NULL: all are others'. */
static uint64_t *row_place_in(uint64_t *rows, int len, uint64_t signature)
{
    for (int i = 0; i < len; i++) {
        const uint64_t row = __atomic_load_n(&rows[i], __ATOMIC_RELAXED);
        if (row == 0 || rt_tag_row_has(row, signature)) return rows + i;
    }
    return NULL;
}

/* The place of the row of a signature, or of a free row for it: in near_rows, in its lines or in one that follows. NULL: all
 * are taken. */
static uint64_t *row_place(uint64_t signature)
{
    uint64_t *at = row_place_in(rt_tag_near(signature), RT_TAG_NEAR_ROWS, signature);
    if (!at) at = row_place_in(rt_tag_line(signature, false), RT_TAG_LINE_ROWS, signature);
    uint64_t *line = rt_tag_line(signature, true);
    for (int i = 0; !at && i < LINES_MOST; i++, line += RT_TAG_LINE_ROWS) {
        if (line == rt_tags.rows + RT_TAG_ROWS) line = rt_tags.rows + (1 << RT_TAG_SMALL_BITS);
        at = row_place_in(line, RT_TAG_LINE_ROWS, signature);
    }
    return at;
}

/* Add a row, unless another thread did. */
static void row_add(uint64_t signature, uint32_t site, uint32_t checks)
{
    uint64_t there = 0, *at = row_place(signature);
    const uint64_t row = (signature << (RT_TAG_LARGE_BITS - 3)) >> RT_TAG_CHECK_SHIFT << RT_TAG_CHECK_SHIFT |
                         (uint64_t)site << RT_TAG_SITE_SHIFT | checks;
    if (at) __atomic_compare_exchange_n(at, &there, row, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Signatures without the depth differ from all with one. */
static uint64_t flat_signature(const struct rt_tag_call *c)
{
    return ~c->ret * UINT64_C(0xff51afd7ed558ccd);
}

static uint32_t tag_others(void)
{
    __atomic_fetch_add(&rt_tags.others, 1, __ATOMIC_RELAXED);
    return RT_TAG_OTHERS;
}

static uint64_t kept_frame(uint32_t site, uint32_t i)
{
    return __atomic_load_n(&rt_tags.kept[(size_t)site * RT_TAG_FRAMES + i], __ATOMIC_RELAXED);
}

/* A path of the return address alone. */
static bool is_cut(uint32_t site)
{
    return kept_frame(site, 1) == 0;
}

/* Are the return addresses of the site's path on the stack, at their places? False also where that cannot be seen. */
static bool has_path(const struct rt_tag_call *c, uint32_t site)
{
    uint64_t word;
    if (is_cut(site)) return false;
    for (uint32_t i = 1; i < RT_TAG_FRAMES; i++) {
        const uint64_t kept = kept_frame(site, i), place = kept >> FRAME_BITS;
        if (kept == 0) break;
        if (place == 0 || !rt_tag_read(c, place, &word) || (word ^ kept) << (64 - FRAME_BITS) != 0)
            return false;
    }
    return true;
}

static bool is_disputed(uint64_t row)
{
    return (row & RT_TAG_CHECKS_MASK) == RT_TAG_DISPUTED;
}

/* The site of a row that answers a call. A row that is still checked must show that its path is the one of the call.
 * 0: it does not; if the call cannot be unwound now, the row is checked until one is. */
static uint32_t row_answer(uint64_t *at, uint64_t row, const struct rt_tag_call *c)
{
    const uint32_t site = rt_tag_row_site(row);
    if (!(row & RT_TAG_CHECKS_MASK)) return site;
    if (is_cut(site)) return rt_tags_hold_paths() ? site : 0;
    const uint32_t compared = __atomic_load_n(&rt_tags.compared, __ATOMIC_RELAXED) + 1;
    const bool is_here = has_path(c, site);
    uint64_t next = row;
    if (!is_here && rt_tags_hold_paths()) next |= RT_TAG_DISPUTED;
    if (is_here && !is_disputed(row) && compared % CHECK_COMPARISONS == 0) next--;
    if (is_here) __atomic_store_n(&rt_tags.compared, compared, __ATOMIC_RELAXED);
    if (next != row) __atomic_compare_exchange_n(at, &row, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return is_here ? site : 0;
}

static bool is_flat(void)
{
    return __atomic_load_n(&rt_tags.is_flat, __ATOMIC_RELAXED) != 0;
}

static bool has_row(uint64_t signature)
{
    const uint64_t *at = row_place(signature);
    return !at || __atomic_load_n(at, __ATOMIC_RELAXED) != 0;
}

/* The signature that the call's rows begin with: one with the depth, or while depths get no new rows the one without. */
static uint64_t first_signature(const struct rt_tag_call *c)
{
    const uint64_t signature = rt_tag_signature(c);
    return !is_flat() || has_row(signature) ? signature : flat_signature(c);
}

static bool are_sites_used_up(void)
{
    return __atomic_load_n(&rt_tags.sites, __ATOMIC_RELAXED) >= RT_TAG_SITES;
}

uint32_t rt_tag_known_slowly(const struct rt_tag_call *c, uint64_t signature)
{
    uint64_t word;
    if (signature == rt_tag_signature(c)) signature = first_signature(c);
    for (int i = 0; i < RT_TAG_REFINED_MOST; i++) {
        uint64_t *at = row_place(signature);
        if (!at) return tag_others();
        const uint64_t row = __atomic_load_n(at, __ATOMIC_RELAXED);
        if (row == 0) return are_sites_used_up() ? tag_others() : 0;
        if (row & RT_TAG_CHECKS_MASK) return row_answer(at, row, c);
        const uint64_t place = rt_tag_row_place(row);
        if (place == 0 || i + 1 == RT_TAG_REFINED_MOST || !rt_tag_read(c, place, &word))
            return rt_tag_row_site(row);
        signature = rt_tag_refined(signature, place, word);
    }
    return 0;
}

/* --- paths --- */

static uint64_t path_hash(const struct rt_tag_path *p, uint32_t frames)
{
    const uint32_t len = p->len < frames ? p->len : frames;
    uint64_t h = frames;
    for (uint32_t i = 0; i < len; i++) {
        h = (h ^ p->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h | 1; /* no free row */
}

/* Words from cfa to the return address of frame i, plus 1; 0: it is not on this stack, or too far. */
static uint64_t place_of(const struct rt_tag_call *c, const struct rt_tag_path *p, uint32_t i)
{
    if (i == 0 || i >= p->len || p->places[0] + 8 != c->cfa || p->places[i] < c->cfa) return 0;
    const uint64_t words = (p->places[i] - c->cfa) / 8;
    return words * 8 + 8 <= c->depth && words < RT_TAG_PLACE_MAX ? words + 1 : 0;
}

static uint64_t frame_of(const struct rt_tag_path *p, uint32_t i)
{
    return i < p->len ? p->frames[i] & ((UINT64_C(1) << FRAME_BITS) - 1) : 0;
}

/* The number of innermost frames that all paths of the site share. */
static uint32_t frames_of(uint32_t site)
{
    return site < RT_TAG_FLAT_SITES ? RT_TAG_FRAMES : RT_TAG_NAMED_FRAMES;
}

static void path_keep(uint32_t site, const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    uint64_t *kept = rt_tags.kept + (size_t)site * RT_TAG_FRAMES;
    for (uint32_t i = 0; i < frames_of(site); i++)
        __atomic_store_n(&kept[i], frame_of(p, i) | place_of(c, p, i) << FRAME_BITS, __ATOMIC_RELAXED);
}

/* Index of the first frame that differs from the site's path, 0: none above the caller. */
static uint32_t path_differs(uint32_t site, const struct rt_tag_path *p)
{
    const uint32_t len = frames_of(site);
    uint32_t i = 0;
    while (i < len && (kept_frame(site, i) ^ frame_of(p, i)) << (64 - FRAME_BITS) == 0)
        i++;
    return i < len ? i : 0;
}

static uint32_t site_make(const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    const uint32_t site = __atomic_add_fetch(&rt_tags.sites, 1, __ATOMIC_RELAXED);
    if (site > RT_TAG_SITES) {
        __atomic_store_n(&rt_tags.sites, RT_TAG_SITES, __ATOMIC_RELAXED);
        return RT_TAG_OTHERS;
    }
    if (site == RT_TAG_FLAT_SITES) __atomic_store_n(&rt_tags.is_flat, 1, __ATOMIC_RELAXED);
    path_keep(site, c, p);
    if (p->give) p->give(p->arg, site);
    return site;
}

/* The place of the path with this hash, or a free one. NULL: all are taken. */
static uint64_t *path_place_in(uint64_t *table, int bits, uint64_t hash, uint64_t probes)
{
    for (uint64_t i = 0; i < probes; i++) {
        uint64_t *at = &table[((hash >> (64 - bits)) + i) & ((UINT64_C(1) << bits) - 1)];
        const uint64_t there = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (there == 0 || (there & ~(uint64_t)RT_TAG_OTHERS) == hash) return at;
    }
    return NULL;
}

static uint64_t *path_place(uint64_t hash)
{
    uint64_t *near = path_place_in(rt_tags.near_paths, RT_TAG_NEAR_PATHS_BITS, hash, NEAR_PROBES);
    return near ? near : path_place_in(rt_tags.paths, PATHS_BITS, hash, PROBES);
}

static uint32_t path_find(uint64_t hash)
{
    const uint64_t *at = path_place(hash);
    return at ? (uint32_t)(__atomic_load_n(at, __ATOMIC_ACQUIRE) & RT_TAG_OTHERS) : 0;
}

/* The site of a path, made when it is new; while depths get no new rows, paths with the same innermost frames are one. Two threads
 * may make one each for the same path: both are right. */
static uint32_t path_site(const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    const bool are_short = is_flat();
    uint64_t hash = path_hash(p, UINT32_MAX) & ~(uint64_t)RT_TAG_OTHERS, there = 0;
    uint32_t site = path_find(hash);
    if (!site && are_short) {
        hash = path_hash(p, RT_TAG_NAMED_FRAMES) & ~(uint64_t)RT_TAG_OTHERS;
        site = path_find(hash);
    }
    if (site) return site;
    site = site_make(c, p);
    uint64_t *at = path_place(hash);
    if (at && site != RT_TAG_OTHERS)
        __atomic_compare_exchange_n(at, &there, hash | site, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
    return site;
}

/* --- checks --- */

/* The site that a call gets without any check of its rows. */
static uint32_t site_by_rows(const struct rt_tag_call *c)
{
    uint64_t signature = first_signature(c), word;
    for (int i = 0; i < RT_TAG_REFINED_MOST; i++) {
        const uint64_t *at = row_place(signature);
        const uint64_t row = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0, place = rt_tag_row_place(row);
        if (row & RT_TAG_CHECKS_MASK) return 0;
        if (place == 0 || i + 1 == RT_TAG_REFINED_MOST || !rt_tag_read(c, place, &word))
            return rt_tag_row_site(row);
        signature = rt_tag_refined(signature, place, word);
    }
    return 0;
}

void rt_tag_check(const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    const uint32_t site = site_by_rows(c);
    if (site == RT_TAG_OTHERS) return;
    const uint32_t first = site ? path_differs(site, p) : 0;
    __atomic_fetch_add(&rt_tags.checked, 1, __ATOMIC_RELAXED);
    if (first > 0 && first < RT_TAG_NAMED_FRAMES) __atomic_fetch_add(&rt_tags.wrong, 1, __ATOMIC_RELAXED);
}

/* --- learning --- */

void rt_tags_hold(bool is_over_budget)
{
    const uint32_t unwound = __atomic_load_n(&rt_tags.unwound, __ATOMIC_RELAXED);
    __atomic_store_n(&rt_tags.held, is_over_budget && unwound >= RT_TAG_WHOLE_LEAST, __ATOMIC_RELAXED);
}

static bool is_place_of_path(const struct rt_tag_call *c, const struct rt_tag_path *p, uint64_t place)
{
    for (uint32_t i = 1; i < p->len; i++)
        if (place_of(c, p, i) == place) return true;
    return false;
}

static uint64_t row_with_place(uint64_t row, uint64_t place)
{
    return (row & ~((uint64_t)RT_TAG_PLACE_MAX << RT_TAG_PLACE_SHIFT)) | place << RT_TAG_PLACE_SHIFT;
}

static uint64_t row_with_site(uint64_t row, uint32_t site, uint32_t checks)
{
    const uint64_t mask = (uint64_t)RT_TAG_OTHERS << RT_TAG_SITE_SHIFT | RT_TAG_CHECKS_MASK;
    return (row & ~mask) | (uint64_t)site << RT_TAG_SITE_SHIFT | checks;
}

/* One more unwinding of a call that this row answers: count it, and refine the row by the first return address that
 * differs. The site of a cut path becomes that of the whole one. Returns the row as it is now. */
static uint64_t row_verify(uint64_t *at, const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    uint64_t row = __atomic_load_n(at, __ATOMIC_RELAXED), next = row;
    const uint32_t site = rt_tag_row_site(row), whole = is_cut(site) && p->len > 1 ? path_site(c, p) : site;
    if (row & RT_TAG_CHECKS_MASK && !(is_disputed(row) && has_path(c, site))) next--;
    if (whole != site && whole != RT_TAG_OTHERS) {
        next = row_with_site(row, whole, CHECKS_FIRST);
    } else if (rt_tag_row_place(row) == 0 && rt_tags.children[site] < CHILDREN_MOST) {
        const uint64_t place = place_of(c, p, path_differs(site, p));
        if (place) next = row_with_place(next & ~(uint64_t)RT_TAG_CHECKS_MASK, place);
    }
    if (next != row &&
        !__atomic_compare_exchange_n(at, &row, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return row;
    return next;
}

/* The path of a new child of the row must have a return address at the row's place: otherwise the place was a local
 * variable's there, and each of its values would make a child. Move it to the first difference, or close the row. */
static bool row_may_have_child(uint64_t *at, const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    uint64_t row = __atomic_load_n(at, __ATOMIC_RELAXED);
    const uint64_t place = rt_tag_row_place(row);
    const uint32_t site = rt_tag_row_site(row);
    const bool is_full = __atomic_add_fetch(&rt_tags.children[site], 1, __ATOMIC_RELAXED) > CHILDREN_MOST;
    if (!is_full && is_place_of_path(c, p, place)) return true;
    const uint64_t first = is_full ? 0 : place_of(c, p, path_differs(site, p));
    __atomic_compare_exchange_n(at, &row, row_with_place(row, first < place ? first : 0), false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return false;
}

/* Add the row without the depth; one of a cut path gets the site of a whole one. */
static void row_put_flat(const struct rt_tag_call *c, uint32_t site)
{
    uint64_t *at = row_place(flat_signature(c));
    uint64_t row = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;
    if (row == 0)
        row_add(flat_signature(c), site, CHECKS_FIRST);
    else if (row & RT_TAG_CHECKS_MASK)
        __atomic_compare_exchange_n(at, &row, row_with_site(row, site, CHECKS_FIRST), false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

/* The site of a new signature. A cut path has a row without the depth, which rt_tag_cut finds. */
static uint32_t learn_new(const struct rt_tag_call *c, const struct rt_tag_path *p, uint64_t signature,
                          bool is_child)
{
    const uint32_t site = path_site(c, p);
    if (site == RT_TAG_OTHERS) return tag_others();
    if (p->is_cut)
        row_put_flat(c, site);
    else if (is_flat() && !is_child)
        row_put_flat(c, site);
    else
        row_add(signature, site, CHECKS_FIRST);
    return site;
}

uint32_t rt_tag_cut(const struct rt_tag_call *c)
{
    const uint64_t signature = rt_tag_signature(c), *at = row_place(flat_signature(c));
    const uint64_t row = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;
    if (!(row & RT_TAG_CHECKS_MASK)) return 0;
    const uint64_t *own = is_flat() ? NULL : row_place(signature);
    if (own && __atomic_load_n(own, __ATOMIC_RELAXED) == 0)
        row_add(signature, rt_tag_row_site(row), CHECKS_FIRST);
    return rt_tag_row_site(row);
}

uint32_t rt_tag_learn(const struct rt_tag_call *c, const struct rt_tag_path *p)
{
    uint64_t signature = first_signature(c), word, *parent = NULL;
    for (int i = 0; i < RT_TAG_REFINED_MOST; i++) {
        uint64_t *at = row_place(signature);
        if (!at) break;
        if (__atomic_load_n(at, __ATOMIC_RELAXED) == 0) {
            if (parent && !p->is_cut && !row_may_have_child(parent, c, p)) break;
            return learn_new(c, p, signature, parent != NULL);
        }
        const uint64_t row = p->is_cut ? __atomic_load_n(at, __ATOMIC_RELAXED) : row_verify(at, c, p);
        if (p->is_cut && !row_answer(at, row, c)) return learn_new(c, p, signature, parent != NULL);
        const uint64_t place = rt_tag_row_place(row);
        if (place == 0 || i + 1 == RT_TAG_REFINED_MOST || !rt_tag_read(c, place, &word)) {
            const uint32_t site = rt_tag_row_site(row);
            return p->is_cut || !path_differs(site, p) ? site : path_site(c, p);
        }
        parent = at;
        signature = rt_tag_refined(signature, place, word);
    }
    return path_site(c, p);
}
