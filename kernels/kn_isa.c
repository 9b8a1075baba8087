/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_isa.h"

#include <stdio.h>
#include <string.h>

void kn_isa_list(char *out, size_t out_bytes)
{
    out[0] = '\0';
    for (int m = KN_METHOD_AUTO + 1; m < KN_METHOD_COUNT; m++) {
        if (!kn_isa_has((enum kn_method)m)) continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", kn_method_name((enum kn_method)m));
    }
}
