/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_unwind.h"

#include "common/ls_owner.h"
#include "common/ls_vector.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- files of a process image --- */

struct sym_session_module {
    char *path;
    uint64_t bias;
};

struct sym_session {
    Dwfl *dwfl;
    struct sym_session_module *modules;
    size_t len, room;
    bool is_reported;
};

/* Unwinding tables are in the binary itself. */
static int sym_find_no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                                 const char *path, const char *link, GElf_Word crc, char **out_path)
{
    (void)module, (void)user, (void)name, (void)base, (void)path, (void)link, (void)crc, (void)out_path;
    return -1;
}

static const Dwfl_Callbacks sym_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = sym_find_no_debuginfo,
};

ls_err sym_session_new(sym_session **out)
{
    sym_session *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("symbols");
    elf_version(EV_CURRENT);
    s->dwfl = dwfl_begin(&sym_callbacks);
    if (!s->dwfl) {
        free(s);
        return ls_nomem("symbols: %s", dwfl_errmsg(-1));
    }
    dwfl_report_begin(s->dwfl);
    *out = s;
    return LS_OK;
}

void sym_session_free(sym_session *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->len; i++)
        free(s->modules[i].path);
    dwfl_end(s->dwfl);
    free(s->modules);
    free(s);
}

/* A file mapped in several pieces is one module: libdwfl drops a module that is reported twice. */
static bool sym_is_known(const sym_session *s, const char *path, uint64_t bias)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->modules[i].bias == bias && strcmp(s->modules[i].path, path) == 0) return true;
    return false;
}

ls_err sym_session_add(sym_session *s, const char *path, uint64_t bias)
{
    if (sym_is_known(s, path, bias)) return LS_OK;
    LS_TRY(LS_GROW(s->modules, s->room, s->len + 1));
    char *copy = strdup(path);
    if (!copy) return ls_nomem("a module name");
    const int fd = ls_open_regular(path);
    if (fd >= 0 && !dwfl_report_elf(s->dwfl, path, path, fd, bias, true)) close(fd);
    s->modules[s->len++] = (struct sym_session_module){copy, bias};
    return LS_OK;
}

/* No more files are added after this call. */
static Dwfl *sym_session_dwfl(sym_session *s)
{
    if (!s->is_reported) {
        dwfl_report_end(s->dwfl, NULL, NULL);
        s->is_reported = true;
    }
    return s->dwfl;
}

enum { SYM_THREAD = 1 }; /* libdwfl wants a number for the one thread it sees */

struct sym_unwinder {
    Dwfl *dwfl;
    bool is_attached;
    /* state of the current call */
    const struct sym_stack *stack;
    const struct sym_code *code;
    struct sym_frame *out;
    size_t len, max;
    bool is_cut; /* the walk ended because of missing memory or invalid data, not at the end of the stack */
};

static bool sym_read_word(const struct sym_stack *s, uint64_t addr, uint64_t *out)
{
    if (addr < s->base || s->len_bytes < sizeof(*out) || addr - s->base > s->len_bytes - sizeof(*out))
        return false;
    memcpy(out, s->bytes + (addr - s->base), sizeof(*out));
    return true;
}

static bool sym_on_memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *user)
{
    sym_unwinder *u = user;
    (void)dwfl;
    if (sym_read_word(u->stack, addr, result)) return true;
    u->is_cut = true; /* libdwfl treats an unreadable return address as the end of the stack */
    return false;
}

static pid_t sym_on_next_thread(Dwfl *dwfl, void *user, void **thread)
{
    (void)dwfl;
    if (*thread) return 0;
    *thread = user;
    return SYM_THREAD;
}

static bool sym_on_get_thread(Dwfl *dwfl, pid_t tid, void *user, void **thread)
{
    (void)dwfl;
    *thread = user;
    return tid == SYM_THREAD;
}

static bool sym_on_registers(Dwfl_Thread *thread, void *user)
{
    const sym_unwinder *u = user;
    return dwfl_thread_state_registers(thread, 0, SYM_REGS, u->stack->regs);
}

static const Dwfl_Thread_Callbacks sym_thread_callbacks = {
    .next_thread = sym_on_next_thread,
    .get_thread = sym_on_get_thread,
    .memory_read = sym_on_memory_read,
    .set_initial_registers = sym_on_registers,
};

