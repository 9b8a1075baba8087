/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin that QEMU loads: every translated instruction gets a site for its accesses. Arguments:
 * ring=PATH, region=PATH, phase=NAME. */
#include "tools/trace/plugin/trc_slot.h"
#include "tools/trace/plugin/trc_plugin.h"

#include "common/ls_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- code whose accesses are recorded ---- */

/* The code whose accesses are recorded: stretches of files. */

struct trc_stretch {
    uint64_t start, end;
    char *path;
};

static struct {
    struct trc_stretch *rows;
    size_t len;
    bool is_given;
} trc_region;

static int trc_region_line(const char *line)
{
    struct trc_stretch s;
    int at = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &s.start, &s.end, &at) < 2 || at == 0) return EINVAL;
    s.path = strndup(line + at, strcspn(line + at, "\n"));
    struct trc_stretch *rows = reallocarray(trc_region.rows, trc_region.len + 1, sizeof(*rows));
    if (!rows || !s.path) {
        free(s.path);
        return ENOMEM;
    }
    rows[trc_region.len++] = s;
    trc_region.rows = rows;
    return 0;
}

/* Read stretches from the file at path: lines of "START END FILE", hexadecimal offsets in FILE. Without them
 * all code is recorded.  0 or an errno; EINVAL: not such lines. */
static int trc_region_read(const char *path)
{
    char line[PATH_MAX + 64];
    FILE *f = fopen(path, "re");
    if (!f) return errno;
    int err = 0;
    trc_region.is_given = true;
    while (err == 0 && fgets(line, sizeof(line), f))
        err = trc_region_line(line);
    fclose(f);
    return err;
}

/* Return whether the instruction at this offset of a file is wanted.  path: "" for code in no file. */
static bool trc_region_holds(const char *path, uint32_t path_len, uint64_t offset_bytes)
{
    if (!trc_region.is_given) return true;
    for (size_t i = 0; i < trc_region.len; i++) {
        const struct trc_stretch *s = &trc_region.rows[i];
        if (offset_bytes >= s->start && offset_bytes < s->end && strlen(s->path) == path_len &&
            memcmp(s->path, path, path_len) == 0)
            return true;
    }
    return false;
}

/* ---- the plugin ---- */

enum { TRC_EXIT_REFUSED = 126 };

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct {
    char target[32];
    bool counts; /* instructions */
} trc_plugin;

/* End the program before the block runs, so that no wrong value is used. In the child of a fork only the
 * child ends; the parent's trace has the reason, too. */
static void trc_refuse(enum trc_refusal why, uint64_t ip)
{
    snprintf(trc_ring->reason, sizeof(trc_ring->reason), "0x%" PRIx64, ip);
    TRC_STORE(trc_ring->refusal, why);
    _exit(TRC_EXIT_REFUSED);
}

static void trc_check(const struct trc_insn *i)
{
    if (i->shape.is_broken_gather) trc_refuse(TRC_REFUSED_GATHER, i->ip);
}

static bool trc_is_wanted(const struct trc_code *code, uint64_t ip)
{
    if (code->is_loadstone) return false;
    if (code->module == UINT32_MAX) return trc_region_holds("", 0, 0);
    const struct trc_module *m = &trc_ring->modules[code->module];
    return trc_region_holds(trc_ring->texts + m->path, m->path_len, ip - code->start + code->offset_bytes);
}

static struct trc_insn trc_insn_of(const struct qemu_plugin_insn *insn)
{
    struct trc_insn i = {.ip = qemu_plugin_insn_vaddr(insn)};
    const size_t len = qemu_plugin_insn_size(insn);
    i.len = (uint8_t)(len < sizeof(i.bytes) ? len : sizeof(i.bytes));
    memcpy(i.bytes, qemu_plugin_insn_data(insn), i.len);
    return i;
}

/* Works without lock, table or memory, so also in the child of a fork and when memory has run out. */
static void trc_check_alone(struct trc_insn *i)
{
    i->shape = trc_decode(trc_plugin.target, i->bytes, i->len);
    trc_check(i);
}

/* Blocks are translated one at a time: QEMU holds a lock. */
static void trc_note_last(uint64_t ip, const void *bytes, size_t len, const struct trc_shape_of *s)
{
    struct trc_illegal *i = &trc_ring->illegal;
    TRC_STORE(i->ip, 0);
    if (s->ends_block || !trc_is_followed()) return;
    i->len = (uint32_t)(s->len ? s->len : len < sizeof(i->bytes) ? len : sizeof(i->bytes));
    memcpy(i->bytes, bytes, i->len);
    TRC_STORE(i->ip, ip);
}

/* QEMU ends a block at an instruction that it does not know, and passes only the bytes that it read of it.
 * The rest is read from the program's memory, up to the end of the page, which is certainly mapped. */
