/* SPDX-License-Identifier: BSD-3-Clause */
/* What smr_tree.c, smr_registry.c and smr_contain.c share: nodes, trees, the registry's state and its lock.
 *
 * Thread: any that holds smr_lock.  Signal: not safe. */
#ifndef SMR_NODE_H
#define SMR_NODE_H

#include "loadstone/smr.h"
#include "smrtree/smr_avl.h"
#include "smrtree/smr_registry.h"

/* A node is in two forests: `inside` follows the memory (ranges of all trees), `shown` is the tree as people
 * see it. */
enum smr_forest { SMR_INSIDE, SMR_SHOWN, SMR_FORESTS };

struct smr_links {
    smr_node *parent, *first, *last, *prev, *next;
};

struct smr_node {
    smr_tree *tree;
    smr_node *tree_prev, *tree_next; /* all nodes of the tree, ended ones too */
    struct smr_links links[SMR_FORESTS];
    uint64_t base, end, elem_size_bytes, dims;
    uint64_t born_ns, died_ns;
    void *user, *binding;
    uint32_t id, slot;
    bool is_group;
    bool grouped; /* shown below a group by the program's wish */
    char label[];
};

struct smr_tree {
    smr_node *nodes;       /* newest first */
    smr_node *root;        /* a group without a label, id 0 */
    smr_tree *prev, *next; /* all trees */
};

struct smr_state {
    struct smr_avl ranges; /* value: slot */
    smr_node **slots;
    uint32_t slots_used, slots_cap, slot_free_len;
    uint32_t *slot_free;
    smr_tree *trees;
    const struct smr_sink *sink; /* written under the lock; phase and control read it without */
    uint32_t last_id;
    unsigned walks;
    /* hull of the living ranges and a lower bound of their length, read without the lock */
    uint64_t hull_base, hull_end, len_min_bytes;
};
extern struct smr_state smr_state;

void smr_registry_init(void); /* fork handlers, once */

/* The registry's lock, recursive for the thread that holds it. */
void smr_lock(void);
void smr_unlock(void);
bool smr_lock_held(void); /* by this thread */

void smr_link(enum smr_forest f, smr_node *parent, smr_node *n); /* parent NULL: none */
void smr_unlink(enum smr_forest f, smr_node *n);

/* All under the lock. */
ls_err smr_slot_take(smr_node *n); /* Errors: LS_ERR_NOMEM */
void smr_slot_give(smr_node *n);
ls_err smr_contain_attach(smr_node *n); /* Errors: as smr_avl_insert, with the text */
/* Whether a living n may cover [base, end) instead.  Errors: LS_ERR_OVERLAP, with the text. */
ls_err smr_contain_can_move(const smr_node *n, uint64_t base, uint64_t end);
void smr_contain_adopt(smr_node *n,
                       uint64_t now_ns); /* after attach, when n itself has been told to the sink */
void smr_contain_detach(smr_node *n, uint64_t now_ns);
void smr_show_naturally(smr_node *n); /* below the range around it, or at the top */
void smr_node_end_life(smr_node *n, uint64_t now_ns, bool freed);
void smr_hull_update(void);

void smr_tell_add(const smr_node *n, uint64_t now_ns);
void smr_tell_range(const smr_node *n, uint64_t now_ns);
void smr_tell_member(const smr_node *n, uint64_t now_ns);
uint32_t smr_shown_parent_id(const smr_node *n);
bool smr_state_is_valid(void);

#endif
