/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix from a mesh of triangles, or from a file of the Matrix Market. */
#include "spmv.h"

#include <string.h>

struct entry {
    int32_t row, column;
    double value;
};

void spmv_matrix_free(struct spmv_matrix *a)
{
    free(a->first);
    free(a->column);
    free(a->value);
}

void spmv_mesh_free(struct spmv_mesh *m)
{
    free(m->x);
    free(m->y);
    free(m->triangle);
}

/* One row's entries by rising column: few, by insertion. */
static void sort_row(struct entry *row, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct entry moved = row[i];
        size_t at = i;
        for (; at > 0 && row[at - 1].column > moved.column; at--)
            row[at] = row[at - 1];
        row[at] = moved;
    }
}

/* Entries by row; ends[i] is then the end of row i. */
static struct entry *sort_by_row(const struct entry *entries, size_t count, size_t rows, size_t *ends)
{
    struct entry *sorted = example_allocate(count, sizeof(*sorted));
    for (size_t k = 0; k < count; k++)
        if ((size_t)entries[k].row + 1 < rows) ends[entries[k].row + 1]++;
    for (size_t i = 1; i < rows; i++)
        ends[i] += ends[i - 1];
    for (size_t k = 0; k < count; k++)
        sorted[ends[entries[k].row]++] = entries[k];
    return sorted;
}

/* If there are several entries for one position, the first one counts. */
static struct spmv_matrix from_entries(const struct entry *entries, size_t count, size_t rows)
{
    struct spmv_matrix a = {.rows = rows};
    size_t *ends = example_allocate(rows, sizeof(*ends));
    struct entry *sorted = sort_by_row(entries, count, rows, ends);
    a.first = example_allocate(rows + 1, sizeof(*a.first));
    a.column = example_allocate(count, sizeof(*a.column));
    a.value = example_allocate(count, sizeof(*a.value));
    for (size_t i = 0, k = 0; i < rows; i++) {
        sort_row(sorted + k, ends[i] - k);
        for (const size_t begin = k; k < ends[i]; k++) {
            if (k > begin && sorted[k].column == sorted[k - 1].column) continue;
            a.column[a.entries] = sorted[k].column;
            a.value[a.entries++] = sorted[k].value;
        }
        a.first[i + 1] = (int32_t)a.entries;
    }
    free(sorted);
    free(ends);
    return a;
}

/* xorshift64* (Marsaglia 2003, Vigna 2016): the same numbers everywhere. */
static double next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * UINT64_C(2685821657736338717)) >> 11) / 9007199254740992.0;
}

/* Numbers of the points, row by row of the lattice that the mesh began as. */
static int32_t *number_at_random(size_t count, uint64_t *state)
{
    int32_t *number = example_allocate(count, sizeof(*number));
    for (size_t i = 0; i < count; i++) {
        const size_t other = (size_t)(next_random(state) * (double)(i + 1));
        number[i] = number[other];
        number[other] = (int32_t)i;
    }
    return number;
}

static void place_points(size_t side, const int32_t *number, uint64_t *state, struct spmv_mesh *mesh)
{
    const double cell = 1.0 / (double)(side - 1);
    for (size_t at = 0; at < side * side; at++) {
        mesh->x[number[at]] = cell * ((double)(at % side) + 0.4 * (next_random(state) - 0.5));
        mesh->y[number[at]] = cell * ((double)(at / side) + 0.4 * (next_random(state) - 0.5));
    }
}

static void cut_squares(size_t side, const int32_t *number, uint64_t *state, struct spmv_mesh *mesh)
{
    for (size_t j = 0; j + 1 < side; j++)
        for (size_t i = 0; i + 1 < side; i++) {
            const int32_t *at = number + i + side * j;
            const int32_t corner[4] = {at[0], at[1], at[side + 1], at[side]};
            const int turned = next_random(state) < 0.5;
            for (int t = 0; t < 2; t++) {
                const int from = 2 * t + turned;
                for (int c = 0; c < 3; c++)
                    mesh->triangle[mesh->triangles_len][c] = corner[(from + c) % 4];
                mesh->triangles_len++;
            }
        }
}

/* -1 for each edge, and on the diagonal one more than the point has edges: all sums of rows and columns
 * are 1. Edges that two triangles share come twice. */
static struct spmv_matrix laplacian(const struct spmv_mesh *mesh)
{
    struct entry *entries = example_allocate(6 * mesh->triangles_len + mesh->points_len, sizeof(*entries));
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangles_len; t++)
        for (int c = 0; c < 3; c++) {
            const int32_t a = mesh->triangle[t][c], b = mesh->triangle[t][(c + 1) % 3];
            entries[count++] = (struct entry){a, b, -1};
            entries[count++] = (struct entry){b, a, -1};
        }
    for (size_t p = 0; p < mesh->points_len; p++)
        entries[count++] = (struct entry){(int32_t)p, (int32_t)p, 1};
    struct spmv_matrix a = from_entries(entries, count, mesh->points_len);
    free(entries);
    for (size_t i = 0; i < a.rows; i++)
        for (int32_t k = a.first[i]; k < a.first[i + 1]; k++)
            if (a.column[k] == (int32_t)i) a.value[k] = a.first[i + 1] - a.first[i];
    return a;
}

