/* SPDX-License-Identifier: BSD-3-Clause */
/* One name of three parts, each expanded first. */
#ifndef KN_GLUE_H
#define KN_GLUE_H

#define KN_GLUE_(a, b, c) a##b##c
#define KN_GLUE(a, b, c) KN_GLUE_(a, b, c)

#endif
