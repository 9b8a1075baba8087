/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_script_line.h"

#include <stdlib.h>
#include <string.h>

/* Widths that perf pads addresses to: "%16lx" for data, with no blank before it; one blank more for code. */
enum {
    WORDS_MAX = 48,
    NUMBERS_MAX = 8,
    DATA_WIDTH = 16,
    CODE_WIDTH = 17,
    PERIOD_WIDTH = 10,
    DIGITS_MAX = 18
};
/* Shorter hexadecimal texts are words ("Add" of a text that was cut). */
enum { HEX_MIN = 5 };
#define NOT_TOLD UINT64_MAX

/* mem_op of union perf_mem_data_src (linux/perf_event.h). */
enum { MEM_OP_LOAD = 2, MEM_OP_STORE = 4 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static struct pat_span word_at(const char *p)
{
    p = skip_blanks(p);
    return (struct pat_span){p, strcspn(p, " \t")};
}

static bool is_all_of(struct pat_span w, const char *set)
{
    size_t len = 0;
    while (len < w.len && strchr(set, w.at[len]))
        len++;
    return w.len > 0 && len == w.len;
}

static bool is_decimal(struct pat_span w)
{
    return w.len <= DIGITS_MAX && is_all_of(w, "0123456789");
}

static bool is_hex(struct pat_span w)
{
    return w.len <= 16 && is_all_of(w, "0123456789abcdef");
}

static bool is_number(struct pat_span w)
{
    return is_decimal(w) || (w.len >= HEX_MIN && is_hex(w));
}

/* Pages, as the fields data_page_size and code_page_size have them. */
static bool is_page_size(struct pat_span w)
{
    if (w.len == 3 && memcmp(w.at, "N/A", 3) == 0) return true;
    return w.len > 1 && strchr("KMGT", w.at[w.len - 1]) && is_decimal((struct pat_span){w.at, w.len - 1});
}

static uint64_t value_of(struct pat_span w, int base)
{
    char text[24] = "";
    memcpy(text, w.at, w.len < sizeof(text) ? w.len : sizeof(text) - 1);
    return strtoull(text, NULL, base);
}

static bool is_same(struct pat_span w, const char *text)
{
    return w.len == strlen(text) && memcmp(w.at, text, w.len) == 0;
}

/* --- symbols and modules --- */

/* Return the position after the bracket that closes the one at p; NULL: none does. */
static const char *after_brackets(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0) return p + 1;
    }
    return NULL;
}

/* Find the bracket that begins the module: a number or nothing follows it. Brackets of C++ symbols are
 * followed by the rest of the symbol or by the module. */
static const char *module_at(const char *p)
{
    for (const char *at = p; (at = strchr(at, '(')); at++) {
        if (at != p && !is_blank(at[-1])) continue;
        const char *end = after_brackets(at);
        if (!end) return NULL;
        const struct pat_span next = word_at(end);
        if (next.len == 0 || (is_blank(*end) && (is_number(next) || is_page_size(next)))) return at;
    }
    return NULL;
}

/* Return the end of a symbol without a module: two or more blanks before a number, or the line's end. */
static const char *symbol_end(const char *p)
{
    for (; *p; p++)
        if (is_blank(p[0]) && (is_blank(p[1]) || p[1] == '\0')) {
            const struct pat_span next = word_at(p);
            if (next.len == 0 || is_number(next)) return p;
        }
    return p;
}

static struct pat_span without_offset(struct pat_span s)
{
    size_t hex = 0;
    while (hex < s.len && strchr("0123456789abcdef", s.at[s.len - 1 - hex]))
        hex++;
    if (hex > 0 && s.len > hex + 3 && memcmp(s.at + s.len - hex - 3, "+0x", 3) == 0) s.len -= hex + 3;
    return is_same(s, "[unknown]") ? (struct pat_span){s.at, 0} : s;
}

