# include: the public API
loadstoneincludedir = $(includedir)/loadstone
loadstoneinclude_HEADERS = include/loadstone/error.h
