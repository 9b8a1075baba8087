/* SPDX-License-Identifier: BSD-3-Clause */
/* The meaning of the arrays of the explosion, and their positions on the mesh. */
#include "sedov.h"

void sedov_name(const struct sedov_names *names, smr_node *group, const struct sedov_array *array)
{
    const struct sedov_mesh *m = names->mesh;
    const size_t count[] = {
        [SEDOV_ELEMENTS] = m->elements, [SEDOV_CORNERS] = CORNERS * m->elements, [SEDOV_NODES] = m->nodes};
    const struct example_array range = {array->label, array->start, count[array->place], array->size_bytes,
                                        array->dims};
    smr_node *node = example_range(names->tree, group, &range);
    if (!node || !names->domain) return;
    const enum ndm_centering centering = array->place == SEDOV_NODES ? NDM_POINTS : NDM_CELLS;
    const uint64_t together = array->place == SEDOV_CORNERS ? CORNERS : 1;
    if (ndm_map_mesh(node, names->domain, centering, together) != LS_OK) example_refused(array->label);
}

/* The corners of a node are adjacent in the list: entry k belongs to the node whose part it is in. */
static void name_corner_list(const struct sedov_names *names)
{
    const struct sedov_mesh *m = names->mesh;
    const struct example_array range = {"corners of nodes", m->corner, CORNERS * m->elements, sizeof(int32_t),
                                        1};
    smr_node *node = example_range(names->tree, names->persistent, &range);
    if (!node || !names->domain) return;
    int32_t *owner = example_allocate(range.count, sizeof(*owner));
    for (size_t p = 0; p < m->nodes; p++)
        for (int32_t k = m->first[p]; k < m->first[p + 1]; k++)
            owner[k] = (int32_t)p;
    const struct ndm_indirection to_nodes = {.target = owner,
                                             .targets_len = range.count,
                                             .index_size_bytes = sizeof(*owner),
                                             .centering = NDM_POINTS};
    if (ndm_map_indirect(node, names->domain, &to_nodes) != LS_OK) example_refused(range.label);
    free(owner);
}

/* Describe the initial mesh. The mesh moves later, but its elements stay the same. */
static ndm_domain *describe_mesh(const struct sedov_mesh *m)
{
    const struct ndm_mesh mesh = {.label = "mesh",
                                  .points_len = m->nodes,
                                  .coords = {&m->x0[0][0], &m->x0[0][1], &m->x0[0][2]},
                                  .coord_stride_bytes = sizeof(vec3),
                                  .cells_len = m->elements,
                                  .shape = NDM_HEXAHEDRON,
                                  .connectivity = m->node_of,
                                  .index_size_bytes = sizeof(int32_t)};
    ndm_domain *domain = NULL;
    if (ndm_domain_new_mesh(&mesh, &domain) != LS_OK) example_refused("the mesh");
    return domain;
}

struct sedov_names sedov_describe(const struct sedov *s)
{
    const struct sedov_mesh *m = &s->mesh;
    const struct sedov_array arrays[] = {
        {"position", s->x, sizeof(double), 3, SEDOV_NODES},
        {"velocity", s->v, sizeof(double), 3, SEDOV_NODES},
        {"node mass", s->node_mass, sizeof(double), 1, SEDOV_NODES},
        {"first position", m->x0, sizeof(double), 3, SEDOV_NODES},
        {"first corner", m->first, sizeof(int32_t), 1, SEDOV_NODES},
        {"nodes of elements", m->node_of, sizeof(int32_t), CORNERS, SEDOV_ELEMENTS},
        {"lattice", m->lattice, sizeof(int32_t), 1, SEDOV_ELEMENTS},
        {"mass", s->mass, sizeof(double), 1, SEDOV_ELEMENTS},
        {"volume", s->volume, sizeof(double), 1, SEDOV_ELEMENTS},
        {"energy", s->e, sizeof(double), 1, SEDOV_ELEMENTS},
        {"pressure", s->p, sizeof(double), 1, SEDOV_ELEMENTS},
        {"sound speed", s->cs, sizeof(double), 1, SEDOV_ELEMENTS},
        {"viscosity", s->q, sizeof(double), 1, SEDOV_ELEMENTS},
        {"time step limit", s->limit, sizeof(double), 1, SEDOV_ELEMENTS},
    };
    struct sedov_names names = {.tree = example_tree(), .mesh = m};
    names.persistent = example_group(names.tree, "persistent");
    names.temporary = example_group(names.tree, "temporary");
    names.domain = describe_mesh(m);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        sedov_name(&names, names.persistent, &arrays[i]);
    name_corner_list(&names);
    return names;
}
