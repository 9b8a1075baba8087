dnl SPDX-License-Identifier: BSD-3-Clause
# LS_RANKS: the libraries of parallel jobs, by their compiler wrappers. Each gives a module; none is linked to the program.
# LS_WRAPPER(NAME, WRAPPERS, IS IT, SHOW, HEADER): the flags of the first wrapper for which the shell command "IS IT" on $ls_cc
# succeeds, as NAME_CPPFLAGS and NAME_LIBS; SHOW makes it print its command line.
AC_DEFUN([LS_WRAPPER], [
AC_MSG_CHECKING([for a compiler of $1])
have_ls_$1=no
for ls_cc in $2; do
    command -v $ls_cc >/dev/null 2>&1 || continue
    $3 || continue
    $1[]_CPPFLAGS= $1[]_LIBS=
    for ls_word in `$ls_cc $4 2>/dev/null`; do
        case $ls_word in
        -I* | -D*) $1[]_CPPFLAGS="$$1[]_CPPFLAGS $ls_word" ;;
        -L* | -l* | -Wl,-rpath*) $1[]_LIBS="$$1[]_LIBS $ls_word" ;;
        esac
    done
    ls_saved_CPPFLAGS=$CPPFLAGS ls_saved_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $$1[]_CPPFLAGS" LIBS="$$1[]_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$5>]], [[$6]])], [have_ls_$1=yes])
    CPPFLAGS=$ls_saved_CPPFLAGS LIBS=$ls_saved_LIBS
    AS_IF([test "x$have_ls_$1" = xyes], [break])
done
AS_IF([test "x$have_ls_$1" = xyes], [AC_MSG_RESULT([$ls_cc])], [AC_MSG_RESULT([no])])
AC_SUBST($1[]_CPPFLAGS)
AC_SUBST($1[]_LIBS)
AM_CONDITIONAL(HAVE_$1, [test "x$have_ls_$1" = xyes])
])

AC_DEFUN([LS_RANKS], [
LS_WRAPPER([OPENMPI], [$OPENMPI_CC mpicc.openmpi mpicc], [$ls_cc --showme:version >/dev/null 2>&1], [-show], [mpi.h], [MPI_Finalize();])
LS_WRAPPER([MPICH], [$MPICH_CC mpicc.mpich mpicc],
    [{ ! $ls_cc --showme:version >/dev/null 2>&1 && $ls_cc -show >/dev/null 2>&1; }], [-show], [mpi.h], [MPI_Finalize();])
LS_WRAPPER([SHMEM], [$SHMEM_CC oshcc], [$ls_cc -show >/dev/null 2>&1], [-show], [shmem.h], [shmem_finalize();])
AC_ARG_VAR([OPENMPI_CC], [compiler wrapper of Open MPI])
AC_ARG_VAR([MPICH_CC], [compiler wrapper of MPICH or a library with its ABI])
AC_ARG_VAR([SHMEM_CC], [compiler wrapper of OpenSHMEM])
])
