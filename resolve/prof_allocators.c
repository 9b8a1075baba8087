/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_allocators.h"

#include "common/ls_text.h"
#include "resolve/prof_maps.h"

#include <fnmatch.h>
#include <stddef.h>

/* Shell patterns for the names of modules, without directories. */
static const char *const prof_allocator_modules[] = {
    "libc.so*",      "libc-2.*",        "ld-linux*",    "libstdc++.so*", "libc++.so*",
    "libc++abi.so*", "libgfortran.so*", "libjemalloc*", "libtcmalloc*",  "libmimalloc*",
    "libloadstone*", "libasan.so*",     "libtsan.so*",  "liblsan.so*",   "libhoard*",
    "libpthread*",   "libdl.so*",       "libdl-2.*",    "libtbbmalloc*", NULL,
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
    "MPI_Alloc_mem",
    "PMPI_Alloc_mem",
    "opal_*alloc*",
    NULL,
};
static const char *const prof_allocator_files[] = {
    "*/include/c++/*", "*/bits/stl_*", "*/bits/alloc*", "*/ext/new_allocator.h", "*/libstdc++-v3/*", NULL,
};

static bool prof_matches(const char *text, const char *const *patterns)
{
    for (; *text && *patterns; patterns++)
        if (fnmatch(*patterns, text, 0) == 0) return true;
    return false;
}

bool prof_is_allocator(const char *module, const char *function, const char *file)
{
    return prof_matches(ls_base_name(module), prof_allocator_modules) ||
           prof_matches(function, prof_allocator_functions) || prof_matches(file, prof_allocator_files);
}
