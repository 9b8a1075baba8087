# SPDX-License-Identifier: BSD-3-Clause
# tools: the program loadstone, its man pages and its completion
bin_PROGRAMS += tools/loadstone
tools_loadstone_SOURCES = \
    tools/cli/cli_command.h \
    tools/cli/cli_completion.c \
    tools/cli/cli_help.c \
    tools/cli/cli_man.c \
    tools/cli/cli_message.c tools/cli/cli_message.h \
    tools/cli/cli_output.c tools/cli/cli_output.h \
    tools/cli/cli_parse.c tools/cli/cli_parse.h \
    tools/cli/cli_term.c tools/cli/cli_term.h \
    tools/diff/diff.c \
    tools/doctor/doctor.c \
    tools/merge/merge.c \
    tools/record/record.c \
    tools/report/report.c \
    tools/resolve/resolve.c \
    tools/diff/diff_json.c \
    tools/diff/diff_print.c tools/diff/diff_print.h \
    tools/diff/diff_view.c tools/diff/diff_view.h \
    tools/diff/diff_warnings.c \
    tools/doctor/doc_engines.c tools/doctor/doc_engines.h \
    tools/loadstone.c \
    tools/record/rec_hardware.c tools/record/rec_hardware.h \
    tools/record/rec_watch.c tools/record/rec_watch.h \
    tools/record/rec_launch.c tools/record/rec_launch.h \
    tools/record/rec_limits.c tools/record/rec_limits.h \
    tools/record/rec_preload.c tools/record/rec_preload.h \
    tools/record/rec_resolve.c tools/record/rec_resolve.h \
    tools/record/rec_left.c tools/record/rec_left.h \
    tools/record/rec_spool.c tools/record/rec_spool.h \
    tools/record/rec_target.c tools/record/rec_target.h \
    tools/report/rep_advice.c \
    tools/report/rep_annotate.c tools/report/rep_annotate.h \
    tools/report/rep_code.c tools/report/rep_code.h \
    tools/report/rep_disassemble.h \
    tools/report/rep_filter.c tools/report/rep_filter.h \
    tools/report/rep_csv.c \
    tools/report/rep_draw.c tools/report/rep_draw.h \
    tools/report/rep_field.c tools/report/rep_field.h \
    tools/report/rep_header.c \
    tools/report/rep_how.c \
    tools/report/rep_kernel.c \
    tools/report/rep_heatmap.c tools/report/rep_heatmap.h \
    tools/report/rep_json.c \
    tools/report/rep_label.c tools/report/rep_label.h \
    tools/report/rep_print.h \
    tools/report/rep_allocations.c tools/report/rep_allocations.h \
    tools/report/rep_processes.c tools/report/rep_processes.h \
    tools/report/rep_raster.c tools/report/rep_raster.h \
    tools/report/rep_rows.c \
    tools/report/rep_sharing.c tools/report/rep_sharing.h \
    tools/report/rep_table.c \
    tools/report/rep_tree.c tools/report/rep_tree.h \
    tools/report/rep_first_touch.c tools/report/rep_first_touch.h \
    tools/report/rep_watch.c tools/report/rep_watch.h \
    tools/report/rep_view.c tools/report/rep_view.h
tools_loadstone_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
if HAVE_STEP
tools_loadstone_SOURCES += tools/report/rep_disassemble_zydis.c
ZYDIS_LIBS = -lZydis
else
tools_loadstone_SOURCES += tools/report/rep_disassemble_none.c
ZYDIS_LIBS =
endif
tools_loadstone_LDADD = libanalyse.la libprofile.la libperfpfm.la libmachine.la libcommon.la $(ZYDIS_LIBS) -lm

# The binary documents itself, so pages and completion cannot differ from what it takes.
LOADSTONE_MAN = \
    tools/loadstone.1 \
    tools/loadstone-diff.1 \
    tools/loadstone-doctor.1 \
    tools/loadstone-merge.1 \
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
include tools/replay/local.mk
include tools/patterns/local.mk
include tools/view/local.mk
include tools/stream/local.mk
include tools/export/local.mk
include tools/import/local.mk
include tools/trace/local.mk
