/* SPDX-License-Identifier: BSD-3-Clause */
/* Types shared by smr_tree.c, smr_registry.c and smr_contain.c: nodes, trees, the registry's state and its
 * lock.
 *
 * Thread: any that holds smr_lock.  Signal: not safe. */
#ifndef SMR_NODE_H
#define SMR_NODE_H

#include "loadstone/smr.h"
#include "smrtree/smr_avl.h"
#include "smrtree/smr_registry.h"

#include <pthread.h>

/* A node is in two forests: `inside` follows the memory (ranges of all trees), `shown` is the displayed
 * tree. */
enum smr_forest { SMR_INSIDE, SMR_SHOWN, SMR_FORESTS };

struct smr_links {
    smr_node *parent, *first, *last, *prev, *next;
};

struct smr_node {
    smr_tree *tree;
    smr_node *tree_prev, *tree_next; /* all nodes of the tree, including ended ones */
    struct smr_links links[SMR_FORESTS];
    uint64_t base, end, elem_size_bytes, dims;
    uint64_t born_ns, died_ns;
    void *user, *binding;
    void *map; /* its natural-domain map, see smr_watch */
    uint32_t id, slot;
    bool is_group;
    bool grouped;   /* shown below a group by request of the program */
    bool is_orphan; /* removed while in use: freed when the use ends */
    char label[];
};

struct smr_tree {
    smr_node *nodes;       /* newest first */
    smr_node *root;        /* a group without a label, id 0 */
    smr_tree *prev, *next; /* list of all trees */
};

/* Callbacks of ndm/ for changes of nodes. gone, reborn: called under the lock, for nodes with a map. */
struct smr_watch {
    void (*gone)(smr_node *n);          /* the handle is about to be freed */
    void (*reborn)(smr_node *n);        /* the node is alive again, with a new id */
    void (*leaving)(const smr_node *n); /* without the lock: n (NULL: any number of nodes) is about to be
                                           removed */
    void (*phase_begin)(void);          /* without the lock, before the sink is called */
};

struct smr_state {
    struct smr_avl ranges; /* value: slot */
    smr_node **slots;
    uint32_t slots_used, slot_free_len;
    size_t slots_room, slot_free_room;
    uint32_t *slot_free;
    smr_tree *trees;
    const struct smr_sink *sink;   /* written under the lock; read by phase and control without it */
    const struct smr_watch *watch; /* like sink */
    smr_node *in_use;              /* a natural-domain function is using it without the lock */
    pthread_t in_use_by;
    uint32_t last_id;
    unsigned walks;
    /* the extent of all living ranges and a lower bound of their length, read without the lock */
    uint64_t hull_base, len_min_bytes;
};
extern struct smr_state smr_state;

void smr_registry_init(void); /* registers fork handlers once */

/* The registry's lock, recursive for the thread that holds it. */
void smr_lock(void);
void smr_unlock(void);
bool smr_lock_held(void); /* by this thread */

/* One node at a time is in use without the lock: during that time only the thread that uses it may free it.
 * Call these three functions under the lock. */
void smr_use_begin(smr_node *n);
void smr_use_end(void);
/* Release the lock until neither n nor, if t is not NULL, any node of t is in use by another thread; both
 * NULL: until no node is. Waits at most SMR_UNUSED_WAIT_S, because the user may be waiting for a lock that
 * the caller holds. The lock must be held exactly once. */
void smr_wait_unused(const smr_node *n, const smr_tree *t);
#define SMR_UNUSED_WAIT_S 2
bool smr_is_used_elsewhere(const smr_node *n);

void smr_link(enum smr_forest f, smr_node *parent, smr_node *n); /* parent NULL: none */
void smr_unlink(enum smr_forest f, smr_node *n);

/* Call the functions below under the lock. */
ls_err smr_slot_take(smr_node *n); /* Errors: LS_ERR_NOMEM */
void smr_slot_give(smr_node *n);
ls_err smr_contain_attach(smr_node *n); /* Errors: as smr_avl_insert, with the text */
/* Return whether a living n may cover [base, end) instead.  Errors: LS_ERR_OVERLAP, with the text. */
ls_err smr_contain_can_move(const smr_node *n, uint64_t base, uint64_t end);
void smr_contain_adopt(smr_node *n, uint64_t now_ns); /* after attach, when n has been reported to the sink */
void smr_contain_detach(smr_node *n, uint64_t now_ns);
void smr_show_naturally(smr_node *n); /* below the range around it, or at the top */
void smr_node_end_life(smr_node *n, uint64_t now_ns, bool freed);

void smr_report_add(const smr_node *n, uint64_t now_ns);
void smr_report_range(const smr_node *n, uint64_t now_ns);
void smr_report_member(const smr_node *n, uint64_t now_ns);
bool smr_state_is_valid(void);

#endif
