/* SPDX-License-Identifier: BSD-3-Clause */
/* The main function of tests/FOLDER/unit.
 *     unit                    each group in a separate process: a crash costs one group, and no group sees
 *                             changes that another one made
 *     unit GROUP [CASES]      one group in this process, for debuggers; CASES is a pattern (* and ?)
 * The variable UNIT replaces the arguments: make check TESTS=tests/FOLDER/unit UNIT=GROUP. */
#include "tests/unit.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { UNIT_ERROR = 99, GROUP_LIMIT_S = 600 };

struct counts {
    unsigned passed, failed, skipped;
};

static struct unit_group *groups; /* sorted by name */

void unit_add(struct unit_group *group)
{
    struct unit_group **at = &groups;
    while (*at && strcmp((*at)->file, group->file) < 0)
        at = &(*at)->next;
    group->next = *at;
    *at = group;
}

static const char *name_of(const struct unit_group *g)
{
    static char name[256];
    const char *slash = strrchr(g->file, '/');
    snprintf(name, sizeof(name), "%s", slash ? slash + 1 : g->file);
    name[strcspn(name, ".")] = '\0';
    return name;
}

static int status_of(int result)
{
    return result == UNIT_SKIPPED ? UNIT_SKIPPED : result != 0;
}

static int run_here(const char *name)
{
    for (const struct unit_group *g = groups; g; g = g->next)
        if (strcmp(name_of(g), name) == 0) return status_of(g->run());
    fprintf(stderr, "no group %s; there are:\n", name);
    for (const struct unit_group *g = groups; g; g = g->next)
        fprintf(stderr, "    %s\n", name_of(g));
    return UNIT_ERROR;
}

/* Count the cases in cmocka's output, which lists some of them again between "N test(s) run" and the next
 * "Running N test(s)". A case that neither passed nor was skipped has failed. */
static void count_cases(FILE *output, struct counts *out)
{
    char line[1024];
    unsigned began = 0;
    bool lists_again = false;
    rewind(output);
    while (fgets(line, sizeof(line), output)) {
        if (strstr(line, "] Running ")) lists_again = false;
        if (strstr(line, "test(s) run")) lists_again = true;
        if (lists_again) continue;
        began += strncmp(line, "[ RUN      ]", 12) == 0;
        out->passed += strncmp(line, "[       OK ]", 12) == 0;
        out->skipped += strncmp(line, "[  SKIPPED ]", 12) == 0;
    }
    out->failed = began - out->passed - out->skipped;
}

static void print_all(FILE *output)
{
    char line[1024];
    rewind(output);
    while (fgets(line, sizeof(line), output))
        fputs(line, stdout);
}

static volatile pid_t child_running;

static void end_child(int sig)
{
    (void)sig;
    if (child_running > 0) kill(child_running, SIGKILL);
}

/* waitpid; a child that takes longer than GROUP_LIMIT_S is killed. */
static pid_t wait_limited(pid_t child, int *status)
{
    pid_t ended;
    child_running = child;
    signal(SIGALRM, end_child);
    alarm(GROUP_LIMIT_S);
    do
        ended = waitpid(child, status, 0);
    while (ended < 0 && errno == EINTR);
    alarm(0);
    signal(SIGALRM, SIG_DFL);
    return ended;
}

/* Run g in a child; print its output unless all cases pass. */
static struct counts run_apart(const struct unit_group *g)
{
    struct counts c = {0};
    int status = 0;
    FILE *output = tmpfile();
    printf("%s: ", name_of(g));
    fflush(stdout);
    const pid_t child = output ? fork() : -1;
    if (child == 0) {
        if (dup2(fileno(output), STDOUT_FILENO) < 0 || dup2(fileno(output), STDERR_FILENO) < 0)
            exit(UNIT_ERROR);
        close(fileno(output)); /* groups count descriptors */
        exit(status_of(g->run()));
    }
    if (child < 0 || wait_limited(child, &status) != child) {
        perror("cannot run it");
        if (output) fclose(output);
        c.failed = 1;
        return c;
    }
    count_cases(output, &c);
    const bool is_skipped = WIFEXITED(status) && WEXITSTATUS(status) == UNIT_SKIPPED;
    c.skipped += is_skipped;
    if (!is_skipped && status != 0 && c.failed == 0) c.failed = 1;
    printf("%u passed, %u failed, %u skipped", c.passed, c.failed, c.skipped);
    if (WIFSIGNALED(status)) printf(", killed by signal %d", WTERMSIG(status));
    printf("\n");
    if (c.failed + c.skipped > 0) print_all(output);
    fclose(output);
    return c;
}

static int run_all(void)
{
    struct counts all = {0};
    for (const struct unit_group *g = groups; g; g = g->next) {
        const struct counts c = run_apart(g);
        all.passed += c.passed;
        all.failed += c.failed;
        all.skipped += c.skipped;
    }
    printf("%u passed, %u failed, %u skipped\n", all.passed, all.failed, all.skipped);
    if (all.passed == 0 && all.failed == 0) return all.skipped > 0 ? UNIT_SKIPPED : UNIT_ERROR;
    return all.failed > 0;
}

int main(int argc, char **argv)
{
    const char *group = argc > 1 ? argv[1] : getenv("UNIT");
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    return group && *group ? run_here(group) : run_all();
}
