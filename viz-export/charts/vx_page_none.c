/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the drawing files where cairo is missing. */
#include "viz-export/charts/vx_chart.h"

ls_err vx_page_check(const char *path)
{
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s cannot be drawn: this loadstone was built without cairo (libcairo2-dev)", path);
}

ls_err vx_page_write(const struct vx_page *page, const char *path)
{
    (void)page;
    return vx_page_check(path);
}
