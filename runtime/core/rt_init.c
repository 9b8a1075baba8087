/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructor and the destructor of the preloaded object. Any failure here switches the runtime off and
 * leaves the program alone. */
#include "runtime/core/rt_init.h"

#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_attach.h"
#include "runtime/core/rt_blocks_sigsafe.h"
#include "runtime/core/rt_child_env.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_fork.h"
#include "runtime/core/rt_image_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_modules.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_python.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_setting.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tags_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread_life.h"
#include "runtime/core/rt_sampler.h"

#include "common/ls_attach.h"
#include "common/ls_private.h"
#include "common/ls_quantity.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RT_PAGE_BYTES = 4096 };

/* --- the environment --- */

enum rt_kind { RT_TEXT, RT_BYTES, RT_NS, RT_SHARE, RT_NUMBER, RT_FLAG, RT_SIGNAL };

struct rt_config_row {
    enum ls_env_id id;
    enum rt_kind kind;
    size_t offset;
};

#define ROW(id, kind, field)                                      \
    {                                                             \
        LS_ENV_##id, RT_##kind, offsetof(struct rt_config, field) \
    }
static const struct rt_config_row rt_config_rows[] = {
    ROW(ENGINE, TEXT, engine),
    ROW(TRIGGER, TEXT, trigger),
    ROW(CALLSTACK, TEXT, callstack),
    ROW(WITHOUT, TEXT, without),
    ROW(OVERHEAD, SHARE, overhead_share),
    ROW(PERIOD, NS, period_ns),
    ROW(BURST, NUMBER, burst_instructions),
    ROW(ACCESSES, NUMBER, burst_accesses),
    ROW(SEED, NUMBER, seed),
    ROW(ALLOC_MIN, BYTES, alloc_min_bytes),
    ROW(TAGS, FLAG, tags),
    ROW(SPOOL_MAX, BYTES, spool_max_bytes),
    ROW(DELAY, NS, delay_ns),
    ROW(DURATION, NS, duration_ns),
    ROW(START, NUMBER, start_ns),
    ROW(CONTROL, SIGNAL, control_signal),
    ROW(PAUSED, FLAG, paused),
    ROW(CHILDREN, FLAG, children),
    ROW(DEBUG, FLAG, debug),
    ROW(TRACED, FLAG, traced),
};
#undef ROW

enum { RT_CONFIG_ROWS = sizeof(rt_config_rows) / sizeof(rt_config_rows[0]), RT_SIGNAL_MAX = 64 };

static ls_err rt_read_text(const char *text, char out[16])
{
    const size_t len = strlen(text);
    if (len >= 16) return LS_ERR_RANGE;
    memcpy(out, text, len + 1);
    return LS_OK;
}

static ls_err rt_read_flag(const char *text, bool *out)
{
    uint64_t number = 0;
    LS_TRY(ls_parse_u64(text, &number));
    *out = number != 0;
    return LS_OK;
}

static ls_err rt_read_signal(const char *text, int *out)
{
    uint64_t number = 0;
    LS_TRY(ls_parse_u64(text, &number));
    if (number == 0 || number > RT_SIGNAL_MAX) return LS_ERR_RANGE;
    *out = (int)number;
    return LS_OK;
}

static ls_err rt_read_value(const struct rt_config_row *row, const char *text, struct rt_config *c)
{
    void *at = (char *)c + row->offset;
    switch (row->kind) {
    case RT_TEXT:
        return rt_read_text(text, at);
    case RT_BYTES:
        return ls_parse_bytes(text, at);
    case RT_NS:
        return ls_parse_duration(text, at);
    case RT_SHARE:
        return ls_parse_percent(text, at);
    case RT_NUMBER:
        return ls_parse_u64(text, at);
    case RT_FLAG:
        return rt_read_flag(text, at);
    case RT_SIGNAL:
        return rt_read_signal(text, at);
    }
    return LS_ERR_ARG;
}

