/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_names.h"
#include "common/ls_hash.h"
#include "common/ls_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prof_name_entry {
    struct prof_name_entry *next;
    uint64_t hash;
    char text[];
};

struct prof_names {
    struct prof_name_entry **buckets;
    size_t buckets_len; /* a power of two */
    size_t len;
};

enum { PROF_NAMES_FIRST = 256 };

prof_names *prof_names_new(void)
{
    prof_names *n = calloc(1, sizeof(*n));
    if (!n) return NULL;
    n->buckets = calloc(PROF_NAMES_FIRST, sizeof(*n->buckets));
    n->buckets_len = PROF_NAMES_FIRST;
    if (!n->buckets) {
        free(n);
        return NULL;
    }
    return n;
}

void prof_names_free(prof_names *n)
{
    if (!n) return;
    for (size_t i = 0; i < n->buckets_len; i++)
        for (struct prof_name_entry *e = n->buckets[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(n->buckets);
    free(n);
}

static void prof_names_grow(prof_names *n)
{
    const size_t wanted = 2 * n->buckets_len;
    struct prof_name_entry **buckets = calloc(wanted, sizeof(*buckets));
    if (!buckets) return; /* longer chains, still right */
    for (size_t i = 0; i < n->buckets_len; i++)
        for (struct prof_name_entry *e = n->buckets[i], *next; e; e = next) {
            next = e->next;
            e->next = buckets[e->hash & (wanted - 1)];
            buckets[e->hash & (wanted - 1)] = e;
        }
    free(n->buckets);
    n->buckets = buckets;
    n->buckets_len = wanted;
}

/* Takes e over. */
static const char *prof_name_keep(prof_names *n, struct prof_name_entry *e, size_t len)
{
    e->hash = ls_hash_bytes(LS_HASH_BEGIN, e->text, len);
    for (struct prof_name_entry *old = n->buckets[e->hash & (n->buckets_len - 1)]; old; old = old->next)
        if (old->hash == e->hash && strcmp(old->text, e->text) == 0) {
            free(e);
            return old->text;
        }
    if (n->len++ >= n->buckets_len) prof_names_grow(n);
    struct prof_name_entry **bucket = &n->buckets[e->hash & (n->buckets_len - 1)];
    e->next = *bucket;
    *bucket = e;
    return e->text;
}

const char *prof_name(prof_names *n, const char *text, size_t len)
{
    struct prof_name_entry *e = len > 0 ? malloc(sizeof(*e) + len + 1) : NULL;
    if (!e) return "";
    memcpy(e->text, text, len);
    e->text[len] = '\0';
    ls_text_clean(e->text, len, "\t"); /* of source lines, too */
    return prof_name_keep(n, e, len);
}

const char *prof_name_of(prof_names *n, const char *text)
{
    return text ? prof_name(n, text, strlen(text)) : "";
}

const char *prof_name_printf(prof_names *n, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len < 0) return "";
    return prof_name(n, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}
