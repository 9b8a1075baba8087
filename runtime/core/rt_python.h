/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python frames of the calling thread, where the program is CPython 3.11 (or has libpython3.11 from its start): read from
 * the interpreter's structures, without its lock and without a call of it. Every read is checked by the kernel, so a structure
 * that is not as expected ends the list. Other versions are refused.
 *
 * A frame becomes a word of a call path, like a return address (spool/spool_path.h).
 *
 * Thread: any.  Signal: not safe. */
#ifndef RT_PYTHON_H
#define RT_PYTHON_H

#include "runtime/core/rt_thread.h"
#include "runtime/core/rt_unwind_sigsafe.h"
#include "spool/spool_writer_sigsafe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_PYTHON_FRAMES_MAX = 64, RT_PYTHON_ROOM_BYTES = 10240 };

/* Offsets in bytes in structures of CPython 3.11 on x86-64; tests/cases/python_layout.c compares them with its headers. */
enum rt_python_offset {
    RT_PY_RUNTIME_INITIALIZED = 16, /* _PyRuntimeState (pycore_runtime.h) */
    RT_PY_RUNTIME_FINALIZING = 24,
    RT_PY_RUNTIME_KEY_IS_SET = 592, /* gilstate.autoTSSkey: each thread's own state */
    RT_PY_RUNTIME_KEY = 596,
    RT_PY_THREAD_CFRAME = 56, /* PyThreadState (pystate.h) */
    RT_PY_THREAD_ID = 152,
    RT_PY_THREAD_CHUNK = 296,
    RT_PY_CFRAME_FRAME = 8, /* _PyCFrame */
    RT_PY_FRAME_CODE = 32,  /* _PyInterpreterFrame (pycore_frame.h) */
    RT_PY_FRAME_PREVIOUS = 48,
    RT_PY_FRAME_INSTRUCTION = 56,
    RT_PY_FRAME_IS_ENTRY = 68,
    RT_PY_FRAME_BYTES = 72,
    RT_PY_OBJECT_TYPE = 8, /* PyObject, PyVarObject */
    RT_PY_OBJECT_SIZE = 16,
    RT_PY_CODE_FIRST_LINE = 72, /* PyCodeObject (code.h) */
    RT_PY_CODE_FILE = 112,
    RT_PY_CODE_NAME = 128, /* qualified */
    RT_PY_CODE_LINES = 136,
    RT_PY_CODE_UNITS = 184, /* instructions, 2 bytes each */
    RT_PY_BYTES_DATA = 32,  /* PyBytesObject */
    RT_PY_TEXT_LEN = 16,    /* PyASCIIObject, PyCompactUnicodeObject (unicodeobject.h) */
    RT_PY_TEXT_STATE = 32,
    RT_PY_TEXT_ASCII = 48,
    RT_PY_TEXT_OTHER = 72,
};

/* Look for an interpreter in the program. Not called on other processors than x86-64.  Thread: the constructor. */
void rt_python_init(void);

/* Does the mapping hold small objects of many lines: memory that the interpreter itself mapped? */
bool rt_python_maps_arena(const void *caller, size_t len_bytes);
/* Return the word of a call path that names all these mappings, and write its record. The writer is open. */
uint64_t rt_python_put_arena(struct rt_thread *t, struct spool_writer *w);

/* A call path with the frames of Python in the places of the interpreter's own, and room to make it. */
struct rt_python_path {
    uint64_t frames[RT_UNWIND_FRAMES_MAX + RT_PYTHON_FRAMES_MAX]; /* innermost first */
    uint32_t len;
    uint32_t own_len;                   /* frames of Python */
    uint64_t own[RT_PYTHON_FRAMES_MAX]; /* their words in frames, innermost first */
    uint64_t codes[RT_PYTHON_FRAMES_MAX], at[RT_PYTHON_FRAMES_MAX]; /* code objects; the frames themselves */
    bool is_entry[RT_PYTHON_FRAMES_MAX]; /* the outermost one of a run of the interpreter's loop */
    uint8_t room[RT_PYTHON_ROOM_BYTES];
};

/* Merge the return addresses frames[0..len), at most RT_UNWIND_FRAMES_MAX, with the frames of Python, which replace the
 * interpreter's own. False: there are none. */
bool rt_python_merge(struct rt_thread *t, const uint64_t *frames, uint32_t len, struct rt_python_path *out);

/* Write the lines of the path's frames that the thread's stream does not have. The writer is open. */
void rt_python_put(struct rt_thread *t, struct spool_writer *w, struct rt_python_path *path);

#endif