/* Parse LOADSTONE_* over the defaults of ls_env.h. A value that cannot be read keeps its default; the name of
 * the last such variable is returned, NULL when all was well. */
static const char *rt_config_read(struct rt_config *c)
{
    const char *bad = NULL;
    memset(c, 0, sizeof(*c));
    for (size_t i = 0; i < RT_CONFIG_ROWS; i++) {
        const struct rt_config_row *row = &rt_config_rows[i];
        const struct ls_env_row *env = &ls_env_rows[row->id];
        if (*env->default_value) rt_read_value(row, env->default_value, c);
        const char *text = rt_setting(env->variable);
        if (!text || !*text) continue;
        if (rt_read_value(row, text, c) != LS_OK)
            bad = env->variable;
        else if (row->id == LS_ENV_SEED)
            c->has_seed = true;
    }
    if (c->alloc_min_bytes == 0) c->alloc_min_bytes = 1;
    return bad;
}

/* --- the spool of this process and its children --- */

/* Use the directory that is open as fd; a negative fd is -errno. */
static int rt_spool_dir_use(long fd)
{
    if (fd < 0) return (int)-fd;
    /* Held by this process and its fork children while they live: the launcher sees that one of them may
     * still write, also before the first record. */
    ls_syscall(SYS_flock, fd, LOCK_SH | LOCK_NB);
    rt_state.spool_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&rt_state.spool_fd);
    return 0;
}

/* Always absolute: children may start in another directory. */
static void rt_spool_dir_set_path(const char *named)
{
    struct rt_text path = rt_text_in(rt_state.spool_path, sizeof(rt_state.spool_path));
    if (named[0] != '/') {
        const long len = ls_syscall(SYS_getcwd, rt_state.spool_path, sizeof(rt_state.spool_path));
        path.len_bytes = len > 1 ? (size_t)len - 1 : 0; /* counts the NUL */
        if (path.len_bytes != 1) rt_text_add(&path, "/");
    }
    rt_text_add(&path, named);
}

/* There is no launcher: this is the first program of the recording. */
static void rt_spool_dir_put_start(void)
{
    char number[32];
    struct rt_text text = rt_text_in(number, sizeof(number));
    rt_text_add_number(&text, ls_clock_mono_ns());
    setenv(ls_env_rows[LS_ENV_START].variable, number, 1);
}

/* Open the spool, or make it where this is the first program of a recording without a launcher, by
 * LOADSTONE_SPOOL or the default of ls_env.h: rt_state.spool_fd and spool_path. One of another user, one that
 * others may look into and a symbolic link are refused. 0 or an errno. */
static int rt_spool_dir_open(void)
{
    const char *wanted = rt_setting(ls_env_rows[LS_ENV_SPOOL].variable);
    const bool is_first = !rt_setting(ls_env_rows[LS_ENV_START].variable);
    int err;
    if (wanted && *wanted) {
        rt_spool_dir_set_path(wanted);
        if (is_first) ls_syscall(SYS_mkdirat, AT_FDCWD, rt_state.spool_path, 0700);
        err = rt_spool_dir_use(ls_private_open(rt_state.spool_path));
    } else if (!is_first) {
        err = ENOENT; /* the environment was changed on the way to here */
    } else {
        err = rt_spool_dir_use(
            ls_private_make_somewhere("loadstone-spool", rt_state.spool_path, sizeof(rt_state.spool_path)));
        /* children belong to the same recording, including children of system() and popen(), which no hook
         * sees */
        if (err == 0) setenv(ls_env_rows[LS_ENV_SPOOL].variable, rt_state.spool_path, 1);
    }
    if (err == 0 && is_first) rt_spool_dir_put_start();
    if (err == ENOENT && !is_first) rt_ended_note();
    return err == 0 && rt_ended_look() ? ESTALE : err;
}

/* --- the program that started this one --- */

enum { RT_GENERATIONS_MAX = 16 };

