/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_host.h"

#include "tools/cli/cli_message.h"
#include "tools/trace/trc_ring.h"
#include "common/ls_text.h"
#include "symbols/sym_files.h"
#include "tools/report/rep_disassemble.h"

#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- system calls that QEMU lacks ---- */

/* Text that names the system calls of the program that QEMU lacks. */

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux; from 424 on
 * they are the same. */
static const struct trc_call {
    uint32_t x86_64, aarch64;
    const char *name;
    bool is_tried; /* tried by the C library, which does not depend on it */
} trc_calls[] = {
    {273, 99, "set_robust_list", true},
    {334, 293, "rseq", true},
    {435, 435, "clone3", true},
    {436, 436, "close_range", true},
    {439, 439, "faccessat2", true},
    {452, 452, "fchmodat2", true},
    {298, 241, "perf_event_open", false},
    {312, 272, "kcmp", false},
    {317, 277, "seccomp", false},
    {321, 280, "bpf", false},
    {323, 282, "userfaultfd", false},
    {330, 289, "pkey_alloc", false},
    {425, 425, "io_uring_setup", false},
    {426, 426, "io_uring_enter", false},
    {434, 434, "pidfd_open", false},
    {437, 437, "openat2", false},
    {440, 440, "process_madvise", false},
    {441, 441, "epoll_pwait2", false},
    {444, 444, "landlock_create_ruleset", false},
    {447, 447, "memfd_secret", false},
    {449, 449, "futex_waitv", false},
};

static const struct trc_call *trc_call_of(unsigned elf_machine, uint32_t number)
{
    for (size_t i = 0; i < sizeof(trc_calls) / sizeof(trc_calls[0]); i++)
        if ((elf_machine == EM_AARCH64 ? trc_calls[i].aarch64 : trc_calls[i].x86_64) == number)
            return &trc_calls[i];
    return NULL;
}

/* List the system calls in ring that may have made a program of this machine (EM_* of elf.h) fail:
 * "io_uring_setup (425), system call 999". Calls that the C library only tries are left out.
 * Returns their number. */
static size_t trc_lacking_names(const struct trc_ring *ring, unsigned elf_machine, char *out, size_t room)
{
    size_t found = 0, len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < TRC_LACKING && ring->lacking[i].number_next != 0 && len < room; i++) {
        const uint32_t number = ring->lacking[i].number_next - 1;
        const struct trc_call *c = trc_call_of(elf_machine, number);
        if (c && c->is_tried) continue;
        len += (size_t)snprintf(out + len, room - len, c ? "%s%s (%u)" : "%s%s %u", found ? ", " : "",
                                c ? c->name : "system call", number);
        found++;
    }
    return found;
}

/* ---- the instruction that QEMU stopped at ---- */

/* Text that describes the instruction at which QEMU stopped. */

struct trc_illegal_text {
    char code[512];   /* "0x401136 in solve (solver)"; "" when it is not known */
    char what[256];   /* "clui (f3 0f 01 ee)"; "that begins with 06 eb cd 0f" */
    bool is_own_trap; /* ud2 and similar instructions, which are illegal on every processor */
};

enum { TRC_BEGIN_BYTES = 4 };

static const struct pat_module *trc_module_at(const struct pat_tables *t, uint64_t ip)
{
    for (size_t i = t->modules_len; i-- > 0;) /* the latest there */
        if (ip >= t->modules[i].start && ip < t->modules[i].end) return &t->modules[i];
    return NULL;
}

static void trc_put_function(const struct pat_module *m, uint64_t ip, char *out, size_t room)
{
    sym_files *files;
    sym_file *file;
    if (sym_files_new((struct sym_limits){0}, &files) != LS_OK) return;
    if (sym_files_get(files, m->path, &file) == LS_OK) {
        const struct sym_function_names n = sym_file_function(files, file, ip - m->bias);
        const char *name = *n.function ? n.function : n.symbol;
        if (*name) snprintf(out, room, " in %s", name);
    }
    sym_files_free(files);
}

