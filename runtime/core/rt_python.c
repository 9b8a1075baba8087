/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_python.h"

#include "runtime/core/rt_python_code.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "spool/spool_path.h"
#include "spool/spool_put_sigsafe.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>

/* Set once, in the constructor. */
static struct {
    const uint8_t *runtime;       /* _PyRuntime; NULL: no interpreter that is known */
    uint64_t code_type;           /* PyCode_Type */
    uint64_t eval_base, eval_end; /* _PyEval_EvalFrameDefault, the interpreter's loop */
    uint64_t text_base, text_end; /* the interpreter's object */
} python;

/* --- the interpreter --- */

/* Only final releases: the structures change until then. */
static bool python_is_known_version(uint64_t hex)
{
    enum { VERSION = 0x030b, RELEASE_LEVEL_FINAL = 0xf };
    return hex >> 16 == VERSION && (hex >> 4 & 0xf) == RELEASE_LEVEL_FINAL;
}

/* Set the hull of the object that holds the loop. */
static int python_note_object(struct dl_phdr_info *object, size_t size, void *unused)
{
    uint64_t begin = UINT64_MAX, end = 0;
    (void)size;
    (void)unused;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        const uint64_t base = object->dlpi_addr + p->p_vaddr;
        if (base < begin) begin = base;
        if (base + p->p_memsz > end) end = base + p->p_memsz;
    }
    if (python.eval_base < begin || python.eval_base >= end) return 0;
    python.text_base = begin;
    python.text_end = end;
    return 1;
}