static bool rt_parent_has_records(pid_t pid)
{
    char name[SPOOL_NAME_BYTES];
    spool_file_name(name, (struct spool_name){.pid = (uint32_t)pid});
    return ls_syscall(SYS_faccessat, rt_state.spool_fd, name, F_OK) == 0;
}

/* The fourth field of /proc/PID/stat (proc(5)); the second one, in parentheses, may hold anything. */
static pid_t rt_parent_parse(const char *stat)
{
    const char *at = strrchr(stat, ')');
    return at && strlen(at) >= 5 ? (pid_t)rt_text_number(at + 4, NULL) : 0;
}

static pid_t rt_parent_of(pid_t pid)
{
    char path[48], stat[512];
    struct rt_text text = rt_text_in(path, sizeof(path));
    rt_text_add(&text, "/proc/");
    rt_text_add_number(&text, (uint64_t)pid);
    rt_text_add(&text, "/stat");
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long len = ls_syscall(SYS_read, fd, stat, sizeof(stat) - 1);
    ls_syscall(SYS_close, fd);
    stat[len > 0 ? len : 0] = '\0';
    return rt_parent_parse(stat);
}

/* Set rt_state.ancestor when the parent itself wrote no records (a subshell, a fork child that called exec at
 * once): the nearest one above that did. The spool is open. */
static void rt_parent_find(void)
{
    pid_t pid = rt_state.parent_pid;
    if (rt_parent_has_records(rt_state.pid)) return; /* this process ran another image before */
    for (int i = 0; i < RT_GENERATIONS_MAX && pid > 1; i++, pid = rt_parent_of(pid)) {
        if (!rt_parent_has_records(pid)) continue;
        if (i > 0) rt_state.ancestor = (struct rt_ancestor){.pid = pid};
        return;
    }
}

/* --- first and last moments --- */

/* Is this the name under which record --pid loads the runtime into a process? */
static bool rt_init_is_link(const char *name)
{
    static const char link[] = "/" LS_ATTACH_LIBRARY;
    const size_t len = strlen(name), link_len = sizeof(link) - 1;
    return len > link_len && strcmp(name + len - link_len, link) == 0;
}

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
        rt_state.is_injected = rt_init_is_link(info->dlpi_name);
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
    rt_control_update(ls_clock_mono_ns());
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

/* Could the tables, an eighth of the heap, take address space that the program needs? */
static bool rt_init_has_little_room(void)
{
    const uint64_t memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * RT_PAGE_BYTES;
    struct rlimit all, data;
    if (getrlimit(RLIMIT_AS, &all) != 0 || getrlimit(RLIMIT_DATA, &data) != 0) return false;
    return all.rlim_cur < memory_bytes || data.rlim_cur < memory_bytes;
}

/* Tags are for engines that read them, while small blocks are sampled. */
static void rt_init_tags(void)
{
    if (!rt_state.engine->reads_tags || !rt_state.config.tags || rt_state.config.traced ||
        rt_state.config.alloc_min_bytes <= 1)
        return;
    if (rt_init_has_little_room() || rt_tags_init() != 0) rt_state.pending_events[SPOOL_EVENT_TAGS_REFUSED]++;
}

/* Parts that a process needs once. 0 or an errno. */
static int rt_init_once(void)
{
    static bool is_done;
    if (is_done) return 0;
    int err = rt_fork_init();
    if (err == 0) err = rt_thread_key_init();
    if (err == 0) err = rt_blocks_init();
    is_done = err == 0;
    return err;
}

static void rt_init_note_process(void)
{
    rt_state.pid = getpid();
    rt_state.parent_pid = getppid();
    rt_state.vdso_base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    ls_rank_find(getenv, &rt_state.rank);
}