static void trc_put_code(const struct pat_tables *t, uint64_t ip, char *out, size_t room)
{
    const struct pat_module *m = trc_module_at(t, ip);
    char function[256] = "";
    if (m) trc_put_function(m, ip, function, sizeof(function));
    const char *file = m ? ls_base_name(m->path) : "";
    snprintf(out, room, *file ? "0x%llx%s (%s)" : "0x%llx%s%s", (unsigned long long)ip, function, file);
}

/* Write "clui (f3 0f 01 ee)"; an unknown instruction has no known length: "that begins with 06 eb cd 0f". */
static void trc_put_what(const struct trc_illegal *i, const char *name, char *out, size_t room)
{
    const uint32_t len = *name || i->len < TRC_BEGIN_BYTES ? i->len : TRC_BEGIN_BYTES;
    size_t used = (size_t)snprintf(out, room, *name ? "%s (" : "that begins with%s", name);
    for (uint32_t k = 0; k < len && used + 4 < room; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%02x", k || !*name ? " " : "", i->bytes[k]);
    if (*name) snprintf(out + used, room - used, ")");
}

/* Describe the instruction that ring recorded; t names the file and the function if they are known. */
static void trc_illegal_explain(const struct trc_ring *ring, const struct pat_tables *t,
                                struct trc_illegal_text *out)
{
    struct trc_illegal i = ring->illegal; /* the program itself may be the cause */
    char name[REP_INSTRUCTION_TEXT] = "";
    memset(out, 0, sizeof(*out));
    if (i.len > sizeof(i.bytes)) i.len = sizeof(i.bytes);
    if (i.ip == 0 || i.len == 0) return;
    if (rep_disassemble(i.ip, i.bytes, i.len, name) == 0) name[0] = '\0';
    out->is_own_trap = strncmp(name, "ud", 2) == 0;
    trc_put_code(t, i.ip, out->code, sizeof(out->code));
    trc_put_what(&i, name, out->what, sizeof(out->what));
}

/* ---- the outcome ---- */

#define TRC_ISA_NAME(name, text) [TRC_ISA_##name] = (text),
static const char *const trc_isa_names[] = {TRC_ISA_LIST(TRC_ISA_NAME)};

static void trc_say_alternative(const char *program)
{
    cli_next("loadstone record -- %s; then loadstone patterns loadstone.h5 (bursts of accesses, not all)",
             cli_quote(program));
}

static int trc_say_refusal(const struct trc_ring *ring, const char *program)
{
    cli_error(
        "%s has a gather whose index is in register 4 (at %s): QEMU 7.2 computes wrong addresses and results "
        "for it, so the program was ended before it ran; compile without -mavx2",
        program, ring->reason);
    trc_say_alternative(program);
    return CLI_CANNOT_RUN;
}

/* Instructions that QEMU lacks, or that were hidden. */
static int trc_say_illegal(uint32_t isa, const char *program)
{
    if (isa == TRC_ISA_AVX2)
        cli_error("%s uses AVX2, which QEMU 7.2 computes wrongly in part, "
                  "so it was hidden; allow it with --avx2",
                  program);
    else
        cli_error("%s uses %s, which QEMU 7.2 does not execute; compile it without %s", program,
                  trc_isa_names[isa], trc_isa_names[isa]);
    trc_say_alternative(program);
    return CLI_CANNOT_RUN;
}

int trc_outcome_refused(const struct trc_ring *ring, const struct rec_outcome *o, const char *program)
{
    if (ring->refusal != TRC_NOT_REFUSED) return trc_say_refusal(ring, program);
    if (ring->plugin_pid == 0) {
        cli_error("QEMU did not start %s with the tracer's plugin; is it QEMU 7.2 or later, with plugins?",
                  program);
        trc_say_alternative(program);
        return CLI_CANNOT_RUN;
    }
    const uint32_t isa = ring->lacks_isa;
    if (o->exit_signal == SIGILL && isa != TRC_ISA_HAD &&
        isa < sizeof(trc_isa_names) / sizeof(trc_isa_names[0]))
        return trc_say_illegal(isa, program);
    return 0;
}

/* Write "a, b", cut to the room. */
static const char *trc_phase_names(const struct pat_tables *t, char *out, size_t room)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < t->phases_len && len < room; i++)
        len += (size_t)snprintf(out + len, room - len, "%s%s", i ? ", " : "", t->phases[i]);
    return out;
}

