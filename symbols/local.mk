# SPDX-License-Identifier: BSD-3-Clause
# symbols: names of addresses from ELF files and their DWARF, read by elfutils in a separate process
noinst_LTLIBRARIES += libsymbols.la
libsymbols_la_SOURCES = \
    symbols/sym_code.c symbols/sym_code.h \
    symbols/sym_operand.c symbols/sym_operand.h \
    symbols/sym_perfmap.c symbols/sym_perfmap.h \
    symbols/sym_abbrev.c symbols/sym_abbrev.h \
    symbols/sym_answer.c symbols/sym_answer.h \
    symbols/sym_debug.c symbols/sym_debug.h \
    symbols/sym_demangle.c symbols/sym_demangle.h \
    symbols/sym_demangle_rust.c symbols/sym_demangle_rust.h \
    symbols/sym_dies.c symbols/sym_dies.h \
    symbols/sym_elf.c symbols/sym_elf.h \
    symbols/sym_files.c symbols/sym_files.h \
    symbols/sym_frames.c \
    symbols/sym_functions.c \
    symbols/sym_lines.c symbols/sym_lines.h \
    symbols/sym_layout.c \
    symbols/sym_names.c symbols/sym_names.h \
    symbols/sym_plt.c \
    symbols/sym_reader.c \
    symbols/sym_scopes.c \
    symbols/sym_types.c symbols/sym_types.h symbols/sym_typist.h \
    symbols/sym_unwind.c symbols/sym_unwind.h \
    symbols/sym_variable_types.c \
    symbols/sym_variables.c symbols/sym_variables.h \
    symbols/sym_walk.c symbols/sym_walk.h \
    symbols/sym_worker.c symbols/sym_worker.h
libsymbols_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
libsymbols_la_LIBADD = libcommon.la $(DW_LIBS) $(ZLIB_LIBS) -lelf -ldl
# pointers that code loads from members
if HAVE_ZYDIS
libsymbols_la_SOURCES += symbols/sym_source.c
libsymbols_la_LIBADD += -lZydis
endif
