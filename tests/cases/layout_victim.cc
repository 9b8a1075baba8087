// SPDX-License-Identifier: BSD-3-Clause
// Data structures of known types, one function each, whose accesses to members have known shares
// (layout_check.py has them).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

// Load x, whatever the compiler knows about it; nothing is kept in registers across it.
#define TOUCH(x)                                      \
    do {                                              \
        auto touched = (x);                           \
        asm volatile("" : : "r"(touched) : "memory"); \
    } while (0)
#define PUT(x, value)                    \
    do {                                 \
        (x) = (value);                   \
        asm volatile("" : : : "memory"); \
    } while (0)
#define APART __attribute__((noinline, noclone))

enum { COUNT = 2000 };

struct particle {
    long pos[3];
    long vel[3];
    long mass;
    int id, flags;
    char name[40];
};
APART static void run_array_of_structs(particle *p)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(p[i].mass);
        TOUCH(p[i].pos[1]);
        TOUCH(p[i].pos[2]);
        PUT(p[i].flags, i);
    }
}

static struct columns {
    long *x, *y;
    int count;
} columns;
APART static void run_struct_of_arrays(struct columns *c)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(c->x[i]);
        TOUCH(c->y[i]);
    }
}

struct link {
    struct link *next;
    long key, payload[4];
};
static struct link *link_new(long key)
{
    struct link *made = static_cast<struct link *>(malloc(sizeof *made));
    made->key = key;
    return made;
}
APART static void run_linked_list(struct link *first)
{
    for (struct link *at = first; at; at = at->next) {
        TOUCH(at->key);
        TOUCH(at->payload[3]);
    }
}

struct value {
    long cold[5], hot;
};
APART static void run_map(std::map<int, value> &tree)
{
    for (int i = 0; i < COUNT; i += 7) {
        auto found = tree.find(i);
        TOUCH(found->second.hot);
    }
}

APART static void run_unordered_map(std::unordered_map<int, value> &table)
{
    for (int i = 0; i < COUNT; i++) {
        auto found = table.find(i);
        TOUCH(found->second.hot);
    }
}

struct item {
    short kind, state;
    long weight;
};
APART static void run_vector(std::vector<item> &items)
{
    for (item &i : items) {
        TOUCH(i.weight);
        TOUCH(i.state);
    }
}

struct shape {
    virtual ~shape()
    {
    }
    long id = 1;
};
struct circle : shape {
    long radius = 2, unused = 3;
};
APART static void run_inheritance(shape **shapes)
{
    for (int i = 0; i < COUNT; i++) {
        circle *c = static_cast<circle *>(shapes[i]);
        TOUCH(c->id);
        TOUCH(c->radius);
        TOUCH(c->radius);
    }
}

struct message {
    int kind;
    union {
        long whole;
        struct {
            int low, high;
        } half;
    } u;
};
APART static void run_union(message *m)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(m[i].kind);
        TOUCH(m[i].u.whole);
        TOUCH(m[i].u.half.high);
        TOUCH(m[i].u.half.high);
    }
}

struct flags {
    unsigned mode : 8, rank : 8, level : 16;
    unsigned low : 3, high : 5;
};
APART static void run_bit_fields(flags *f)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH((unsigned)f[i].mode);
        TOUCH((unsigned)f[i].level);
        TOUCH((unsigned)f[i].level);
        TOUCH((unsigned)f[i].low);
    }
}

static struct counter {
    long hits, misses;
} counters[64];
APART static void run_globals(counter *c)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(c[i & 63].hits);
        PUT(c[i & 63].misses, i);
    }
}

// A wrapper whose callers have the type.
APART static void *get_memory(size_t bytes)
{
    return calloc(1, bytes);
}
struct wrapped {
    long first, second;
};
APART static void run_wrapper(wrapped *w)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(w[i].second);
    }
}

// A wrapper keeps a header in front of the objects.
struct header {
    long len;
    header *next;
    long marks[3];
};
struct behind {
    long first, second, third;
};
static header *all_headers;
APART static void *get_behind(size_t len)
{
    header *h = (header *)malloc(sizeof(header) + 8 + len);
    h->len = (long)len;
    h->next = all_headers;
    all_headers = h;
    return (char *)h + sizeof(header) + 8;
}
APART static void run_header(behind *b)
{
    for (int i = 0; i < COUNT; i++) {
        TOUCH(b[i].second);
        TOUCH(b[i].third);
        TOUCH(b[i].third);
    }
}

// A constant table, which has a value in the debugging information, and no location.
namespace tables
{
namespace
{
const unsigned char kinds[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6};
} // namespace
} // namespace tables
static volatile unsigned table_sum;
APART static void run_table(unsigned from)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < COUNT; i++)
        sum += tables::kinds[(from + sum + i) % 64];
    table_sum = sum;
}

// Objects of several types in one block: the pointers show them one by one.
struct pooled_one {
    long a, b, c, d;
};
struct pooled_two {
    int x, y, z;
};
enum { POOLED = 8 + sizeof(pooled_one) + sizeof(pooled_two) + 4 };
APART static void run_pool_one(pooled_one *p, long step)
{
    for (int i = 0; i < COUNT; i++, p = (pooled_one *)((char *)p + step)) {
        TOUCH(p->b);
        TOUCH(p->d);
        TOUCH(p->d);
    }
}
APART static void run_pool_two(pooled_two *p, long step)
{
    for (int i = 0; i < COUNT; i++, p = (pooled_two *)((char *)p + step)) {
        TOUCH(p->y);
        TOUCH(p->z);
        TOUCH(p->z);
    }
}

