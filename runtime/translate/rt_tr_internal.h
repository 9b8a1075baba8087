/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the translator share.
 *
 * Thread: the holder of the lock changes the cache; every thread may read published data while it is joined.
 * A struct rt_tr_thread belongs to one thread.  Signal: safe, but for rt_tr_open.c. */
#ifndef RT_TR_INTERNAL_H
#define RT_TR_INTERNAL_H

#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/bursts/rt_burst_decode_sigsafe.h"
#include "runtime/translate/rt_tr_layout.h"
#include "runtime/translate/rt_translate.h"

enum {
    RT_TR_BLOCK_MOST = 48, /* instructions */
    RT_TR_ARENA_BYTES = 1 << 20,
    RT_TR_HOT_BYTES =
        RT_TR_ARENA_BYTES / 5, /* fast versions in an arena; the rest: stubs and slow versions */
    RT_TR_BLOCK_BYTES_MOST =
        16384, /* a version of a block with its stubs: 48 instructions at 250 bytes are 12,000 */
    RT_TR_ARENAS_MOST = 8,
    RT_TR_BLOCKS_MOST = 28000, /* the cache of a process stays below 16 MiB */
    RT_TR_HASH_SLOTS = 1 << 16,
    RT_TR_MARKS_MOST = 1 << 18,
    RT_TR_EXITS_MOST = 1 << 16,
    RT_TR_SITES_MOST = 1 << 16,
    RT_TR_STACK_BYTES =
        96 * 1024, /* five signals may interrupt each other: each takes 11.5 KiB with the tiles of AMX */
    RT_TR_TILE_DATA = 18, /* component of XSAVE */
    /* Blocks use the counters by turns: each addition to the same number in memory, addressed by GS, takes 1.7 ns on an
     * AMD processor of family 26, longer than a short block. */
    RT_TR_COUNTERS = 4,
};

struct rt_tr_block;

struct rt_tr_raw {
    uint64_t addr;
    uint32_t site, unused;
};

/* Data that the probe writes. */
struct rt_tr_timed {
    uint64_t addr;
    uint32_t cycles, drain_cycles;
    uint32_t state, unused;
};

struct rt_tr_context {
    uint64_t spill[6], spill_flags, jump;
    /* Negative while the blocks that use the counter may run. Instructions, from bit RT_TR_COUNT_BIT on; below it the
     * operations that the translation adds to them. */
    int64_t counts[RT_TR_COUNTERS];
    uint32_t exit, unused;
    uint64_t target;
    uint32_t *table;            /* table of the cache */
    struct rt_tr_block *blocks; /* numbers in the table are bytes from here */
    uint64_t host_rsp;
    struct rt_tr_raw *list, *list_end;
    uint64_t at; /* site to be probed; 0: none */
    uint64_t fs_base;
    const struct rt_tr_range *never;
    uint64_t never_len;
    const uint32_t *at_next; /* sites to be probed after at, in the order of the block; 0 ends them */
    struct rt_tr_timed *timed;
    uint64_t eflags;
    uint64_t gregs[16]; /* in the order of machine code */
    /* Where a thread's indirect branches go at once, by a hash of the target: the arrival of a block, which compares the
     * target with its own address. With bmi2 only. */
    uint64_t quick_scale; /* the upper half of the product with a hash of 32 bits is a place */
    uint64_t quick[1 << RT_TR_QUICK_BITS];
};

/* Once it is published nothing changes but slow (0, then its entry) and ip (invalidated). The dispatcher needs the first
 * cache line. */