ls_err sym_unwinder_new(sym_session *s, sym_unwinder **out)
{
    sym_unwinder *u = calloc(1, sizeof(*u));
    if (!u) return ls_nomem("call stacks");
    u->dwfl = sym_session_dwfl(s);
    /* without any readable file only the innermost frame is known */
    u->is_attached = dwfl_attach_state(u->dwfl, NULL, SYM_THREAD, &sym_thread_callbacks, u);
    *out = u;
    return LS_OK;
}

void sym_unwinder_free(sym_unwinder *u)
{
    free(u);
}

static int sym_cut(sym_unwinder *u)
{
    u->is_cut = true;
    return DWARF_CB_ABORT;
}

/* The stack pointer of a frame is the canonical frame address of the one inside it. */
static int sym_on_frame(Dwfl_Frame *frame, void *user)
{
    sym_unwinder *u = user;
    Dwarf_Addr pc;
    Dwarf_Word sp = 0;
    bool is_activation;
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) return sym_cut(u);
    if (dwfl_frame_reg(frame, SYM_REG_SP, &sp) != 0) sp = 0;
    if (u->len > 0) {
        struct sym_frame *inner = &u->out[u->len - 1];
        const bool goes_up = sp > u->stack->regs[SYM_REG_SP] && (u->len < 2 || sp > inner[-1].cfa);
        if (!goes_up || pc == 0 || (u->code && !u->code->is_code(u->code->user, pc))) return sym_cut(u);
        inner->cfa = sp;
    }
    if (u->len == u->max) return sym_cut(u);
    u->out[u->len++] = (struct sym_frame){.ip = is_activation ? pc : pc - 1};
    return DWARF_CB_OK;
}

/* Registers from which the rule of a frame may start, if the walk reached this frame. */
static bool sym_rule_of(sym_unwinder *u, uint64_t ip, Dwarf_Op **out_ops, size_t *out_len, Dwarf_Frame **out)
{
    Dwarf_Addr bias;
    Dwfl_Module *module = dwfl_addrmodule(u->dwfl, ip);
    Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
    if (!cfi || dwarf_cfi_addrframe(cfi, ip - bias, out) != 0) return false;
    if (dwarf_frame_cfa(*out, out_ops, out_len) == 0) return true;
    free(*out);
    return false;
}

/* Register plus offset, and the same followed by a load: frames that realign the stack (GCC's DRAP). */
static uint64_t sym_evaluate(const struct sym_stack *s, const Dwarf_Op *ops, size_t len)
{
    uint64_t value, reg, offset;
    if (len == 0 || len > 2) return 0;
    if (ops[0].atom == DW_OP_bregx) {
        reg = ops[0].number;
        offset = ops[0].number2;
    } else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
        reg = (uint64_t)ops[0].atom - DW_OP_breg0;
        offset = ops[0].number;
    } else {
        return 0;
    }
    if (reg >= SYM_REGS) return 0;
    value = s->regs[reg] + offset;
    if (len == 2 && (ops[1].atom != DW_OP_deref || !sym_read_word(s, value, &value))) return 0;
    return value;
}

/* Return the canonical frame address of the innermost frame, when its caller's could not be found. */
static uint64_t sym_innermost_cfa(sym_unwinder *u)
{
    Dwarf_Op *ops;
    Dwarf_Frame *frame;
    size_t len;
    if (!sym_rule_of(u, u->stack->regs[SYM_REG_IP], &ops, &len, &frame)) return 0;
    const uint64_t cfa = sym_evaluate(u->stack, ops, len);
    free(frame);
    return cfa > u->stack->regs[SYM_REG_SP] ? cfa : 0;
}

size_t sym_unwind(sym_unwinder *u, const struct sym_stack *stack, const struct sym_code *code,
                  struct sym_frame *out, size_t max, bool *out_whole)
{
    u->stack = stack;
    u->code = code;
    u->out = out;
    u->len = 0;
    u->max = max;
    u->is_cut = false;
    const int e = u->is_attached ? dwfl_getthread_frames(u->dwfl, SYM_THREAD, sym_on_frame, u) : -1;
    *out_whole = e == 0 && !u->is_cut && u->len > 0;
    if (u->len == 0) out[u->len++] = (struct sym_frame){.ip = stack->regs[SYM_REG_IP]};
    if (u->len == 1 && out[0].cfa == 0) out[0].cfa = sym_innermost_cfa(u);
    return u->len;
}