void rt_python_init(void)
{
    const uint64_t *version = dlsym(RTLD_DEFAULT, "Py_Version"); /* since 3.11 */
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    /* Py_TRACE_REFS: each object has two more words */
    const bool has_traced_objects = dlsym(RTLD_DEFAULT, "_Py_PrintReferences") != NULL;
    dlerror(); /* the program must not see our failures */
    if (!version || !python_is_known_version(*version) || has_traced_objects) return;
    const uint8_t *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    void *eval = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    void *code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    if (!runtime || !eval || !code_type) return;
    if (!dladdr1(eval, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
    python.code_type = (uint64_t)(uintptr_t)code_type;
    python.eval_base = (uint64_t)(uintptr_t)eval;
    python.eval_end = python.eval_base + symbol->st_size;
    dl_iterate_phdr(python_note_object, NULL);
    python.runtime = runtime;
}

/* --- checked reads --- */

static uint64_t python_word(const uint8_t *bytes, size_t offset)
{
    uint64_t word;
    memcpy(&word, bytes + offset, sizeof(word));
    return word;
}

static uint32_t python_half(const uint8_t *bytes, size_t offset)
{
    uint32_t half;
    memcpy(&half, bytes + offset, sizeof(half));
    return half;
}

/* Copy memory of this process: the system call fails where a read would fault. */
static bool python_copy(uint64_t from, void *to, size_t len_bytes)
{
    struct iovec here = {to, len_bytes}, there = {(void *)(uintptr_t)from, len_bytes};
    return ls_syscall(SYS_process_vm_readv, rt_state.pid, &here, 1, &there, 1, 0) == (long)len_bytes;
}

static bool python_is_pointer(uint64_t p)
{
    return p != 0 && p % sizeof(void *) == 0 && p >> 47 == 0;
}

/* --- the list of frames --- */

/* Memory below a frame that was copied with it: frames of callers lie there. */
struct python_window {
    uint8_t *bytes;
    uint64_t base, end;
    uint64_t chunk; /* begin of the thread's stack of frames */
};

enum { PYTHON_WINDOW_BYTES = 2048, PYTHON_STACK_BYTES_MAX = 16 << 20 };

/* The frame at an address: in the window, which moves where it has to. NULL: it cannot be read. */
static const uint8_t *python_frame_at(struct python_window *w, uint64_t frame)
{
    const uint64_t end = frame + RT_PY_FRAME_BYTES;
    if (frame >= w->base && end <= w->end) return w->bytes + (frame - w->base);
    if (frame - w->chunk < PYTHON_STACK_BYTES_MAX) {
        w->end = end;
        w->base = end - w->chunk > PYTHON_WINDOW_BYTES ? end - PYTHON_WINDOW_BYTES : w->chunk;
        if (python_copy(w->base, w->bytes, w->end - w->base)) return w->bytes + (frame - w->base);
    }
    w->base = frame; /* a generator has it, or there is a hole below it */
    w->end = end;
    if (python_copy(frame, w->bytes, RT_PY_FRAME_BYTES)) return w->bytes;
    w->end = w->base;
    return NULL;
}

/* The state of the calling thread, which changes it alone. 0: it has none, or the interpreter is ending. */
static uint64_t python_thread(void)
{
    const uint8_t *r = python.runtime;
    const uint64_t *finalizing = (const uint64_t *)(const void *)(r + RT_PY_RUNTIME_FINALIZING);
    if (__atomic_load_n(finalizing, __ATOMIC_RELAXED) != 0) return 0;
    if (!python_half(r, RT_PY_RUNTIME_INITIALIZED) || !python_half(r, RT_PY_RUNTIME_KEY_IS_SET)) return 0;
    return (uint64_t)(uintptr_t)pthread_getspecific(python_half(r, RT_PY_RUNTIME_KEY));
}

/* Copy a word of the thread's stack, which is there, or of other memory. */
static bool python_copy_word(const struct rt_thread *t, uint64_t from, uint64_t *to)
{
    const uint64_t here = (uint64_t)(uintptr_t)&from;
    if (from < here || t->stack_end < here || from > t->stack_end - sizeof(*to))
        return python_copy(from, to, sizeof(*to));
    memcpy(to, (const void *)(uintptr_t)from, sizeof(*to));
    return true;
}

/* The innermost frame of the calling thread; 0: none. */
static uint64_t python_first_frame(const struct rt_thread *t, struct python_window *w)
{
    uint8_t thread[RT_PY_THREAD_CHUNK + sizeof(uint64_t)];
    uint64_t frame;
    const uint64_t state = python_thread();
    if (!python_is_pointer(state) || !python_copy(state, thread, sizeof(thread))) return 0;
    if (python_word(thread, RT_PY_THREAD_ID) != (uint64_t)pthread_self()) return 0;
    const uint64_t cframe = python_word(thread, RT_PY_THREAD_CFRAME);
    if (!python_is_pointer(cframe) || !python_copy_word(t, cframe + RT_PY_CFRAME_FRAME, &frame)) return 0;
    w->chunk = python_word(thread, RT_PY_THREAD_CHUNK);
    return frame;
}

/* Note the frames, with their next instruction in place of their words. */
static void python_walk(const struct rt_thread *t, struct rt_python_path *p)
{
    struct python_window w = {.bytes = p->room};
    uint64_t at = python_first_frame(t, &w);
    for (p->own_len = 0; p->own_len < RT_PYTHON_FRAMES_MAX && python_is_pointer(at);) {
        const uint8_t *frame = python_frame_at(&w, at);
        if (!frame) return;
        const uint64_t code = python_word(frame, RT_PY_FRAME_CODE);
        if (!python_is_pointer(code)) return;
        p->at[p->own_len] = at;
        p->codes[p->own_len] = code;
        p->own[p->own_len] = python_word(frame, RT_PY_FRAME_INSTRUCTION);
        p->is_entry[p->own_len++] = frame[RT_PY_FRAME_IS_ENTRY] != 0;
        at = python_word(frame, RT_PY_FRAME_PREVIOUS);
    }
}

/* --- their code --- */

enum { PYTHON_CODE_BYTES = RT_PY_CODE_UNITS, PYTHON_CODES = 32 };
_Static_assert(PYTHON_CODES *PYTHON_CODE_BYTES <= RT_PYTHON_ROOM_BYTES, "copies of code objects");

/* Copy the code objects of the frames wanted[0..len) into the room. Returns how many could be read. */
static uint32_t python_copy_codes(struct rt_python_path *p, const uint8_t *wanted, uint32_t len)
{
    struct iovec here[PYTHON_CODES], there[PYTHON_CODES];
    for (uint32_t i = 0; i < len; i++) {
        here[i] = (struct iovec){p->room + (size_t)i * PYTHON_CODE_BYTES, PYTHON_CODE_BYTES};
        there[i] = (struct iovec){(void *)(uintptr_t)p->codes[wanted[i]], PYTHON_CODE_BYTES};
    }
    const long got = ls_syscall(SYS_process_vm_readv, rt_state.pid, here, len, there, len, 0);
    return got > 0 ? (uint32_t)got / PYTHON_CODE_BYTES : 0;
}

/* A freed code object may come again at the same address with other contents: hash the pointers to them, too. */
static uint64_t python_code_hash(uint64_t at, const uint8_t *code)
{
    const uint64_t words[] = {at,
                              python_word(code, RT_PY_OBJECT_SIZE),
                              python_half(code, RT_PY_CODE_FIRST_LINE),
                              python_word(code, RT_PY_CODE_FILE),
                              python_word(code, RT_PY_CODE_NAME),
                              python_word(code, RT_PY_CODE_LINES)};
    return spool_path_hash(words, sizeof(words) / sizeof(words[0]));
}

static struct rt_python_code *python_code_of(struct rt_thread *t, uint64_t frame)
{
    return &t->codes[frame * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}
_Static_assert(RT_PYTHON_CODES == 1 << (64 - 58), "the row is the upper bits");

/* Read the code of frames from `first` on that were not read before: a frame at the same place with the same code object has the same code. */
static void python_learn_codes(struct rt_thread *t, struct rt_python_path *p, uint32_t first)
{
    uint8_t wanted[PYTHON_CODES];
    uint32_t len = 0;
    for (uint32_t i = first; i < p->own_len && len < PYTHON_CODES; i++) {
        const struct rt_python_code *known = python_code_of(t, p->at[i]);
        if (known->frame != p->at[i] || known->code != p->codes[i]) wanted[len++] = (uint8_t)i;
    }
    if (len > 0) len = python_copy_codes(p, wanted, len);
    while (len-- > 0) { /* the inner frames are the last ones to take a row */
        const uint8_t *code = p->room + (size_t)len * PYTHON_CODE_BYTES;
        const uint64_t at = p->codes[wanted[len]], frame = p->at[wanted[len]];
        if (python_word(code, RT_PY_OBJECT_TYPE) != python.code_type) continue;
        *python_code_of(t, frame) = (struct rt_python_code){frame, at, python_code_hash(at, code),
                                                            python_word(code, RT_PY_OBJECT_SIZE)};
    }
}

/* Replace the instruction of frame i by its word. False: its code is not known. */
static bool python_set_word(struct rt_thread *t, struct rt_python_path *p, uint32_t i)
{
    const struct rt_python_code *known = python_code_of(t, p->at[i]);
    const uint64_t first = p->codes[i] + RT_PY_CODE_UNITS;
    const uint64_t unit =
        p->own[i] + 2 == first ? 0 : (p->own[i] - first) / 2; /* before the first one: it has not begun */
    if (known->frame != p->at[i] || known->code != p->codes[i]) return false;
    if (unit >= known->units || unit > SPOOL_SCRIPT_UNIT_MAX) return false;
    p->own[i] = spool_path_script(known->hash, (uint32_t)unit);
    return true;
}

/* A frame whose code is not as it should be ends the list. Frames that share a row need several rounds. */
static void python_set_words(struct rt_thread *t, struct rt_python_path *p)
{
    const uint32_t len = p->own_len;
    uint32_t done = 0, before;
    do {
        before = done;
        python_learn_codes(t, p, done);
        while (done < len && python_set_word(t, p, done))
            done++;
    } while (done < len && done > before);
    p->own_len = done;
}

static bool python_is_eval(uint64_t address)
{
    return address >= python.eval_base && address < python.eval_end;
}

static bool python_is_own(uint64_t address)
{
    return address >= python.text_base && address < python.text_end;
}

/* Each run of the interpreter's loop has the frames up to one that began it. */
bool rt_python_merge(struct rt_thread *t, const uint64_t *frames, uint32_t len, struct rt_python_path *out)
{
    uint32_t own = 0;
    if (!python.runtime) return false;
    python_walk(t, out);
    python_set_words(t, out);
    if (out->own_len == 0) return false;
    out->len = 0;
    for (uint32_t i = 0; i < len; i++) {
        bool is_done = !python_is_eval(frames[i]);
        for (; !is_done && own < out->own_len; own++) {
            out->frames[out->len++] = out->own[own];
            is_done = out->is_entry[own];
        }
        if (!python_is_own(frames[i])) out->frames[out->len++] = frames[i];
    }
    while (own < out->own_len) /* outside of the frames that were found */
        out->frames[out->len++] = out->own[own++];
    return true;
}

/* --- small objects --- */

bool rt_python_maps_arena(const void *caller, size_t len_bytes)
{
    enum { ARENA_BYTES = 1 << 20, CHUNK_BYTES = 1 << 14 }; /* pycore_obmalloc.h, pystate.c */
    return python.runtime && python_is_own((uint64_t)(uintptr_t)caller) &&
           (len_bytes == ARENA_BYTES || len_bytes % CHUNK_BYTES == 0) && len_bytes <= ARENA_BYTES;
}

/* --- their lines --- */

/* Copy a text of Python (PEP 393) as UTF-8. Returns its length in bytes, 0: it cannot be read. */
static uint32_t python_text(uint64_t at, uint8_t *room, size_t room_bytes, char *out, size_t out_bytes)
{
    uint8_t head[RT_PY_TEXT_STATE + sizeof(uint32_t)];
    if (!python_is_pointer(at) || !python_copy(at, head, sizeof(head))) return 0;
    const uint32_t state = python_half(head, RT_PY_TEXT_STATE);
    const unsigned letter_bytes = state >> 2 & 7;
    const bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
    uint64_t len = python_word(head, RT_PY_TEXT_LEN);
    if (!is_compact || (letter_bytes != 1 && letter_bytes != 2 && letter_bytes != 4)) return 0;
    if (len > room_bytes / 4) len = room_bytes / 4;
    if (!python_copy(at + (is_ascii ? RT_PY_TEXT_ASCII : RT_PY_TEXT_OTHER), room, len * letter_bytes))
        return 0;
    return (uint32_t)rt_python_utf8(room, len, letter_bytes, out, out_bytes);
}

/* The expression of a frame's word; the first line of its function where its table cannot be read. */
static struct rt_python_location python_locate(const uint8_t *code, uint64_t word, uint8_t *room,
                                               size_t room_bytes)
{
    uint8_t head[RT_PY_OBJECT_SIZE + sizeof(uint64_t)];
    const uint32_t first_line = python_half(code, RT_PY_CODE_FIRST_LINE);
    const struct rt_python_location unknown = {.line = first_line, .end_line = first_line};
    struct rt_python_location l = unknown;
    const uint32_t unit = (uint32_t)(word & (SPOOL_SCRIPT_UNIT_MAX + 1)) - 1;
    const uint64_t at = python_word(code, RT_PY_CODE_LINES);
    if (!python_is_pointer(at) || !python_copy(at, head, sizeof(head))) return unknown;
    uint64_t len_bytes = python_word(head, RT_PY_OBJECT_SIZE);
    if (len_bytes > room_bytes) len_bytes = room_bytes;
    if (!python_copy(at + RT_PY_BYTES_DATA, room, len_bytes)) return unknown;
    return rt_python_locate(room, len_bytes, unit, &l) ? l : unknown;
}

static uint16_t python_short(uint32_t number)
{
    return number <= UINT16_MAX ? (uint16_t)number : 0;
}

static void python_put_line(struct rt_thread *t, struct spool_writer *w, struct rt_python_path *p, uint32_t i)
{
    enum { FILE_BYTES = 1024, NAME_BYTES = 256 };
    uint8_t code[PYTHON_CODE_BYTES];
    char *file = (char *)p->room, *name = file + FILE_BYTES;
    uint8_t *room = p->room + FILE_BYTES + NAME_BYTES;
    const size_t room_bytes = RT_PYTHON_ROOM_BYTES - FILE_BYTES - NAME_BYTES;
    const uint64_t key = spool_path_hash(&p->own[i], 1);
    if (rt_paths_note(&t->lines, t->streams, key)) return;
    if (!python_copy(p->codes[i], code, sizeof(code))) return;
    const struct spool_text texts[] = {
        {file, python_text(python_word(code, RT_PY_CODE_FILE), room, room_bytes, file, FILE_BYTES)},
        {name, python_text(python_word(code, RT_PY_CODE_NAME), room, room_bytes, name, NAME_BYTES)}};
    const struct rt_python_location l = python_locate(code, p->own[i], room, room_bytes);
    const struct spool_script r = {.time_ns = ls_clock_mono_ns(),
                                   .ip = p->own[i] - 1,
                                   .line = l.line,
                                   .end_line = l.end_line,
                                   .column = python_short(l.column),
                                   .end_column = python_short(l.end_column),
                                   .file_len = (uint16_t)texts[0].len_bytes,
                                   .name_len = (uint16_t)texts[1].len_bytes};
    if (!spool_put_script(w, r, texts)) rt_paths_forget(&t->lines, key);
}

uint64_t rt_python_put_arena(struct rt_thread *t, struct spool_writer *w)
{
    static const char name[] = "small objects of Python";
    const uint64_t word = spool_path_script(0, 0), key = spool_path_hash(&word, 1);
    const struct spool_text texts[] = {{name, 0}, {name, sizeof(name) - 1}};
    const struct spool_script r = {
        .time_ns = ls_clock_mono_ns(), .ip = word - 1, .name_len = sizeof(name) - 1};
    if (!rt_paths_note(&t->lines, t->streams, key) && !spool_put_script(w, r, texts))
        rt_paths_forget(&t->lines, key);
    return word;
}

void rt_python_put(struct rt_thread *t, struct spool_writer *w, struct rt_python_path *path)
{
    for (uint32_t i = 0; i < path->own_len; i++)
        python_put_line(t, w, path, i);
}