static void trc_check_last(struct qemu_plugin_tb *tb, size_t len)
{
    enum { CODE_BYTES = 15, PAGE_BYTES = 4096 };
    if (len == 0) return;
    const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, len - 1);
    const struct trc_insn known = trc_insn_of(last);
    const void *code = qemu_plugin_insn_haddr(last);
    const size_t in_page = PAGE_BYTES - known.ip % PAGE_BYTES;
    const size_t readable = in_page < CODE_BYTES ? in_page : CODE_BYTES;
    const bool is_all_known = !code || readable < known.len;
    const void *const bytes = is_all_known ? known.bytes : code;
    const size_t bytes_len = is_all_known ? known.len : readable;
    const struct trc_shape_of s = trc_decode(trc_plugin.target, bytes, bytes_len);
    trc_note_last(known.ip, bytes, bytes_len, &s);
    if (s.isa != TRC_ISA_HAD) TRC_STORE(trc_ring->lacks_isa, s.isa);
}

static void trc_on_insn(struct qemu_plugin_insn *insn, struct trc_code *code)
{
    struct trc_insn like = trc_insn_of(insn);
    const uint64_t ip = like.ip;
    if (code->end == 0 || ip < code->start || ip >= code->end)
        *code = trc_maps_find(ip, qemu_plugin_insn_haddr(insn));
    like.module = code->module;
    struct trc_insn *i = trc_insn_at(trc_plugin.target, like);
    if (!i) {
        __atomic_fetch_add(&trc_ring->insns_missed, 1, __ATOMIC_RELAXED);
        trc_check_alone(&like);
        trc_insn_guard(insn, &like);
        return;
    }
    trc_check(i);
    if (trc_is_wanted(code, ip))
        trc_insn_watch(insn, i);
    else
        trc_insn_guard(insn, i);
}

/* Instructions are counted by blocks: a block is recorded if it holds at least one wanted instruction. */
static void trc_on_block(unsigned vcpu, void *user)
{
    const uint64_t from = trc_ring->skip_instructions, len = trc_ring->count_instructions;
    const uint64_t before = trc_own.instructions, now = before + (uint64_t)(uintptr_t)user;
    (void)vcpu;
    if (trc_own.is_counted_out) return;
    trc_own.instructions = now;
    if (!trc_own.is_counted_in && now > from) {
        trc_own.is_counted_in = true;
        trc_slot_on();
    }
    if (len > 0 && before >= from + len) {
        trc_own.is_counted_out = true;
        trc_slot_off();
    }
}

/* Children are not traced but checked: wrong results of QEMU there can reach the program, too. */
static void trc_on_translation_in_child(struct qemu_plugin_tb *tb, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct trc_insn insn = trc_insn_of(qemu_plugin_tb_get_insn(tb, i));
        trc_check_alone(&insn);
    }
}

static void trc_on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    static bool has_base;
    struct trc_code code = {.module = UINT32_MAX};
    const size_t len = qemu_plugin_tb_n_insns(tb);
    (void)id;
    trc_check_last(tb, len);
    if (!trc_is_followed()) {
        trc_on_translation_in_child(tb, len);
        return;
    }
    if (!has_base && len > 0) {
        struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
        trc_guest_set_base((uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first) -
                           qemu_plugin_insn_vaddr(first));
        has_base = true;
    }
    if (trc_plugin.counts)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, trc_on_block, QEMU_PLUGIN_CB_NO_REGS,
                                             (void *)(uintptr_t)len);
    for (size_t i = 0; i < len; i++)
        trc_on_insn(qemu_plugin_tb_get_insn(tb, i), &code);
}

static struct trc_ring *trc_ring_map(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *at = mmap(NULL, sizeof(struct trc_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd); /* hidden from the program */
    if (at == MAP_FAILED) return NULL;
    struct trc_ring *ring = at;
    return ring->magic == TRC_MAGIC ? ring : NULL;
}

/* The value of NAME=value among the arguments, NULL: not there. */
static const char *trc_argument(int argc, char **argv, const char *name)
{
    const size_t len = strlen(name);
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], name, len) == 0 && argv[i][len] == '=') return argv[i] + len + 1;
    return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *path = trc_argument(argc, argv, "ring"), *region = trc_argument(argc, argv, "region");
    const char *phase = trc_argument(argc, argv, "phase");
    struct trc_ring *ring = path ? trc_ring_map(path) : NULL;
    if (!ring || info->system_emulation) return -1;
    trc_plugin.counts = ring->skip_instructions || ring->count_instructions;
    snprintf(trc_plugin.target, sizeof(trc_plugin.target), "%s", info->target_name);
    if (region && trc_region_read(region) != 0) return -1;
    if (trc_slot_init(ring, trc_plugin.counts) != 0) return -1;
    trc_maps_init();
    trc_guest_init(id, trc_plugin.target, phase);
    qemu_plugin_register_vcpu_tb_trans_cb(id, trc_on_translation);
    TRC_STORE(ring->plugin_pid, (uint32_t)ls_syscall(SYS_getpid));
    return 0;
}
