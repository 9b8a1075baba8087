/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_list.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_kernel.h"

struct rpl_word {
    const char *name, *text;
};

#define RPL_WORD(id, name, text) {name, text},
static const struct rpl_word rpl_methods[] = {KN_METHOD_LIST(RPL_WORD)};
static const struct rpl_word rpl_stores[] = {KN_STORES_LIST(RPL_WORD)};

static void rpl_words(const char *title, const struct rpl_word *words, size_t len, FILE *out)
{
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < len; i++)
        fprintf(out, "  %-14s %s\n", words[i].name, words[i].text);
}

void rpl_list(FILE *out)
{
    fputs("Kernels\n", out);
    for (unsigned i = 0; i < kn_kernels_len; i++)
        if (kn_kernels[i].family == KN_FAMILY_REPLAY)
            fprintf(out, "  %-14s %s\n", kn_kernels[i].name, kn_kernels[i].operation);
    fputs("\nBackends (--backend)\n", out);
    for (const struct kn_backend *const *b = kn_backends; *b; b++) {
        fprintf(out, "  %-14s %s", (*b)->name, (*b)->summary);
        if ((*b)->built())
            fprintf(out, "; %u %s\n", (*b)->threads_max(), (*b)->threads_max() == 1 ? "thread" : "threads");
        else
            fputs("; not built\n", out);
    }
    rpl_words("Methods (--method); one that this processor lacks is refused", rpl_methods,
              sizeof(rpl_methods) / sizeof(rpl_methods[0]), out);
    rpl_words("Stores (--stores)", rpl_stores, sizeof(rpl_stores) / sizeof(rpl_stores[0]), out);
}
