/* SPDX-License-Identifier: BSD-3-Clause */
/* The address space of one process image as it changes: resolves an address at this moment. Layers, searched
 * in this order: registered ranges, thread-local storage, heap blocks, thread stacks, memory mapped at a
 * known site, mappings; then mappings that only a later or earlier snapshot showed (made by ld.so, the C
 * library or raw system calls: no hook saw them). */
#ifndef PROF_SPACE_H
#define PROF_SPACE_H

#include "common/ls_error.h"
#include "resolve/prof_modules.h"
#include "resolve/prof_scripts.h"
#include "resolve/prof_sites.h"
#include "resolve/prof_survey.h"
#include "resolve/prof_types.h"
#include "run_h5/prof_tree.h"
#include "smrtree/smr_live.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The target of an access: node, element and component; missing ones are fill values. */
struct prof_target {
    uint32_t node;
    uint32_t component;
    uint64_t element;
    uint32_t origin;       /* number of the source of its type (prof_types.h), 0: none */
    uint64_t offset_bytes; /* from the begin of the block or variable */
};

/* Into the columns that prof_typing_finish completes. */
static inline void prof_target_note_type(const struct prof_target *t, struct prof_sample *s)
{
    if (t->origin == 0) return;
    s->member = t->origin;
    s->type_offset = t->offset_bytes;
}

/* --- static data ---
 *
 * Homes of global and static data: the variable or, without symbols, the section that contains an address of
 * a module. Only variables and sections with samples become nodes. */

/* Zeroed is empty. */
struct prof_statics {
    const struct prof_modules *modules; /* borrowed, as tree is */
    prof_tree *tree;
    uint64_t start_ns;
    struct prof_static_slot *slots, *recent; /* caches of earlier lookups */
    size_t recent_next;
    struct prof_typing *typing; /* borrowed; NULL: types are not wanted */
};

/* Errors: LS_ERR_NOMEM.  End with prof_statics_fini. */
ls_err prof_statics_init(struct prof_statics *s, const struct prof_modules *modules, prof_tree *tree,
                         uint64_t start_ns);
void prof_statics_fini(struct prof_statics *s);

/* addr is in a mapping of the file path (from names) whose home is target->node: make *target more precise if
 * the file has symbols or sections for it. Out of memory leaves it as it is. */
void prof_statics_find(struct prof_statics *s, const char *path, uint64_t addr, struct prof_target *target);

/* --- thread-local storage ---
 *
 * Thread-local storage: finds the variable and module of an address in a thread's block. A variable is one
 * node for all threads; the sample holds the thread that accessed it. */

/* A block of one thread. */
struct prof_tls_block {
    uint64_t base, end;
    struct prof_loaded *module; /* NULL: the thread's control block */
    uint32_t stream;
    uint32_t next_free; /* used in free rows */
    bool is_live;
};
struct prof_tls {
    const struct prof_modules *modules; /* borrowed, as survey and tree are */
    const struct prof_survey *survey;
    prof_tree *tree;
    smr_live *live;                          /* values: rows of blocks */
    LS_VECTOR(struct prof_tls_block) blocks; /* rows of ended threads are used again */
    uint32_t first_free;                     /* UINT32_MAX: none */
    struct prof_typing *typing;              /* borrowed; NULL: types are not wanted */
};

/* Zeroed *t.  Owns: end with prof_tls_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_tls_init(struct prof_tls *t, const struct prof_modules *modules, const struct prof_survey *survey,
                     prof_tree *tree);
void prof_tls_fini(struct prof_tls *t);

/* The thread of stream has these blocks from now on; no others.  Errors: LS_ERR_NOMEM. */
ls_err prof_tls_blocks(struct prof_tls *t, uint32_t stream, const struct spool_tls_blocks *r);
/* The thread of stream ended. */
ls_err prof_tls_end(struct prof_tls *t, uint32_t stream);
/* Drop blocks in memory that now has another use. */
ls_err prof_tls_evict(struct prof_tls *t, uint64_t base, uint64_t end);

/* False: addr is in no block. Out of memory gives false too. */
bool prof_tls_find(struct prof_tls *t, uint64_t addr, struct prof_target *out);

/* --- heap ---
 *
 * The live heap blocks of one process image, and the anonymous memory it mapped: the owner of each address at
 * this moment of the replay. Memory use follows the live blocks, not all that ever existed. */

typedef struct prof_heap prof_heap;

/* All borrowed. */
struct prof_heap_context {
    struct prof_sites *sites;
    struct prof_frames *frames;
    const struct prof_scripts *scripts; /* NULL: none */
    const struct prof_survey *survey;
    prof_tree *tree;
    prof_names *names;
    struct prof_typing *typing; /* NULL: types are not wanted */
    uint64_t start_ns;          /* 0 of the times in the tree */
    uint32_t process;
};

/* Errors: LS_ERR_NOMEM. */
ls_err prof_heap_new(const struct prof_heap_context *context, prof_heap **out);
void prof_heap_free(prof_heap *h);
/* About how much memory a clone of h takes. */
size_t prof_heap_clone_bytes(const prof_heap *h);
/* Clone h for a fork child; survey and process are the child's.  Errors: LS_ERR_NOMEM. */
ls_err prof_heap_clone(const prof_heap *h, const struct prof_survey *survey, uint32_t process,
                       prof_heap **out);

/* Follow the program. Records that make no sense change nothing.  Errors: LS_ERR_NOMEM. */
ls_err prof_heap_alloc(prof_heap *h, const struct spool_alloc *r);
/* *out_end: the end of the block that began at base, base when none did. */
ls_err prof_heap_end_block(prof_heap *h, uint64_t base, uint64_t time_ns, uint64_t *out_end);
/* [base, end) is something else from now on. */
ls_err prof_heap_evict(prof_heap *h, uint64_t base, uint64_t end);

