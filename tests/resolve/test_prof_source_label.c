/* SPDX-License-Identifier: BSD-3-Clause */
/* The variable to which a source line assigns memory. */
#include "common/ls_owner.h"
#include "resolve/prof_site_names.h"
#include "resolve/prof_source_file.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct row {
    const char *lines[PROF_LABEL_LINES_MAX]; /* the last one is the call's */
    const char *label;                       /* NULL: no label is expected */
    uint32_t column;                         /* column of the call, 0: not known */
};

static const struct row in_c[] = {
    {{"double *A = malloc(n * sizeof(double));"}, "A"},
    {{"    A = malloc(n);"}, "A"},
    {{"  x->field = calloc(n, sizeof(*x->field));"}, "x->field"},
    {{"  a.b.c = (double *)malloc(n);"}, "a.b.c"},
    {{"  rows[i] = malloc(n);"}, "rows"},
    {{"  m->rows[i][j] = malloc(n);"}, "m->rows"},
    {{"  p[i].name = strdup(s);"}, "p.name"},
    {{"  *out = malloc(n);"}, "out"},
    {{"  (*out)->x = malloc(n);"}, "x"},
    {{"  if ((p = malloc(n)) == NULL) return -1;"}, "p"},
    {{"  if (!(p = malloc(n))) return NULL;"}, "p"},
    {{"  while ((node = calloc(1, sizeof *node)) != NULL)"}, "node"},
    {{"  double *A = new double[n];"}, "A"},
    {{"  auto A = std::make_unique<double[]>(n);"}, "A"},
    {{"  auto *m = new Matrix(n, n);"}, "m"},
    {{"  std::unique_ptr<double[]> p = f(n);"}, "p"},
    {{"  this->data = new double[n];"}, "data"},
    {{"  Mesh::nodes = new Node[n];"}, "Mesh::nodes"},
    {{"  p = realloc(p, n);"}, "p"},
    {{"  buf = cond ? malloc(a) : malloc(b);"}, "buf"},
    {{"  static char *s = strdup(t); /* = 3 */"}, "s"},
    {{"  s = strdup(\"a = b(c)\");"}, "s"},
    {{"  // a = malloc(1);"}, NULL},
    {{"  return malloc(n);"}, NULL},
    {{"  return (double *)malloc(n);"}, NULL},
    {{"  use(malloc(n));"}, NULL},
    {{"  use(x == 3, malloc(n));"}, NULL},
    {{"  f(a = b, malloc(n));"}, NULL},
    {{"  n += strlen(s);"}, NULL},
    {{"  size_t n = newest(s); p = malloc(n);"}, "p"},
    {{"  for (int i = 0; i < n; i++) rows[i] = malloc(m);"}, "rows"},
    {{"  a = f(), b = malloc(n);"}, "b"},
    {{"  a = malloc(n), b = malloc(n);"}, NULL},
    {{"  a = malloc(n); b = malloc(n);"}, NULL},
    {{"  size_t n = strlen(s); p = malloc(n);"}, "p"},
    {{"  err = posix_memalign((void **)&x->buf, 64, n);"}, "x->buf"},
    {{"  if (posix_memalign(&p, 64, n) != 0) abort();"}, "p"},
    {{"  posix_memalign((void **)(&p), 64, n);"}, NULL},
    {{"  len = getline(&line, &cap, f);"}, "line"},
    {{"  n = asprintf(&text, \"%d\", i);"}, "text"},
    {{"  std::vector<double> v(n);"}, "v"},
    {{"  const std::vector<std::pair<int, double>> table{n};"}, "table"},
    {{"  std::vector<double> v(n), w(n);"}, NULL},
    {{"  Matrix m(n, n);"}, "m"},
    {{"  v.resize(n);"}, "v"},
    {{"  mesh.coords.push_back(x);"}, "mesh.coords"},
    {{"  x->list->reserve(n);"}, "x->list"},
    {{"  p.reset(new double[n]);"}, "p"},
    {{"  std::string s(n, 'x');"}, "s"},
    {{"  Field(size_t n) : size(n), data(new double[n]) {}"}, "data"},
    {{"  foo(n);"}, NULL},
    {{"  obj.method(n);"}, NULL},
    {{""}, NULL},
    {{"  double *A =", "      malloc(n);"}, "A"},
    {{"  int i;", "  double *A =", "      (double *)", "      malloc(n);"}, "A"},
    {{"  A = f(x);", "  use(malloc(n));"}, NULL},
    {{"  if (x) {", "      malloc(n);"}, NULL},
    {{"  A = {1, 2};", "  g(malloc(n));"}, NULL},
    {{"  x->data = aligned_alloc(64,", "      round_up(n));"}, "x->data"},
    {{"  let mut v = Vec::with_capacity(n);"}, "v"},
    {{"  a = malloc(n), b = malloc(n);"}, "a", 7},
    {{"  a = malloc(n), b = malloc(n);"}, "b", 22},
    {{"  a = malloc(n); b = malloc(n);"}, "b", 22},
    {{"  double *a = new double[n], *b = new double[m];"}, "b", 38},
    {{"  std::vector<double> v(n), w(n);"}, "v", 24},
    {{"  std::vector<double> v(n), w(n);"}, "w", 32},
    {{"  auto make = [](size_t n) { return new char[n]; };"}, NULL, 37},
    {{"  a = b = malloc(n);"}, "b"},
    {{"  double (*grid)[n] = malloc(n);"}, "grid"},
    {{"  struct box b = {.data = malloc(n), .len = n};"}, "b.data"},
    {{"  *p = (struct box){", "      .data = malloc(n),"}, "p.data"},
    {{"  tmp = realloc(l->items, n);"}, "l->items"},
    {{"  tmp = realloc(NULL, n);"}, "tmp"},
    {{"  ALLOCATE(charge, n);"}, "charge"},
    {{"  USE(double, n);"}, NULL},
    {{"  grid.at(2).resize(n);"}, "grid"},
    {{"  Mesh(int n) : nodes(n),", "      edges(n), faces(n)"}, "edges", 13},
    {{"  copy = field;"}, "copy"},
    {{"  text += other;"}, "text"},
    {{"  Mesh mesh;"}, "mesh"},
};

