dnl SPDX-License-Identifier: BSD-3-Clause
dnl The folder of the Python module: the one below the prefix that python3 searches, or the usual one for its version.
AC_DEFUN([LS_PYTHON], [
AC_ARG_WITH([python-dir], [AS_HELP_STRING([--with-python-dir=DIR],
    [install loadstone.py into DIR; no: leave it out (default: where python3 looks below the prefix)])],
    [], [with_python_dir=yes])
AC_MSG_CHECKING([for the folder of the Python module])
ls_prefix=$prefix
AS_IF([test "x$ls_prefix" = xNONE], [ls_prefix=$ac_default_prefix])
AS_CASE([$with_python_dir],
    [no], [pythondir=],
    [yes], [pythondir=$(python3 - "$ls_prefix" 2>/dev/null <<'LS_END'
import sys
prefix = sys.argv[[1]].rstrip('/')
below = [[p[len(prefix):] for p in sys.path if p.startswith(prefix + '/lib') and p.endswith('-packages')]]
print('${prefix}' + (below[[0]] if below else '/lib/python%d.%d/site-packages' % sys.version_info[[:2]]))
LS_END
)
        AS_IF([test -z "$pythondir"], [pythondir='${datadir}/loadstone/python'])],
    [pythondir=$with_python_dir])
AC_SUBST([pythondir])
AC_MSG_RESULT([${pythondir:-none}])
AM_CONDITIONAL([INSTALL_PYTHON], [test -n "$pythondir"])
])
