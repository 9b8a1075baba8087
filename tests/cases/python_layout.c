/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare the offsets of runtime/core/rt_python.h with the headers of an interpreter: compiled by a test, with its folder of headers. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_runtime.h>

#include "runtime/core/rt_python.h"

#include <stddef.h>
#include <stdio.h>

#define CHECK(name, type, member) \
    _Static_assert(PY_VERSION_HEX >> 16 != 0x030b || (name) == offsetof(type, member), #type "." #member)
CHECK(RT_PY_RUNTIME_INITIALIZED, _PyRuntimeState, initialized);
CHECK(RT_PY_RUNTIME_FINALIZING, _PyRuntimeState, _finalizing);
CHECK(RT_PY_RUNTIME_KEY_IS_SET, _PyRuntimeState, gilstate.autoTSSkey._is_initialized);
CHECK(RT_PY_RUNTIME_KEY, _PyRuntimeState, gilstate.autoTSSkey._key);
CHECK(RT_PY_THREAD_CFRAME, PyThreadState, cframe);
CHECK(RT_PY_THREAD_ID, PyThreadState, thread_id);
CHECK(RT_PY_THREAD_CHUNK, PyThreadState, datastack_chunk);
CHECK(RT_PY_CFRAME_FRAME, _PyCFrame, current_frame);
CHECK(RT_PY_FRAME_CODE, _PyInterpreterFrame, f_code);
CHECK(RT_PY_FRAME_PREVIOUS, _PyInterpreterFrame, previous);
CHECK(RT_PY_FRAME_INSTRUCTION, _PyInterpreterFrame, prev_instr);
CHECK(RT_PY_FRAME_IS_ENTRY, _PyInterpreterFrame, is_entry);
CHECK(RT_PY_FRAME_BYTES, _PyInterpreterFrame, localsplus);
CHECK(RT_PY_OBJECT_TYPE, PyObject, ob_type);
CHECK(RT_PY_OBJECT_SIZE, PyVarObject, ob_size);
CHECK(RT_PY_CODE_FIRST_LINE, PyCodeObject, co_firstlineno);
CHECK(RT_PY_CODE_FILE, PyCodeObject, co_filename);
CHECK(RT_PY_CODE_NAME, PyCodeObject, co_qualname);
CHECK(RT_PY_CODE_LINES, PyCodeObject, co_linetable);
CHECK(RT_PY_CODE_UNITS, PyCodeObject, co_code_adaptive);
CHECK(RT_PY_BYTES_DATA, PyBytesObject, ob_sval);
CHECK(RT_PY_TEXT_LEN, PyASCIIObject, length);
CHECK(RT_PY_TEXT_STATE, PyASCIIObject, state);
_Static_assert(RT_PY_TEXT_ASCII == sizeof(PyASCIIObject) &&
                   RT_PY_TEXT_OTHER == sizeof(PyCompactUnicodeObject),
               "letters");

int main(void)
{
    puts(PY_VERSION_HEX >> 16 == 0x030b ? "the same" : "another version");
    return 0;
}