static const struct row in_fortran[] = {
    {{"  allocate(a(n))"}, "a"},
    {{"  ALLOCATE( A(N,N) , STAT=IERR )"}, "A"},
    {{"  allocate(x%field(n), stat=ierr)"}, "x%field"},
    {{"  allocate(a(n), b(n))"}, "a, b"},
    {{"  if (.not. allocated(a)) allocate(a(n)) ! b = c(d)"}, "a"},
    {{"  allocate(real(8) :: work(n))"}, "work"},
    {{"  p = c_malloc(n)"}, "p"},
    {{"  a = matmul(b, c)"}, "a"},
    {{"  call init(n)"}, NULL},
    {{"  allocate(nodes(i)%x(n))"}, "nodes%x"},
    {{"  allocate(x(n), & ! two", "    y(n), &", "    stat=ierr)"}, "x, y"},
    {{"  w = a * 2"}, "w"},
};

static void check(const struct row *rows, size_t len, bool is_fortran)
{
    unsigned bad = 0;
    for (size_t i = 0; i < len; i++) {
        struct prof_source_name label;
        size_t lines = 0;
        while (lines < PROF_LABEL_LINES_MAX && rows[i].lines[lines])
            lines++;
        const struct prof_source_place place = {.lines = rows[i].lines,
                                                .len = lines,
                                                .callee = "",
                                                .column = rows[i].column,
                                                .is_fortran = is_fortran};
        const bool is_found = prof_source_find_name(&place, &label) == PROF_SOURCE_NAMED;
        const bool is_right = rows[i].label ? is_found && strcmp(label.text, rows[i].label) == 0 : !is_found;
        if (is_right) continue;
        bad++;
        print_message("%s: %s instead of %s\n", rows[i].lines[lines - 1], is_found ? label.text : "none",
                      rows[i].label ? rows[i].label : "none");
    }
    assert_int_equal(bad, 0);
}

