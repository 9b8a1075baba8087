/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/stream/stm_choose.h"

#include <stdio.h>
#include <string.h>

static bool in_word(const struct kn_kernel *k, const char *word)
{
    if (k->family == KN_FAMILY_REPLAY) return false;
    return strcmp(word, "all") == 0 || strcmp(word, k->name) == 0 ||
           strcmp(word, kn_group_name(k->group)) == 0;
}

ls_err stm_choose(const char *list, struct stm_chosen *out)
{
    char words[512];
    if ((size_t)snprintf(words, sizeof(words), "%s", list) >= sizeof(words))
        return ls_fail(LS_ERR_USAGE, "--kernel: the list is too long");
    char *rest = words;
    for (char *word; (word = strsep(&rest, ","));) {
        const size_t before = out->len;
        for (unsigned k = 0; k < kn_kernels_len && out->len < STM_KERNELS_MAX; k++)
            if (in_word(&kn_kernels[k], word)) out->rows[out->len++] = &kn_kernels[k];
        if (out->len == before)
            return ls_fail(LS_ERR_USAGE,
                           "--kernel: there is no kernel or group '%s'; loadstone stream --list names them",
                           word);
    }
    return LS_OK;
}
