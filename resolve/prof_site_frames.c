/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/ls_hash.h"
#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "resolve/prof_maps.h"
#include "resolve/prof_site_names.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/* --- allocators --- */

/* Shell patterns for the names of modules, without directories. */
static const char *const prof_allocator_modules[] = {
    "libc.so*",      "libc-2.*",        "ld-linux*",     "libstdc++.so*", "libc++.so*",
    "libc++abi.so*", "libgfortran.so*", "libjemalloc*",  "libtcmalloc*",  "libmimalloc*",
    "libloadstone*", "libasan.so*",     "libtsan.so*",   "liblsan.so*",   "libhoard*",
    "libpthread*",   "libdl.so*",       "libdl-2.*",     "libtbbmalloc*", "libcudart*",
    "libcuda.so*",   "libamdhip64*",    "libOpenCL.so*", "libpocl*",      NULL,
};
/* C++ by its mangled and its written names. */
static const char *const prof_allocator_functions[] = {
    /* wrappers that are named like the functions they wrap */
    "*malloc",
    "*calloc",
    "*realloc",
    "*zalloc",
    "*mallocz",
    "*malloc0",
    "*reallocz",
    "*reallocarray",
    "*reallocf",
    "*memalign",
    "*aligned_alloc",
    "*memdup",
    "*memdup0",
    "*strdup",
    "*strndup",
    "*strdup_printf",
    "*vasprintf",
    "*asprintf",
    "*malloc_n",
    "*malloc0_n",
    "*realloc_n",
    "*_alloc_n",
    "x*alloc_die",
    "x2realloc",
    "x2nrealloc",
    "xnmalloc",
    "xcharalloc",
    "ximalloc",
    "xizalloc",
    "xpalloc",
    "xrealloc*",
    /* C++ */
    "_Zn[wa]*",
    "operator new*",
    "_ZNSt*",
    "_ZNKSt*",
    "_ZSt*",
    "_ZN9__gnu_cxx*",
    "_ZNK9__gnu_cxx*",
    "std::*",
    "__gnu_cxx::*",
    "_ZN5Eigen8internal*malloc*",
    "_ZN5Eigen8internal*new*",
    "_ZN5Eigen12DenseStorage*",
    /* libraries and programs with their own allocators */
    "g_malloc*",
    "g_realloc*",
    "g_try_malloc*",
    "g_slice_*",
    "g_memdup*",
    "g_array_*",
    "g_string_*",
    "PyMem_*",
    "_PyMem_*",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    "_PyObject_Malloc",
    "_PyObject_Calloc",
    "_PyObject_Realloc",
    "_PyObject_New*",
    "_PyObject_GC_*",
    "PyType_GenericAlloc",
    "_PyType_AllocNoTrack",
    "_PyObject_Arena*",
    "_PyObject_Alloc*",
    "new_arena",
    "allocate_from_new_pool",
    "sqlite3Malloc*",
    "sqlite3MemMalloc",
    "sqlite3MemRealloc",
    "sqlite3Realloc*",
    "sqlite3DbMalloc*",
    "sqlite3DbRealloc*",
    "sqlite3DbStr*",
    "sqlite3_malloc*",
    "sqlite3_realloc*",
    "sqlite3_str_*",
    "dbMallocRawFinish",
    "dbReallocFinish",
    "mallocWithAlarm",
    "pcache1Alloc",
    "ggc_*",
    "zmalloc*",
    "zcalloc*",
    "zrealloc*",
    "ztry*alloc*",
    "sdsnew*",
    "_sdsnew*",
    "sdsMakeRoomFor*",
    "ngx_*alloc",
    "ngx_palloc*",
    "ngx_pnalloc",
    "ngx_pcalloc",
    "ngx_create_pool",
    "apr_palloc*",
    "apr_pcalloc*",
    "apr_allocator_*",
    "CRYPTO_*alloc",
    "palloc*",
    "AllocSet*",
    "MemoryContext*",
    "repalloc*",
    "Perl_safesys*",
    "Perl_new_sv*",
    "S_more_sv",
    "Perl_more_*",
    "R_alloc",
    "Rf_alloc*",
    "av_malloc*",
    "av_mallocz*",
    "av_realloc*",
    "av_calloc",
    "av_fast_*alloc*",
    "fftw*_malloc*",
    /* CUDA's runtime, linked statically: its inner functions have names without meaning */
    "libcudart_static_*",
    "cudaMalloc*",
    "cudaHostAlloc",
    "__rust_alloc*",
    "__rdl_*",
    "__rg_*",
    "_ZN5alloc*",
    "alloc::*",
    "git__*alloc*",
    "strbuf_grow",
    "git_mmap",
    "uprv_*alloc*",
    "je_*",
    "tc_*",
    "mi_*",
    "_PyArg_*",
    "GOMP_alloc",
    "kmp_*alloc*",
    "cudaM*alloc*",
    "cudaMemcpy*",
    "cudaHostAlloc*",
    "__cudart*",
    "cudart::*",
    "cuMem*",
    "hipM*alloc*",
    "hipMemcpy*",
    "hipHostMalloc*",
    "clCreateBuffer*",
    "clEnqueue*",
    "MPI_Alloc_mem",
    "PMPI_Alloc_mem",
    "opal_*alloc*",
    NULL,
};
static const char *const prof_allocator_files[] = {
    "*/include/c++/*",    "*/bits/stl_*", "*/bits/alloc*", "*/ext/new_allocator.h", "*/libstdc++-v3/*",
    "*/rustc*/library/*", NULL,
};

