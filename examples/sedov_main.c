/* SPDX-License-Identifier: BSD-3-Clause */
/* Run the explosion and print its results.
 *
 * usage: sedov_separate [N [ORDER [STEPS]]]     (sedov_fused likewise; default 48, the program's own order)
 *
 * N elements along each edge; ORDER of nodes and elements: lattice, mixed, random or curve; STEPS time steps,
 * by default as many as time 0.5 takes. */
#include "sedov.h"

#include <math.h>
#include <string.h>

static const char *const order_names[] = {
    [SEDOV_LATTICE] = "lattice", [SEDOV_MIXED] = "mixed", [SEDOV_RANDOM] = "random", [SEDOV_CURVE] = "curve"};

#define SEDOV_END_TIME 0.5

static int order_named(const char *name, enum sedov_order *out)
{
    for (size_t i = 0; i < sizeof(order_names) / sizeof(order_names[0]); i++)
        if (strcmp(name, order_names[i]) == 0) {
            *out = (enum sedov_order)i;
            return 1;
        }
    return 0;
}

static void run(struct sedov *s, size_t most_steps)
{
    struct sedov_scratch *w = sedov_scratch_new(s);
    const struct sedov_names names = sedov_describe(s);
    sedov_scratch_describe(w, &names);
    loadstone_start(); /* with record --paused nothing before this is sampled */
    while (s->time < SEDOV_END_TIME && s->steps < most_steps) {
        loadstone_phase_begin("time step");
        sedov_choose_dt(s, SEDOV_END_TIME);
        loadstone_phase_end("time step");
        if (s->dt < SEDOV_END_TIME * 1e-9) break; /* elements collapsed: it would go on for ever */
        sedov_step(s, w);
        s->time += s->dt;
        s->steps++;
    }
    loadstone_stop();
    smr_tree_free(names.tree);
    ndm_domain_free(names.domain);
    sedov_scratch_free(w);
}

static void print(const struct sedov *s, enum sedov_order order, double seconds)
{
    const struct sedov_result r = sedov_examine(s);
    const double energy = r.internal_energy + r.kinetic_energy;
    printf("%zu elements, %zu nodes, order %s: %zu steps to time %.6f\n", s->mesh.elements, s->mesh.nodes,
           order_names[order], s->steps, s->time);
    printf("energy      internal %.6f, kinetic %.6f, relative change of the sum %.1e\n", r.internal_energy,
           r.kinetic_energy, fabs(energy / s->blast_energy - 1));
    printf("asymmetry   %.1e\n", r.asymmetry);
    printf("shock       at %.4f, similarity solution %.4f, size of an element %.4f\n", r.shock_radius,
           r.sedov_radius, s->mesh.edge / (double)s->mesh.n);
    printf("checksum    %.12e\n", r.checksum);
    printf("%.3f s, %.3f us an element and step\n", seconds,
           1e6 * seconds / (double)(s->mesh.elements * (s->steps ? s->steps : 1)));
}

int main(int argc, char **argv)
{
    enum sedov_order order = sedov_default_order;
    const size_t n = example_argument(argc, argv, 1, 48, 400);
    const size_t steps = example_argument(argc, argv, 3, SIZE_MAX, 1000000);
    if (n < 4 || steps == 0 || (argc > 2 && !order_named(argv[2], &order))) {
        fprintf(stderr, "usage: %s [N [lattice|mixed|random|curve [STEPS]]]   with N from 4 to 400\n",
                argv[0]);
        return 2;
    }
    struct sedov s;
    sedov_init(&s, n, order);
    const double began = example_seconds();
    run(&s, steps);
    const int is_done = s.steps == steps || s.time >= SEDOV_END_TIME;
    print(&s, order, example_seconds() - began);
    if (!is_done)
        fprintf(stderr, "%s: the time step fell to %.1e: the solution is not stable\n", argv[0], s.dt);
    sedov_fini(&s);
    return !is_done;
}
