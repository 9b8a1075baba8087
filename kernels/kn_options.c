/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/kn_options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- options ---- */

#define KN_NAME(id, name, text) name,
static const char *const method_names[] = {KN_METHOD_LIST(KN_NAME)};
static const char *const stores_names[] = {KN_STORES_LIST(KN_NAME)};
static const char *const pin_names[] = {KN_PIN_LIST(KN_NAME)};
_Static_assert(sizeof(method_names) / sizeof(method_names[0]) == KN_METHOD_COUNT, "a name for each method");
_Static_assert(sizeof(stores_names) / sizeof(stores_names[0]) == KN_STORES_COUNT,
               "a name for each kind of store");
_Static_assert(sizeof(pin_names) / sizeof(pin_names[0]) == KN_PIN_COUNT, "a name for each way to pin");

static const char *name_of(const char *const *names, unsigned len, unsigned row)
{
    return row < len ? names[row] : "?";
}

static ls_err parse(const char *const *names, unsigned len, const char *name, const char *what, unsigned *out)
{
    char known[256] = "";
    for (unsigned i = 0; i < len; i++) {
        if (strcasecmp(names[i], name) == 0) {
            *out = i;
            return LS_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", names[i]);
    }
    return ls_fail(LS_ERR_USAGE, "'%s' is no %s; there are %s", name, what, known);
}

ls_err kn_method_parse(const char *name, enum kn_method *out)
{
    unsigned row = 0;
    LS_TRY(parse(method_names, KN_METHOD_COUNT, name, "method", &row));
    *out = (enum kn_method)row;
    return LS_OK;
}

ls_err kn_stores_parse(const char *name, enum kn_stores *out)
{
    unsigned row = 0;
    LS_TRY(parse(stores_names, KN_STORES_COUNT, name, "kind of store", &row));
    *out = (enum kn_stores)row;
    return LS_OK;
}

const char *kn_method_name(enum kn_method m)
{
    return name_of(method_names, KN_METHOD_COUNT, m);
}

const char *kn_stores_name(enum kn_stores s)
{
    return name_of(stores_names, KN_STORES_COUNT, s);
}

const char *kn_pin_name(enum kn_pin p)
{
    return name_of(pin_names, KN_PIN_COUNT, p);
}

/* ---- instruction sets ---- */

void kn_isa_list(char *out, size_t out_bytes)
{
    out[0] = '\0';
    for (int m = KN_METHOD_AUTO + 1; m < KN_METHOD_COUNT; m++) {
        if (!kn_isa_has((enum kn_method)m)) continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", kn_method_name((enum kn_method)m));
    }
}

bool kn_isa_has(enum kn_method m)
{
#ifdef HAVE_AVX
    if (m == KN_METHOD_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (m == KN_METHOD_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#endif
#ifdef HAVE_NEON
    if (m == KN_METHOD_NEON) return true; /* part of every 64-bit Arm processor */
#endif
    return m != KN_METHOD_AVX2 && m != KN_METHOD_AVX512 && m != KN_METHOD_NEON;
}
