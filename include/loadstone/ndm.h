/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural domain: the position of a range's elements in the problem. A domain is a regular grid or an
 * unstructured mesh; a map assigns the elements of a node of the semantic tree to cells or points of a
 * domain. Several nodes may be mapped onto one domain. While the program is recorded, the samples of mapped
 * nodes are collected into fields on their domain: samples, stall time, latency, levels.
 *
 * Extents and coordinates are in the order x, y, z: x is the first axis. All data is copied during the call,
 * including mesh and index arrays. A call that fails changes nothing.
 *
 * Thread: any.  Signal: not safe. No function exits, aborts or prints; the text of a failure, which names the
 * node and the index, is in ls_last_error(). */
#ifndef LOADSTONE_NDM_H
#define LOADSTONE_NDM_H

#include "loadstone/error.h"
#include "loadstone/smr.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ndm_domain ndm_domain;

#define NDM_AXES_MAX 3

/* A regular grid of cells. */
struct ndm_grid {
    const char *label;
    uint32_t dims;                  /* axes, 1 to 3 */
    uint64_t extents[NDM_AXES_MAX]; /* cells along each axis, at least 1 */
    double origin[NDM_AXES_MAX];    /* corner of the first cell */
    double spacing[NDM_AXES_MAX];   /* size of a cell; 0 counts as 1 */
    const char *axes[NDM_AXES_MAX]; /* names, NULL: "x", "y", "z" */
    const char *unit;               /* unit of the coordinates, NULL: none */
};
/* Create a grid domain.
 * Errors: LS_ERR_ARG (no label, dims not 1 to 3, an extent of 0 or more than 2^31, coordinates that are not
 * finite, spacing below 0), LS_ERR_RANGE (more than 2^40 cells), LS_ERR_EXISTS (another domain has this
 * label), LS_ERR_NOMEM. */
ls_err ndm_domain_new_grid(const struct ndm_grid *grid, ndm_domain **out);

/* Shapes of cells, with the numbers of VTK (vtkCellType.h) and VTK's order of points. */
enum ndm_shape {
    NDM_VERTEX = 1,
    NDM_LINE = 3,
    NDM_TRIANGLE = 5,
    NDM_QUAD = 9,
    NDM_TETRA = 10,
    NDM_HEXAHEDRON = 12,
    NDM_WEDGE = 13,
    NDM_PYRAMID = 14
};
/* Return the number of points of a cell; 0: no such shape. */
unsigned ndm_shape_points(unsigned shape);

/* An unstructured mesh: points, and cells as lists of points. */
struct ndm_mesh {
    const char *label;
    uint64_t points_len;
    const double *coords[NDM_AXES_MAX]; /* x, y, z of each point; y and z may be NULL (0) */
    size_t coord_stride_bytes;          /* between two points of one array; 0: sizeof(double) */
    uint64_t cells_len;                 /* 0: points only */
    enum ndm_shape shape;               /* shape of all cells, unless shapes is given */
    const uint8_t *shapes;              /* cells_len values of enum ndm_shape, or NULL */
    const void *connectivity;           /* the points of cell 0, of cell 1, ... */
    uint32_t index_size_bytes;          /* size of an index in connectivity: 4 or 8 */
    uint32_t index_base;                /* number of the first point: 0 for C, 1 for Fortran */
    const char *unit;                   /* unit of the coordinates, NULL: none */
    /* Lengths of the arrays, to be checked against the lengths needed; 0: unknown */
    uint64_t coords_len[NDM_AXES_MAX]; /* points in each array of coords */
    uint64_t connectivity_len;         /* indices */
};
/* Create a mesh domain.
 * Errors: LS_ERR_ARG (as for grids; an unknown shape; an array of the wrong length; a coordinate that is not
 * finite: the text names the point), LS_ERR_RANGE (connectivity refers to a missing point; the text names
 * cell, position and index), LS_ERR_EXISTS, LS_ERR_NOMEM. */
