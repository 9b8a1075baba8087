/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocation sites of a run: blocks of one call path are one site. A site gets a node of the tree when a
 * sample hits one of its blocks; sites of several processes that ran the same code share it. */
#ifndef PROF_SITES_H
#define PROF_SITES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "resolve/prof_frames.h"
#include "resolve/prof_survey.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tree.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROF_NO_SITE UINT32_MAX
/* Limits of blocks with a node each: the first ones hit, per site and per run. */
enum { PROF_SITE_BLOCKS_MAX = 32, PROF_RUN_BLOCKS_MAX = 20000 };
/* record takes every block from this size on unless LOADSTONE_ALLOC_MIN is set. */
enum { PROF_LARGE_BLOCK_BYTES = 4096 };

/* Parts of a caller's source line that show the type of the memory; texts of sym_types.h, NULL: none. */
struct prof_clue {
    uint32_t frame;
    const char *made;     /* new T */
    const char *measured; /* sizeof(T), sizeof *p */
    const char *assigned; /* the pointer that gets the memory */
    bool is_return;       /* it returns the memory */
    bool is_header;       /* it returns the memory behind a header, to which `assigned` points */
    uint32_t header_len;  /* number of objects of the header, 0: not known */
};
enum { PROF_CLUES_MAX = 8 };

/* Facts about a site beside its row. */
struct prof_site_facts {
    double blocks, bytes;                   /* estimated */
    uint64_t least_bytes, most_bytes;       /* shortest and longest block */
    uint64_t unit_bytes;                    /* divides the length of each of them */
    struct prof_clue clues[PROF_CLUES_MAX]; /* the caller that the label is from comes first */
    uint32_t clues_len;
    uint64_t key;         /* key of its node; 0: not computed */
    uint32_t block_nodes; /* made so far */
    bool is_mapping;      /* mmap: below anonymous memory */
    bool is_device;       /* below the memory of devices */
    bool is_large;        /* has made a block of PROF_LARGE_BLOCK_BYTES: it is in every recording */
    bool is_in_range;     /* accesses to a registered range inside one of its blocks were recorded */
    bool is_single;       /* one block in the whole recording: it needs no node beside the site's */
};

/* Zeroed is empty. */
struct prof_sites {
    LS_VECTOR(struct prof_site) rows;
    LS_VECTOR(struct prof_site_facts) facts; /* beside rows */
    struct ls_index by_frame;                /* rows by frame, is_mapping and is_device */
    struct ls_index nodes;                   /* by the key of facts: two sites with one key are one node */
    uint32_t block_nodes;
};

/* Key of a block's site, from its record. */
struct prof_site_key {
    uint32_t process, frame;
    bool is_mapping, is_single, is_device;
};

/* The site of key, made when it is new.  Errors: LS_ERR_NOMEM. */
ls_err prof_sites_intern(struct prof_sites *s, const struct prof_site_key *key, uint32_t *out_site);

/* Number of blocks that a recorded one represents: 1 / (1 - exp(-len / period)) (spool_format.h). */
double prof_block_weight(uint64_t len_bytes, uint32_t period_bytes);
/* One more recorded block. */
void prof_sites_count(struct prof_sites *s, uint32_t site, uint64_t len_bytes, uint32_t period_bytes);

/* It has a block of this length, which is not counted. */
void prof_sites_note_length(struct prof_sites *s, uint32_t site, uint64_t len_bytes);

/* The site's node, made when it is new. PROF_NO_NODE: out of memory. survey has the files of code. */
uint32_t prof_sites_node(struct prof_sites *s, uint32_t site, const struct prof_frames *frames,
                         const struct prof_survey *survey, prof_tree *tree);

/* May another block of this site have a node? */
bool prof_sites_take_block_node(struct prof_sites *s, uint32_t site);

void prof_sites_fini(struct prof_sites *s);

#endif
