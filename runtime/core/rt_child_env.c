/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_child_env.h"

#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char rt_preload_name[] = "LD_PRELOAD=";
static const char rt_own_prefix[] = "LOADSTONE_";
static const char rt_object_name[] = "libloadstone-preload.so";

static bool rt_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Same NAME in "NAME=value"? */
static bool rt_same_variable(const char *a, const char *b)
{
    const size_t len = strcspn(a, "=");
    return strncmp(a, b, len) == 0 && b[len] == '=';
}

static const char *rt_find_variable(char *const env[], const char *entry)
{
    for (size_t i = 0; env && env[i]; i++)
        if (rt_same_variable(entry, env[i])) return env[i];
    return NULL;
}

/* Return the length of the next object of a LD_PRELOAD list at *at, 0 at the end. */
static size_t rt_next_object(const char **at)
{
    *at += strspn(*at, ": ");
    return strcspn(*at, ": ");
}

static bool rt_is_our_object(const char *path, size_t len_bytes)
{
    const size_t name_len = sizeof(rt_object_name) - 1;
    if (len_bytes < name_len || memcmp(path + len_bytes - name_len, rt_object_name, name_len) != 0)
        return false;
    return len_bytes == name_len || path[len_bytes - name_len - 1] == '/';
}

static bool rt_names_us(const char *preload_entry)
{
    const char *at = preload_entry + sizeof(rt_preload_name) - 1;
    for (size_t len; (len = rt_next_object(&at)) > 0; at += len)
        if (rt_is_our_object(at, len)) return true;
    return false;
}

static void rt_save_entry(struct rt_text *text, size_t *entries, const char *entry)
{
    const size_t len = strlen(entry);
    if (text->len_bytes + len + 1 >= text->room_bytes) return;
    rt_state.saved_env.entries[(*entries)++] = text->data + text->len_bytes;
    memcpy(text->data + text->len_bytes, entry, len + 1);
    text->len_bytes += len + 1;
}

/* Save the spool's absolute path: the program may change its directory. */
static void rt_save_spool(struct rt_text *text, size_t *entries)
{
    char entry[RT_PATH_BYTES + 32];
    struct rt_text e = rt_text_in(entry, sizeof(entry));
    rt_text_add(&e, ls_env_rows[LS_ENV_SPOOL].variable);
    rt_text_add(&e, "=");
    rt_text_add(&e, rt_state.spool_path);
    rt_save_entry(text, entries, entry);
}

void rt_child_env_save(char *const env[])
{
    struct rt_saved_env *s = &rt_state.saved_env;
    struct rt_text text = rt_text_in(s->text, sizeof(s->text));
    size_t entries = 0;
    rt_save_spool(&text, &entries);
    for (int id = 0; id < LS_ENV_COUNT; id++) {
        char name[64];
        struct rt_text n = rt_text_in(name, sizeof(name));
        rt_text_add(&n, ls_env_rows[id].variable);
        rt_text_add(&n, "=");
        const char *entry = id == LS_ENV_SPOOL ? NULL : rt_find_variable(env, name);
        if (entry) rt_save_entry(&text, &entries, entry);
    }
    s->entries[entries] = NULL;
    struct rt_text p = rt_text_in(s->ld_preload, sizeof(s->ld_preload));
    rt_text_add(&p, rt_preload_name);
    rt_text_add(&p, rt_state.preload_path);
}

/* Must programs that this image starts be recorded? */
static bool rt_follows(void)
{
    return rt_state.config.children && !rt_ended_was_seen() && rt_state.preload_path[0] != '\0';
}

/* The new environment; with data NULL it is only measured. */
struct rt_env_room {
    char **entries;
    char *data;
    size_t entries_len, data_len;
    bool changed;
};

static void rt_env_add(struct rt_env_room *r, const char *entry)
{
    if (r->entries) r->entries[r->entries_len] = (char *)entry;
    r->entries_len++;
}

static void rt_env_put(struct rt_env_room *r, const char *from, size_t len_bytes)
{
    if (r->data) memcpy(r->data + r->data_len, from, len_bytes);
    r->data_len += len_bytes;
}

/* Join the program's list and our library. We come first, so that an allocator in the list is called through
 * our hooks, but after sanitizers, which must be first. The launcher does the same
 * (tools/record/rec_launch.c). */
