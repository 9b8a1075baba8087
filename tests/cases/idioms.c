/* SPDX-License-Identifier: BSD-3-Clause */
// clang-format off
/* Ways to allocate in C. A comment after a line, marked by "=", has the names that a person would give to the
 * memory allocated there, in this order: idioms_check.py compares them. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline, noclone))
#define BYTES ((size_t)65536)
#define NEW_ARRAY(type, n) ((type *)malloc((n) * sizeof(type)))
#define ALLOC_OR_DIE(pointer, n)                              \
    do {                                                      \
        if (((pointer) = calloc(1, (n))) == NULL) exit(1);    \
    } while (0)

static void *volatile keep;
static volatile size_t one = 1;

struct vec {
    double *x, *y;
    size_t len;
};
struct atoms {
    double *r, *f;
    struct vec v;
};
struct sim {
    struct atoms *atoms;
    struct vec cells[4];
    char *rows[4];
    void *(*alloc)(size_t);
};
struct list {
    double *items;
    size_t len, room;
};
struct message {
    int len;
    char text[];
};

/* --- wrappers --- */
APART static void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) exit(1);
    return p;
}
APART static void *comdMalloc(size_t n)
{
    return malloc(n);
}
APART static void *get_zeroed(size_t n)
{
    char *block;

    block = (char *)malloc(n);
    if (block == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    memset(block, 0, n);
    return (void *)block;
}
APART static void *outer_wrapper(size_t n)
{
    return get_zeroed(n + one);
}
APART static int get_into(void **out, size_t n)
{
    *out = malloc(n);
    return *out ? 0 : -1;
}
APART static int take_pair(struct vec *v, size_t n, double **result)
{
    v->len = n;
    *result = calloc(n, sizeof **result);
    return 0;
}
APART static struct atoms *atoms_new(size_t n)
{
    struct atoms *atoms = get_zeroed(sizeof(*atoms) + BYTES);
    atoms->v.len = n;
    return atoms;
}
APART static void *(*pick(int zeroed))(size_t)
{
    return zeroed ? get_zeroed : xmalloc;
}
APART static struct vec *vec_make(size_t n)
{
    struct vec *made = xmalloc(sizeof *made);
    made->x = xmalloc(n); //= made->x
    made->len = n;
    return made;
}

/* with a header in front of the memory */
struct header {
    size_t len;
    struct header *self, *previous, *next;
};
static struct header *all;
APART static void *behind(size_t n)
{
    struct header *h = malloc(sizeof(struct header) + n);
    if (!h) exit(1);
    h->len = n;
    h->next = all;
    all = h;
    return (char *)h + sizeof(struct header);
}
APART static void *counted(size_t n)
{
    size_t *p;
    p = malloc(n + sizeof(size_t));
    if (p) {
        *p = n;
        p++;
    }
    return (void *)p;
}
/* that gets the program's state first */
APART static void *context_realloc(struct sim *ctx, void *old, size_t n)
{
    return ctx->alloc ? realloc(old, n) : NULL;
}

/* --- idioms --- */
APART static void plain(size_t n)
{
    double *a = malloc(n);                          //= a
    double *b = (double *)calloc(n, sizeof(double)); //= b
    keep = a, keep = b;
    if ((keep = malloc(n)) == NULL) exit(1); //= keep
    char *c;
    if (!(c = malloc(n))) exit(1); //= c
    keep = c;
    static int *cache;
    if (!cache) cache = malloc(n); //= cache
    keep = cache;
    char *whole =
        malloc(n); //= whole
    keep = whole;
    void *aligned;
    if (posix_memalign(&aligned, 64, n) != 0) exit(1); //= aligned
    float *padded;
    if (posix_memalign((void **)&padded, 64, n)) exit(1); //= padded
    keep = padded;
    double *on_line = aligned_alloc(64, (n + 63) / 64 * 64); //= on_line
    keep = on_line;
    void *mapped = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); //= mapped
    keep = mapped;
    void *stack = mmap(NULL, n, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); //= stack
    keep = stack;
    char *either = one ? malloc(n) : NULL; //= either
    keep = either;
    double(*table)[16] = malloc(n); //= table
    keep = table;
    double(*grid)[n / 8] = malloc(sizeof(double[4][n / 8])); //= grid
    keep = grid;
    struct message *m = malloc(sizeof *m + n); //= m
    keep = m;
    char *first, *second;
    first = second = malloc(n); //= second
    keep = first, keep = second;
    *(void **)&keep = malloc(n); //= keep
}

