/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs whose signal handlers call functions that the runtime replaces. usage: trace_handlers WHAT
 * QEMU 7.2 begins handlers with a stack that is misaligned by 8 bytes: no code here moves aligned vectors to it. */
#include <loadstone/loadstone.h>
#include <loadstone/smr.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 3 };
static volatile char values[100];
static char text[64];

static void on_allocate(int signal_number)
{
    volatile char *large = malloc(5000);
    volatile char *zeroed = calloc(100, 60);
    for (int i = 0; i < 100; i++)
        large[i] = zeroed[i];
    char *words = realloc(NULL, 10);
    words = realloc(words, 9000);
    snprintf(words, 9000, "signal %d", signal_number);
    strcpy(text, words);
    free(words);
    free((void *)zeroed);
    free((void *)large);
}

static void on_map(int signal_number)
{
    (void)signal_number;
    char *pages = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[9999] = 1;
    munmap(pages, 10000);
    void *aligned = NULL;
    strcpy(text, posix_memalign(&aligned, 64, 5000) == 0 ? "mapped" : "no memory");
    free(aligned);
    close(dup2(1, 9));
}

/* No file: the loader's behaviour on such a stack is not tested. */
static void on_load(int signal_number)
{
    (void)signal_number;
    strcpy(text, dlopen(NULL, RTLD_NOW) ? "loaded" : "not loaded");
}

static smr_tree *tree;
static const struct smr_spec spec = {
    .label = "inserted", .start = (void *)values, .end = (void *)(values + 100), .elem_size_bytes = 1};
static smr_node *node;

static void on_insert(int signal_number)
{
    (void)signal_number;
    loadstone_phase_begin("inside");
    const ls_err inserted = smr_tree_insert(tree, &spec, &node);
    for (int i = 0; i < 100; i++)
        values[i] = 1;
    loadstone_phase_end("inside");
    strcpy(text, inserted == LS_OK && smr_tree_is_valid(tree) ? smr_node_label(node) : ls_last_error());
    smr_node_remove(node);
}

static void on_fork(int signal_number)
{
    (void)signal_number;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(5);
    waitpid(child, &status, 0);
    strcpy(text, WIFEXITED(status) && WEXITSTATUS(status) == 5 ? "child 5" : "no child");
}

static void on_leave(int signal_number)
{
    (void)signal_number;
    _exit(7);
}

static void on_end(int signal_number)
{
    (void)signal_number;
    exit(8);
}

static void on_replace(int signal_number)
{
    (void)signal_number;
    execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
}

static const struct {
    const char *name;
    void (*handler)(int);
} rows[] = {{"allocate", on_allocate}, {"map", on_map},     {"load", on_load}, {"insert", on_insert},
            {"fork", on_fork},         {"leave", on_leave}, {"end", on_end},   {"replace", on_replace}};

/* Raise the signal by kill to itself, then by a timer. */
static void be_interrupted(void)
{
    const struct itimerval once = {.it_value = {.tv_usec = 10000}};
    sigset_t none, alarms;
    sigemptyset(&none);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, NULL);
    raise(SIGUSR1);
    for (int i = 1; i < TIMES; i++) {
        setitimer(ITIMER_REAL, &once, NULL);
        sigsuspend(&none);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 || smr_tree_new(&tree) != LS_OK) return 2;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, argv[1]) != 0) continue;
        signal(SIGUSR1, rows[i].handler);
        signal(SIGALRM, rows[i].handler);
        be_interrupted();
        printf("%s\n", text);
        return 4;
    }
    return 2;
}
