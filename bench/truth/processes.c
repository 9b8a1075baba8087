/* SPDX-License-Identifier: BSD-3-Clause */
/* Children that live for a short time, and programs that replace themselves, beside a parent that does as
 * much. usage: processes forks|exec [AMOUNT] */
#include "bench/truth/truth.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void child_work(void);

static volatile unsigned child_data[1024];
static struct truth_phase *of_children, *of_parent;

__attribute__((noinline)) void child_work(void)
{
    for (unsigned round = 0; round < 1400; round++)
        for (unsigned i = 0; i < 1024; i++)
            child_data[i] += round;
}

/* Fork children of 10 slices (5 ms), one after the other. */
static void forks(int children)
{
    for (int i = 0; i < children; i++) {
        const pid_t child = fork();
        if (child == 0) {
            truth_slices(of_children, child_work, 10);
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child) {
            perror("processes");
            exit(1);
        }
        truth_slices(of_parent, truth_plain, 10);
    }
}

/* Work, then replace this program by exec: six programs, which work in one and the other function in
 * turns. */
static void exec_chain(char **argv, double amount, int left)
{
    const int slices = (int)(1000 * amount);
    if (left % 2 == 0)
        truth_slices(of_parent, truth_plain, slices);
    else
        truth_slices(of_children, child_work, slices);
    if (left == 0) return;
    char left_text[16], amount_text[32];
    snprintf(left_text, sizeof(left_text), "%d", left - 1);
    snprintf(amount_text, sizeof(amount_text), "%g", amount);
    execl("/proc/self/exe", argv[0], "exec", amount_text, left_text, (char *)NULL);
    perror("processes");
    exit(1);
}

static const char *const modes[] = {"forks", "exec", NULL};

int main(int argc, char **argv)
{
    const int mode = truth_mode(argc, argv, modes);
    const double amount = truth_scale(argc, argv, 2);
    of_children = truth_phase_new(TRUTH_FUNCTION, "child_work", "child_data");
    of_parent = truth_plain_phase();
    if (mode == 0)
        forks((int)(400 * amount));
    else
        exec_chain(argv, amount, argc > 3 ? atoi(argv[3]) : 5);
    truth_print();
    return 0;
}
