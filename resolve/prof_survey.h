/* SPDX-License-Identifier: BSD-3-Clause */
/* First pass over a process image: collects the facts needed before the first sample is attributed.
 * Registered nodes get their place in the tree (a member may be registered before its group), modules and
 * every mapping ever seen are noted. */
#ifndef PROF_SURVEY_H
#define PROF_SURVEY_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "resolve/prof_maps.h"
#include "run_h5/prof_tree.h"
#include "smrtree/smr_live.h"
#include "spool/spool_dir.h"
#include "spool/spool_format.h"

#include <stddef.h>
#include <stdint.h>

/* --- call paths of allocations ---
 *
 * The call paths of a process image's allocations by their hash: a file gives each path once and refers to it
 * by hash afterwards (spool/spool_path.h). */

struct prof_path {
    uint32_t frame;  /* row of /frames, PROF_NO_FRAME until somebody sets it */
    uint32_t blocks; /* recorded at it; saturates */
};
/* Zeroed is empty. */
struct prof_paths {
    LS_VECTOR(struct prof_path) rows;
    struct ls_index by_hash;
};

/* A call path as a record of a block has it. */
struct prof_path_given {
    const uint64_t *frames; /* return addresses, or one hash */
    uint32_t len;           /* 0: no path */
    bool is_hash;
};
#define PROF_PATH_GIVEN(r)                                                  \
    {                                                                       \
        (const uint64_t *)(const void *)SPOOL_REC_TAIL(r), (r)->frames_len, \
            ((r)->rec.flags & SPOOL_ALLOC_KNOWN_PATH) != 0                  \
    }

/* The hash of a path, 0 when there is none. */
uint64_t prof_path_hash_of(const struct prof_path_given *given);
/* The path of this hash, made when it is new; valid until the next call.  NULL: out of memory. */
struct prof_path *prof_paths_at(struct prof_paths *p, uint64_t hash);
/* NULL: not there. */
struct prof_path *prof_paths_find(const struct prof_paths *p, uint64_t hash);
void prof_paths_fini(struct prof_paths *p);

/* A registered node of one process image. */
struct prof_survey_node {
    uint32_t spool_id; /* from 1 */
    uint32_t parent;   /* spool id of container or group, 0: top */
    uint32_t node;     /* id in the tree, PROF_NO_NODE before prof_survey_plant */
    bool is_group;
    bool is_inherited; /* another image registered it before this one was forked */
    const char *label;
    uint64_t base, end, elem_size_bytes, dims;
    uint64_t born_ns, died_ns; /* CLOCK_MONOTONIC */
};
struct prof_survey_module {
    const char *path;
    uint64_t base, end, offset_bytes;
    uint64_t born_ns, died_ns; /* CLOCK_MONOTONIC; 0: there from the start, UINT64_MAX: to the end */
    uint64_t seen_ns;          /* last snapshot that shows it */
};
/* Bytes at base. */
struct prof_survey_bytes {
    uint8_t *bytes;
    size_t len_bytes; /* 0: none */
    uint64_t base;
};
/* A module's number for thread-local storage, from a record. */
struct prof_survey_tls {
    uint64_t time_ns, id, at; /* at: an address in the module */
};
/* Origin of the image, from its own records. */
struct prof_survey_origin {
    bool has_ancestor;
    uint32_t ancestor_pid, ancestor_image, ancestor_tid;
    uint64_t fork_ns; /* CLOCK_MONOTONIC; 0: not a fork */
    uint32_t rank, ranks_len;
    const char *rank_from; /* NULL: no rank */
    uint32_t status;       /* SPOOL_STATUS_UNKNOWN */
    uint64_t peak_bytes;   /* 0: not known */
};
struct prof_survey {
    struct prof_survey_origin origin;
    LS_VECTOR(struct prof_survey_node) nodes; /* spool_id 0: not used */
    struct ls_index node_by_id;
    LS_VECTOR(struct prof_survey_module) modules;
    prof_mapping_list seen; /* every mapping of every snapshot */
    smr_live *seen_live; /* values: rows of seen; the latest wins. For addresses whose mapping no hook saw */
    struct prof_survey_bytes vdso;
    LS_VECTOR(struct prof_survey_tls) tls; /* in the order of time */
    uint64_t snapshots_len;
    struct prof_paths paths; /* blocks recorded at each call path */
    uint64_t begin_ns, end_ns;
    uint64_t records_len; /* for progress */
};

/* Errors: LS_ERR_NOMEM, LS_ERR_VERSION; damage is left to the second pass. */
ls_err prof_survey_image(const struct spool_image *image, prof_names *names, struct prof_survey *out);
void prof_survey_fini(struct prof_survey *s);
/* The mapping that the first snapshot from time_ns on shows at addr, else the last one that showed any; NULL:
 * none ever did. */
struct prof_mapping *prof_survey_seen(const struct prof_survey *s, uint64_t addr, uint64_t time_ns);
/* Take over the nodes of the parent (planted) that lived at fork_ns: under the same ids, in the same place of
 * the tree. Errors: LS_ERR_NOMEM. */
ls_err prof_survey_inherit(struct prof_survey *s, const struct prof_survey *parent, uint64_t fork_ns);
/* The node of this id, or NULL. */
struct prof_survey_node *prof_survey_known(const struct prof_survey *s, uint32_t spool_id);
/* Does the image itself register nodes? */
bool prof_survey_has_nodes(const struct prof_survey *s);
/* Put the nodes into the tree below parent; process is their row of /processes, start_ns is subtracted from
 * times. */
ls_err prof_survey_plant(struct prof_survey *s, prof_tree *tree, uint32_t parent, uint32_t process,
                         uint64_t start_ns);

#endif