ls_err ndm_domain_new_mesh(const struct ndm_mesh *mesh, ndm_domain **out);

/* Free the domain. Maps onto it end; its recorded samples stay in the recording. NULL-safe. */
void ndm_domain_free(ndm_domain *d);
const char *ndm_domain_label(const ndm_domain *d);

/* The order of a node's elements in a grid. x is the axis of the domain's first extent:
 *   C        a[ny][nx], a[nz][ny][nx]      NDM_X_FASTEST, the default (0)
 *   Fortran  a(nx, ny), a(nx, ny, nz)      NDM_X_FASTEST
 *   C        a[nx][ny][nz]                 NDM_X_SLOWEST
 *   a matrix whose x counts columns and y rows: NDM_ROW_MAJOR for C's m[rows][columns], NDM_COLUMN_MAJOR for
 *   Fortran's and BLAS's m(rows, columns). */
enum ndm_order {
    NDM_X_FASTEST, /* then y, then z */
    NDM_X_SLOWEST, /* the last axis fastest */
    NDM_MORTON,    /* Z order, x the lowest bit; an axis with fewer bits than the others is skipped in the
                      bits above. The number of allocated cells (tiles) along each axis must be a power of
                      two */
    NDM_HILBERT,   /* Skilling 2004, "Programming the Hilbert curve", x its first coordinate. The number of
                      allocated cells (tiles) must be the same along all axes, a power of two */
    NDM_STRIDED,   /* element = offset + sum of coordinate x stride: a part of a larger array */
    NDM_ROW_MAJOR = NDM_X_FASTEST,
    NDM_COLUMN_MAJOR = NDM_X_SLOWEST
};
/* The layout of a node's elements. The number of cells allocated along an axis is padded, or, if that is 0,
 * ghost_low + extent + ghost_high; the domain's cells begin after ghost_low. An axis is divided into tiles of
 * block[axis] cells; the last tile may be smaller (make padded a multiple of block if the program allocates
 * whole tiles there, too). Tiles follow each other in `order`. Inside a tile, elements are in the same order
 * for NDM_X_FASTEST and NDM_X_SLOWEST; the tiles of a curve must all be whole, and their elements are in the
 * order x fastest. */
struct ndm_layout {
    enum ndm_order order;
    uint64_t block[NDM_AXES_MAX];      /* extent of a tile, 0: not divided along this axis */
    uint64_t padded[NDM_AXES_MAX];     /* cells allocated along each axis, 0: extent and ghosts */
    uint64_t ghost_low[NDM_AXES_MAX];  /* layers before the domain's first cell */
    uint64_t ghost_high[NDM_AXES_MAX]; /* layers after its last cell */
    uint64_t offset;                   /* NDM_STRIDED: first element of cell (0, 0, 0) */
    int64_t stride[NDM_AXES_MAX];      /* NDM_STRIDED: in elements, may be negative */
    uint64_t elements_per_cell;        /* values stored together for a cell, 0 counts as 1 */
};
/* Map the elements of node n onto the cells of grid d. layout NULL: x fastest, dense. Elements in ghost
 * layers and padding, and elements between the cells of NDM_STRIDED, are counted as outside of the field. A
 * node has one map: a new map replaces it from now on. n may be a group: all ranges below it get the map, or
 * none. A node that is resized keeps its map; elements after the mapped ones are then outside of the field.
 * Errors: LS_ERR_ARG (a group without ranges; not a grid; order and extents do not fit; a field of the layout
 * that the order does not use), LS_ERR_RANGE (the node has fewer elements than the layout needs, or more than
 * it covers: the text names node, element and both numbers; extents that overflow), LS_ERR_NOMEM. */
ls_err ndm_map_grid(smr_node *n, ndm_domain *d, const struct ndm_layout *layout);