/* The row of /frames of a path that a record gives; PROF_NO_FRAME: none, or the record that gave it was lost.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_heap_frame(prof_heap *h, const struct prof_path_given *given, uint32_t *out);
/* Memory of a device is born: its site (PROF_NO_SITE: no call path) and its node. Accesses of the processor to
 * managed memory and to memory of the host find it. Errors: LS_ERR_NOMEM. */
ls_err prof_heap_device(prof_heap *h, const struct spool_device_block *r, uint32_t *out_site,
                        uint32_t *out_node);

/* Blocks with this site's number were allocated at this path.  Errors: LS_ERR_NOMEM. */
ls_err prof_heap_site(prof_heap *h, const struct spool_site *r);
/* Set node, origin and offset of the block that an access found by the number of its site; the node is PROF_NO_NODE
 * where the number is not known. */
void prof_heap_find_tagged(prof_heap *h, const struct spool_access *a, struct prof_target *out);

/* Set node, and origin and offset of the object, of the block or of the mapping that holds addr; the node is
 * PROF_NO_NODE where none does. */
void prof_heap_find_block(prof_heap *h, uint64_t addr, struct prof_target *out);
void prof_heap_find_mapping(prof_heap *h, uint64_t addr, struct prof_target *out);
/* Did the program or its allocator map the memory at addr by a call that is recorded? */
bool prof_heap_has_mapping(const prof_heap *h, uint64_t addr);
/* Set origin and offset only. */
void prof_heap_find_origin(prof_heap *h, uint64_t addr, struct prof_target *out);
/* The same, but a block or mapping of a site belongs to the site's node, and gets none itself. */
uint32_t prof_heap_find_site(prof_heap *h, uint64_t addr);
/* Number of blocks that the recorded one at addr represents; 1: there is none. */
double prof_heap_blocks_at(const prof_heap *h, uint64_t addr);

/* --- the address space --- */

typedef struct prof_space prof_space;

/* survey (planted, the context's) and everything that context points to are borrowed.  Errors:
 * LS_ERR_NOMEM. */
ls_err prof_space_new(struct prof_survey *survey, const struct prof_heap_context *context, prof_space **out);
void prof_space_free(prof_space *s);
/* Approximate memory that a clone of s takes. */
size_t prof_space_clone_bytes(const prof_space *s);
/* Clone s for a fork child: the same objects at the same addresses. survey is the child's, with the parent's
 * nodes in it (prof_survey_inherit). Owns: the caller frees *out.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_clone(const prof_space *s, struct prof_survey *survey, uint32_t process, prof_space **out);

/* The following functions follow the program, in the order of time. Records that make no sense (a free of
 * nothing, an extent that wraps) change nothing. */
/* From now on all mappings are as in this /proc/PID/maps.
 * Owns:   maps_text is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_snapshot(prof_space *s, const char *maps_text, size_t len_bytes);
/* Something was mapped: end everything there (ranges, blocks, thread-local storage), unless it is the
 * heap that grew.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_mmap(prof_space *s, const struct spool_mmap *r);
/* Something was unmapped: end everything there.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_munmap(prof_space *s, const struct spool_extent *r);
/* A number of a site, for accesses to its blocks.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_site(prof_space *s, const struct spool_site *r);
/* A block, or memory mapped at a known site, is born.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_alloc(prof_space *s, const struct spool_alloc *r);
/* As of prof_heap_device and prof_heap_frame. */
ls_err prof_space_device(prof_space *s, const struct spool_device_block *r, uint32_t *out_site,
                         uint32_t *out_node);
ls_err prof_space_frame(prof_space *s, const struct prof_path_given *given, uint32_t *out);
/* The block that begins at r->base dies, and the ranges inside it.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_free_block(prof_space *s, const struct spool_extent *r);
/* NODE_ADD and NODE_RANGE: a registered node is here from now on, and where it was no longer. Groups are
 * nowhere.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_node_range(prof_space *s, const struct spool_node *r);
/* A registered node is nowhere from now on.
 * Owns:   r is only read.  Errors: none: always LS_OK. */
ls_err prof_space_node_remove(prof_space *s, const struct spool_node_remove *r);
/* A thread's stack [base, end) lives from now; home is its node.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_space_stack_begin(prof_space *s, uint64_t base, uint64_t end, uint32_t home);
/* The stacks in [base, end) are gone.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_space_stack_end(prof_space *s, uint64_t base, uint64_t end);

/* Is addr in an executable mapping, as far as is known? */
bool prof_space_is_code(const prof_space *s, uint64_t addr);

/* From now on give static and thread-local data homes below their modules' homes; both are borrowed. */
void prof_space_set_statics(prof_space *s, struct prof_statics *statics, struct prof_tls *tls);

/* Set the time of the following queries (CLOCK_MONOTONIC). */
void prof_space_set_time(prof_space *s, uint64_t time_ns);
/* Never fails: every address has a home. */
struct prof_target prof_space_find(prof_space *s, uint64_t addr);
/* The same for an access, which may know the site of its block. */
struct prof_target prof_space_find_access(prof_space *s, const struct spool_access *a);
/* The node of addr where all blocks of a site count as one. PROF_NO_NODE: out of memory. */
uint32_t prof_space_find_site(prof_space *s, uint64_t addr);
/* Number of blocks that the recorded heap block at addr represents; 1: there is none. */
double prof_space_blocks_at(const prof_space *s, uint64_t addr);

#endif
