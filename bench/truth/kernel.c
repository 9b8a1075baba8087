/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of the kernel beside work of the program. usage: kernel read|pipe|faults [AMOUNT] */
#include "bench/truth/truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char buffer[1 << 16];
static int zero_fd, pipe_fds[2];

static void must(int holds)
{
    if (holds) return;
    perror("kernel");
    exit(1);
}

static void read_zero(void)
{
    for (int i = 0; i < 200; i++)
        must(read(zero_fd, buffer, sizeof(buffer)) == sizeof(buffer));
}

static void write_and_read_pipe(void)
{
    for (int i = 0; i < 40; i++) {
        must(write(pipe_fds[1], buffer, sizeof(buffer)) == sizeof(buffer));
        must(read(pipe_fds[0], buffer, sizeof(buffer)) == sizeof(buffer));
    }
}

/* Allocate three blocks of 13 MB, touch each page, free: malloc gives the pages back, so the kernel clears
 * new ones in each round. */
static void touch_pages(void)
{
    enum { BLOCKS = 3, LEN_BYTES = 13 << 20 };
    char *blocks[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b] = malloc(LEN_BYTES);
        must(blocks[b] != NULL);
        for (size_t i = 0; i < LEN_BYTES; i += 4096)
            *(volatile char *)&blocks[b][i] = 1;
    }
    for (int b = 0; b < BLOCKS; b++)
        free(blocks[b]);
}

static const struct {
    const char *name;
    void (*work)(void);
    int rounds, plain;
} table[] = {
    {"read", read_zero, 6000, 1}, {"pipe", write_and_read_pipe, 2500, 1}, {"faults", touch_pages, 200, 10}};
static const char *const modes[] = {"read", "pipe", "faults", NULL};

int main(int argc, char **argv)
{
    const int mode = truth_mode(argc, argv, modes);
    const int rounds = (int)(table[mode].rounds * truth_scale(argc, argv, 2));
    struct truth_phase *kernel = truth_phase_new(TRUTH_KERNEL, table[mode].name, NULL),
                       *plain = truth_plain_phase();
    zero_fd = open("/dev/zero", O_RDONLY);
    must(zero_fd >= 0 && pipe(pipe_fds) == 0);
    for (int i = 0; i < rounds; i++) {
        truth_slice(kernel, table[mode].work);
        truth_slices(plain, truth_plain, table[mode].plain);
    }
    truth_print();
    return 0;
}