static void rt_env_add_joined(struct rt_env_room *r, const char *entry)
{
    const char *list = entry + sizeof(rt_preload_name) - 1;
    const bool follows = strstr(list, "libasan") || strstr(list, "libtsan") || strstr(list, "libclang_rt");
    rt_env_add(r, r->data + r->data_len);
    rt_env_put(r, rt_preload_name, sizeof(rt_preload_name) - 1);
    if (follows) rt_env_put(r, list, strlen(list));
    if (follows) rt_env_put(r, ":", 1);
    rt_env_put(r, rt_state.preload_path, strlen(rt_state.preload_path));
    if (!follows && *list) rt_env_put(r, ":", 1);
    if (!follows) rt_env_put(r, list, strlen(list));
    rt_env_put(r, "", 1);
    r->changed = true;
}

/* Add the program's list without our library; omit it when it is empty then. */
static void rt_env_add_without(struct rt_env_room *r, const char *entry)
{
    const size_t begin = r->data_len;
    rt_env_put(r, rt_preload_name, sizeof(rt_preload_name) - 1);
    const size_t empty = r->data_len;
    const char *at = entry + sizeof(rt_preload_name) - 1;
    for (size_t len; (len = rt_next_object(&at)) > 0; at += len) {
        if (rt_is_our_object(at, len)) continue;
        if (r->data_len > empty) rt_env_put(r, ":", 1);
        rt_env_put(r, at, len);
    }
    const bool is_empty = r->data_len == empty;
    rt_env_put(r, "", 1);
    if (!is_empty) rt_env_add(r, r->data + begin);
    r->changed = true;
}

static void rt_env_take_following(struct rt_env_room *r, const char *entry)
{
    if (rt_starts_with(entry, rt_preload_name) && !rt_names_us(entry))
        rt_env_add_joined(r, entry);
    else
        rt_env_add(r, entry);
}

static void rt_env_take_leaving(struct rt_env_room *r, const char *entry)
{
    if (rt_starts_with(entry, rt_own_prefix))
        r->changed = true;
    else if (rt_starts_with(entry, rt_preload_name) && rt_names_us(entry))
        rt_env_add_without(r, entry);
    else
        rt_env_add(r, entry);
}

static void rt_env_add_missing(struct rt_env_room *r, char *const env[])
{
    const struct rt_saved_env *s = &rt_state.saved_env;
    for (size_t i = 0; s->entries[i]; i++) {
        if (rt_find_variable(env, s->entries[i])) continue;
        rt_env_add(r, s->entries[i]);
        r->changed = true;
    }
    if (!rt_find_variable(env, rt_preload_name)) {
        rt_env_add(r, s->ld_preload);
        r->changed = true;
    }
}

static void rt_env_compose(struct rt_env_room *r, char *const env[])
{
    const bool follows = rt_follows();
    for (size_t i = 0; env && env[i]; i++) {
        if (follows)
            rt_env_take_following(r, env[i]);
        else
            rt_env_take_leaving(r, env[i]);
    }
    if (follows) rt_env_add_missing(r, env);
    rt_env_add(r, NULL);
}

void rt_child_env_leave(void)
{
    const size_t len_bytes = rt_child_env_bytes(environ);
    void *const room = len_bytes > 0 ? rt_child_env_map(len_bytes) : NULL; /* kept: environ points to it */
    if (!room) return;
    char *const *const env = rt_child_env_build(environ, room);
    for (size_t i = 0; (environ[i] = env[i]); i++)
        ;
}

size_t rt_child_env_bytes(char *const env[])
{
    if (__atomic_load_n(&rt_state.phase, __ATOMIC_RELAXED) == RT_IDLE) return 0; /* programs wait as we do */
    if (rt_is_recording()) rt_ended_look();
    if (rt_state.config.children && !rt_ended_was_seen() && !rt_follows())
        return 0; /* not initialised, or our own path is not known */
    struct rt_env_room measured = {0};
    rt_env_compose(&measured, env);
    return measured.changed ? measured.entries_len * sizeof(char *) + measured.data_len : 0;
}

char *const *rt_child_env_build(char *const env[], void *room)
{
    struct rt_env_room measured = {0};
    rt_env_compose(&measured, env);
    char **const entries = room;
    struct rt_env_room r = {.entries = entries, .data = (char *)(entries + measured.entries_len)};
    rt_env_compose(&r, env);
    return entries;
}

void *rt_child_env_map(size_t len_bytes)
{
    const long at =
        ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

void rt_child_env_unmap(void *room, size_t len_bytes)
{
    ls_syscall(SYS_munmap, room, len_bytes);
}