enum ndm_centering { NDM_CELLS, NDM_POINTS };
/* Map element i of n (or, if elements_per_entity is above 1, the i-th block of that many elements; 0 counts
 * as 1) to cell or point i of d; in a grid to cell i, x fastest (NDM_POINTS is refused there). n may be a
 * group.  Errors: as ndm_map_grid. */
ls_err ndm_map_mesh(smr_node *n, ndm_domain *d, enum ndm_centering centering, uint64_t elements_per_entity);

/* A map through an index array: element i of n belongs to cell or point target[i] of d (linear, x fastest in
 * a grid). It suits nodes that are accessed through indices into the domain (an edge list, a material's cell
 * list, a permutation). An element whose target is below index_base has no position. n may be a group. */
struct ndm_indirection {
    const void *target;
    uint64_t targets_len;
    uint32_t index_size_bytes;    /* 4 or 8, signed */
    uint32_t index_base;          /* number of the first cell or point: 0 for C, 1 for Fortran */
    uint64_t elements_per_target; /* consecutive elements of n that share a target, 0 counts as 1 */
    enum ndm_centering centering;
};
/* Map the elements of n by an index array.
 * Errors: as ndm_map_grid; LS_ERR_RANGE (a target outside the domain; the text names element and target). */
ls_err ndm_map_indirect(smr_node *n, ndm_domain *d, const struct ndm_indirection *indirection);

/* One sampled access, as passed to natural-domain functions. */
#ifndef LOADSTONE_MEM_SAMPLE
#define LOADSTONE_MEM_SAMPLE
struct mem_sample {
    uint64_t daddr;  /* address accessed */
    uint64_t cost;   /* load latency in cycles */
    uint64_t ip;     /* the instruction */
    int level;       /* 0 L1, 1 L2, 2 L3, 3 memory; -1 unknown */
    uint64_t time;   /* CLOCK_MONOTONIC, ns */
    uint32_t thread; /* kernel's thread id */
};
#endif

/* A position in a domain: coordinates (not cell numbers). Returned by a callback; it must stay valid until
 * the next call of the callback on that thread. */
struct loadstone_point {
    double at[NDM_AXES_MAX];
};

/* A natural-domain function supplied by the program. A thread of Loadstone calls it with each sample of n,
 * never in a signal handler, and at the latest when loadstone_stop or ndm_unmap is called or the program
 * ends. It returns NULL if it recorded the sample itself, in arrays of the program, or else a struct
 * loadstone_point *, which is counted in the grid cell, or at the mesh's nearest point, of d. A function that
 * takes more than 10 ms in one call, or more than its share of the overhead budget, is not called again, and
 * the report mentions that. It must not wait for a lock that the program holds while it calls Loadstone:
 * calls that remove or unmap n wait until a running call with n has returned, for at most two seconds. d may
 * be NULL if fn always returns NULL. n may be a group: fn is called with the range that was accessed. A range
 * that another kind of map has is not mapped again: unmap it first. Thread: fn runs in a thread of Loadstone,
 * one call at a time.  Errors: LS_ERR_ARG, LS_ERR_EXISTS (mapped by another kind of map), LS_ERR_NOMEM. */
typedef void *(*ndm_callback)(smr_node *n, struct mem_sample *sample, void *user);
ls_err ndm_map_callback(smr_node *n, ndm_domain *d, ndm_callback fn, void *user);

/* End the map of n; for a group, the maps of all its members, recursively. */
ls_err ndm_unmap(smr_node *n);

/* Support meshes that move: copy mesh d, and the targets of the maps onto d, again at every begin of a phase
 * of the calling thread. All arrays that were passed for them must then outlive d and its maps. If the new
 * data is invalid (a coordinate that is not finite), the previous data stays. on 0: stop.  Errors: LS_ERR_ARG
 * (a grid). */
ls_err ndm_domain_refresh_at_phases(ndm_domain *d, int on);

#ifdef __cplusplus
}
#endif
#endif