/* Parse "SYMBOL+0x10 (MODULE)", either part optional; return the position after it. */
static const char *read_symbol(const char *p, struct pat_script_location *out)
{
    p = skip_blanks(p);
    const char *module = module_at(p), *end = module ? after_brackets(module) : symbol_end(p);
    struct pat_span symbol = {p, (size_t)((module ? module : end) - p)};
    while (symbol.len && is_blank(symbol.at[symbol.len - 1]))
        symbol.len--;
    out->symbol = without_offset(symbol);
    out->module =
        module ? (struct pat_span){module + 1, (size_t)(end - module) - 2} : (struct pat_span){p, 0};
    if (is_same(out->module, "[unknown]") || is_same(out->module, "inlined")) out->module.len = 0;
    return end;
}

bool pat_script_frame_of(const char *line, struct pat_script_location *out)
{
    const struct pat_span addr = word_at(line);
    if (addr.at == line || !is_hex(addr)) return false;
    out->addr = value_of(addr, 16);
    read_symbol(addr.at + addr.len, out);
    return true;
}

bool pat_script_source_of(const char *line, struct pat_span *file, uint32_t *number)
{
    const char *p = skip_blanks(line);
    *file = (struct pat_span){p, 0};
    *number = 0;
    if (p - line != 2 || *p == '\0') return false;
    for (const char *colon = p; (colon = strchr(colon, ':')); colon++) {
        const size_t digits = strspn(colon + 1, "0123456789");
        const char next = colon[1 + digits];
        if (digits == 0 || digits > 9 || (next && !is_blank(next))) continue;
        if (strncmp(p, "??:", 3) == 0) return true;
        file->len = (size_t)(colon - p);
        *number = (uint32_t)value_of((struct pat_span){colon + 1, digits}, 10);
        return true;
    }
    return strchr(p, '[') || strstr(p, "+0x"); /* MODULE[ADDRESS], SYMBOL+0xOFFSET */
}

/* --- the head: COMM PID/TID [CPU] MISC TIME: PERIOD EVENT: --- */

struct head {
    struct pat_span words[WORDS_MAX];
    size_t len;
};

static void read_words(const char *line, struct head *h)
{
    for (struct pat_span w = word_at(line); w.len && h->len < WORDS_MAX; w = word_at(w.at + w.len))
        h->words[h->len++] = w;
}

/* "SECONDS.FRACTION:" */
static bool read_time(struct pat_span w, uint64_t *out_ns)
{
    const char *dot = memchr(w.at, '.', w.len);
    if (!dot || w.at[w.len - 1] != ':') return false;
    const struct pat_span whole = {w.at, (size_t)(dot - w.at)};
    const struct pat_span part = {dot + 1, (size_t)(w.at + w.len - 1 - (dot + 1))};
    if (!is_decimal(whole) || whole.len > 9 || !is_decimal(part) || part.len > 9) return false;
    uint64_t fraction = value_of(part, 10);
    for (size_t i = part.len; i < 9; i++)
        fraction *= 10;
    *out_ns = value_of(whole, 10) * 1000000000 + fraction;
    return true;
}

static bool read_cpu(struct pat_span w, uint32_t *out)
{
    const struct pat_span digits = {w.at + 1, w.len - 2};
    if (w.len < 3 || w.len > 9 || w.at[0] != '[' || w.at[w.len - 1] != ']' || !is_decimal(digits))
        return false;
    *out = (uint32_t)value_of(digits, 10);
    return true;
}

/* "PID/TID" or one of them. */
static bool read_task(struct pat_span w, struct pat_script_sample *s)
{
    const char *slash = memchr(w.at, '/', w.len);
    const struct pat_span pid = {w.at, slash ? (size_t)(slash - w.at) : w.len};
    const struct pat_span tid = slash ? (struct pat_span){slash + 1, w.len - pid.len - 1} : pid;
    if (!is_decimal(pid) || !is_decimal(tid) || pid.len > 9 || tid.len > 9) return false;
    s->tid = (uint32_t)value_of(tid, 10);
    if (slash) s->pid = (uint32_t)value_of(pid, 10);
    return true;
}

/* Parse command, task and CPU from the words before end, from the right, since a command may have blanks. */
static bool read_who(const struct head *h, size_t end, struct pat_script_sample *s)
{
    size_t i = end;
    if (i > 1 && !read_cpu(h->words[i - 1], &s->cpu) && !read_task(h->words[i - 1], s)) i--; /* field misc */
    if (i > 0 && read_cpu(h->words[i - 1], &s->cpu)) i--;
    if (i == 0 || !read_task(h->words[i - 1], s)) return false;
    i--;
    const struct pat_span *w = h->words;
    s->comm = i ? (struct pat_span){w[0].at, (size_t)(w[i - 1].at + w[i - 1].len - w[0].at)}
                : (struct pat_span){w[0].at, 0};
    return true;
}

