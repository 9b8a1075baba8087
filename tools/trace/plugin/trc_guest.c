/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers of the traced program: allocations, ranges, phases, read from its memory. */
#include "common/ls_marker.h"
#include "tools/trace/plugin/trc_slot.h"
#include "tools/trace/plugin/trc_plugin.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

enum { TRC_LABEL_BYTES = 256 };

/* Numbers of system calls differ by machine. */
struct trc_calls {
    const char *target;
    int64_t getpid, munmap, execve, execveat;
};
static const struct trc_calls trc_calls[] = {
    {"x86_64", 39, 11, 59, 322},
    {"aarch64", 172, 215, 221, 281},
};

static struct {
    const struct trc_calls *calls;
    const char *phase; /* wanted, NULL: all */
    uint64_t base;
    uint32_t main_wanted; /* phases of that name that the first thread is in */
} trc_guest;

void trc_guest_set_base(uint64_t base)
{
    trc_guest.base = base;
}

/* Read memory of the program; a bad address gives no bytes. */
static bool trc_guest_read(uint64_t addr, void *out, size_t len)
{
    const struct iovec to = {out, len}, from = {(void *)(uintptr_t)(trc_guest.base + addr), len};
    return process_vm_readv((pid_t)ls_syscall(SYS_getpid), &to, 1, &from, 1, 0) == (ssize_t)len;
}

static uint32_t trc_guest_text(uint64_t addr, uint64_t len_bytes, char out[TRC_LABEL_BYTES])
{
    const size_t len = len_bytes < TRC_LABEL_BYTES ? (size_t)len_bytes : TRC_LABEL_BYTES - 1;
    const bool is_read = len > 0 && trc_guest_read(addr, out, len);
    out[is_read ? len : 0] = '\0';
    return is_read ? (uint32_t)len : 0;
}

static void trc_on_node(const uint64_t w[4])
{
    struct ls_marker_node n = {0};
    char label[TRC_LABEL_BYTES];
    if (!trc_guest_read(w[3], &n, sizeof(n))) return;
    uint32_t len = trc_guest_text(n.label, n.label_len, label);
    const uint32_t at = trc_text_put(label, &len);
    const uint64_t number = (uint32_t)w[0] | (uint64_t)n.parent << 32;
    trc_event_put(TRC_EVENT_NODE, (const uint64_t[6]){number, w[1], w[2], n.elem_size_bytes, at, len});
}

/* A thread without an open phase counts as in the phases of the first thread. */
static bool trc_phase_is_wanted(void)
{
    if (trc_own.phases_open) return trc_own.phases_wanted > 0;
    return TRC_LOAD(trc_guest.main_wanted) > 0;
}

static void trc_phase_count(const char *name, bool begins)
{
    const uint32_t step = begins ? 1 : UINT32_MAX; /* - 1 */
    const bool is_main = ls_syscall(SYS_gettid) == ls_syscall(SYS_getpid);
    if (begins || trc_own.phases_open) trc_own.phases_open += step;
    if (strcmp(trc_guest.phase, name) != 0 || (!begins && !trc_own.phases_wanted)) return;
    trc_own.phases_wanted += step;
    if (is_main) __atomic_fetch_add(&trc_guest.main_wanted, step, __ATOMIC_ACQ_REL);
}

static void trc_on_phase(const uint64_t w[4], bool begins)
{
    char name[TRC_LABEL_BYTES];
    uint32_t len = trc_guest_text(w[0], w[1], name);
    const uint32_t at = trc_text_put(name, &len);
    if (trc_guest.phase) trc_phase_count(name, begins);
    trc_event_put(begins ? TRC_EVENT_PHASE_BEGIN : TRC_EVENT_PHASE_END, (const uint64_t[6]){at, len});
}

static void trc_on_marker(enum ls_marker_kind kind, const uint64_t w[4])
{
    const uint64_t words[6] = {w[0], w[1], w[2], w[3]};
    switch (kind) {
    case LS_MARKER_PAUSE:
        trc_slot_off();
        break;
    case LS_MARKER_RESUME:
        trc_slot_on();
        break;
    case LS_MARKER_BLOCK_BORN:
        trc_event_put(TRC_EVENT_BLOCK_BORN, words);
        break;
    case LS_MARKER_BLOCK_DIED:
        trc_event_put(TRC_EVENT_BLOCK_DIED, words);
        break;
    case LS_MARKER_NODE:
        trc_on_node(w);
        break;
    case LS_MARKER_NODE_DIED:
        trc_event_put(TRC_EVENT_NODE_DIED, words);
        break;
    case LS_MARKER_NODE_MEMBER:
        trc_event_put(TRC_EVENT_NODE_MEMBER, words);
        break;
    case LS_MARKER_PHASE_BEGIN:
        trc_on_phase(w, true);
        break;
    case LS_MARKER_PHASE_END:
        trc_on_phase(w, false);
        break;
    case LS_MARKER_STACK_BORN:
        trc_event_put(TRC_EVENT_STACK_BORN, words);
        break;
    case LS_MARKER_STACK_DIED:
        trc_event_put(TRC_EVENT_STACK_DIED, words);
        break;
    case LS_MARKER_LAST:
        break;
    }
}

static void trc_on_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                        uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    enum ls_marker_kind kind;
    (void)id, (void)vcpu, (void)a6, (void)a7, (void)a8;
    if (number == trc_guest.calls->execve || number == trc_guest.calls->execveat)
        __atomic_fetch_add(&trc_ring->execs, 1, __ATOMIC_RELAXED);
    if (!trc_is_followed()) return;
    TRC_STORE(trc_ring->illegal.ip, 0); /* a signal raised by a call is not caused by an instruction */
    if (number == trc_guest.calls->getpid && ls_marker_is(a1, &kind)) {
        trc_on_marker(kind, (const uint64_t[4]){a2, a3, a4, a5});
    } else if (number == trc_guest.calls->munmap) {
        trc_event_put(TRC_EVENT_UNMAPPED, (const uint64_t[6]){a1, a2});
        trc_maps_unmapped(a1, a1 + a2);
    }
}

/* Also record calls of children: the program may depend on them. */
static void trc_note_lacking(uint32_t number)
{
    for (size_t i = 0; i < TRC_LACKING; i++) {
        struct trc_lacking *l = &trc_ring->lacking[i];
        uint32_t free_slot = 0;
        __atomic_compare_exchange_n(&l->number_next, &free_slot, number + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        if (TRC_LOAD(l->number_next) != number + 1) continue;
        __atomic_fetch_add(&l->calls, 1, __ATOMIC_RELAXED);
        return;
    }
}

static void trc_on_return(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
    (void)id, (void)vcpu;
    if (result == -ENOSYS) trc_note_lacking((uint32_t)number);
    if (number == trc_guest.calls->execve || number == trc_guest.calls->execveat) /* it failed */
        __atomic_fetch_sub(&trc_ring->execs, 1, __ATOMIC_RELAXED);
}

void trc_guest_init(qemu_plugin_id_t id, const char *target, const char *phase)
{
    trc_guest.phase = phase;
    for (size_t i = 0; i < sizeof(trc_calls) / sizeof(trc_calls[0]); i++)
        if (strcmp(trc_calls[i].target, target) == 0) trc_guest.calls = &trc_calls[i];
    if (phase) trc_slot_set_gate(trc_phase_is_wanted);
    if (!trc_guest.calls) return;
    qemu_plugin_register_vcpu_syscall_cb(id, trc_on_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, trc_on_return);
}