// No line names the type of this memory; only accesses by a pointer show it.
struct voted {
    int a, b;
    long c;
};
static void *untyped, *pool;
APART static void run_voted(voted *v, voted *end)
{
    for (; v < end; v++) {
        TOUCH(v->a);
        TOUCH(v->c);
        TOUCH(v->c);
    }
}

// The same, but no variable is a pointer to such an object: only a part of an iterator is.
struct hidden {
    long key;
    hidden *next;
    long unused[2];
};
struct handle {
    hidden *node;
};
struct walk : handle {
    long left;
};
static void *unnamed, *more_unnamed;
APART static void run_handles(walk w)
{
    for (; w.left > 0; w.left--) {
        TOUCH(w.node->key);
        w.node = w.node->next;
    }
}
static walk begin_of_unnamed()
{
    walk w;
    w.node = (hidden *)unnamed;
    w.left = COUNT;
    return w;
}

// The same, but pointers to these objects are only in members of others.
struct linked {
    long unused, key;
    linked *next;
};
static struct owner {
    owner *after;
    linked *first;
} owners[COUNT];
APART static void run_members(owner *o)
{
    for (; o; o = o->after) {
        TOUCH(o->first->key);
        TOUCH(o->first->next->key);
    }
}

// The same, in entries of an array that are found by index.
struct keyed {
    long unused, key;
};
struct entry {
    keyed *first;
    long count;
    keyed *second;
};
static struct entries {
    long len;
    entry *items;
} entry_list;
static void *entry_memory, *keyed_memory;
APART static void run_indexed(const entries *l)
{
    for (long i = 0; i < l->len; i++) {
        TOUCH(l->items[i * 7 % l->len].first->key);
        TOUCH(l->items[i].second->key);
        TOUCH(l->items[(i + 3) % l->len].count);
    }
}

// Data on the stack: the function's own, and its caller's by a pointer.
struct point {
    long x, y, z;
};
APART static void run_on_stack(int count)
{
    point points[16];
    volatile long total = 0;
    for (point &p : points)
        p = {1, 2, 3};
    for (int i = 0; i < count; i++) {
        TOUCH(points[i & 15].y);
        TOUCH(points[i & 15].z);
        total = total + 1;
    }
}
APART static void run_through_pointer(point *p, int count)
{
    for (int i = 0; i < count; i++) {
        TOUCH(p[i & 15].x);
        TOUCH(p[i & 15].z);
    }
}
APART static void caller_of_pointer()
{
    point points[16] = {};
    run_through_pointer(points, COUNT);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    particle *particles = new particle[COUNT]();
    columns.x = (long *)malloc(COUNT * sizeof(long));
    columns.y = (long *)malloc(COUNT * sizeof(long));
    columns.count = COUNT;
    struct link *first = nullptr;
    for (long i = 0; i < COUNT; i++) {
        columns.x[i] = columns.y[i] = i;
        struct link *made = link_new(i);
        made->next = first;
        first = made;
    }
    std::map<int, value> tree;
    std::unordered_map<int, value> table;
    std::vector<item> items;
    for (int i = 0; i < COUNT; i++) {
        tree[i].hot = i;
        table[i].hot = i;
        items.push_back({1, 2, i});
    }
    shape **shapes = (shape **)malloc(COUNT * sizeof(shape *));
    for (int i = 0; i < COUNT; i++)
        shapes[i] = new circle;
    message *messages = (message *)calloc(COUNT, sizeof(message));
    flags *bits = new flags[COUNT]();
    wrapped *w = (wrapped *)get_memory(COUNT * sizeof(wrapped));
    behind *b = (behind *)get_behind(COUNT * sizeof(behind));
    untyped = get_memory(COUNT * 16);
    pool = get_memory(COUNT * POOLED);
    unnamed = get_memory(COUNT * 32);
    more_unnamed = get_memory(COUNT * 24);
    entry_memory = get_memory(COUNT * sizeof(entry));
    keyed_memory = get_memory(COUNT * sizeof(keyed));
    entry_list.len = COUNT;
    entry_list.items = (entry *)entry_memory;
    for (int i = 0; i < COUNT; i++) {
        ((hidden *)unnamed)[i].next = (hidden *)unnamed + (i * 7 + 1) % COUNT;
        owners[i].after = i + 1 < COUNT ? &owners[i + 1] : nullptr;
        owners[i].first = (linked *)more_unnamed + i * 11 % COUNT;
        owners[i].first->next = (linked *)more_unnamed + i * 7 % COUNT;
        entry_list.items[i].first = (keyed *)keyed_memory + i * 11 % COUNT;
        entry_list.items[i].second = (keyed *)keyed_memory + i * 13 % COUNT;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    do { // at least once, also where another program has the processor meanwhile
        run_array_of_structs(particles);
        run_struct_of_arrays(&columns);
        run_linked_list(first);
        run_map(tree);
        run_unordered_map(table);
        run_vector(items);
        run_inheritance(shapes);
        run_union(messages);
        run_bit_fields(bits);
        run_globals(counters);
        run_wrapper(w);
        run_header(b);
        run_table(table_sum);
        run_pool_one((pooled_one *)((char *)pool + 8), POOLED);
        run_pool_two((pooled_two *)((char *)pool + 8 + sizeof(pooled_one)), POOLED);
        run_voted((voted *)untyped, (voted *)untyped + COUNT);
        run_handles(begin_of_unnamed());
        run_members(owners);
        run_indexed(&entry_list);
        run_on_stack(COUNT);
        caller_of_pointer();
    } while (std::chrono::steady_clock::now() < end);
    printf("done\n");
    return 0;
}
