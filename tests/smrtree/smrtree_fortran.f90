! SPDX-License-Identifier: BSD-3-Clause
! Arrays of several types and ranks, groups, what is refused, and element indices counted from 1.
program smrtree_fortran
    use loadstone
    use, intrinsic :: iso_c_binding, only: c_loc, c_associated
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none
    type(ls_tree) :: tree
    type(ls_node) :: a_node, v_node, i_node, z_node, input, found
    real(real64), allocatable, target :: a(:, :)
    real(real32), target, save :: v(3, 10, 2, 2)
    integer(int32), target, save :: i4(50)
    complex(real64), target, save :: z(7)
    integer(int64) :: element, component
    integer :: stat, failures

    failures = 0
    allocate (a(0:15, 8))
    call ls_tree_new(tree, stat)
    call check(stat == LS_OK, "a tree is made")
    call ls_add_range(tree, "A", a, a_node, stat=stat)
    call check(stat == LS_OK, "real(8) of rank 2")
    call ls_add_range(tree, "velocity", v, v_node, dims=3, stat=stat)
    call check(stat == LS_OK, "real(4) of rank 4 with 3 components")
    call ls_add_range(tree, "connectivity", i4, i_node, stat=stat)
    call check(stat == LS_OK, "integer of rank 1")
    call ls_add_range(tree, "spectrum", z, z_node, stat=stat)
    call check(stat == LS_OK, "complex of rank 1")

    call ls_index_of(a_node, c_loc(a(3, 5)), element, component, stat)
    call check(stat == LS_OK .and. element == 4 * 16 + 4 .and. component == 1, "element of a matrix")
    call ls_index_of(v_node, c_loc(v(2, 10, 2, 1)), element, component)
    call check(element == 20 .and. component == 2, "element and component of a vector field")
    call ls_index_of(z_node, c_loc(z(7)), element)
    call check(element == 7, "element of a complex array")
    call ls_index_of(a_node, c_loc(z(1)), element, stat=stat)
    call check(stat == LS_ERR_RANGE, "an address outside")

    found = ls_find(tree, c_loc(i4(50)))
    call check(ls_label(found) == "connectivity", "find by address")
    call ls_add_group(tree, "Input", input, stat)
    call check(stat == LS_OK, "a group is made")
    call ls_add_member(input, a_node, stat)
    call check(stat == LS_OK, "a member joins")
    call ls_add_member(input, input, stat)
    call check(stat == LS_ERR_ARG, "a group is no member of itself")
    call ls_add_range(tree, "part", i4(1:50:2), stat=stat)
    call check(stat == LS_ERR_ARG, "a strided section is refused")

    call ls_add_range(tree, "inner", i4(11:20), found, stat=stat)
    call check(stat == LS_OK, "a nested range")
    call ls_add_range(tree, "crossing", i4(15:25), stat=stat)
    call check(stat == LS_ERR_OVERLAP, "a partial overlap is refused")
    call check(index(ls_error_text(), "crossing") > 0 .and. index(ls_error_text(), "inner") > 0, "both labels are named")
    call ls_remove(found, stat)
    call check(stat == LS_OK, "removal")
    call ls_add_range(tree, "crossing", i4(15:25), stat=stat)
    call check(stat == LS_OK, "what was in the way is gone")

    call ls_start()
    call ls_phase_begin("solve")
    call ls_phase_begin("smooth")
    call ls_phase_end("smooth")
    call ls_phase_end("solve")
    call ls_set("threshold", "20")
    call ls_dump_samples("fortran.csv", 4, 4, 4)
    call ls_stop()
    call ls_tree_free(tree)
    call check(.not. c_associated(tree%handle), "the tree is freed")
    if (failures > 0) error stop 1

contains

    subroutine check(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        if (ok) return
        failures = failures + 1
        print '(4a)', "failed: ", what, "; last error: ", ls_error_text()
    end subroutine check

end program smrtree_fortran