struct rt_tr_block {
    uint64_t ip;
    uint64_t code;         /* entry of the fast version */
    uint64_t slow;         /* 0: not yet translated */
    uint64_t loads;        /* bit k: a load of instruction k can be timed */
    uint64_t low;          /* as ip was when it was translated */
    uint32_t sites, marks; /* first ones */
    uint16_t sites_len, marks_len;
    uint8_t len;            /* instructions */
    uint8_t sure;           /* number of first instructions that are always executed, if none faults */
    uint8_t check_bytes;    /* length of the check of the counter in the fast version */
    uint8_t arena : 4;      /* arena of the fast version */
    uint8_t counter : 4;    /* number of the counter that the fast version adds to */
    uint8_t flags_dead : 1; /* the check of the counter at the entry of the fast version changes the flags */
    uint8_t rest_waits : 1; /* as of rt_tr_loop_least */
    uint8_t is_quiet : 1;   /* in options.quiet: it has no slow version */
    uint8_t
        is_generated : 1; /* no other block may branch there: the dispatcher compares its code whenever it enters */
    /* a repeated movs, stos or lods alone: RT_TR_LOAD, RT_TR_STORE, and the length of an element as a power of
     * two; else 0. The dispatcher sees each execution. */
    uint8_t repeats : 2, elem_log2 : 2;
    uint8_t stop;               /* enum rt_tr_end after the last instruction, or NONE */
    uint16_t least_millicycles; /* least time of an instruction, by rt_tr_loop_least */
    uint16_t slots_permille;    /* slots of the core that a thousand instructions take with the checks */
    uint64_t arrive;            /* entry for indirect branches of a thread's quick table; 0: none */
    uint64_t high;              /* all of its original code is between low and this */
    uint64_t sum;               /* is_generated: rt_tr_sum of the bytes */
    uint32_t slow_marks;        /* first one */
    uint16_t slow_marks_len;
    uint16_t code_bytes, slow_bytes;
    int16_t branch_rel; /* from ip to the target of the direct branch that ends it; 0: itself, far, or none */
} __attribute__((aligned(64)));

/* May other blocks branch to b without the dispatcher? */
static inline bool rt_tr_may_link(const struct rt_tr_block *b)
{
    return !b->repeats && !b->is_generated;
}

/* From here on, translated code belongs to instruction k of its block. */
struct rt_tr_mark {
    uint16_t offset; /* to the begin of this version of the block */
    uint16_t ip_rel; /* to the block */
    uint8_t k;
    uint8_t rcx_spilled;
};

enum rt_tr_exit_kind {
    RT_TR_EXIT_LINK,     /* to target; its branch can be linked */
    RT_TR_EXIT_STOP,     /* the burst ends before target */
    RT_TR_EXIT_STAY,     /* out of a slow version, to target */
    RT_TR_EXIT_INDIRECT, /* to context.target; out of a fast version when the table lacks it */
    RT_TR_EXIT_LIST,     /* list the accesses of instruction k, then resume */
};

struct rt_tr_exit {
    uint64_t target; /* LIST: where to resume; INDIRECT: the branch itself */
    uint32_t block;
    union {
        uint32_t patch;   /* LINK: offset of the displacement in the arena; 0: none */
        int32_t undo_rsp; /* INDIRECT: added to the stack pointer to undo the branch */
        uint32_t
            next; /* STAY: number of the block at target, where the dispatcher went before; 0: none yet */
    };
    int16_t executed; /* instructions that the counter does not know of */
    uint8_t kind, k;
};

/* One memory operand that slow versions record inline. */
struct rt_tr_site {
    uint32_t block;
    uint16_t size_bytes;
    uint8_t k, does;
};

struct rt_tr_arena {
    uint64_t base;
    int64_t write_delta; /* from where code runs to where it is written */
    uint32_t hot, cold;  /* offsets of free room; cold: stubs and slow versions */
};

/* Status flags as bits; DF and others stay as they are. */
enum {
    RT_TR_CF = 1,
    RT_TR_PF = 2,
    RT_TR_AF = 4,
    RT_TR_ZF = 8,
    RT_TR_SF = 16,
    RT_TR_OF = 32,
    RT_TR_ALL_FLAGS = 63
};

