/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural domain: where in the problem an element of a range lies. A domain is a regular grid or an
 * unstructured mesh; a map says at which of its cells or points the elements of a node of the semantic tree
 * are. Several nodes may be mapped onto one domain. While the program is recorded the samples of a mapped
 * node gather into fields on its domain: samples, stall time, latency, levels.
 *
 * Extents and coordinates are in the order x, y, z: x is the first axis. Everything is copied at the call,
 * mesh and index arrays too; what a call refuses it leaves as it was.
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
    const char *unit;               /* of the coordinates, NULL: none */
};
/* Errors: LS_ERR_ARG (no label, dims not 1 to 3, an extent of 0 or more than 2^31, coordinates that are not
 * finite, spacing below 0), LS_ERR_RANGE (more than 2^40 cells), LS_ERR_EXISTS (another domain has this
 * label), LS_ERR_NOMEM. */
ls_err ndm_domain_new_grid(const struct ndm_grid *grid, ndm_domain **out);

/* Shapes of cells, numbered as VTK does (vtkCellType.h); points in VTK's order. */
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
/* Points of a cell; 0: no such shape. */
unsigned ndm_shape_points(unsigned shape);

/* An unstructured mesh: points, and cells as lists of points. */
struct ndm_mesh {
    const char *label;
    uint64_t points_len;
    const double *coords[NDM_AXES_MAX]; /* x, y, z of each point; y and z may be NULL (0) */
    size_t coord_stride_bytes;          /* between two points of one array; 0: sizeof(double) */
    uint64_t cells_len;                 /* 0: points only */
    enum ndm_shape shape;               /* of all cells, unless shapes is given */
    const uint8_t *shapes;              /* cells_len values of enum ndm_shape, or NULL */
    const void *connectivity;           /* the points of cell 0, of cell 1, ... */
    uint32_t index_size_bytes;          /* of connectivity: 4 or 8 */
    uint32_t index_base;                /* the first point's number: 0 for C, 1 for Fortran */
    const char *unit;                   /* of the coordinates, NULL: none */
    /* What is there, to be compared with what is needed. 0: not told */
    uint64_t coords_len[NDM_AXES_MAX]; /* points in each array of coords */
    uint64_t connectivity_len;         /* indices */
};
/* Errors: LS_ERR_ARG (as for grids; an unknown shape; arrays of other lengths than needed; a coordinate that
 * is not finite: the text names the point), LS_ERR_RANGE (connectivity points outside; the text names cell,
 * position and index), LS_ERR_EXISTS, LS_ERR_NOMEM. */
ls_err ndm_domain_new_mesh(const struct ndm_mesh *mesh, ndm_domain **out);

/* The domain is not used any more; what was recorded on it stays. Maps onto it end. NULL-safe. */
void ndm_domain_free(ndm_domain *d);
const char *ndm_domain_label(const ndm_domain *d);

/* How the elements of a node run through a grid. x is the axis that the domain's first extent counts:
 *   C        a[ny][nx], a[nz][ny][nx]      NDM_X_FASTEST, which is what all zeros mean
 *   Fortran  a(nx, ny), a(nx, ny, nz)      NDM_X_FASTEST
 *   C        a[nx][ny][nz]                 NDM_X_SLOWEST
 *   a matrix whose x counts columns and y rows: NDM_ROW_MAJOR for C's m[rows][columns], NDM_COLUMN_MAJOR for
 *   Fortran's and BLAS's m(rows, columns). */
enum ndm_order {
    NDM_X_FASTEST, /* then y, then z */
    NDM_X_SLOWEST, /* the last axis fastest */
    NDM_MORTON,    /* Z order, x the lowest bit; an axis with fewer bits than the others is left out above
                      them. Allocated cells (tiles) along each axis: a power of two */
    NDM_HILBERT,   /* Skilling 2004, "Programming the Hilbert curve", x its first coordinate. Allocated cells
                      (tiles): equal along all axes, a power of two */
    NDM_STRIDED,   /* element = offset + sum of coordinate x stride: a part of a larger array */
    NDM_ROW_MAJOR = NDM_X_FASTEST,
    NDM_COLUMN_MAJOR = NDM_X_SLOWEST
};
/* What is allocated along an axis is padded, or else ghost_low + extent + ghost_high; the domain's cells
 * begin behind ghost_low. Tiles: whole ones of block[axis], at the far end what is left (make padded a
 * multiple of block where the program allocates whole tiles there, too). Tiles follow each other in `order`;
 * inside a tile elements do for NDM_X_FASTEST and NDM_X_SLOWEST, and run x fastest inside the tiles of a
 * curve, which all are whole. */
