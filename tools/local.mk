# SPDX-License-Identifier: BSD-3-Clause
# tools: the program loadstone, its man pages and its completion
bin_PROGRAMS += tools/loadstone
tools_loadstone_SOURCES = \
    tools/cli_command.h \
    tools/cli_completion.c \
    tools/cli_document.h \
    tools/cli_format.c tools/cli_format.h \
    tools/cli_help.c \
    tools/cli_json.c tools/cli_json.h \
    tools/cli_man.c \
    tools/cli_message.c tools/cli_message.h \
    tools/cli_nearest.c tools/cli_nearest.h \
    tools/cli_output.c tools/cli_output.h \
    tools/cli_parse.c tools/cli_parse.h \
    tools/cli_signal.c tools/cli_signal.h \
    tools/cli_term.c tools/cli_term.h \
    tools/cmd_diff.c \
    tools/cmd_doctor.c \
    tools/cmd_record.c \
    tools/cmd_report.c \
    tools/cmd_resolve.c \
    tools/diff_json.c \
    tools/diff_print.c tools/diff_print.h \
    tools/diff_view.c tools/diff_view.h \
    tools/diff_warnings.c \
    tools/doc_engines.c tools/doc_engines.h \
    tools/loadstone.c \
    tools/rec_hardware.c tools/rec_hardware.h \
    tools/rec_watch.c tools/rec_watch.h \
    tools/rec_launch.c tools/rec_launch.h \
    tools/rec_preload.c tools/rec_preload.h \
    tools/rec_spool.c tools/rec_spool.h \
    tools/rec_target.c tools/rec_target.h \
    tools/rep_advice.c \
    tools/rep_annotate.c tools/rep_annotate.h \
    tools/rep_code.c tools/rep_code.h \
    tools/rep_disassemble.h \
    tools/rep_filter.c tools/rep_filter.h \
    tools/rep_csv.c \
    tools/rep_draw.c tools/rep_draw.h \
    tools/rep_field.c tools/rep_field.h \
    tools/rep_header.c \
    tools/rep_heatmap.c tools/rep_heatmap.h \
    tools/rep_json.c \
    tools/rep_print.h \
    tools/rep_allocations.c tools/rep_allocations.h \
    tools/rep_processes.c tools/rep_processes.h \
    tools/rep_raster.c tools/rep_raster.h \
    tools/rep_rows.c \
    tools/rep_sharing.c tools/rep_sharing.h \
    tools/rep_table.c \
    tools/rep_tree.c tools/rep_tree.h \
    tools/rep_first_touch.c tools/rep_first_touch.h \
    tools/rep_watch.c tools/rep_watch.h \
    tools/rep_view.c tools/rep_view.h
tools_loadstone_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
if HAVE_STEP
tools_loadstone_SOURCES += tools/rep_disassemble_zydis.c
ZYDIS_LIBS = -lZydis
else
tools_loadstone_SOURCES += tools/rep_disassemble_none.c
ZYDIS_LIBS =
endif
tools_loadstone_LDADD = libanalyse.la libprofile.la libperfpfm.la libmachine.la libcommon.la $(ZYDIS_LIBS) -lm

# The binary documents itself, so pages and completion cannot differ from what it takes.
LOADSTONE_MAN = \
    tools/loadstone.1 \
    tools/loadstone-diff.1 \
    tools/loadstone-doctor.1 \
    tools/loadstone-record.1 \
    tools/loadstone-report.1 \
    tools/loadstone-resolve.1 \
    tools/loadstone-environment.7
man_MANS += $(LOADSTONE_MAN)
$(LOADSTONE_MAN): tools/loadstone$(EXEEXT)
	$(AM_V_GEN)page=`echo $@ | sed 's,.*/,,; s,\.[0-9]$$,,'` && tools/loadstone$(EXEEXT) --dump-options man $$page > $@.tmp && mv $@.tmp $@

bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = tools/completion/loadstone
tools/completion/loadstone: tools/loadstone$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) tools/completion && tools/loadstone$(EXEEXT) --dump-options completion > $@.tmp && mv $@.tmp $@
CLEANFILES += $(LOADSTONE_MAN) tools/completion/loadstone
include tools/replay.mk
include tools/compare.mk
include tools/view.mk
include tools/stream.mk
include tools/export.mk
include tools/import.mk
include tools/tracer.mk
