/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: python_fake
 * A program with the symbols of CPython 3.11 and structures that are sound, then damaged in every word that the runtime
 * reads. It allocates a block in each state. */
#include "runtime/core/rt_python.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN const unsigned long Py_Version = FAKE_VERSION;
SHOWN uint64_t _PyRuntime[100], PyCode_Type[50];
SHOWN void *_PyEval_EvalFrameDefault(size_t len_bytes);

enum { FRAMES = 3, WORDS = 64 };
struct fake_text {
    uint64_t words[6];
    char letters[64];
};
/* Each state of the structures is at another place: frames and code that were read before are not read again. */
struct fake {
    uint64_t thread[WORDS], cframe[8], frames[FRAMES][WORDS], code[WORDS], lines[8];
    struct fake_text file, name;
};
enum { STATES = 1200 };
static struct fake states[STATES], *fake = states;

static void set(void *object, size_t offset, uint64_t word)
{
    memcpy((char *)object + offset, &word, sizeof(word));
}

static void set_half(void *object, size_t offset, uint32_t half)
{
    memcpy((char *)object + offset, &half, sizeof(half));
}

static uint64_t at(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

/* A compact text of ASCII letters. */
static void set_text(struct fake_text *t, const char *letters)
{
    memset(t, 0, sizeof(*t));
    set(t, RT_PY_TEXT_LEN, strlen(letters));
    set_half(t, RT_PY_TEXT_STATE, 1u << 2 | 1u << 5 | 1u << 6);
    memcpy(t->letters, letters, strlen(letters));
}

static void set_sound(pthread_key_t key)
{
    static const uint8_t lines[] = {0x80 | 13 << 3 | 7, 10}; /* 8 instructions, 5 lines on */
    if (++fake == states + STATES) abort();
    memset(_PyRuntime, 0, sizeof(_PyRuntime));
    set_half(_PyRuntime, RT_PY_RUNTIME_INITIALIZED, 1);
    set_half(_PyRuntime, RT_PY_RUNTIME_KEY_IS_SET, 1);
    set_half(_PyRuntime, RT_PY_RUNTIME_KEY, key);
    pthread_setspecific(key, fake->thread);
    set(fake->thread, RT_PY_THREAD_CFRAME, at(fake->cframe));
    set(fake->thread, RT_PY_THREAD_ID, (uint64_t)pthread_self());
    set(fake->thread, RT_PY_THREAD_CHUNK, at(fake->frames));
    set(fake->cframe, RT_PY_CFRAME_FRAME, at(fake->frames[FRAMES - 1]));
    for (int i = 0; i < FRAMES; i++) {
        set(fake->frames[i], RT_PY_FRAME_CODE, at(fake->code));
        set(fake->frames[i], RT_PY_FRAME_PREVIOUS, i > 0 ? at(fake->frames[i - 1]) : 0);
        set(fake->frames[i], RT_PY_FRAME_INSTRUCTION, at(fake->code) + RT_PY_CODE_UNITS + 2);
        ((char *)fake->frames[i])[RT_PY_FRAME_IS_ENTRY] = i == 0;
    }
    set(fake->code, RT_PY_OBJECT_TYPE, at(PyCode_Type));
    set(fake->code, RT_PY_OBJECT_SIZE, 8);
    set_half(fake->code, RT_PY_CODE_FIRST_LINE, 100);
    set(fake->code, RT_PY_CODE_FILE, at(&fake->file));
    set(fake->code, RT_PY_CODE_NAME, at(&fake->name));
    set(fake->code, RT_PY_CODE_LINES, at(fake->lines));
    set(fake->lines, RT_PY_OBJECT_SIZE, sizeof(lines));
    memcpy((char *)fake->lines + RT_PY_BYTES_DATA, lines, sizeof(lines));
    set_text(&fake->file, "/nowhere/fake.py");
    set_text(&fake->name, "sound");
}

__attribute__((noinline)) void *_PyEval_EvalFrameDefault(size_t len_bytes)
{
    void *volatile block = malloc(len_bytes);
    return block;
}

/* Words that a damaged structure may have. */
static uint64_t bad_word(int kind, const void *unmapped)
{
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return at(unmapped);
    case 2:
        return UINT64_MAX;
    case 3:
        return at(fake->frames[1]); /* a loop, or an object of another kind */
    case 4:
        return UINT64_C(0x8000000000000000) | at(fake->frames[1]);
    default:
        return at(fake->frames[1]) + 1;
    }
}

int main(void)
{
    enum { KINDS = 6 };
    pthread_key_t key;
    void *unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#define OBJECT(member) offsetof(struct fake, member)
    static const struct {
        size_t offset, words;
    } objects[] = {{OBJECT(thread), WORDS}, {OBJECT(cframe), 4}, {OBJECT(frames[2]), 10},
                   {OBJECT(frames[1]), 10}, {OBJECT(code), 24},  {OBJECT(lines), 5},
                   {OBJECT(file), 6},       {OBJECT(name), 6}};
    if (pthread_key_create(&key, NULL) != 0) return 1;
    for (int i = 0; i < 3; i++) {
        set_sound(key);
        free(_PyEval_EvalFrameDefault(1000000));
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        for (size_t word = 0; word < objects[i].words; word++)
            for (int kind = 0; kind < KINDS; kind++) {
                set_sound(key);
                set_text(&fake->name, "damaged");
                set_half(fake->code, RT_PY_CODE_FIRST_LINE,
                         (uint32_t)(1000 + i * 100000 + word * 100 + (size_t)kind));
                set(fake, objects[i].offset + word * 8, bad_word(kind, unmapped));
                free(_PyEval_EvalFrameDefault(2000000));
            }
    set_sound(key);
    set(_PyRuntime, RT_PY_RUNTIME_FINALIZING, at(fake->thread));
    free(_PyEval_EvalFrameDefault(3000000));
    set_sound(key);
    set_half(_PyRuntime, RT_PY_RUNTIME_KEY_IS_SET, 0);
    free(_PyEval_EvalFrameDefault(3000000));
    pthread_setspecific(key, unmapped);
    set_half(_PyRuntime, RT_PY_RUNTIME_KEY_IS_SET, 1);
    free(_PyEval_EvalFrameDefault(3000000));
    puts("done");
    return 0;
}