struct rt_tr_insn {
    uint64_t ip;
    uint64_t target; /* target of a direct branch */
    uint8_t flags_read, flags_written;
    uint8_t disp_offset; /* offset of a displacement to be rebased, or 0 */
    bool copied, may_fault, fetches_sequence;
    uint8_t repeats; /* as in struct rt_tr_block */
    struct rt_burst_plan plan;
};

/* Instructions to be translated as one block: order[] repeats the instructions of a loop. */
struct rt_tr_trace {
    uint64_t ip, low, high;
    enum rt_tr_end stop;
    uint8_t decoded, len;
    bool is_loop; /* ends with a branch to its begin */
    bool is_generated;
    uint8_t order[RT_TR_BLOCK_MOST];
    struct rt_tr_insn insns[RT_TR_BLOCK_MOST];
};

/* In memory that a forked child finds zeroed: it begins with an empty cache, whatever threads of its parent
 * did at that moment. A child has no arenas at all. */
struct rt_tr_cache {
    uint32_t lock;
    uint32_t ready;
    uint32_t active; /* threads in bursts; they keep the cache from being dropped */
    uint32_t drop;   /* wanted */
    uint64_t invalidations;
    uint64_t generation; /* changes when translations are dropped, and in a forked child */
    uint32_t arena_count, block_count, mark_count, exit_count, site_count;
    struct rt_tr_block none; /* is in the empty places of the table: no address has it */
    struct rt_tr_arena arenas[RT_TR_ARENAS_MOST];
    struct rt_tr_trace trace;
    const struct rt_tr_block *traced;      /* the block that trace still describes, or NULL */
    uint64_t traced_invalidations;         /* invalidations when it was read */
    uint32_t hash[RT_TR_HASH_SLOTS];       /* number of the block + 1 */
    uint32_t table[1 << RT_TR_TABLE_BITS]; /* targets of indirect branches: bytes from none to their blocks */
    struct rt_tr_block blocks[RT_TR_BLOCKS_MOST];
    struct rt_tr_mark marks[RT_TR_MARKS_MOST];
    struct rt_tr_exit exits[RT_TR_EXITS_MOST];
    struct rt_tr_site sites[RT_TR_SITES_MOST];
};

/* Kinds of instructions that chains of dependent instructions mostly consist of. */
enum rt_tr_kind {
    RT_TR_ADD_FP,
    RT_TR_MUL_FP,
    RT_TR_FMA,
    RT_TR_DIV_SINGLE,
    RT_TR_DIV_DOUBLE,
    RT_TR_SQRT_SINGLE,
    RT_TR_SQRT_DOUBLE,
    RT_TR_CONVERT,
    RT_TR_MUL_INTEGER,
    RT_TR_LOAD_L1,
    RT_TR_KIND_COUNT
};

/* Times of this processor in thousandths of a core cycle: from the operands of an instruction to its result, and
 * between two independent ones (0: less than matters). */
struct rt_tr_times {
    uint32_t latency[RT_TR_KIND_COUNT], occupied[RT_TR_KIND_COUNT];
    uint32_t sum_after_sum; /* latency of an addition of floating-point numbers after another one */
    /* These two change with the core's load; bursts measure them again (rt_tr_core_sigsafe.c). */
    uint32_t issue;      /* between two simple instructions */
    uint32_t core_cycle; /* in thousandths of a TSC cycle */
};

struct rt_tr_process {
    struct rt_tr_cache *cache;
    struct rt_tr_options options;
    struct rt_tr_times times;
    bool has_xsaveopt;
    uint32_t tiles_end;             /* of the tiles of AMX in an XSAVE area; 0: there are none */
    uint64_t generations;           /* that there were, in the parents of a forked child, too */
    uint64_t stack_base, stack_end; /* room of the first thread's stack, as far as it may grow */
};
extern struct rt_tr_process rt_tr_process;

/* The kernel's frame: sigreturn takes it from rsp - 8. */
struct rt_tr_frame {
    uint64_t restorer;
    ucontext_t uc;
};

