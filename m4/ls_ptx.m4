dnl SPDX-License-Identifier: BSD-3-Clause
# LS_PTX: a clang that compiles OpenCL C to PTX, for the backend cuda of kernels/gpu/; PTX_CLANG is empty without one.
AC_DEFUN([LS_PTX], [
AC_ARG_VAR([PTX_CLANG], [clang with the target nvptx64, for the kernels of backend cuda])
AC_MSG_CHECKING([for a clang that compiles to PTX])
ls_ptx=no
for ls_clang in "$PTX_CLANG" clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19; do
    test -n "$ls_clang" && command -v $ls_clang >/dev/null 2>&1 || continue
    sh "$srcdir/kernels/gpu/texts.sh" --ptx "$srcdir/kernels/gpu/kn_gpu.cl" $ls_clang stream 4 32 2>/dev/null | grep 'entry triad_global' >/dev/null &&
        { ls_ptx=$ls_clang; break; }
done
AC_MSG_RESULT([$ls_ptx])
AS_IF([test "x$ls_ptx" = xno], [PTX_CLANG=], [PTX_CLANG=$ls_ptx])
])
