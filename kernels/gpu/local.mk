# SPDX-License-Identifier: BSD-3-Clause
# kernels/gpu: devices. The kernels are one file of OpenCL C: compiled in as text, and by clang as PTX where configure found one that can.
libkernels_la_SOURCES += \
    kernels/gpu/kn_gpu.c kernels/gpu/kn_gpu.h \
    kernels/gpu/kn_gpu_cuda.c \
    kernels/gpu/kn_gpu_opencl.c
nodist_libkernels_la_SOURCES = kernels/gpu/kn_gpu_texts.c
dist_noinst_SCRIPTS += kernels/gpu/texts.sh
EXTRA_DIST += kernels/gpu/kn_gpu.cl

kernels/gpu/kn_gpu_texts.c: kernels/gpu/kn_gpu.cl kernels/gpu/texts.sh
	$(AM_V_GEN)$(MKDIR_P) kernels/gpu && $(SHELL) $(srcdir)/kernels/gpu/texts.sh $(srcdir)/kernels/gpu/kn_gpu.cl '$(PTX_CLANG)' > $@.tmp && mv $@.tmp $@
CLEANFILES += kernels/gpu/kn_gpu_texts.c
