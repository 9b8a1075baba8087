/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without cairo: no pictures. */
#include "viz-export/export/vx_exporters.h"

static ls_err vx_png_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    (void)s;
    (void)files;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s: built without cairo; install libcairo2-dev, configure and make again", r->path);
}

const struct vx_exporter vx_exporter_png = {.name = "png",
                                            .ends = ".png",
                                            .words = "heat maps of fields as a picture (not in this build)",
                                            .needs = VX_NEEDS_FIELDS,
                                            .metrics = "latency_mean_cycles",
                                            .one_file = true,
                                            .has_steps = true,
                                            .write = vx_png_export};
