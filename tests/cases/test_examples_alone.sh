#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each example builds by the one command that its first lines name, with nothing but a compiler and pkg-config.
. "${top_srcdir:-.}/tests/cases/examples.inc"
command -v pkg-config >/dev/null || skip "no pkg-config"
cc=${CC:-cc} cxx=${CXX:-c++}
command -v "${cc%% *}" >/dev/null && command -v "${cxx%% *}" >/dev/null || skip "no $cc or no $cxx"
# loadstone.pc as after installation, with the directories of this tree
PKG_CONFIG_PATH=$top_builddir
export PKG_CONFIG_PATH LD_LIBRARY_PATH="$top_builddir/.libs"
flags=$(pkg-config --define-variable=includedir="$top_srcdir/include" --define-variable=libdir="$top_builddir/.libs" \
    --cflags --libs loadstone) || exit 99

# alone NAME ARGUMENTS: build the program by the command after "build:" in its source, and run it
alone() {
    name=$1
    shift
    compiler=$cc language=c
    [ -e "$top_srcdir/examples/$name.c" ] || { compiler=$cxx language=cc; }
    command=$(sed -nE 's/^( \*|\/\/) build: (cc|c\+\+) //p' "$top_srcdir/examples/$name.$language")
    case $command in
    *"$name.$language "*"\$(pkg-config --cflags --libs loadstone)"*) ;;
    *) echo "FAIL: $name.$language does not say how it is built: '$command'"; failed=1; return ;;
    esac
    # the output of pkg-config here instead of after installation; the sources by their patterns
    command=$(echo "$command" | sed "s|\$([^)]*)|$flags|")
    # shellcheck disable=SC2086
    if ! (cd "$top_srcdir/examples" && $compiler -Wall -Wextra -Wno-missing-field-initializers -o "$scratch/$name" $command) \
        >built 2>&1 || [ -s built ]; then
        echo "FAIL: $name: $compiler $command"
        cat built
        failed=1
        return
    fi
    says out.txt "./$name" "$@"
}
alone matmul_naive 16
alone matmul_blocked 16
alone matmul_transposed 16
alone matmul_naive_cxx 16
alone matmul_blocked_cxx 16
alone spmv 10
alone stencil_naive 8 8 8
alone stencil_tiled 8 8 8
alone particles_whole 100 2
alone particles_split 100 2
# clang may come without OpenMP
case $cc in
*clang*) ;;
*)
    alone sedov_separate 4 mixed 2
    alone sedov_fused 4 curve 2
    ;;
esac
# A program in Fortran by the command of doc/smrtree.md.
if grep -q '^fmoddir' "$top_builddir/loadstone_fortran.pc" 2>/dev/null && [ -e "$top_builddir/loadstone.mod" ]; then
    grep -qF 'pkg-config --cflags --libs loadstone_fortran)' "$top_srcdir/doc/smrtree.md" || { echo "FAIL: doc/smrtree.md has no command"; failed=1; }
    flags=$(pkg-config --define-variable=fmoddir="$top_builddir" --define-variable=libdir="$top_builddir/.libs" \
        --cflags --libs loadstone_fortran) || exit 99
    cat >plate.f90 <<E
program plate
    use loadstone
    real(8), target :: a(8, 4)
    type(ls_tree) :: tree
    type(ls_node) :: node
    type(ls_domain) :: domain
    integer :: stat
    call ls_tree_new(tree)
    call ls_add_range(tree, "A", a, node)
    call ls_new_grid(domain, "plate", [8, 4])
    call ls_map_grid(node, domain, stat=stat)
    print *, "stat", stat
end program
E
    # shellcheck disable=SC2086
    must gfortran plate.f90 $flags -o plate
    must ./plate
    ./plate | grep -q 'stat *0$' || { echo "FAIL: the grid is not mapped"; failed=1; }
else
    echo "not tested: Fortran (the module is not built)"
fi
exit $failed
