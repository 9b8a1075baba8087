# SPDX-License-Identifier: BSD-3-Clause
# tools: the programs, their man pages and their completion
# loadstone runs a few commands itself, and becomes the program with all commands for the others. That one needs many shared libraries,
# whose loading takes longer than a short replay.
bin_PROGRAMS += tools/loadstone
pkglibexec_PROGRAMS += tools/full/loadstone
tools_loadstone_SOURCES = tools/loadstone.c
EXPORTS_LDFLAGS = -Wl,--dynamic-list=$(srcdir)/tools/exports.list
EXTRA_DIST += tools/exports.list
tools_loadstone_LDFLAGS = $(AM_LDFLAGS) $(EXPORTS_LDFLAGS) -Wl,--as-needed
EXTRA_tools_loadstone_DEPENDENCIES = tools/exports.list
tools_loadstone_LDADD = libtools.la libkernels.la libpatterns.la libmachine.la libcommon.la -lm $(OPENMP_CFLAGS)

# Both programs have these parts.
noinst_LTLIBRARIES += libtools.la
libtools_la_SOURCES = \
    tools/cli/cli_child.c tools/cli/cli_child.h \
    tools/cli/cli_command.h \
    tools/cli/cli_completion.c \
    tools/cli/cli_findings.c tools/cli/cli_findings.h \
    tools/cli/cli_help.c \
    tools/cli/cli_install.c tools/cli/cli_install.h \
    tools/cli/cli_main.c \
    tools/cli/cli_man.c \
    tools/cli/cli_message.c tools/cli/cli_message.h \
    tools/cli/cli_output.c tools/cli/cli_output.h \
    tools/cli/cli_parse.c tools/cli/cli_parse.h \
    tools/cli/cli_term.c tools/cli/cli_term.h
libtools_la_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"'

tools_full_loadstone_SOURCES = \
    tools/doctor/doc_engines.c tools/doctor/doc_engines.h \
    tools/doctor/doc_series.c tools/doctor/doc_series.h \
    tools/doctor/doctor.c \
    tools/full.c \
    tools/merge/merge.c \
    tools/merge/mrg_internal.h \
    tools/merge/mrg_job.c tools/merge/mrg_job.h \
    tools/merge/mrg_samples.c \
    tools/merge/mrg_tables.c \
    tools/merge/mrg_tree.c tools/merge/mrg_tree.h \
    tools/merge/mrg_write.c \
    tools/resolve/resolve.c
tools_full_loadstone_LDFLAGS = $(AM_LDFLAGS) $(EXPORTS_LDFLAGS)
EXTRA_tools_full_loadstone_DEPENDENCIES = tools/exports.list
tools_full_loadstone_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
if HAVE_STEP
ZYDIS_LIBS = -lZydis
else
ZYDIS_LIBS =
endif
tools_full_loadstone_LDADD = libtools.la libanalyse.la libresolve.la libperfpfm.la libmachine.la libcommon.la $(ZYDIS_LIBS) -lm

# The binary prints its documentation, so man pages and completions cannot differ from its options.
LOADSTONE_MAN = \
    tools/loadstone.1 \
    tools/loadstone-doctor.1 \
    tools/loadstone-merge.1 \
    tools/loadstone-resolve.1 \
    tools/loadstone-environment.7
man_MANS += $(LOADSTONE_MAN)
$(LOADSTONE_MAN): tools/full/loadstone$(EXEEXT)
	$(AM_V_GEN)page=`echo $@ | sed 's,.*/,,; s,\.[0-9]$$,,'` && tools/full/loadstone$(EXEEXT) --dump-options man $$page > $@.tmp && mv $@.tmp $@

# Each shell looks for a file of another name.
bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = tools/completion/loadstone
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_zshcompletion_DATA = tools/completion/_loadstone
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_fishcompletion_DATA = tools/completion/loadstone.fish
LOADSTONE_COMPLETIONS = $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) $(nodist_fishcompletion_DATA)
$(LOADSTONE_COMPLETIONS): tools/full/loadstone$(EXEEXT)
	$(AM_V_GEN)case $@ in *.fish) shell=fish ;; */_*) shell=zsh ;; *) shell=bash ;; esac; \
	$(MKDIR_P) tools/completion && tools/full/loadstone$(EXEEXT) --dump-options completion $$shell > $@.tmp && mv $@.tmp $@
CLEANFILES += $(LOADSTONE_MAN) $(LOADSTONE_COMPLETIONS)
include tools/record/local.mk
include tools/run/local.mk
include tools/report/local.mk
include tools/diff/local.mk
include tools/gate/local.mk
include tools/replay/local.mk
include tools/patterns/local.mk
include tools/view/local.mk
include tools/stream/local.mk
include tools/study/local.mk
include tools/export/local.mk
include tools/import/local.mk
include tools/trace/local.mk
include tools/traffic/local.mk