/* Everything but the first record. 0 or an errno. */
static int rt_init_parts(void)
{
    const char *bad_variable = rt_config_read(&rt_state.config);
    rt_init_note_process();
    rt_state.cap.limit_bytes = rt_state.config.spool_max_bytes;
    rt_modules_look(NULL);
    int err = rt_spool_dir_open();
    if (rt_ended_was_seen()) rt_child_env_leave();
    rt_child_env_save(environ);
    if (err == 0) rt_parent_find();
    if (err == 0) rt_process_watch_exit();
    if (err == 0) err = rt_init_once();
    if (err != 0) return err;
    rt_init_budget();
    rt_init_control();
    rt_init_engine(bad_variable);
    rt_init_tags();
    if (RT_HAVE_UNWIND) rt_python_init();
    rt_state.alloc_period_bytes = rt_state.alloc_always_bytes = rt_state.config.alloc_min_bytes;
    return 0;
}

static void rt_init_first_record(uint64_t began_cpu_ns)
{
    struct rt_thread *t = rt_thread_acquire();
    if (!t) return;
    __atomic_store_n(&rt_state.phase, RT_RECORDING, __ATOMIC_RELEASE);
    rt_tls.sample_left_bytes = 0; /* earlier allocations were not counted */
    rt_init_main_stack(t);
    t->tid = rt_state.pid;
    t->begin_ns = rt_state.budget.start_ns;
    rt_spool_writer(t);
    rt_thread_begin(t);
    if (rt_state.engine->start && !rt_state.config.paused) rt_state.engine->start();
    rt_state.budget.starts_ns = rt_cpu_now() - began_cpu_ns;
    rt_control_update(ls_clock_mono_ns());
}

/* Runs before any initialization: the C library is called for us here, not for the program. */
static bool rt_init_is_set(enum ls_env_id id)
{
    const char *value = getenv(ls_env_rows[id].variable);
    return value && *value && *value != '0';
}

/* --- recordings that begin late --- */

enum { RT_LATE_GRACE_NS = 5000000 }; /* hooks and bursts of other threads that are under way */

static void rt_init_pause(void)
{
    const struct timespec grace = {.tv_nsec = RT_LATE_GRACE_NS};
    ls_syscall(SYS_nanosleep, &grace, NULL);
}

/* Record no blocks; hooks of the allocator compare a number and call the real function. */
static void rt_init_be_idle(uint32_t phase)
{
    rt_state.alloc_always_bytes = rt_state.alloc_period_bytes = UINT64_MAX;
    rt_tags_pause();
    __atomic_store_n(&rt_state.phase, phase, __ATOMIC_RELEASE);
}

/* The phase and everything that costs time come with rt_init_late. */
static void rt_init_idle(void)
{
    rt_init_note_process();
    rt_process_watch_exit();
    rt_attach_init();
    rt_init_be_idle(RT_IDLE);
}

/* Let go of an earlier recording. Its threads keep their streams until each of them comes by: nobody else may
 * change them. */
static void rt_init_forget(void)
{
    rt_state.epoch++;
    rt_image_forget();
    rt_maps_after_fork_child();
    rt_resources_after_fork_child();
    rt_fds_close(&rt_state.spool_fd);
    rt_collector_after_fork_child();
    rt_ended_forget();
    rt_state.cap = (struct spool_cap){0};
    memset(rt_state.pending_events, 0, sizeof(rt_state.pending_events));
    memset(&rt_state.ancestor, 0, sizeof(rt_state.ancestor));
}

static void rt_init_reset_budget(void)
{
    const uint32_t live_threads = rt_state.budget.live_threads;
    memset(&rt_state.budget, 0, sizeof(rt_state.budget));
    rt_state.budget.live_threads = live_threads;
    rt_init_budget();
}

static int rt_init_engine_late(const char *bad_variable, const char **out_why)
{
    const struct rt_sampler *before = rt_state.engine;
    if (!before || before == &rt_sampler_null) {
        memset(&rt_state.facts, 0, sizeof(rt_state.facts));
        rt_init_engine(bad_variable);
        return 0;
    }
    const bool is_same =
        strcmp(rt_state.config.engine, "auto") == 0 || strcmp(rt_state.config.engine, before->name) == 0;
    *out_why = !is_same          ? "an earlier recording of this process used another engine"
               : !before->resume ? "this engine can record a process only once"
                                 : NULL;
    if (*out_why) return EBUSY;
    before->resume();
    return 0;
}

