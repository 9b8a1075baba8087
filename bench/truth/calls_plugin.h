/* SPDX-License-Identifier: BSD-3-Clause */
/* A function of a shared library, which is called through the PLT. */
#ifndef CALLS_PLUGIN_H
#define CALLS_PLUGIN_H

#ifdef __cplusplus
extern "C"
#endif
    unsigned
    callee_plt(unsigned x);

#endif
