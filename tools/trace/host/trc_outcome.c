/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_outcome.h"

#include "tools/cli/cli_message.h"
#include "tools/trace/host/trc_illegal.h"
#include "tools/trace/host/trc_lacking.h"
#include "tools/trace/trc_isa.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

/* Instructions that QEMU does not have, or that were hidden. */
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
        cli_warn("0 accesses: %s ran none of the code that was chosen; name other code, or see by loadstone "
                 "trace without choosing what it runs",
                 n->program);
    else
        cli_warn("0 accesses: QEMU showed nothing of %s", n->program);
    if (!n->phase && !n->skip_instructions && !n->is_code_chosen) trc_say_alternative(n->program);
}

void trc_outcome_lacking(const struct trc_ring *ring, unsigned elf_machine, const struct rec_outcome *o,
                         const char *program)
{
    char names[256];
    if (!o->exit_code && !o->exit_signal) return;
    if (trc_lacking_names(ring, elf_machine, names, sizeof(names)) == 0) return;
    cli_warn("%s failed, and QEMU does not have what it called: %s", program, names);
    trc_say_alternative(program);
}

void trc_outcome_illegal(const struct trc_ring *ring, const struct pat_tables *t, const struct rec_outcome *o,
                         const char *program)
{
    struct trc_illegal_text i;
    if (o->exit_signal != SIGILL) return;
    trc_illegal_tell(ring, t, &i);
    if (i.is_own_trap) {
        cli_warn("%s was ended by SIGILL at %s, by its own %s", program, i.place, i.what);
        return;
    }
    if (*i.place)
        cli_warn("%s was ended by SIGILL at %s: QEMU does not have the instruction %s", program, i.place,
                 i.what);
    else
        cli_warn("%s was ended by SIGILL: where it is not without QEMU, it is for want of an instruction "
                 "that QEMU does not have",
                 program);
    trc_say_alternative(program);
}

void trc_outcome_warn(const struct trc_ring *ring)
{
    const uint32_t execs = ring->execs, forks = ring->forks;
    if (forks) cli_warn("%u child process%s made by fork ran untraced", forks, forks == 1 ? "" : "es");
    if (execs)
        cli_warn(
            "%u program%s started by exec ran untraced: put loadstone trace before the one that is meant, as "
            "mpirun -n 4 loadstone trace -- PROGRAM",
            execs, execs == 1 ? "" : "s");
    if (ring->threads_missed)
        cli_warn("%u threads were not traced: more than %d lived at a time", ring->threads_missed, TRC_LANES);
    if (ring->sites_missed) cli_warn("more than %d places in the code: the last ones are one", TRC_SITES);
    if (ring->insns_missed)
        cli_warn("QEMU ran out of memory: accesses of %u instructions are not in the trace",
                 ring->insns_missed);
    if (ring->texts_missed) cli_warn("%u names found no room", ring->texts_missed);
}