void spmv_generate(size_t side, struct spmv_mesh *mesh, struct spmv_matrix *matrix)
{
    uint64_t state = 42;
    const size_t points = side * side;
    *mesh = (struct spmv_mesh){.points_len = points};
    mesh->x = example_allocate(points, sizeof(*mesh->x));
    mesh->y = example_allocate(points, sizeof(*mesh->y));
    mesh->triangle = example_allocate(2 * points, sizeof(*mesh->triangle));
    int32_t *number = number_at_random(points, &state);
    place_points(side, number, &state, mesh);
    cut_squares(side, number, &state, mesh);
    free(number);
    *matrix = laplacian(mesh);
}

/* A file that is being read. */
struct market {
    FILE *file;
    const char *path;
    size_t line;
    char text[1024];
    int pattern, symmetric;
};

static int refuse(const struct market *f, const char *why)
{
    fprintf(stderr, "%s:%zu: %s\n", f->path, f->line, why);
    return -1;
}

/* The next line that is neither empty nor a comment. */
static int next_line(struct market *f)
{
    while (fgets(f->text, sizeof(f->text), f->file)) {
        f->line++;
        if (f->text[0] != '%' && f->text[strspn(f->text, " \t\r\n")]) return 0;
    }
    return refuse(f, "the file ends too early");
}

static int read_head(struct market *f)
{
    char format[32] = "", field[32] = "", symmetry[32] = "";
    if (!fgets(f->text, sizeof(f->text), f->file)) return refuse(f, "the file is empty");
    f->line = 1;
    if (sscanf(f->text, "%%%%MatrixMarket matrix %31s %31s %31s", format, field, symmetry) != 3)
        return refuse(f, "no line '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    f->pattern = strcmp(field, "pattern") == 0;
    f->symmetric = strcmp(symmetry, "symmetric") == 0;
    if (strcmp(format, "coordinate") != 0) return refuse(f, "the format is not 'coordinate'");
    if (!f->pattern && strcmp(field, "real") != 0 && strcmp(field, "integer") != 0)
        return refuse(f, "the field is not 'real', 'integer' or 'pattern'");
    if (!f->symmetric && strcmp(symmetry, "general") != 0)
        return refuse(f, "the symmetry is not 'general' or 'symmetric'");
    return 0;
}

static int read_entry(struct market *f, long rows, struct entry *out)
{
    long row = 0, column = 0;
    double value = 1;
    if (next_line(f) != 0) return -1;
    const int found = sscanf(f->text, "%ld %ld %lf", &row, &column, &value);
    if (found < (f->pattern ? 2 : 3))
        return refuse(f, "an entry is 'ROW COLUMN VALUE' (a pattern's: 'ROW COLUMN')");
    if (row < 1 || row > rows || column < 1 || column > rows)
        return refuse(f, "the entry is outside the matrix");
    *out = (struct entry){(int32_t)(row - 1), (int32_t)(column - 1), value};
    return 0;
}

static int read_entries(struct market *f, struct spmv_matrix *out)
{
    long rows = 0, columns = 0, lines = 0;
    const long most = INT32_MAX / 2;
    if (next_line(f) != 0) return -1;
    if (sscanf(f->text, "%ld %ld %ld", &rows, &columns, &lines) != 3 || rows < 1 || lines < 1)
        return refuse(f, "the size is not 'ROWS COLUMNS ENTRIES'");
    if (rows != columns) return refuse(f, "the matrix is not square");
    if (rows > most || lines > most) return refuse(f, "the matrix is too large for indices of 32 bits");
    struct entry *entries = example_allocate(2 * (size_t)lines, sizeof(*entries));
    size_t count = 0;
    int failed = 0;
    for (long k = 0; k < lines && !failed; k++) {
        failed = read_entry(f, rows, &entries[count]);
        const struct entry read = entries[count++];
        if (!failed && f->symmetric && read.row != read.column)
            entries[count++] = (struct entry){read.column, read.row, read.value};
    }
    if (!failed) *out = from_entries(entries, count, (size_t)rows);
    free(entries);
    return failed;
}

int spmv_read(const char *path, struct spmv_matrix *out)
{
    struct market f = {.path = path, .file = fopen(path, "r")};
    if (!f.file) {
        perror(path);
        return -1;
    }
    const int failed = read_head(&f) != 0 || read_entries(&f, out) != 0;
    fclose(f.file);
    return failed ? -1 : 0;
}
