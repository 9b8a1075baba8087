/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs built with -fsanitize=address whose run-time library is shared: it refuses to start behind another
 * preloaded object. Our allocator hooks hand everything on to it, so being first does no harm; a program's
 * own function of this name, or ASAN_OPTIONS, still wins. */
#include "common/ls_compat.h"

LS_EXPORT const char *__asan_default_options(void);

LS_EXPORT const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