static void lines_of_c_and_cxx(void **state)
{
    (void)state;
    check(in_c, sizeof(in_c) / sizeof(in_c[0]), false);
}

static void lines_of_fortran(void **state)
{
    (void)state;
    check(in_fortran, sizeof(in_fortran) / sizeof(in_fortran[0]), true);
}

/* Any bytes, cut anywhere: no crash, and the label ends. */
static void any_text_is_handled(void **state)
{
    static const char pieces[] = "a=(malloc)[{<>}]->::.,;\"'\\/*%&!~ new allocate(b%c 1\xc3\xa4";
    uint64_t random = 3;
    (void)state;
    for (int round = 0; round < 50000; round++) {
        char text[3][64], argument[PROF_LABEL_BYTES];
        struct prof_source_name label;
        struct prof_source_clues found;
        for (int l = 0; l < 3; l++) {
            size_t len = 0;
            for (; len < 60; len++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                text[l][len] = pieces[(random >> 33) % (sizeof(pieces) - 1)];
                if ((random >> 20) % 61 == 0) break;
            }
            text[l][len] = '\0';
        }
        const char *const lines[] = {text[0], text[1], text[2]};
        const struct prof_source_place place = {.lines = lines,
                                                .len = 3,
                                                .callee = round % 3 ? "new" : "operator[]",
                                                .column = (uint32_t)(round / 2 % 64),
                                                .is_fortran = round % 2};
        if (prof_source_find_name(&place, &label) == PROF_SOURCE_NAMED)
            assert_true(strlen(label.text) < PROF_LABEL_BYTES);
        prof_source_find_clues(&place, &found);
        assert_true(strlen(found.made) < PROF_LABEL_BYTES && strlen(found.assigned) < PROF_LABEL_BYTES);
        if (prof_source_argument(&place, round % 4, argument))
            assert_true(strlen(argument) < PROF_LABEL_BYTES);
        prof_plain_function(text[0], argument);
        assert_true(strlen(argument) < PROF_LABEL_BYTES);
        prof_is_of_template(text[1]);
    }
}

static void fortran_is_known_by_its_name(void **state)
{
    (void)state;
    assert_true(prof_is_fortran("/src/a.f90") && prof_is_fortran("/src/a.F") && prof_is_fortran("b.f"));
    assert_true(prof_is_fortran("b.for"));
    assert_false(prof_is_fortran("/src/a.c") || prof_is_fortran("/src/f") || prof_is_fortran("a.fs"));
}

struct clues_row {
    const char *lines[PROF_LABEL_LINES_MAX];
    const char *made, *measured, *assigned;
    bool is_return, is_fortran;
    uint32_t column;
};

static const struct clues_row clues[] = {
    {{"  double *A = malloc(n * sizeof(double));"}, "", "double", "A"},
    {{"  struct node *n = malloc(sizeof *n);"}, "", "*n", "n"},
    {{"  x->field = calloc(n, sizeof(*x->field));"}, "", "*x->field", "x->field"},
    {{"  rows[i] = malloc(n * sizeof rows[i][0]);"}, "", "rows[][]", "rows[]"},
    {{"  *out = malloc(n * sizeof(struct  point));"}, "", "struct point", "*out"},
    {{"  p = malloc(sizeof(struct head) + n * sizeof(struct item));"}, "", "", "p"},
    {{"  p = malloc(sizeof(double *) * n);"}, "", "double*", "p"},
    {{"  shape *s = new circle(1, 2);"}, "circle", "", "s"},
    {{"  auto m = new geo::Mesh<int, 3>[n];"}, "geo::Mesh<int,3>", "", "m"},
    {{"  use(new (std::nothrow) Node{1});"}, "Node", "", ""},
    {{"  a = f(new A, new B);"}, "", "", "a"},
    {{"  this->data = new double[n];"}, "double", "", "data"},
    {{"  posix_memalign((void **)&p, 64, n);"}, "", "", "p"},
    {{"  posix_memalign(out, 64, n);"}, "", "", "*out"},
    {{"  return malloc(n * sizeof(long));"}, "", "long", "", true},
    {{"  use(malloc(n));"}, "", "", ""},
    {{"  // a = new T;"}, "", "", ""},
    {{"  struct node *n =", "      malloc(sizeof(struct node));"}, "", "struct node", "n"},
    {{"  double *a = new double[n], *b = new int[n];"}, "double", "", "a", false, false, 25},
    {{"  double *a = new double[n], *b = new int[n];"}, "int", "", "b", false, false, 38},
    {{"  allocate(a%b(n))"}, "", "a.b[]", "", false, true},
    {{"  allocate(a(n), b(n))"}, "", "", "", false, true},
};