struct rt_tr_thread {
    struct rt_tr_context context;
    uint32_t running;
    uint32_t interruptions;     /* signals in bursts, since the thread began */
    uint64_t quick_generation;  /* generation that context.quick belongs to */
    uint32_t round_trip_cycles; /* least of entering and leaving; 0: not measured */
    uint64_t fault_ip;
    int32_t fault_executed;
    uint32_t fault_k;
    uint64_t control_line;
    size_t len_bytes;
    uint8_t *stack_top;
    uint8_t *xstate; /* aligned to 64 bytes */
    uint32_t xstate_bytes;
    struct rt_tr_frame frame;
    void (*work)(struct rt_tr_thread *, ucontext_t *, void *); /* on its own stack */
    struct rt_tr_raw raw[RT_TR_ACCESSES_MAX];
    /* probes in the slow version that runs: their sites, when they are due, their readings */
    uint32_t at[RT_TR_BLOCK_MOST + 1];
    uint64_t at_position[RT_TR_BLOCK_MOST];
    uint64_t tried[RT_TR_BLOCK_MOST]; /* positions in the block at which a load would be timed */
    struct rt_tr_timed timed[RT_TR_BLOCK_MOST];
};

/* Assembler. The template is copied into each arena. */
extern const char rt_tr_template[], rt_tr_template_end[], rt_tr_template_exit[], rt_tr_template_lookup[],
    rt_tr_template_astray[], rt_tr_template_not_quick[], rt_tr_template_access[], rt_tr_template_miss[],
    rt_tr_template_load[], rt_tr_template_load_fault[], rt_tr_template_stamp[], rt_tr_plain_stamp[];
void rt_tr_enter(struct rt_tr_context *c, uint64_t code);
void rt_tr_probe_once(uint64_t access_code, const void *addr);
size_t rt_tr_copy(void *to, const void *from, size_t len_bytes);
extern const char rt_tr_copy_load_ip[], rt_tr_copy_fault_ip[];
uint64_t rt_tr_sum(const void *from, size_t len_bytes);
extern const char rt_tr_sum_load_word[], rt_tr_sum_load_byte[], rt_tr_sum_fault[];
_Noreturn void rt_tr_run_on(uint8_t *stack_top, struct rt_tr_thread *t,
                            void (*work)(struct rt_tr_thread *, ucontext_t *, void *), void *arg,
                            struct rt_tr_frame *frame);

static inline uint32_t rt_tr_template_at(const char *label)
{
    return (uint32_t)(label - rt_tr_template);
}

/* rt_tr_arena_sigsafe.c: the cache and its memory */
bool rt_tr_cache_try_lock(struct rt_tr_cache *c);
void rt_tr_cache_unlock(struct rt_tr_cache *c);
/* Keep the cache from being dropped; false: it is about to be. */
bool rt_tr_cache_join(struct rt_tr_cache *c);
void rt_tr_cache_leave(struct rt_tr_cache *c);
struct rt_tr_block *rt_tr_cache_find(struct rt_tr_cache *c, uint64_t ip);
void rt_tr_cache_publish(struct rt_tr_cache *c, struct rt_tr_block *b);
/* Let b no longer be found. */
void rt_tr_cache_forget(struct rt_tr_block *b);
/* An arena within reach of ip that has room, or NULL and *why. Needs the lock. */
struct rt_tr_arena *rt_tr_arena_for(struct rt_tr_cache *c, uint64_t ip, enum rt_tr_end *why);
/* Return the arena with the translated code at ip, or NULL. */
const struct rt_tr_arena *rt_tr_arena_of(const struct rt_tr_cache *c, uint64_t ip);
/* Return the mark of translated code at ip and its block, or NULL; *slow: it belongs to the slow version. */
const struct rt_tr_mark *rt_tr_mark_of(struct rt_tr_cache *c, uint64_t ip, struct rt_tr_block **block,
                                       bool *slow);
