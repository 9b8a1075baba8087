dnl SPDX-License-Identifier: BSD-3-Clause
# LS_COMPILER_FLAGS: C11/C++11 with warnings; --enable-werror and --enable-sanitizers for developers and CI.
AC_DEFUN([LS_COMPILER_FLAGS], [
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [make compiler warnings errors (for developers; default: no)])],
    [], [enable_werror=no])
AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [build with ASan and UBSan, for make check-sanitized: the runtime cannot be preloaded then (default: no)])],
    [], [enable_sanitizers=no])
LS_WARN_CFLAGS="-Wall -Wextra -Wno-missing-field-initializers"
AS_IF([test "x$enable_werror" = xyes], [LS_WARN_CFLAGS="$LS_WARN_CFLAGS -Werror"])
AS_IF([test "x$enable_sanitizers" = xyes],
    [LS_SAN_CFLAGS="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow -fno-omit-frame-pointer"])
AC_SUBST([LS_WARN_CFLAGS])
AC_SUBST([LS_SAN_CFLAGS])
AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
])

# LS_KERNEL_FLAGS: loops of the kernels stay loops (KERNEL_CFLAGS), not calls of memcpy; compilers have
# different options for this.
AC_DEFUN([LS_KERNEL_FLAGS], [
KERNEL_CFLAGS=-fno-builtin
ls_saved_cflags=$CFLAGS
for ls_flag in -fno-tree-loop-distribute-patterns -Wno-pass-failed; do
    AC_MSG_CHECKING([whether $CC takes $ls_flag])
    CFLAGS="$ls_saved_cflags -Werror $ls_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes]); KERNEL_CFLAGS="$KERNEL_CFLAGS $ls_flag"], [AC_MSG_RESULT([no])])
done
CFLAGS=$ls_saved_cflags
AC_SUBST([KERNEL_CFLAGS])
])