static bool is_event(struct pat_span w)
{
    uint64_t time_ns;
    return w.len > 1 && w.at[w.len - 1] == ':' && !read_time(w, &time_ns);
}

static void set_event(struct pat_span w, struct pat_script_sample *s)
{
    s->event = (struct pat_span){w.at, w.len - 1};
}

/* Parse the text after "TIME: PERIOD EVENT:", the latter two optional. */
static const char *read_what(const struct head *h, size_t time, struct pat_script_sample *s)
{
    const struct pat_span *w = &h->words[time];
    const size_t left = h->len - time;
    const char *end = w->at + w->len + 1; /* always followed by a blank */
    if (left > 1 && is_event(w[1])) {
        set_event(w[1], s);
        return w[1].at + w[1].len;
    }
    if (left > 1 && is_decimal(w[1]) && left > 2 && is_event(w[2])) {
        s->period_events = value_of(w[1], 10);
        set_event(w[2], s);
        return w[2].at + w[2].len;
    }
    if (left > 1 && is_decimal(w[1]) && w[1].at + w[1].len - end == PERIOD_WIDTH) {
        s->period_events = value_of(w[1], 10);
        return w[1].at + w[1].len;
    }
    return w->at + w->len;
}

/* Parse a head without a time: command and task, an optional period, the event. */
static const char *read_untimed(const struct head *h, struct pat_script_sample *s)
{
    for (size_t i = 1; i < h->len; i++) {
        if (!is_event(h->words[i])) continue;
        const bool has_period = i > 1 && is_decimal(h->words[i - 1]);
        if (has_period && read_who(h, i - 1, s))
            s->period_events = value_of(h->words[i - 1], 10);
        else if (!read_who(h, i, s))
            continue;
        set_event(h->words[i], s);
        return h->words[i].at + h->words[i].len;
    }
    return NULL;
}

static size_t word_of(const struct head *h, const char *at)
{
    for (size_t i = 0; i < h->len; i++)
        if (h->words[i].at == at) return i;
    return h->len;
}

/* Parse a sample that only its data source identifies: "PID/TID ADDR SRC |OP". */
static const char *read_bare(const struct head *h, const char *operation, struct pat_script_sample *s)
{
    const size_t i = operation ? word_of(h, operation) : h->len;
    if (i < 3 || i == h->len || !read_who(h, i - 2, s)) return NULL;
    return h->words[i - 3].at + h->words[i - 3].len;
}

/* Returns the end of the head, NULL when there is none. */
static const char *read_head(const char *line, const char *operation, struct pat_script_sample *s)
{
    struct head h = {.len = 0};
    read_words(line, &h);
    for (size_t i = 1; i < h.len; i++)
        if (read_time(h.words[i], &s->time_ns) && read_who(&h, i, s)) return read_what(&h, i, s);
    s->time_ns = NOT_TOLD;
    const char *end = read_untimed(&h, s);
    return end ? end : read_bare(&h, operation, s);
}

/* --- the body: ADDR SYMBOL (MODULE) SRC WEIGHT IP SYMBOL (MODULE) --- */

/* Parse the numbers and the instruction: the first is the weight unless a symbol follows it; the last of them
 * is the instruction when a symbol follows or it is as wide as perf prints it. */
static void read_rest(const char *p, struct pat_script_sample *s)
{
    struct pat_span numbers[NUMBERS_MAX];
    size_t len = 0;
    struct pat_span w = word_at(p);
    for (; w.len && is_number(w) && len < NUMBERS_MAX; w = word_at(w.at + w.len))
        numbers[len++] = w;
    if (len == 0) return;
    size_t code = len; /* none */
    if (is_page_size(w)) w.len = 0;
    if (w.len) code = len - 1;
    for (size_t i = 0; w.len == 0 && i < len && code == len; i++) {
        const char *before = i ? numbers[i - 1].at + numbers[i - 1].len : p;
        const long width = numbers[i].at + numbers[i].len - before;
        if (is_hex(numbers[i]) && (width == CODE_WIDTH || (i == 0 && !is_decimal(numbers[i])))) code = i;
    }
    if (code > 0 && is_decimal(numbers[0])) s->weight = value_of(numbers[0], 10);
    if (code == len || !is_hex(numbers[code])) return;
    s->code.addr = value_of(numbers[code], 16);
    if (w.len) read_symbol(w.at, &s->code);
}

