dnl SPDX-License-Identifier: BSD-3-Clause
# LS_LIBRARIES: the libraries of Loadstone. A missing library costs a feature, which the summary names.
# Debian's Zydis and libpfm4 ship no pkg-config files: these are found by header and symbol.
AC_DEFUN([LS_LIBRARIES], [
ls_saved_libs=$LIBS

PKG_CHECK_MODULES([HDF5], [hdf5], [have_hdf5=yes],
    [AC_MSG_ERROR([HDF5 is needed to write and read run.h5 (Debian: libhdf5-dev)])])
PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.1], [have_hwloc=yes],
    [AC_MSG_ERROR([hwloc is needed to describe the machine (Debian: libhwloc-dev)])])
PKG_CHECK_MODULES([DW], [libdw], [have_libdw=yes],
    [AC_MSG_ERROR([elfutils libdw is needed to name modules, symbols and lines (Debian: libdw-dev)])])
PKG_CHECK_MODULES([ZLIB], [zlib], [have_zlib=yes],
    [AC_MSG_ERROR([zlib is needed to read packed pattern files (Debian: zlib1g-dev)])])
PKG_CHECK_MODULES([ZSTD], [libzstd],
    [have_zstd=yes; AC_DEFINE([HAVE_ZSTD], [1], [zstd packs and unpacks])], [have_zstd=no])
PKG_CHECK_MODULES([ARCHIVE], [libarchive],
    [have_libarchive=yes; AC_DEFINE([HAVE_LIBARCHIVE], [1], [libarchive unpacks zip, zstd and lz4])], [have_libarchive=no])
PKG_CHECK_MODULES([YAJL], [yajl],
    [have_yajl=yes; AC_DEFINE([HAVE_YAJL], [1], [yajl reads pattern files])], [have_yajl=no])
PKG_CHECK_MODULES([CAIRO], [cairo cairo-svg cairo-png],
    [have_cairo=yes; AC_DEFINE([HAVE_CAIRO], [1], [cairo draws pictures])], [have_cairo=no])
# only for an example
PKG_CHECK_MODULES([FFT3D], [fftw3 ompi-c], [have_fft3d=yes],
    [PKG_CHECK_MODULES([FFT3D], [fftw3 mpich], [have_fft3d=yes], [have_fft3d=no])])
PKG_CHECK_MODULES([CMOCKA], [cmocka], [have_cmocka=yes], [have_cmocka=no])

have_zydis=no
AC_CHECK_HEADER([Zydis/Zydis.h], [AC_CHECK_LIB([Zydis], [ZydisDecoderDecodeFull], [have_zydis=yes])])
AS_IF([test "x$have_zydis" = xyes],
    [AC_DEFINE([HAVE_ZYDIS], [1], [Zydis decodes instructions])])

have_libpfm=no
AC_CHECK_HEADER([perfmon/pfmlib_perf_event.h],
    [AC_CHECK_LIB([pfm], [pfm_get_os_event_encoding], [have_libpfm=yes; PFM_LIBS=-lpfm
        AC_DEFINE([HAVE_PFM], [1], [libpfm4 knows the names of events])])])
AC_SUBST([PFM_LIBS])

# only its header is needed: the library is loaded when a metric is asked for
have_pcp=no
AC_CHECK_HEADER([pcp/pmapi.h],
    [have_pcp=yes; AC_DEFINE([HAVE_PCP], [1], [Performance Co-Pilot has metrics])])

have_libunwind=no
AC_CHECK_HEADER([libunwind.h], [have_libunwind=yes])

AC_PATH_PROG([QEMU_USER], [qemu-$host_cpu], [no])

have_step=no
AS_IF([test "x$host_cpu" = xx86_64 && test "x$have_zydis" = xyes],
    [have_step=yes; AC_DEFINE([HAVE_STEP], [1], [machine code of this processor is decoded])])

# call paths of allocations: objects are found without a lock by glibc 2.35 or later
have_unwind=no
AC_CHECK_FUNC([_dl_find_object], [test "x$host_cpu" = xx86_64 && have_unwind=yes])

LIBS=$ls_saved_libs
AM_CONDITIONAL([HAVE_UNWIND], [test "x$have_unwind" = xyes])
AM_CONDITIONAL([HAVE_CMOCKA], [test "x$have_cmocka" = xyes])
AM_CONDITIONAL([HAVE_ZSTD], [test "x$have_zstd" = xyes])
AM_CONDITIONAL([HAVE_LIBARCHIVE], [test "x$have_libarchive" = xyes])
AM_CONDITIONAL([HAVE_YAJL], [test "x$have_yajl" = xyes])
AM_CONDITIONAL([HAVE_FFT3D], [test "x$have_fft3d" = xyes])
AM_CONDITIONAL([HAVE_CAIRO], [test "x$have_cairo" = xyes])
AM_CONDITIONAL([HAVE_STEP], [test "x$have_step" = xyes])
AM_CONDITIONAL([HAVE_ZYDIS], [test "x$have_zydis" = xyes])
AM_CONDITIONAL([HAVE_FC], [test -n "$FC" && test "x$FC" != xno])
])

