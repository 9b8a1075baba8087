! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module against the real library: element indices, groups, errors that name both labels.
program test_loadstone
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64, real64, real32
    use loadstone
    implicit none
    type(ls_tree) :: tree
    type(ls_node) :: a_node, v_node, input, found
    real(real64), allocatable, target :: a(:, :)
    real(real32), target, save :: v(3, 100)
    integer(int64) :: element, component
    integer :: stat, failures = 0

    allocate (a(16, 8))
    a = 0
    v = 0
    call ls_tree_new(tree, stat)
    call check(stat == LS_OK, "a tree is made")
    call ls_add_range(tree, "A", a, a_node, stat=stat)
    call check(stat == LS_OK, "a rank-2 array is registered")
    call ls_add_range(tree, "velocity", v, v_node, dims=3, stat=stat)
    call check(stat == LS_OK, "a vector array is registered")
    call ls_add_group(tree, "Input", input, stat)
    call check(stat == LS_OK, "a group is made")
    call ls_add_member(input, a_node, stat)
    call check(stat == LS_OK, "a range joins a group")

    call ls_index_of(a_node, c_loc(a(3, 2)), element, stat=stat)
    call check(stat == LS_OK .and. element == 16 + 3, "a(3,2) is element 19")
    call ls_index_of(v_node, c_loc(v(2, 7)), element, component, stat)
    call check(stat == LS_OK .and. element == 7 .and. component == 2, "v(2,7) is component 2 of element 7")

    found = ls_find(tree, c_loc(a(16, 8)))
    call check(c_associated(found%handle), "the last element is found")
    if (c_associated(found%handle)) call check(ls_label(found) == "A", "the range found is A")
    call ls_index_of(a_node, c_loc(v), element, stat=stat)
    call check(stat /= LS_OK, "an address outside a node has no index there")

    call ls_add_range(tree, "strided", a(1:16:2, :), stat=stat)
    call check(stat == LS_ERR_ARG, "a section that is not contiguous is refused")
    call ls_add_range(tree, "tail", a(:, 8), stat=stat)
    call check(stat == LS_OK, "a contiguous section nests")

    call ls_phase_begin("solve")
    call ls_start()
    call ls_stop()
    call ls_phase_end("solve")

    call ls_remove(v_node, stat)
    call check(stat == LS_OK, "a range is removed")
    found = ls_find(tree, c_loc(v))
    call check(.not. c_associated(found%handle), "a removed range is not found")
    call ls_tree_free(tree)
    if (failures > 0) error stop 1

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (holds) return
        failures = failures + 1
        print "(2a)", "FAILED: ", what
    end subroutine check

end program test_loadstone