static void trc_say_phase(const struct trc_nothing *n)
{
    char names[256];
    for (size_t i = 0; i < n->tables->phases_len; i++)
        if (strcmp(n->tables->phases[i], n->phase) == 0) {
            cli_warn("0 accesses: nothing that is traced was done in phase '%s'", n->phase);
            return;
        }
    if (n->tables->phases_len > 0)
        cli_warn("0 accesses: %s began no phase '%s'; its phases: %s", n->program, n->phase,
                 trc_phase_names(n->tables, names, sizeof(names)));
    else
        cli_warn("0 accesses: %s began no phase at all (loadstone_phase_begin, in a program that the runtime "
                 "can be loaded into); leave --phase out, or choose code with --function or --lines",
                 n->program);
}

void trc_outcome_nothing(const struct trc_nothing *n)
{
    if (n->phase)
        trc_say_phase(n);
    else if (n->skip_instructions > 0)
        cli_warn("0 accesses: no thread of %s executed more than %llu instructions; skip fewer", n->program,
                 (unsigned long long)n->skip_instructions);
    else if (n->is_code_chosen)
        cli_warn("0 accesses: %s ran none of the chosen code; choose other code, or run loadstone trace "
                 "without a choice to see all code",
                 n->program);
    else
        cli_warn("0 accesses: QEMU reported no access of %s", n->program);
    if (!n->phase && !n->skip_instructions && !n->is_code_chosen) trc_say_alternative(n->program);
}

void trc_outcome_lacking(const struct trc_ring *ring, unsigned elf_machine, const struct rec_outcome *o,
                         const char *program)
{
    char names[256];
    if (!o->exit_code && !o->exit_signal) return;
    if (trc_lacking_names(ring, elf_machine, names, sizeof(names)) == 0) return;
    cli_warn("%s failed after calls that QEMU does not support: %s", program, names);
    trc_say_alternative(program);
}

void trc_outcome_illegal(const struct trc_ring *ring, const struct pat_tables *t, const struct rec_outcome *o,
                         const char *program)
{
    struct trc_illegal_text i;
    if (o->exit_signal != SIGILL) return;
    trc_illegal_explain(ring, t, &i);
    if (i.is_own_trap) {
        cli_warn("%s was ended by SIGILL at %s, by its own %s", program, i.code, i.what);
        return;
    }
    if (*i.code)
        cli_warn("%s was ended by SIGILL at %s: QEMU does not have the instruction %s", program, i.code,
                 i.what);
    else
        cli_warn(
            "%s was ended by SIGILL: if this does not happen without QEMU, QEMU lacks one of its instructions",
            program);
    trc_say_alternative(program);
}

void trc_outcome_warn(const struct trc_ring *ring)
{
    const uint32_t execs = ring->execs, forks = ring->forks;
    if (forks) cli_warn("%u child process%s made by fork ran untraced", forks, forks == 1 ? "" : "es");
    if (execs)
        cli_warn(
            "%u program%s started by exec ran untraced: put loadstone trace before the program to trace, as in "
            "mpirun -n 4 loadstone trace -- PROGRAM",
            execs, execs == 1 ? "" : "s");
    if (ring->threads_missed)
        cli_warn("%u threads were not traced: more than %d lived at a time", ring->threads_missed, TRC_SLOTS);
    if (ring->sites_missed)
        cli_warn("more than %d operands access memory: the accesses of the others are counted together",
                 TRC_SITES);
    if (ring->insns_missed)
        cli_warn("QEMU ran out of memory: accesses of %u instructions are not in the trace",
                 ring->insns_missed);
    if (ring->texts_missed)
        cli_warn("%u names of data were dropped, because the table of names is full", ring->texts_missed);
}