# LS_SUMMARY: the closing words of configure.
AC_DEFUN([LS_SUMMARY], [
AS_IF([test "x$have_step" = xyes], [ls_step=yes],
    [test "x$have_zydis" = xno],
    [ls_step="no (Zydis missing: install libzydis-dev; without a PMU no loads can be sampled)"],
    [ls_step="no (needs an x86-64 machine)"])
AS_IF([test "x$have_unwind" = xyes], [ls_unwind=yes],
    [ls_unwind="innermost frame only (needs x86-64 and glibc 2.35)"])
AS_IF([test "x$QEMU_USER" = xno],
    [ls_trace="no QEMU here (install qemu-user): loadstone trace does not run, record and its bursts do"],
    [test "x$have_zydis" = xyes], [ls_trace="yes ($QEMU_USER)"],
    [ls_trace="yes, vector accesses in pieces of 8 bytes (Zydis missing: install libzydis-dev)"])
AS_IF([test "x$have_libpfm" = xyes], [ls_hw="yes, with libpfm4's event names"],
    [ls_hw="yes, without libpfm4 (install libpfm4-dev): --event takes names of sysfs and raw codes only"])
AS_IF([test "x$have_cmocka" = xyes], [ls_unit=yes],
    [ls_unit="no (cmocka missing: install libcmocka-dev; make check runs whole-program tests only)"])
AS_IF([test "x$have_zstd" = xyes], [ls_zstd=yes], [ls_zstd="no (libzstd missing: install libzstd-dev; perf record -z cannot be imported, traces are packed by zlib and take more room)"])
AS_IF([test "x$have_libarchive" = xyes], [ls_archive=yes],
    [ls_archive="gzip only (libarchive missing: install libarchive-dev; files packed by zip, zstd or lz4 are unpacked by hand)"])
AS_IF([test "x$have_yajl" = xyes], [ls_yajl=yes],
    [ls_yajl="no (yajl missing: install libyajl-dev; replay takes patterns on the command line only)"])
AS_IF([test "x$have_pcp" = xyes], [ls_pcp=yes],
    [ls_pcp="no (pcp/pmapi.h missing: install libpcp3-dev; record --series takes no pcp:METRIC)"])
AS_IF([test -s "$srcdir/viz-export/view/web/bundle/view.js"], [ls_page=yes],
    [command -v npm >/dev/null 2>&1], [ls_page="yes (npm fetches ECharts during make)"],
    [ls_page="no (npm missing: install nodejs and npm; loadstone view makes no page)"])
AS_IF([test "x$have_cairo" = xyes], [ls_cairo=yes],
    [ls_cairo="no (cairo missing: install libcairo2-dev; replay draws no PNG, SVG or HTML)"])
AS_IF([test "x$have_fft3d" = xyes], [ls_fft3d=yes],
    [ls_fft3d="no (MPI or FFTW missing: install libopenmpi-dev and libfftw3-dev; examples/fft3d is not built)"])
ls_ranks=
AS_IF([test "x$have_ls_OPENMPI" = xyes], [ls_ranks="$ls_ranks Open MPI,"])
AS_IF([test "x$have_ls_MPICH" = xyes], [ls_ranks="$ls_ranks MPICH,"])
AS_IF([test "x$have_ls_SHMEM" = xyes], [ls_ranks="$ls_ranks OpenSHMEM,"])
ls_ranks=`echo "$ls_ranks" | sed 's/^ //; s/,$//'`
AS_IF([test -z "$ls_ranks"], [ls_ranks="no (no MPI: install libopenmpi-dev or libmpich-dev; replay and stream run in one process)"])
AS_IF([test -n "$PTX_CLANG"], [ls_cuda="yes ($PTX_CLANG)"],
    [ls_cuda="no (no clang with the target nvptx64: install clang; replay and stream run on devices by OpenCL only)"])
AS_IF([test -n "$FC" && test "x$FC" != xno], [ls_fc="yes ($FC)"], [ls_fc="no (no Fortran compiler: install gfortran; module loadstone is not built)"])
echo "
Loadstone $PACKAGE_VERSION
    prefix                          $prefix
    compiler                        $CC
    step sampling without a PMU:    $ls_step
    call paths of allocations:      $ls_unwind
    hardware sampling:              $ls_hw
    exact traces (loadstone trace): $ls_trace
    zstd (perf.data, traces):       $ls_zstd
    packed input files:             $ls_archive
    pattern files (JSON):           $ls_yajl
    metrics of pmcd (PCP):          $ls_pcp
    plots:                          $ls_cairo
    ranks (replay, stream, study):  $ls_ranks
    kernels for CUDA:               $ls_cuda
    page (loadstone view):          $ls_page
    Fortran module:                 $ls_fc
    example with MPI and FFTW:      $ls_fft3d
    unit tests:                     $ls_unit
    warnings are errors:            $enable_werror
Now run: make && make check
"
])
