# machine
# The probe alone: what the preloaded runtime and the calibration share.
noinst_LTLIBRARIES += libmachprobe.la
libmachprobe_la_SOURCES = machine/mach_probe_sigsafe.c machine/mach_probe_sigsafe.h
if HOST_X86_64
libmachprobe_la_SOURCES += machine/mach_probe_x86_64.S
else
libmachprobe_la_SOURCES += machine/mach_probe_none_sigsafe.c
endif
