! SPDX-License-Identifier: BSD-3-Clause
! The example in Fortran of doc/natural-domain.md.
program doc_examples_fortran
    use loadstone
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: nx = 7, ny = 5
    real(real64), target, save :: a(nx, ny)
    type(ls_tree) :: tree
    type(ls_node) :: node
    type(ls_domain) :: plate
    integer :: stat
    call ls_tree_new(tree)
    call ls_add_range(tree, "A", a, node)        ! a(nx, ny)
    call ls_new_grid(plate, "plate", [nx, ny])
    call ls_map_grid(node, plate)
    call ls_map_grid(node, plate, stat=stat)
    if (stat /= LS_OK) error stop 1
end program doc_examples_fortran