APART static void several(size_t n)
{
    double *alpha = malloc(n), *beta = malloc(n + 1); //= alpha, beta
    keep = alpha, keep = beta;
    char *lo, *hi;
    lo = malloc(n); hi = malloc(n + 2); //= lo, hi
    keep = lo, keep = hi;
    lo = xmalloc(n), hi = xmalloc(n + 3); //= lo, hi
    keep = lo, keep = hi;
}

APART static void members(struct sim *s, struct atoms *atoms, size_t n)
{
    s->atoms = malloc(n);      //= s->atoms
    atoms->r = comdMalloc(n);  //= atoms->r
    atoms->f = (double *)comdMalloc(n); //= atoms->f
    s->atoms->v.x = xmalloc(n); //= s->atoms->v.x
    for (int i = 0; i < 3; i++)
        s->rows[i] = xmalloc(n); //= s->rows
    s->cells[one + 1].y = get_zeroed(n); //= s->cells.y
    (*s).cells[0].x = s->alloc(n);       //= cells.x
    (&s->cells[1])->x = pick(1)(n);      //= x
    s->atoms->f = xmalloc( //= s->atoms->f
        n);
    s->atoms->v.y = s->atoms->v.y ? s->atoms->v.y : malloc(n); //= s->atoms->v.y
    struct vec local = {.x = malloc(n), .y = malloc(n + 1), .len = n}; //= local.x, local.y
    keep = local.x, keep = local.y;
    *s->cells = (struct vec){
        .x = malloc(n), //= s->cells.x
        .len = n,
    };
}

APART static void wrapped(struct sim *s, size_t n)
{
    char *buffer = xmalloc(n); //= buffer
    keep = buffer;
    char *zeroed = get_zeroed(n); //= zeroed
    keep = zeroed;
    char *twice = outer_wrapper(n); //= twice
    keep = twice;
    double *velocity;
    if (get_into((void **)&velocity, n) != 0) exit(1); //= velocity
    keep = velocity;
    if (get_into((void **)&s->atoms->r, n)) exit(1); //= s->atoms->r
    double *forces;
    struct vec v;
    take_pair(&v, n, &forces); //= forces
    keep = forces;
    s->atoms = atoms_new(n); //= s->atoms
    struct vec *edges = vec_make(n);
    keep = edges;
    float *charge;
    ALLOC_OR_DIE(charge, n); //= charge
    keep = charge;
    float *mass = NEW_ARRAY(float, n); //= mass
    keep = mass;
}

APART static void growing(struct list *l, size_t n)
{
    l->items = realloc(l->items, n); //= l->items
    double *tmp = realloc(l->items, 4 * n); //= l->items
    if (!tmp) exit(1);
    l->items = tmp;
    void *bigger;
    if ((bigger = reallocarray(l->items, n, 8)) == NULL) exit(1); //= l->items
    l->items = bigger;
}

APART static void behind_headers(struct sim *ctx, size_t n)
{
    double *apart = behind(n); //= apart
    keep = apart;
    int *number = counted(n); //= number
    keep = number;
    double *more = context_realloc(ctx, ctx->rows[3], n * sizeof(double)); //= ctx->rows
    ctx->rows[3] = (char *)more;
}

APART static void texts(const char *long_text)
{
    char *copy = strdup(long_text); //= copy
    keep = copy;
    char *part = strndup(long_text, strlen(long_text) - 1); //= part
    keep = part;
    char *line = NULL, *formatted;
    size_t room = 0;
    FILE *f = fmemopen((void *)(uintptr_t)long_text, strlen(long_text), "r");
    if (!f || getline(&line, &room, f) < 0) exit(1); //= line
    fclose(f);
    keep = line;
    if (asprintf(&formatted, "%s!", long_text) < 0) exit(1); //= formatted
    keep = formatted;
}

int main(void)
{
    struct sim s = {.alloc = xmalloc};
    struct atoms atoms;
    struct list l = {0};
    char *long_text = NEW_ARRAY(char, BYTES); //= long_text
    memset(long_text, 'x', BYTES - 1);
    long_text[BYTES - 1] = '\0';
    plain(BYTES);
    several(BYTES);
    members(&s, &atoms, BYTES);
    wrapped(&s, BYTES);
    growing(&l, BYTES);
    texts(long_text);
    behind_headers(&s, BYTES);
    return 0;
}
