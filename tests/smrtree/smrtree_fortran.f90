! SPDX-License-Identifier: BSD-3-Clause
! Arrays of several types and ranks, groups, what is refused, and element indices counted from 1.
module natural_domain
    use loadstone
    use, intrinsic :: iso_c_binding, only: c_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none

contains

    type(c_ptr) function costs(node, sample, user) bind(c)
        type(c_ptr), value :: node, user
        type(ls_sample), intent(in) :: sample
        integer(int64) :: element
        call ls_index_of(ls_node(node), transfer(sample%address, node), element)
        costs = user
    end function costs

end module natural_domain

program smrtree_fortran
    use natural_domain, only: costs
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

    call domains(tree, a_node, v_node, i_node)
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

    ! a(0:15, 8), v(3, 10, 2, 2) with 3 components an element, i4(50) of which a crossing range is another node
    subroutine domains(tree, a_node, v_node, i_node)
        type(ls_tree), intent(in) :: tree
        type(ls_node), intent(in) :: a_node, v_node, i_node
        type(ls_domain) :: plate, room, mesh, other
        type(ls_node) :: group
        real(real64) :: x(6) = [0, 1, 2, 0, 1, 2], y(6) = [0, 0, 0, 1, 1, 1]
        integer(int32) :: quads(4, 2) = reshape([1, 2, 5, 4, 2, 3, 6, 5], [4, 2]), targets(50)
        call ls_new_grid(plate, "plate", [16, 8], spacing=[0.5_real64, 2.0_real64], unit="cm", stat=stat)
        call check(stat == LS_OK, "a grid is made")
        call ls_map_grid(a_node, plate, stat=stat)
        call check(stat == LS_OK, "a(16, 8) onto 16 x 8")
        call ls_new_grid(room, "room", [8, 2, 2], stat=stat)
        call ls_map_grid(v_node, room, stat=stat)
        call check(stat == LS_ERR_RANGE .and. index(ls_error_text(), "velocity") > 0, "10 columns on 8")
        call ls_map_grid(v_node, room, ghost_low=[1], ghost_high=[1], stat=stat)
        call check(stat == LS_OK, "8 columns and ghosts")
        call ls_free_domain(room)
        call ls_new_grid(room, "room", [3, 2], stat=stat)
        call ls_map_grid(a_node, room, order=LS_STRIDED, first=18_int64, stride=[2, 16], stat=stat)
        call check(stat == LS_OK, "the part a(1:5:2, 2:3)")
        call ls_new_grid(other, "plate", [1], stat=stat)
        call check(stat == LS_ERR_EXISTS, "a label is given once")
        call ls_new_grid(other, "negative", [-1, 3], stat=stat)
        call check(stat == LS_ERR_ARG, "negative extents")
        call ls_new_grid(other, "many", [1, 1, 1, 1], stat=stat)
        call check(stat == LS_ERR_ARG, "four axes")

        call ls_new_mesh(mesh, "mesh", x, y, shape=LS_QUAD, connectivity=quads, stat=stat)
        call check(stat == LS_OK, "a mesh is made")
        quads(3, 2) = 0
        call ls_new_mesh(other, "bad", x, y, shape=LS_QUAD, connectivity=quads, stat=stat)
        call check(stat == LS_ERR_RANGE .and. index(ls_error_text(), "cell 1 ") > 0, "a point 0")
        call ls_new_mesh(other, "short", x, y(:5), stat=stat)
        call check(stat == LS_ERR_ARG, "fewer y than x")
        call ls_map_mesh(a_node, mesh, LS_POINTS, stat=stat)
        call check(stat == LS_ERR_RANGE, "128 elements on 6 points")
        targets = 2
        targets(7) = 0
        call ls_map_targets(i_node, mesh, targets, stat=stat)
        call check(stat == LS_OK, "elements of an index array's targets")
        call ls_map_targets(i_node, mesh, int(targets, int64), centering=LS_POINTS, stat=stat)
        call check(stat == LS_OK, "64-bit targets, points")
        targets(9) = 3
        call ls_map_targets(i_node, mesh, targets, stat=stat)
        call check(stat == LS_ERR_RANGE .and. index(ls_error_text(), "element 8 ") > 0, "a target outside")

        call ls_map_function(a_node, costs, stat=stat)
        call check(stat /= LS_OK .and. index(ls_error_text(), "mapped already") > 0, "a function in place of a map")
        call ls_unmap(a_node)
        call ls_map_function(a_node, costs, stat=stat)
        call check(stat == LS_OK, "a function of the program's")
        call ls_unmap(v_node)
        call ls_add_group(tree, "mapped", group)
        call ls_add_member(group, v_node)
        call ls_map_function(group, costs, domain=plate, stat=stat)
        call check(stat == LS_OK, "a function for a group")
        call ls_unmap(group, stat)
        call check(stat == LS_OK, "no more")
        call ls_free_domain(mesh)
        call ls_free_domain(room)
        call ls_free_domain(plate)
    end subroutine domains

    subroutine check(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        if (ok) return
        failures = failures + 1
        print '(4a)', "failed: ", what, "; last error: ", ls_error_text()
    end subroutine check

end program smrtree_fortran