/* As rt_init_parts. */
static int rt_init_parts_late(const char **out_why)
{
    rt_init_forget();
    const char *bad_variable = rt_config_read(&rt_state.config);
    rt_init_note_process();
    rt_state.cap.limit_bytes = rt_state.config.spool_max_bytes;
    rt_modules_look(NULL);
    int err = rt_spool_dir_open();
    rt_child_env_save(rt_setting_list());
    if (err == 0) err = rt_init_once();
    if (err != 0) return err;
    rt_init_reset_budget();
    rt_control_init(rt_state.budget.start_ns);
    if ((err = rt_init_engine_late(bad_variable, out_why)) != 0) return err;
    if (!rt_tags_resume()) rt_init_tags();
    rt_state.alloc_period_bytes = rt_state.alloc_always_bytes = rt_state.config.alloc_min_bytes;
    return 0;
}

int rt_init_late(struct rt_thread **out_own, const char **out_why)
{
    static bool has_collector;
    const uint64_t began_cpu_ns = rt_cpu_now();
    *out_why = NULL;
    int err = rt_init_parts_late(out_why);
    struct rt_thread *t = err == 0 ? rt_thread_acquire() : NULL;
    if (err == 0 && !t) err = ENOMEM;
    if (err != 0) {
        rt_init_be_idle(RT_IDLE);
        rt_fds_close(&rt_state.spool_fd);
        return err;
    }
    t->own = true;
    t->tid = (pid_t)ls_syscall(SYS_gettid);
    t->begin_ns = rt_state.budget.start_ns;
    rt_tls.thread = t;
    __atomic_store_n(&rt_state.phase, RT_RECORDING, __ATOMIC_RELEASE);
    rt_spool_writer(t);
    if (rt_state.engine->start && !rt_state.config.paused) rt_state.engine->start();
    rt_state.budget.starts_ns = rt_cpu_now() - began_cpu_ns;
    rt_control_update(ls_clock_mono_ns());
    rt_quiet_end();
    rt_registry_init();
    if (!has_collector) rt_collector_init();
    has_collector = true;
    rt_quiet_begin();
    *out_own = t;
    return 0;
}

void rt_init_end_late(struct rt_thread *own)
{
    rt_control_set(false);
    if (rt_is_recording()) rt_process_detach(own);
    rt_init_be_idle(RT_IDLE);
    if (rt_state.engine->stop) rt_state.engine->stop();
    rt_init_pause();
    rt_collector_leave();
    rt_registry_end();
    rt_image_forget();
    rt_maps_after_fork_child();
    rt_resources_after_fork_child();
    rt_fds_close(&rt_state.spool_fd);
    rt_stream_disown(own);
    rt_tls.thread = NULL;
    rt_thread_release(own);
}

__attribute__((constructor)) static LS_ALIGNED void rt_init(void)
{
    const int saved = errno;
    const bool is_traced = rt_init_is_set(LS_ENV_TRACED);
    if (is_traced) ls_marker_send(LS_MARKER_PAUSE, (const uint64_t[4]){0});
    const uint64_t began_cpu_ns = rt_cpu_now();
    rt_quiet_begin();
    dl_iterate_phdr(rt_init_note_module, NULL);
    rt_real_resolve();
    const bool is_idle = RT_CAN_ATTACH && (rt_state.is_injected || rt_init_is_set(LS_ENV_IDLE));
    if (is_idle) rt_init_idle();
    /* started by a program that is being recorded */
    if (!is_idle || (!rt_state.is_injected && getenv(ls_env_rows[LS_ENV_START].variable))) {
        const int err = rt_init_parts();
        if (err == 0) {
            rt_init_first_record(began_cpu_ns);
        } else {
            rt_debug_note("recording is off", err);
            rt_init_be_idle(is_idle ? RT_IDLE : RT_OFF);
        }
    }
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