static void lines_show_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(clues) / sizeof(clues[0]); i++) {
        const struct clues_row *row = &clues[i];
        struct prof_source_clues found;
        size_t len = 0;
        while (len < PROF_LABEL_LINES_MAX && row->lines[len])
            len++;
        const struct prof_source_place place = {.lines = row->lines,
                                                .len = len,
                                                .callee = "",
                                                .column = row->column,
                                                .is_fortran = row->is_fortran};
        prof_source_find_clues(&place, &found);
        if (strcmp(found.made, row->made) != 0 || strcmp(found.measured, row->measured) != 0 ||
            strcmp(found.assigned, row->assigned) != 0 || found.is_return != row->is_return)
            fail_msg("%s: made '%s', measured '%s', assigned '%s', return %d", row->lines[len - 1],
                     found.made, found.measured, found.assigned, found.is_return);
    }
}

static void wrappers_hand_memory_on(void **state)
{
    static const struct {
        const char *text, *function, *variable;
        uint32_t line;
        bool is_fortran, is_returned, is_behind;
        int parameter;
        uint32_t header_len;
    } rows[] = {
        {"void *f(size_t n)\n{\n    void *p = malloc(n);\n    if (!p) exit(1);\n    return p;\n}\n", "f", "p",
         3, .is_returned = true, .parameter = -1},
        {"void *f(size_t n)\n{\n    p = malloc(n);\n}\nvoid *g(void)\n{\n    return p;\n}\n", "f", "p", 3,
         .parameter = -1},
        {"T *f(size_t n) {\n  auto p = malloc(n);\n  return static_cast<T *>(p);\n}\n", "f", "p", 2,
         .is_returned = true, .parameter = -1},
        {"int f(int a, void **out, int n)\n{\n    *out = malloc(n);\n    return 0;\n}\n", "f", "out", 3,
         .parameter = 1},
        {"int f(int a, void *out, int n)\n{\n    out = malloc(n);\n    return 0;\n}\n", "f", "out", 3,
         .parameter = -1},
        {"void f(std::map<int, int> *m, T *&rows) {\n  rows = new T[n];\n}\n", "f", "rows", 2,
         .parameter = 1},
        {"subroutine f(n, x)\n  allocate(x(n))\nend subroutine\n", "f", "X", 2, .is_fortran = true,
         .parameter = 1},
        {"function f(n) result(r)\n  allocate(r(n))\nend function\n", "f", "r", 2, .is_fortran = true,
         .is_returned = true, .parameter = -1},
        /* behind a header */
        {"void *f(size_t n)\n{\n    head *p = malloc(n);\n    return p + 1;\n}\n", "f", "p", 3,
         .is_returned = true, .is_behind = true, .header_len = 1, .parameter = -1},
        {"void *f(size_t n)\n{\n    head *p = malloc(n);\n    return &p[2];\n}\n", "f", "p", 3,
         .is_returned = true, .is_behind = true, .header_len = 2, .parameter = -1},
        {"void *f(size_t n)\n{\n    head *p = malloc(n);\n    return (void *)((char *)p + HEAD);\n}\n", "f",
         "p", 3, .is_returned = true, .is_behind = true, .parameter = -1},
        {"static void *f(int n){\n  i64 *p;\n  p = malloc( n+8 );\n  if( p ){\n    p[0] = n;\n    p++;\n  }else{\n"
         "    log(n);\n  }\n  return (void *)p;\n}\n",
         "f", "p", 3, .is_returned = true, .is_behind = true, .header_len = 1, .parameter = -1},
        {"void *f(size_t n)\n{\n    head *p = malloc(n);\n    return q + 1;\n}\n", "f", "p", 3,
         .parameter = -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[] = "/tmp/ls-wrapper-XXXXXX";
        const int fd = mkstemp(path);
        assert_true(fd >= 0 &&
                    write(fd, rows[i].text, strlen(rows[i].text)) == (ssize_t)strlen(rows[i].text));
        close(fd);
        struct prof_source_file file = prof_source_file_read(path);
        unlink(path);
        const struct prof_source_use use =
            prof_source_find_use(&(struct prof_source_function){.file = &file,
                                                                .author = LS_OWNER_OURS,
                                                                .line = rows[i].line,
                                                                .name = rows[i].function,
                                                                .is_fortran = rows[i].is_fortran},
                                 rows[i].variable);
        prof_source_file_fini(&file);
        if (use.is_returned != rows[i].is_returned || use.parameter != rows[i].parameter ||
            use.is_behind != rows[i].is_behind || use.header_len != rows[i].header_len)
            fail_msg("%s: returned %d, parameter %d, behind %d objects (%d)", rows[i].text, use.is_returned,
                     use.parameter, (int)use.header_len, use.is_behind);
    }
}

static void callers_pass_arguments(void **state)
{
    static const struct {
        const char *line, *callee;
        int number;
        const char *argument; /* NULL: none */
    } rows[] = {
        {"  if (get((void **)&x->r, n)) exit(1);", "get", 0, "x->r"},
        {"  take(&v, f(a, b), &forces);", "take", 2, "forces"},
        {"  fill<double>(rows, n);", "fill", 0, "rows"},
        {"  fill(rows);", "fill", 1, NULL},
        {"  other(rows);", "fill", 0, NULL},
    };
    char out[PROF_LABEL_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct prof_source_place place = {.lines = &rows[i].line, .len = 1, .callee = rows[i].callee};
        const bool is_found = prof_source_argument(&place, rows[i].number, out);
        assert_int_equal(is_found, rows[i].argument != NULL);
        if (is_found) assert_string_equal(out, rows[i].argument);
    }
}

static void functions_have_plain_names(void **state)
{
    static const struct {
        const char *function, *plain;
        bool is_of_template;
    } rows[] = {
        {"main", "main", false},
        {"pvector<float>::pvector(unsigned long)", "pvector", true},
        {"double* Allocate<double>(unsigned long)", "Allocate", false},
        {"std::vector<int, std::allocator<int> >::operator[](unsigned long)", "operator[]", true},
        {"ns::Mesh::grow(std::vector<int>&)", "grow", false},
        {"(anonymous namespace)::fill(int)", "fill", false},
        {"mod::alloc_field", "alloc_field", false},
        {"", "", false},
    };
    char out[PROF_LABEL_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        prof_plain_function(rows[i].function, out);
        assert_string_equal(out, rows[i].plain);
        assert_int_equal(prof_is_of_template(rows[i].function), rows[i].is_of_template);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_show_types),           cmocka_unit_test(lines_of_c_and_cxx),
        cmocka_unit_test(lines_of_fortran),           cmocka_unit_test(any_text_is_handled),
        cmocka_unit_test(wrappers_hand_memory_on),    cmocka_unit_test(callers_pass_arguments),
        cmocka_unit_test(functions_have_plain_names), cmocka_unit_test(fortran_is_known_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