/* As fnmatch, which converts the text to wide characters first: few texts begin as a pattern does. */
static bool prof_matches_one(const char *text, const char *pattern)
{
    const size_t plain_len = strcspn(pattern, "*?[\\");
    if (strncmp(pattern, text, plain_len) != 0) return false;
    if (!pattern[plain_len]) return !text[plain_len];
    return strcmp(pattern + plain_len, "*") == 0 || fnmatch(pattern, text, 0) == 0;
}

static bool prof_matches(const char *text, const char *const *patterns)
{
    for (; *text && *patterns; patterns++)
        if (prof_matches_one(text, *patterns)) return true;
    return false;
}

bool prof_is_allocator(const char *module, const char *function, const char *file)
{
    return prof_matches(ls_base_name(module), prof_allocator_modules) ||
           prof_matches(function, prof_allocator_functions) || prof_matches(file, prof_allocator_files);
}

static void prof_caller_fill(const struct prof_caller_tables *t, struct prof_caller *p)
{
    const uint32_t row = t->frames[p->frame].line;
    p->depth = 0;
    p->module = p->function = p->file = "";
    p->line = p->column = 0;
    if (row >= t->lines_len) return;
    if (t->columns) p->column = t->columns[row];
    const struct prof_line *l = &t->lines[row];
    p->module = l->module;
    p->function = l->function;
    p->file = l->file;
    p->line = l->line;
}

bool prof_caller_first(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out)
{
    if (frame >= t->frames_len) return false;
    *out = (struct prof_caller){.frame = frame, .callee = ""};
    prof_caller_fill(t, out);
    return true;
}

static bool prof_inline_is_before(const struct prof_inline *i, uint32_t line, uint32_t depth)
{
    return i->line < line || (i->line == line && i->depth < depth);
}

static const struct prof_inline *prof_inline_at(const struct prof_caller_tables *t, uint32_t line,
                                                uint32_t depth)
{
    size_t from;
    LS_COUNT_FIRST(from, t->inlines_len, i, prof_inline_is_before(&t->inlines[i], line, depth));
    const bool is_found =
        from < t->inlines_len && t->inlines[from].line == line && t->inlines[from].depth == depth;
    return is_found ? &t->inlines[from] : NULL;
}

