/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tests/perf/machine_root.h"

#include <errno.h>
#include <ftw.h>
#include <linux/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int made = mkdir(path, 0755);
        *slash = '/';
        if (made != 0 && errno != EEXIST) return -1;
    }
    return 0;
}

static int put_file(const struct machine_root *m, const char *name, const char *content)
{
    char path[PATH_MAX + 600];
    snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s", m->path, name);
    if (make_folders(path) != 0) return -1;
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    fprintf(f, "%s\n", content);
    return fclose(f);
}

static int take_line(struct machine_root *m, char *line)
{
    unsigned a = 0, b = 0, c = 0;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0') return 0;
    if (sscanf(line, "kernel %u.%u.%u", &a, &b, &c) == 3) {
        m->kernel = KERNEL_VERSION(a, b, c);
        return 0;
    }
    char *content = strchr(line, ' ');
    if (!content) return -1;
    *content++ = '\0';
    return put_file(m, line, content);
}

int machine_root_init(struct machine_root *m, const char *file)
{
    char line[512];
    int bad = 0;
    m->kernel = 0;
    snprintf(m->path, sizeof(m->path), "%s/loadstone-sysfs-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    FILE *f = fopen(file, "r");
    if (!f || !mkdtemp(m->path)) {
        fprintf(stderr, "cannot unpack %s: %s\n", file, strerror(errno));
        if (f) fclose(f);
        return -1;
    }
    while (!bad && fgets(line, sizeof(line), f))
        bad = take_line(m, line);
    fclose(f);
    if (bad) fprintf(stderr, "%s: cannot unpack line '%s'\n", file, line);
    return bad;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    (void)where;
    return remove(path);
}

void machine_root_fini(struct machine_root *m)
{
    nftw(m->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