struct ndm_layout {
    enum ndm_order order;
    uint64_t block[NDM_AXES_MAX];      /* extent of a tile, 0: not cut along this axis */
    uint64_t padded[NDM_AXES_MAX];     /* cells allocated along each axis, 0: no more than the ghosts */
    uint64_t ghost_low[NDM_AXES_MAX];  /* layers in front of the domain's first cell */
    uint64_t ghost_high[NDM_AXES_MAX]; /* and behind its last one */
    uint64_t offset;                   /* NDM_STRIDED: first element of cell (0, 0, 0) */
    int64_t stride[NDM_AXES_MAX];      /* NDM_STRIDED: in elements, may be negative */
    uint64_t elements_per_cell;        /* values stored together for a cell, 0 counts as 1 */
};
/* Map the elements of node n onto the cells of grid d. layout NULL: x fastest, dense. Elements in ghost
 * layers and padding, and those between the cells of NDM_STRIDED, are counted beside the field. A node has
 * one map: a new one takes its place from now on. n may be a group: all ranges below it get the map, or
 * none. A node that is resized keeps its map; elements behind what was mapped are then beside the field.
 * Errors: LS_ERR_ARG (a group without ranges; not a grid; order and extents do not fit; a field that the
 * order does not use), LS_ERR_RANGE (the node has fewer elements than the layout needs, or more than it
 * covers: the text names node, element and both numbers; extents that overflow), LS_ERR_NOMEM. */
ls_err ndm_map_grid(smr_node *n, ndm_domain *d, const struct ndm_layout *layout);

enum ndm_centering { NDM_CELLS, NDM_POINTS };
/* Element i of n (elements_per_entity of them together; 0 counts as 1) belongs to cell or point i of d; in a
 * grid to cell i, x fastest (NDM_POINTS is refused there). n may be a group.  Errors: as ndm_map_grid. */
ls_err ndm_map_mesh(smr_node *n, ndm_domain *d, enum ndm_centering centering, uint64_t elements_per_entity);

/* Element i of n belongs to cell or point target[i] of d (linear, x fastest in a grid): n is reached through
 * an index array whose target is the domain (an edge list, a material's cell list, a permutation). A target
 * below index_base is nowhere. n may be a group. */
struct ndm_indirection {
    const void *target;
    uint64_t targets_len;
    uint32_t index_size_bytes;    /* 4 or 8, signed */
    uint32_t index_base;          /* the first cell's or point's number: 0 for C, 1 for Fortran */
    uint64_t elements_per_target; /* consecutive elements of n that share a target, 0 counts as 1 */
    enum ndm_centering centering;
};
/* Errors: as ndm_map_grid; LS_ERR_RANGE (a target outside the domain; the text names element and target). */
ls_err ndm_map_indirect(smr_node *n, ndm_domain *d, const struct ndm_indirection *indirection);

/* One sampled access, as natural-domain functions see it. */
#ifndef LOADSTONE_MEM_SAMPLE
#define LOADSTONE_MEM_SAMPLE
struct mem_sample {
    uint64_t daddr;  /* address accessed */
    uint64_t cost;   /* load latency in cycles */
    uint64_t ip;     /* the instruction */
    int level;       /* 0 L1, 1 L2, 2 L3, 3 memory; -1 not known */
    uint64_t time;   /* CLOCK_MONOTONIC, ns */
    uint32_t thread; /* kernel's thread id */
};
#endif

/* Where in a domain: coordinates (not cell numbers). Returned by a callback; read before its next call on
 * that thread. */
struct loadstone_point {
    double at[NDM_AXES_MAX];
};

/* A natural-domain function of the program's own. Called with each sample of n by a thread of Loadstone's,
 * never in a signal handler, at the latest when loadstone_stop, ndm_unmap or the program ends. Returns NULL
 * (it recorded the sample itself, in arrays of the program) or a struct loadstone_point *, which falls into
 * the grid cell, or the mesh's nearest point, of d. A function that takes more than 10 ms in one call, or
 * more than its part of the overhead budget, is not called again, which the report says. It must not wait for
 * a lock that the program holds while it calls Loadstone: removing n, and unmapping it, wait until a call
 * with n has returned, two seconds at most. d may be NULL when fn returns only NULL. n may be a group: fn is
 * called with the range that was hit. Thread: fn runs in a thread of its own, one call at a time.  Errors:
 * LS_ERR_ARG, LS_ERR_NOMEM. */
typedef void *(*ndm_callback)(smr_node *n, struct mem_sample *sample, void *user);
ls_err ndm_map_callback(smr_node *n, ndm_domain *d, ndm_callback fn, void *user);

/* Map n no more; groups: their members, and theirs, too. */
ls_err ndm_unmap(smr_node *n);

/* Meshes that move: copy mesh d, and the targets of the maps onto d, again at every begin of a phase of the
 * calling thread. All arrays that they were given in must then outlive d and its maps. What is refused then
 * (a coordinate that is not finite) leaves what was. on 0: no more.  Errors: LS_ERR_ARG (a grid). */
ls_err ndm_domain_refresh_at_phases(ndm_domain *d, int on);

#ifdef __cplusplus
}
#endif
#endif
