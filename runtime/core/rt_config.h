/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of the runtime. */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "runtime/core/rt_state.h"

/* Parse LOADSTONE_* (NULL-safe look-up get, usually getenv) over the defaults of ls_env.h. What cannot be
 * read keeps its default; the name of the last such variable is returned, NULL when all was well. Thread: the
 * constructor.  Signal: not safe. */
const char *rt_config_read(struct rt_config *c, char *(*get)(const char *name));

#endif
