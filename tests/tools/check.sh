# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of the command line: a scratch directory, and the two checks they are made of.
top_builddir=$(cd "${top_builddir:-.}" && pwd)
top_srcdir=$(cd "${top_srcdir:-.}" && pwd)
. "$top_srcdir/tests/needs.inc"
loadstone=$top_builddir/tools/loadstone
unset LOADSTONE_SPOOL XDG_RUNTIME_DIR COLUMNS LINES LD_PRELOAD
# common/ls_env.c: the tests themselves are no rank
unset OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK MP_CHILD PMI_RANK PMIX_RANK PALS_RANKID ALPS_APP_PE FLUX_TASK_RANK \
    JSM_NAMESPACE_RANK SLURM_PROCID SLURM_STEP_ID
export LC_ALL=C.UTF-8 NO_COLOR=1 TZ=UTC
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export TMPDIR=$scratch # for spools as well
export XDG_CACHE_HOME=$scratch/cache
# The processors of this machine with small caches, as hwloc reports them: reference rates move several times the last-level caches,
# which takes a minute where those are large.
export HWLOC_SYNTHETIC="l3:1(size=16777216) core:$(nproc --all) pu:1" HWLOC_THISSYSTEM=1
failed=0

# expect STATUS TEXT COMMAND...: check the command's status, and a text in its messages ("": any)
expect() {
    want=$1 text=$2
    shift 2
    "$@" >out 2>err </dev/null
    got=$?
    if [ $got -ne "$want" ]; then
        echo "FAIL: $*: status $got, wanted $want"
        sed 's/^/    /' err
        failed=1
    elif [ -n "$text" ] && ! grep -qF -e "$text" err out; then
        echo "FAIL: $*: no '$text' in:"
        sed 's/^/    /' err out
        failed=1
    fi
}

# must COMMAND...: the command must succeed
must() {
    if ! "$@"; then
        echo "FAIL: $*"
        failed=1
    fi
}

# golden NAME FILE: FILE must equal the expected output; LS_UPDATE=1 rewrites that
golden() {
    if [ -n "${LS_UPDATE-}" ]; then
        cp "$2" "$top_srcdir/tests/tools/golden/$1"
    elif ! diff -u "$top_srcdir/tests/tools/golden/$1" "$2"; then
        echo "FAIL: golden $1 differs; LS_UPDATE=1 make check rewrites it"
        failed=1
    fi
}

# has_python MODULE...: set $python to a Python that has the modules; of several installed ones, the system's often has them
has_python() {
    for python in "${PYTHON-}" /usr/bin/python3 python3; do
        [ -n "$python" ] && "$python" -c 'import importlib, sys; [importlib.import_module(m) for m in sys.argv[1:]]' "$@" 2>/dev/null && return 0
    done
    python=
    return 1
}

# needs_python MODULE...: skip the test without these modules
needs_python() {
    has_python "$@" || skip "no Python 3 that has all of: ${*:-its library} (Debian: python3-h5py python3-pandas python3-paraview)"
}

# Does the step engine sample on this machine?
can_sample() {
    "$loadstone" record -q -o can.h5 --engine step true >out 2>err && "$loadstone" report --how can.h5 2>/dev/null | grep -q '^engine  *step'
}

# skip the test in a build without yajl, which reads pattern files
needs_json() {
    printf '[{"kernel":"Gather","pattern":[0,1],"count":1}]' >needs.json
    "$loadstone" patterns show needs.json >/dev/null 2>needs.err || ! grep -q 'built without yajl' needs.err || skip "built without yajl"
}

needs_runtime() {
    "$loadstone" doctor --json >doctor.json 2>/dev/null
    grep -q '"runtime": ""' doctor.json && skip "the runtime libloadstone-preload.so was not built"
    return 0
}
