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
    bool is_kept;   /* signals: the engine's handlers stay, so their hooks do */
    bool is_memory; /* malloc and its like */
    void *hook, *real;
};

#define PAIR(result, name, args) {#name, false, false, NULL, NULL},
#define KEPT(name)                     \
    {                                  \
#name, true, false, NULL, NULL \
    }
static struct pair pairs[] = {RT_HOOK_LIST(PAIR) KEPT(sigaction),
                              KEPT(signal),
                              KEPT(bsd_signal),
                              KEPT(ssignal),
                              KEPT(__sysv_signal),
                              KEPT(sysv_signal),
                              KEPT(siginterrupt),
                              KEPT(pthread_sigmask),
                              KEPT(sigprocmask),
                              KEPT(sighold),
                              KEPT(sigrelse),
                              KEPT(sigignore),
                              KEPT(sigaltstack),
                              KEPT(sigpending),
                              KEPT(sigwait),
                              KEPT(sigwaitinfo),
                              KEPT(sigtimedwait),
                              KEPT(signalfd)};
#undef PAIR
#undef KEPT
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

static bool is_memory(const char *name)
{
    static const char *const names[] = {"malloc", "calloc",         "realloc",       "reallocarray",
                                        "free",   "posix_memalign", "aligned_alloc", "memalign",
                                        "valloc", "pvalloc"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_own_object(const void *address)
{
    return rt_is_own_text((uintptr_t)address);
}

/* The runtime was preloaded: it hooks what the program finds in it. */
static void take_preloaded(struct pair *p)
{
    void *const found = dlsym(RTLD_DEFAULT, p->name);
    if (!found || !is_own_object(found)) return; /* the program has its own */
    p->real = rt_real_find(p->name);
    if (p->real) p->hook = found;
}

/* It was loaded late: calls lead to it by slots only. The operators of C++ call malloc, which is hooked. */
static void take_injected(struct pair *p, void *own)
{
    if (p->name[0] == '_' && p->name[1] == 'Z') return;
    p->real = rt_real_find(p->name);
    if (p->real) p->hook = dlsym(own, p->name);
}

void rt_attach_slots_init(void)
{
    void *const own = rt_state.is_injected ? dlopen(rt_state.preload_path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    for (int i = 0; i < PAIRS_LEN; i++) {
        pairs[i].is_memory = is_memory(pairs[i].name);
        if (!pairs[i].is_kept && is_fixed(pairs[i].name)) continue;
        if (own)
            take_injected(&pairs[i], own);
        else if (!rt_state.is_injected && !pairs[i].is_kept)
            take_preloaded(&pairs[i]);
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
    const Elf64_Rela *slots, *others;
    size_t slots_len, others_len;
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
        if (d->d_tag == DT_RELA) o->others = address_in(o, d->d_un.d_ptr);
        if (d->d_tag == DT_RELASZ) o->others_len = d->d_un.d_val / sizeof(*o->others);
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
    if (!o->is_rela) o->slots_len = 0;
    if (!o->slots) o->slots_len = 0;
    if (!o->others || !rt_state.is_injected) o->others_len = 0;
    return o->symbols && o->names;
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

/* Where the runtime was loaded late, it is worth more to see each block than to keep the address that a program
 * takes of malloc or free the same. */
static bool may_turn(unsigned type, const struct pair *p)
{
    return type == R_X86_64_JUMP_SLOT || (type == R_X86_64_GLOB_DAT && rt_state.is_injected && p->is_memory);
}

static void turn_slot(const struct object *o, const Elf64_Rela *r, bool to_hooks)
{
    const unsigned type = ELF64_R_TYPE(r->r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) return;
    const struct pair *p = pair_named(o->names + o->symbols[ELF64_R_SYM(r->r_info)].st_name);
    if (!p || !may_turn(type, p)) return;
    void **const slot = (void **)(uintptr_t)(o->base + r->r_offset);
    void *const value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    const bool is_unbound_slot = type == R_X86_64_JUMP_SLOT && is_unbound(o, value);
    if (to_hooks || p->is_kept) {
        /* a slot that the linker binds later leads to the hook by itself where that was preloaded */
        if (value == p->real || (is_unbound_slot && rt_state.is_injected)) write_slot(o, slot, p->hook);
    } else if (value == p->hook || is_unbound_slot) {
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
    for (size_t i = 0; i < o.others_len; i++)
        turn_slot(&o, &o.others[i], to_hooks != NULL);
    return 0;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(unsigned long long *)out = info->dlpi_adds;
    return 1;
}

void rt_attach_slots_follow(void)
{
    static unsigned long long seen;
    unsigned long long now = 0;
    dl_iterate_phdr(count_objects, &now);
    if (now != seen && rt_state.is_injected) rt_attach_slots_turn(true);
    seen = now;
}

void rt_attach_slots_turn(bool to_hooks)
{
    static char yes;
    dl_iterate_phdr(turn_object, to_hooks ? &yes : NULL);
}
