/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of hooked functions go through slots (Procedure Linkage Table, System V ABI for x86-64, 5.2) that the dynamic
 * linker fills. While the process is idle the slots hold the functions of the C library, so that the hooks cost
 * nothing; during a recording they hold the hooks. Slots from which a program may take a function's address
 * (GLOB_DAT) never change: it may compare addresses. */
#include "runtime/attach/rt_attach_internal.h"

#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_state.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

struct pair {
    const char *name;
    void *hook, *real;
};

#define PAIR(result, name, args) {#name, NULL, NULL},
static struct pair pairs[] = {RT_HOOK_LIST(PAIR)};
#undef PAIR
enum { PAIRS_LEN = sizeof(pairs) / sizeof(pairs[0]) };

/* Blocks that our hooks made before the C library's functions were known must reach our hooks. */
static bool frees_blocks(const char *name)
{
    static const char *const names[] = {"free", "realloc", "reallocarray", "malloc_usable_size"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* dlopen gives programs that load libloadstone.so the runtime, also while it is idle. */
static bool is_fixed(const char *name)
{
    return strcmp(name, "dlopen") == 0 || (rt_alloc_has_early_blocks() && frees_blocks(name));
}

static bool is_own_object(const void *address)
{
    return rt_is_own_text((uintptr_t)address);
}

void rt_attach_slots_init(void)
{
    for (int i = 0; i < PAIRS_LEN; i++) {
        void *const found = dlsym(RTLD_DEFAULT, pairs[i].name);
        if (!found || !is_own_object(found) || is_fixed(pairs[i].name))
            continue; /* the program has its own */
        pairs[i].real = dlsym(RTLD_NEXT, pairs[i].name);
        if (pairs[i].real) pairs[i].hook = found;
    }
}

static const struct pair *pair_named(const char *name)
{
    for (int i = 0; i < PAIRS_LEN; i++)
        if (pairs[i].hook && strcmp(pairs[i].name, name) == 0) return &pairs[i];
    return NULL;
}

/* An object, its slots and names, and the part that was made read-only after it was loaded. */
struct object {
    uint64_t base, begin, end;
    uint64_t relro_begin, relro_end;
    const Elf64_Rela *slots;
    size_t slots_len;
    const Elf64_Sym *symbols;
    const char *names;
    bool is_rela;
};

/* The linker adds the base to the addresses of the dynamic section, but for the vdso. */
static const void *address_in(const struct object *o, uint64_t address)
{
    return (const void *)(uintptr_t)(address < o->base ? o->base + address : address);
}

static void read_dynamic(struct object *o, const Elf64_Dyn *d)
{
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_JMPREL) o->slots = address_in(o, d->d_un.d_ptr);
        if (d->d_tag == DT_PLTRELSZ) o->slots_len = d->d_un.d_val / sizeof(*o->slots);
        if (d->d_tag == DT_PLTREL) o->is_rela = d->d_un.d_val == DT_RELA;
        if (d->d_tag == DT_SYMTAB) o->symbols = address_in(o, d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB) o->names = address_in(o, d->d_un.d_ptr);
    }
}

static bool read_object(struct object *o, const struct dl_phdr_info *info)
{
    const Elf64_Dyn *dynamic = NULL;
    *o = (struct object){.base = info->dlpi_addr, .begin = UINT64_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        const uint64_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC) dynamic = (const Elf64_Dyn *)(uintptr_t)at;
        if (p->p_type == PT_GNU_RELRO) {
            o->relro_begin = at & ~(uint64_t)(PAGE_BYTES - 1);
            o->relro_end = (at + p->p_memsz) & ~(uint64_t)(PAGE_BYTES - 1);
        }
        if (p->p_type != PT_LOAD) continue;
        if (at < o->begin) o->begin = at;
        if (at + p->p_memsz > o->end) o->end = at + p->p_memsz;
    }
    if (!dynamic || o->begin == rt_state.vdso_base) return false;
    if (rt_state.text_base >= o->begin && rt_state.text_base < o->end) return false;
    read_dynamic(o, dynamic);
    return o->is_rela && o->slots && o->slots_len && o->symbols && o->names;
}

/* Is the slot still the linker's own, for the first call? It leads into the object's own code then. */
static bool is_unbound(const struct object *o, const void *value)
{
    const uint64_t at = (uint64_t)(uintptr_t)value;
    return at >= o->begin && at < o->end;
}

/* A word that other threads read at any time. */
static void write_slot(const struct object *o, void **slot, void *value)
{
    const uint64_t at = (uint64_t)(uintptr_t)slot, page = at & ~(uint64_t)(PAGE_BYTES - 1);
    const bool is_protected = at >= o->relro_begin && at < o->relro_end;
    if (is_protected && ls_syscall(SYS_mprotect, page, PAGE_BYTES, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (is_protected) ls_syscall(SYS_mprotect, page, PAGE_BYTES, PROT_READ);
}

static void turn_slot(const struct object *o, const Elf64_Rela *r, bool to_hooks)
{
    if (ELF64_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT) return;
    const struct pair *p = pair_named(o->names + o->symbols[ELF64_R_SYM(r->r_info)].st_name);
    if (!p) return;
    void **const slot = (void **)(uintptr_t)(o->base + r->r_offset);
    void *const value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (to_hooks) {
        if (value == p->real) write_slot(o, slot, p->hook);
    } else if (value == p->hook || is_unbound(o, value)) {
        write_slot(o, slot, p->real);
    }
}

static int turn_object(struct dl_phdr_info *info, size_t size, void *to_hooks)
{
    struct object o;
    (void)size;
    if (!read_object(&o, info)) return 0;
    for (size_t i = 0; i < o.slots_len; i++)
        turn_slot(&o, &o.slots[i], to_hooks != NULL);
    return 0;
}

void rt_attach_slots_turn(bool to_hooks)
{
    static char yes;
    dl_iterate_phdr(turn_object, to_hooks ? &yes : NULL);
}