/* Return the address of instruction k of b in the program. */
uint64_t rt_tr_ip_of(const struct rt_tr_cache *c, const struct rt_tr_block *b, unsigned k);
bool rt_tr_cache_map(struct rt_tr_process *p);
/* Can an arena be mapped within reach of ip? Keeps none. */
bool rt_tr_arena_try(uint64_t ip);

/* rt_tr_decode_sigsafe.c: choose the instructions of a block. END_NONE: *trace has at least one. Needs the
 * lock. */
enum rt_tr_end rt_tr_trace_build(struct rt_tr_cache *c, uint64_t ip);
/* As branch_rel of the block that the trace becomes. */
int16_t rt_tr_trace_branch_rel(const struct rt_tr_trace *t);
/* Does the instruction before ip fetch the descriptor of a restartable sequence, which the one at ip may store? */
bool rt_tr_is_before_sequence(uint64_t ip);
/* Decode the same instructions again, for the slow version of b. */
bool rt_tr_trace_rebuild(struct rt_tr_cache *c, const struct rt_tr_block *b);
/* The decoded instruction at ip into trace.insns[0]; false: not readable or not decodable. Needs the lock. */
bool rt_tr_decode_one(struct rt_tr_cache *c, uint64_t ip);
/* Fill in *n from len_bytes of code at ip, all but fetches_sequence, which depends on the bytes at *named if that is not 0.
 * *forbidden: why the instruction ends a burst, or END_NONE. Parts of the plan that the translation does not need
 * are not set. Need the lock. rt_tr_decode_common() of rt_tr_common_sigsafe.c knows the most frequent instructions, which end no
 * burst; false: the other one must decode it. code: RT_BURST_CODE_BYTES, 0 after len_bytes. */
bool rt_tr_decode_common(struct rt_tr_insn *n, const uint8_t *code, size_t len_bytes, uint64_t ip,
                         uint64_t *named);
enum rt_burst_decoded rt_tr_decode_any(struct rt_tr_insn *n, const uint8_t *code, size_t len_bytes,
                                       uint64_t ip, uint64_t *named, enum rt_tr_end *forbidden);
/* Return rt_tr_sum of the instructions, as they were decoded. */
uint64_t rt_tr_trace_sum(const struct rt_tr_trace *t);
/* Are all flags overwritten before one is read, and before anything can fault or leave the block? */
bool rt_tr_trace_flags_dead(const struct rt_tr_trace *trace);
/* Measure this processor. Takes some 30 microseconds. rt_tr_times.c */
void rt_tr_times_measure(struct rt_tr_times *out);
/* Core cycles, in thousandths, that an instruction of the trace takes on average at least while it loops with all data
 * in L1, if the core issues any number of instructions in a cycle; 0: not known, because the trace is no loop.
 * *rest_waits: all of its instructions have times that are known here, and none of its loads needs a value that one of its
 * stores wrote, so that all longer time is spent waiting for data. *joined: pairs of instructions that are executed as one, in an
 * iteration. */
uint32_t rt_tr_loop_least(const struct rt_tr_trace *trace, bool *rest_waits, unsigned *joined);
/* Is m an operand whose address lea can compute? */
bool rt_tr_is_plain(const struct rt_burst_mem *m);

/* rt_tr_frame_sigsafe.c: let t's frame hold features, whose components end at end. */
void rt_tr_frame_add(struct rt_tr_thread *t, uint64_t features, uint32_t end);

/* rt_tr_block_sigsafe.c: translation. Need the lock. */
struct rt_tr_block *rt_tr_translate(struct rt_tr_cache *c, uint64_t ip, enum rt_tr_end *why);
bool rt_tr_translate_slow(struct rt_tr_cache *c, struct rt_tr_block *b, enum rt_tr_end *why);

/* rt_tr_list_sigsafe.c: accesses of instruction b, k with the registers in t->context and t->frame; returns
 * how many were written to out, at most room. Needs the lock. */
unsigned rt_tr_list_accesses(struct rt_tr_thread *t, uint64_t ip, struct rt_tr_access *out, unsigned room);

#endif