/* Skip the words of the data source: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK N/A", padded. */
static const char *after_words(const char *operation)
{
    static const char *const tags[] = {"|LVL", "|SNP", "|TLB", "|LCK", "|BLK"};
    const char *last = operation;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const char *at = strstr(last, tags[i]);
        if (at && at - operation < 100) last = at; /* perf cuts the text at 100 */
    }
    struct pat_span w = word_at(last);
    while (w.len && !is_number(w))
        w = word_at(w.at + w.len);
    return w.at;
}

static struct pat_span word_before(const char *line, const char *p)
{
    while (p > line && is_blank(p[-1]))
        p--;
    const char *end = p;
    while (p > line && !is_blank(p[-1]))
        p--;
    return (struct pat_span){p, (size_t)(end - p)};
}

static void set_data(struct pat_span w, struct pat_script_sample *s)
{
    const uint64_t addr = value_of(w, 16);
    if (is_hex(w) && addr >= 4096) s->data.addr = addr; /* perf prints 0 for none; page 0 is never mapped */
}

static void read_with_source(const char *body, const char *operation, struct pat_script_sample *s)
{
    const struct pat_span source = word_before(body, operation);
    const struct pat_span addr = word_before(body, source.at);
    if (is_hex(source)) {
        s->data_src = value_of(source, 16);
        s->has_data_src = true;
    }
    if (addr.len) set_data(addr, s);
    read_rest(after_words(operation), s);
}

/* Is the first number the address of the data? It is by its width, or if another number follows. */
static void read_without_source(const char *body, struct pat_script_sample *s)
{
    const struct pat_span first = word_at(body);
    if (!is_hex(first)) return;
    const char *behind = first.at + first.len;
    const struct pat_span next = word_at(behind);
    const long width = behind - body - 1; /* without the blank after the colon */
    if (width == CODE_WIDTH || (width != DATA_WIDTH && !is_number(next))) {
        s->code.addr = value_of(first, 16);
        if (next.len) read_symbol(behind, &s->code);
        return;
    }
    set_data(first, s);
    if (next.len && !is_number(next)) behind = read_symbol(behind, &s->data);
    read_rest(behind, s);
}

bool pat_script_sample_of(const char *line, struct pat_script_sample *out)
{
    const char *operation = strstr(line, "|OP ");
    *out = (struct pat_script_sample){.data = {.addr = NOT_TOLD},
                                      .code = {.addr = NOT_TOLD},
                                      .time_ns = NOT_TOLD,
                                      .weight = NOT_TOLD,
                                      .pid = UINT32_MAX,
                                      .tid = UINT32_MAX,
                                      .cpu = UINT32_MAX};
    const char *body = read_head(line, operation, out);
    if (!body) return false;
    if (operation && operation > body)
        read_with_source(body, operation, out);
    else
        read_without_source(body, out);
    return true;
}

bool pat_script_is_sample(const char *line)
{
    struct pat_script_sample s;
    return *line && *line != '#' && pat_script_sample_of(line, &s) && (s.event.len || s.has_data_src);
}

static bool has_part(struct pat_span s, const char *part)
{
    const size_t len = strlen(part);
    for (size_t i = 0; i + len <= s.len; i++)
        if (memcmp(s.at + i, part, len) == 0) return true;
    return false;
}

bool pat_script_op(const struct pat_script_sample *s, enum pat_op *out)
{
    const bool is_reported = s->has_data_src && s->data_src & (MEM_OP_LOAD | MEM_OP_STORE);
    const bool is_load = is_reported ? s->data_src & MEM_OP_LOAD : has_part(s->event, "load"),
               is_store = is_reported ? !is_load : has_part(s->event, "store");
    *out = is_store ? PAT_OP_STORE : PAT_OP_LOAD;
    return is_load || is_store;
}
