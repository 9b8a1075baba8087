/* SPDX-License-Identifier: BSD-3-Clause */
/* Network interfaces: /sys/class/net/INTERFACE/statistics (Documentation/ABI/testing/sysfs-class-net-statistics
 * of Linux), and InfiniBand: /sys/class/infiniband/DEVICE/ports/PORT/counters. */
#include "traffic/trf_source.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NET_PATH_BYTES = 512, NET_DATA_WORD_BYTES = 4 }; /* port_*_data count words of four bytes */

struct net_files {
    const char *pattern;  /* matches devices, below the root */
    const char *device;   /* a file that only hardware has; NULL: all of them are hardware */
    const char *paths[2]; /* received, sent */
    double scale;
};

static const struct net_files net_interfaces = {
    "class/net/*", "device", {"statistics/rx_bytes", "statistics/tx_bytes"}, 1};
static const struct net_files net_infiniband = {"class/infiniband/*/ports/*",
                                                NULL,
                                                {"counters/port_rcv_data", "counters/port_xmit_data"},
                                                NET_DATA_WORD_BYTES};

/* "eth0", or "mlx5_0 port 1". */
static void net_name(const char *path, char out[TRF_SCOPE_BYTES])
{
    const char *base = strrchr(path, '/') + 1, *ports = strstr(path, "/ports/");
    if (!ports) {
        snprintf(out, TRF_SCOPE_BYTES, "%s", base);
        return;
    }
    const char *device = ports;
    while (device[-1] != '/')
        device--;
    snprintf(out, TRF_SCOPE_BYTES, "%.*s port %s", (int)(ports - device), device, base);
}

static ls_err net_add(struct trf_opened *o, const struct net_files *f, const char *path)
{
    static const char *const words[] = {"received", "sent"};
    char scope[TRF_SCOPE_BYTES], name[TRF_NAME_BYTES], file[NET_PATH_BYTES + 64];
    net_name(path, scope);
    for (int i = 0; i < 2; i++) {
        struct trf_counter c = {
            .unit = "B", .kind = i ? LS_COUNTER_SENT : LS_COUNTER_RECEIVED, .scale = f->scale};
        snprintf(c.scope, sizeof(c.scope), "%s", scope);
        snprintf(name, sizeof(name), "%s %s", scope, words[i]);
        snprintf(file, sizeof(file), "%.*s/%s", NET_PATH_BYTES, path, f->paths[i]);
        LS_TRY(trf_files_counter(o, &c, name));
        LS_TRY(trf_files_path(o, file));
    }
    return LS_OK;
}

static bool net_is_hardware(const struct net_files *f, const char *path)
{
    char file[NET_PATH_BYTES + 64];
    if (!f->device) return true;
    snprintf(file, sizeof(file), "%.*s/%s", NET_PATH_BYTES, path, f->device);
    return access(file, F_OK) == 0;
}

/* Hardware interfaces; if there are none, as in a container, all except the loop-back. Bridges and similar
 * interfaces would count the same bytes again. */
static ls_err net_add_all(const struct trf_machine *m, const struct net_files *f, struct trf_opened *out)
{
    char pattern[NET_PATH_BYTES];
    glob_t found;
    bool any_hardware = false;
    ls_err err = LS_OK;
    LS_TRY(trf_files_new(out));
    snprintf(pattern, sizeof(pattern), "%s/%s", trf_sys_root(m), f->pattern);
    if (glob(pattern, 0, NULL, &found) != 0)
        return ls_fail(LS_ERR_NOT_FOUND, "%s: there is no such device", pattern);
    for (size_t i = 0; i < found.gl_pathc; i++)
        any_hardware |= net_is_hardware(f, found.gl_pathv[i]);
    for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++) {
        const char *path = found.gl_pathv[i];
        if (strcmp(strrchr(path, '/') + 1, "lo") == 0 || (any_hardware && !net_is_hardware(f, path)))
            continue;
        err = net_add(out, f, path);
    }
    globfree(&found);
    if (err == LS_OK) err = trf_files_try(out, "run as root");
    if (err == LS_OK && out->counters.len == 0)
        err = ls_fail(LS_ERR_NOT_FOUND, "%s: only the loop-back is there", pattern);
    snprintf(out->detail, sizeof(out->detail), "%zu %s", out->counters.len / 2,
             out->counters.len == 2 ? "interface" : "interfaces");
    return err;
}

static ls_err net_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    (void)metrics;
    return net_add_all(m, &net_interfaces, out);
}

static ls_err infiniband_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    (void)metrics;
    return net_add_all(m, &net_infiniband, out);
}

const struct trf_source trf_source_net = {
    .name = "net",
    .group = "net",
    .gives = "bytes received and sent by each network interface",
    .needs = "sysfs; no privilege",
    .open = net_open,
    .read = trf_files_read,
    .close = trf_files_close,
};

const struct trf_source trf_source_infiniband = {
    .name = "infiniband",
    .group = "net",
    .gives = "bytes received and sent by each InfiniBand port, RDMA included",
    .needs = "an InfiniBand or RoCE adapter; no privilege",
    .open = infiniband_open,
    .read = trf_files_read,
    .close = trf_files_close,
};
