/* SPDX-License-Identifier: BSD-3-Clause */
/* First and last moments: the constructor and the destructor of the preloaded object. Whatever fails here
 * leaves the runtime off and the program alone. */
#include "runtime/core/rt_blocks_sigsafe.h"
#include "runtime/core/rt_child_env.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_config.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_debug_sigsafe.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_exit_status.h"
#include "runtime/core/rt_fork.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_parent.h"
#include "runtime/core/rt_modules.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_spool_dir.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RT_PAGE_BYTES = 4096 };

static int rt_init_note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    const uintptr_t own = (uintptr_t)&rt_init_note_module;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t base = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || own - base >= p->p_memsz) continue;
        rt_state.text_base = base;
        rt_state.text_end = base + p->p_memsz;
        if (!realpath(info->dlpi_name, rt_state.preload_path)) rt_state.preload_path[0] = '\0';
        return 1;
    }
    return 0;
}

/* The kernel puts the program's file name at the very end of the first thread's stack. */
static void rt_init_main_stack(struct rt_thread *t)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    struct rlimit limit;
    if (!name || getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > UINT64_C(1) << 32) return;
    const uint64_t last = (uint64_t)(uintptr_t)name + strlen(name) + sizeof(void *);
    t->stack_end = (last + RT_PAGE_BYTES) & ~(uint64_t)(RT_PAGE_BYTES - 1);
    t->stack_base = t->stack_end - limit.rlim_cur;
}

static void rt_init_budget(void)
{
    rt_state.budget.start_ns = ls_clock_mono_ns();
    rt_state.budget.start_ticks = rt_ticks();
    rt_state.tick_ns = ls_clock_tick_ns();
}

static LS_ALIGNED void rt_init_on_control_signal(int signal_number)
{
    (void)signal_number;
    rt_control_toggle();
    rt_quiet_begin();
    rt_control_is_sampling(ls_clock_mono_ns());
    rt_quiet_end();
}

static void rt_init_control(void)
{
    rt_control_init(rt_state.budget.start_ns);
    if (rt_state.config.control_signal == 0) return;
    struct sigaction action = {.sa_handler = rt_init_on_control_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(rt_state.config.control_signal, &action, NULL);
}

/* All tools of valgrind preload an object of this name into the program that they run. */
static int rt_init_look_for_valgrind(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(bool *)found = strstr(info->dlpi_name, "/vgpreload_") != NULL;
    return *(bool *)found;
}

static void rt_init_add_why(const char *first, const char *second)
{
    struct rt_engine_facts *facts = &rt_state.facts;
    struct rt_text why = {facts->why, sizeof(facts->why), strlen(facts->why)};
    rt_text_add(&why, why.len_bytes ? "; " : "");
    rt_text_add(&why, first);
    rt_text_add(&why, second);
}

/* Signals of our events would reach valgrind itself, which ends then. */
static void rt_init_engine(const char *bad_variable)
{
    bool is_guest = false;
    dl_iterate_phdr(rt_init_look_for_valgrind, &is_guest);
    rt_sampler_choose(is_guest ? rt_sampler_null.name : rt_state.config.engine, &rt_state.facts);
    if (is_guest) rt_init_add_why("the program runs under valgrind", ", where nothing can be sampled");
    if (bad_variable) rt_init_add_why(bad_variable, " cannot be read, the default is used");
}

/* Everything but the first record. 0 or an errno. */
static int rt_init_parts(void)
{
    const char *bad_variable = rt_config_read(&rt_state.config, getenv);
    rt_state.pid = getpid();
    rt_state.parent_pid = getppid();
    rt_state.vdso_base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    ls_rank_find(getenv, &rt_state.rank);
    rt_state.cap.limit_bytes = rt_state.config.spool_max_bytes;
    dl_iterate_phdr(rt_init_note_module, NULL);
    rt_modules_look(NULL);
    int err = rt_spool_dir_open();
    if (rt_ended_was_seen()) rt_child_env_leave();
    rt_child_env_save(environ);
    if (err == 0) rt_parent_find();
    if (err == 0) rt_exit_status_watch();
    if (err == 0) err = rt_fork_init();
    if (err == 0) err = rt_thread_key_init();
    if (err == 0) err = rt_blocks_init();
    if (err != 0) return err;
    rt_init_budget();
    rt_init_control();
    rt_init_engine(bad_variable);
    rt_state.alloc_period_bytes = rt_state.alloc_always_bytes = rt_state.config.alloc_min_bytes;
    return 0;
}

static void rt_init_first_record(uint64_t began_cpu_ns)
{
    struct rt_thread *t = rt_thread_acquire();
    if (!t) return;
    __atomic_store_n(&rt_state.phase, RT_RECORDING, __ATOMIC_RELEASE);
    rt_tls.sample_left_bytes = 0; /* what came before was not counted */
    rt_init_main_stack(t);
    t->tid = rt_state.pid;
    t->begin_ns = rt_state.budget.start_ns;
    rt_spool_writer(t);
    rt_thread_begin(t);
    if (rt_state.engine->start && !rt_state.config.paused) rt_state.engine->start();
    rt_state.budget.starts_ns = rt_cpu_now() - began_cpu_ns;
    rt_control_is_sampling(ls_clock_mono_ns());
}

/* Before anything else is known: the C library works for us now, not for the program. */
static bool rt_init_is_traced(void)
{
    const char *value = getenv(ls_env_rows[LS_ENV_TRACED].variable);
    return value && *value && *value != '0';
}

__attribute__((constructor)) static LS_ALIGNED void rt_init(void)
{
    const int saved = errno;
    const uint64_t began_cpu_ns = rt_cpu_now();
    const bool is_traced = rt_init_is_traced();
    if (is_traced) ls_marker_send(LS_MARKER_PAUSE, (const uint64_t[4]){0});
    rt_quiet_begin();
    rt_real_resolve();
    const int err = rt_init_parts();
    if (err == 0)
        rt_init_first_record(began_cpu_ns);
    else
        rt_debug_note("recording is off", err);
    rt_quiet_end();
    if (rt_is_recording()) {
        rt_registry_init();
        rt_collector_init();
    }
    if (is_traced) ls_marker_send(LS_MARKER_RESUME, (const uint64_t[4]){0});
    errno = saved;
}

__attribute__((destructor)) static LS_ALIGNED void rt_fini(void)
{
    rt_process_end(SPOOL_STATUS_UNKNOWN);
}