bool prof_caller_next(const struct prof_caller_tables *t, struct prof_caller *caller)
{
    const struct prof_frame *f = &t->frames[caller->frame];
    const struct prof_inline *outer =
        f->line < t->lines_len ? prof_inline_at(t, f->line, caller->depth + 1) : NULL;
    const char *const callee = caller->function;
    if (outer) {
        caller->callee = callee;
        caller->column = t->inline_columns ? t->inline_columns[outer - t->inlines] : 0;
        caller->depth++;
        caller->function = outer->function;
        caller->file = outer->file;
        caller->line = outer->line_number;
        return true;
    }
    if (f->parent >= t->frames_len) return false;
    caller->frame = f->parent;
    caller->callee = callee;
    prof_caller_fill(t, caller);
    return true;
}

enum prof_line_kind { PROF_LINE_NOT_ASKED, PROF_LINE_OTHER, PROF_LINE_ALLOCATOR };

/* Checked once per line: there are many patterns, and few lines. */
static bool prof_caller_is_allocator(const struct prof_caller_tables *t, const struct prof_caller *p)
{
    const uint32_t row = t->frames[p->frame].line;
    uint8_t *kind = p->depth == 0 && row < t->lines_len && t->line_kinds ? &t->line_kinds[row] : NULL;
    if (kind && *kind != PROF_LINE_NOT_ASKED) return *kind == PROF_LINE_ALLOCATOR;
    const bool is_allocator = prof_is_allocator(p->module, p->function, p->file);
    if (kind) *kind = is_allocator ? PROF_LINE_ALLOCATOR : PROF_LINE_OTHER;
    return is_allocator;
}

bool prof_caller_next_outside(const struct prof_caller_tables *t, struct prof_caller *caller)
{
    while (prof_caller_next(t, caller))
        if (!prof_caller_is_allocator(t, caller)) return true;
    return false;
}

bool prof_caller_of_site(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out)
{
    if (prof_script_caller_of_site(t, frame, out)) return true;
    if (!prof_caller_first(t, frame, out)) return false;
    struct prof_caller caller = *out;
    do {
        if (prof_caller_is_allocator(t, &caller)) continue;
        *out = caller;
        break;
    } while (prof_caller_next(t, &caller));
    return true;
}

static size_t prof_first_module_of(const struct prof_caller_tables *t, uint32_t process)
{
    size_t from;
    LS_COUNT_FIRST(from, t->modules_len, i, t->modules[i].process < process);
    return from;
}

static const struct prof_module *prof_module_of(const struct prof_caller_tables *t,
                                                const struct prof_frame *f)
{
    for (size_t i = prof_first_module_of(t, f->process); i < t->modules_len; i++) {
        const struct prof_module *m = &t->modules[i];
        if (m->process != f->process) break;
        if (f->ip >= m->base && f->ip < m->end) return m;
    }
    return NULL;
}

const char *prof_frame_module(const struct prof_caller_tables *t, uint32_t frame)
{
    const struct prof_module *m = frame < t->frames_len ? prof_module_of(t, &t->frames[frame]) : NULL;
    return m ? m->path : NULL;
}

uint64_t prof_frame_offset(const struct prof_caller_tables *t, uint32_t frame)
{
    const struct prof_frame *f = &t->frames[frame];
    const struct prof_module *m = prof_module_of(t, f);
    return m ? f->ip - m->bias : f->ip;
}

static uint64_t prof_code_identity(const struct prof_caller_tables *t, const struct prof_frame *f)
{
    const struct prof_script *script = prof_scripts_find(t->scripts, f->process, f->ip);
    if (script) return prof_script_identity(script);
    const struct prof_module *m = prof_module_of(t, f);
    if (!m) return f->ip ^ (uint64_t)f->process << 48; /* code in no file is its process's own */
    return (f->ip - m->bias) ^ ls_hash_text(LS_HASH_BEGIN, m->path);
}

void prof_path_identities(const struct prof_caller_tables *t, uint64_t *out)
{
    for (size_t i = 0; i < t->frames_len; i++) { /* parents are before their children */
        const uint32_t parent = t->frames[i].parent;
        uint64_t h = (parent < i ? out[parent] : 1) ^ prof_code_identity(t, &t->frames[i]);
        h *= UINT64_C(0x9e3779b97f4a7c15);
        out[i] = h ^ h >> 32;
    }
}
