/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of results, of one machine or of several side by side. */
#ifndef RPL_PLOT_H
#define RPL_PLOT_H

#include "viz-export/vx_results.h"

/* Draw machines[0, len) to path: bars with quartiles, a radar of shares of STREAM, and with two machines or
 * more bandwidth against bandwidth (Spatter paper, figures 7 and 9). Errors: as vx_page_write. */
ls_err rpl_plot(const struct vx_results *machines, size_t len, const char *path);

#endif
