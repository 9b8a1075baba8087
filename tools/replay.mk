# loadstone replay
tools_loadstone_SOURCES += \
    tools/cmd_replay.c \
    tools/rpl_csv.c \
    tools/rpl_json.c \
    tools/rpl_list.c tools/rpl_list.h \
    tools/rpl_session.c tools/rpl_session.h \
    tools/rpl_settings.c tools/rpl_settings.h \
    tools/rpl_spatter.c \
    tools/rpl_table.c
tools_loadstone_LDADD += libkernels.la libpatterns.la libcommon.la -lm
LOADSTONE_MAN += tools/loadstone-replay.1
