/* SPDX-License-Identifier: BSD-3-Clause */
/* The calibration of this processor, kept between runs: $XDG_CACHE_HOME/loadstone/calibration-KEY, a text
 * file. The file is untrusted: a truncated or edited one, or one of another machine, is refused, and the
 * machine is measured again.
 *
 * Thread: any.  Signal: not safe. */
#ifndef MACH_CALIBRATION_CACHE_H
#define MACH_CALIBRATION_CACHE_H

#include "machine/mach_calibration.h"
#include "machine/mach_cpu.h"

#include <stddef.h>

/* Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT, LS_ERR_VERSION, LS_ERR_IO; then *out is unchanged. */
ls_err mach_calibration_cache_load(const struct mach_cpu *cpu, struct mach_calibration *out);
/* The file is written under a temporary name and renamed: a reader sees the old file or the new one.
 * Errors: LS_ERR_NOT_FOUND (neither XDG_CACHE_HOME nor HOME is set), LS_ERR_PERMISSION, LS_ERR_FULL,
 * LS_ERR_IO. */
ls_err mach_calibration_cache_store(const struct mach_cpu *cpu, const struct mach_calibration *c);
/* Path of the file.  Errors: LS_ERR_NOT_FOUND, LS_ERR_RANGE (path too long). */
ls_err mach_calibration_cache_path(const struct mach_cpu *cpu, char *out, size_t out_bytes);

#endif
