/* SPDX-License-Identifier: BSD-3-Clause */
/* Spools: made, resolved, removed, found when their launcher was killed. */
#ifndef REC_SPOOL_H
#define REC_SPOOL_H

#include "common/ls_error.h"
#include "resolve/prof_resolve.h"
#include "tools/cli/cli_command.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the spool ---- */

/* Names of spools: loadstone-spool-PID-XXXXXX. */
#define REC_SPOOL_PREFIX "loadstone-spool"
/* The file in it whose lock the launcher holds. */
#define REC_SPOOL_CONF "spool.conf"

struct rec_spool {
    char path[PATH_MAX]; /* absolute */
    int fd, conf_fd;     /* descriptors of the directory and of its spool.conf, or -1 */
};

/* Make a new spool directory, mode 0700: in `asked` if that is not NULL (it is made when missing), otherwise
 * in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm; only where other users cannot replace it. Errors:
 * LS_ERR_PERMISSION, LS_ERR_FULL, LS_ERR_IO. */
ls_err rec_spool_make(struct rec_spool *s, const char *asked);
/* The spool that path names: itself, or the only one in it. Errors: LS_ERR_ARG where there are several. */
ls_err rec_spool_find(const char *path, char out[PATH_MAX]);
/* The recording is over: processes that go on record no more. (They see the end of the launcher as well.) */
void rec_spool_end(const struct rec_spool *s);
/* Add key=value to spool.conf; newlines in value become blanks. */
ls_err rec_spool_describe(const struct rec_spool *s, const char *key, const char *value);
/* The value of key in DIR/spool.conf, "" when absent. */
void rec_spool_read(const char *dir, const char *key, char *out, size_t out_len_bytes);
/* Remove the spool's files, spools in it, and its directory. Other files stay. */
ls_err rec_spool_remove(struct rec_spool *s);
/* Return whether processes still record into the spool. They hold a lock on the directory; on a file system
 * without locks none is found. */
bool rec_spool_in_use(const char *path);

/* ---- its resolving ---- */

/* The row of --steps, the same for both commands. */
#define REC_STEPS_OPTION                                                                               \
    {                                                                                                  \
        "steps", 0, CLI_COUNT, "COUNT", NULL,                                                          \
            "divide the run into COUNT equal steps of the fields on natural domains, at most 200; 1: " \
            "none; default: each entry into a top-level phase is a step",                              \
            CLI_ADVANCED, .least = 1                                                                   \
    }

/* Parts that --steps asks for; 0: not given, steps are phases. */
uint32_t rec_resolve_steps(const struct cli_value *steps);

/* prof_resolve in a child process, whose crash cannot end this one, with progress and warnings on standard
 * error; progress and warn of o are set here. Errors: as prof_resolve; LS_ERR_IO if a signal ended it. */
ls_err rec_resolve(struct prof_resolve_options *o, struct prof_resolve_stats *out);

/* Warn about data that a resolved spool lacks; for failed dumps, print the last error. */
void rec_resolve_say_missing(const struct prof_resolve_stats *s);

/* ---- spools that killed launchers left ---- */

/* Spools that launchers left which were killed, in the folders where spools are made unasked. */

struct rec_left {
    char path[PATH_MAX];
    char command[256];  /* "" if it is not known */
    uint64_t len_bytes; /* total size of its files */
    bool is_recording;  /* resolve makes a profile from it; otherwise a trace left it, and it is useless */
};

enum { REC_LEFT_MAX = 16 };
/* Find at most REC_LEFT_MAX spools of this user, by name, that no launcher or program writes any more.
 * Return their number. */
size_t rec_left_find(struct rec_left out[REC_LEFT_MAX]);

#endif
