! SPDX-License-Identifier: BSD-3-Clause
! Loadstone for Fortran: tell which array means what, and when to sample.
!
!   use loadstone
!   type(ls_tree) :: tree
!   type(ls_node) :: a_node, input
!   call ls_tree_new(tree)
!   call ls_add_range(tree, "A", a, a_node)          ! real, integer or complex, any rank, contiguous
!   call ls_add_group(tree, "Input", input)
!   call ls_add_member(input, a_node)
!
! Every routine takes an optional stat: 0, or a code of loadstone/error.h whose text ls_error_text() returns.
! Without a recording the calls keep the tree and cost nothing else. Link with -lloadstone_fortran -lloadstone.
! Indices are Fortran's: the first element is 1. Arrays must be targets that stay where they are (allocatable,
! save or main-program arrays); a copy the compiler makes for a non-contiguous section cannot be registered.
module loadstone
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none
    private

    type, public :: ls_tree
        type(c_ptr) :: handle = c_null_ptr
    end type ls_tree
    type, public :: ls_node
        type(c_ptr) :: handle = c_null_ptr
    end type ls_node

    integer, parameter, public :: LS_OK = 0, LS_ERR_NOMEM = 1, LS_ERR_ARG = 2, LS_ERR_RANGE = 3, LS_ERR_OVERLAP = 4

    public :: ls_tree_new, ls_tree_free, ls_add_range, ls_add_group, ls_add_member, ls_remove
    public :: ls_find, ls_index_of, ls_label, ls_error_text
    public :: ls_start, ls_stop, ls_phase_begin, ls_phase_end, ls_dump_samples, ls_set

    ! struct smr_spec of loadstone/smr.h
    type, bind(c) :: smr_spec
        type(c_ptr) :: label = c_null_ptr
        integer(c_intptr_t) :: start = 0, end = 0
        integer(c_size_t) :: elem_size_bytes = 0, dims = 1
    end type smr_spec

    ! Register an array: ls_add_range(tree, label, array [, node] [, dims] [, stat]); dims is the number of
    ! components of an element that stand side by side in memory.
    interface ls_add_range
        module procedure add_real32
        module procedure add_real64
        module procedure add_int32
        module procedure add_int64
        module procedure add_complex32
        module procedure add_complex64
    end interface ls_add_range

    interface
        integer(c_int) function smr_tree_new(tree) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: tree
        end function smr_tree_new
        subroutine smr_tree_free(tree) bind(c)
            import :: c_ptr
            type(c_ptr), value :: tree
        end subroutine smr_tree_free
        integer(c_int) function smr_tree_insert(tree, spec, node) bind(c)
            import :: c_int, c_ptr, smr_spec
            type(c_ptr), value :: tree
            type(smr_spec), intent(in) :: spec
            type(c_ptr), intent(out) :: node
        end function smr_tree_insert
        integer(c_int) function smr_tree_insert_group(tree, label, node) bind(c)
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: tree
            character(kind=c_char), intent(in) :: label(*)
            type(c_ptr), intent(out) :: node
        end function smr_tree_insert_group
        integer(c_int) function smr_node_add_member(group, member) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: group, member
        end function smr_node_add_member
        integer(c_int) function smr_node_remove(node) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: node
        end function smr_node_remove
        type(c_ptr) function smr_tree_find(tree, addr) bind(c)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: tree
            integer(c_int64_t), value :: addr
        end function smr_tree_find
        integer(c_int) function smr_node_index_of(node, addr, element, component) bind(c)
            import :: c_int, c_ptr, c_int64_t
            type(c_ptr), value :: node
            integer(c_int64_t), value :: addr
            integer(c_int64_t), intent(out) :: element, component
        end function smr_node_index_of
        type(c_ptr) function smr_node_label(node) bind(c)
            import :: c_ptr
            type(c_ptr), value :: node
        end function smr_node_label
        type(c_ptr) function ls_last_error() bind(c)
            import :: c_ptr
        end function ls_last_error
        subroutine ls_start() bind(c, name="loadstone_start")
        end subroutine ls_start
        subroutine ls_stop() bind(c, name="loadstone_stop")
        end subroutine ls_stop
        subroutine phase_begin(name) bind(c, name="loadstone_phase_begin")
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine phase_begin
        subroutine phase_end(name) bind(c, name="loadstone_phase_end")
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine phase_end
        subroutine dump_samples(path, nx, ny, nz) bind(c, name="loadstone_dump_samples")
            import :: c_char, c_int32_t
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int32_t), value :: nx, ny, nz
        end subroutine dump_samples
        subroutine set(name, value) bind(c, name="loadstone_set")
            import :: c_char
            character(kind=c_char), intent(in) :: name(*), value(*)
        end subroutine set
        integer(c_size_t) function strlen(text) bind(c)
            import :: c_size_t, c_ptr
            type(c_ptr), value :: text
        end function strlen
    end interface

contains

    subroutine ls_tree_new(tree, stat)
        type(ls_tree), intent(out) :: tree
        integer, intent(out), optional :: stat
        call report(int(smr_tree_new(tree%handle)), stat)
    end subroutine ls_tree_new

    ! Ends all ranges of the tree.
    subroutine ls_tree_free(tree)
        type(ls_tree), intent(inout) :: tree
        call smr_tree_free(tree%handle)
        tree%handle = c_null_ptr
    end subroutine ls_tree_free

    subroutine ls_add_group(tree, label, node, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        type(ls_node), intent(out) :: node
        integer, intent(out), optional :: stat
        call report(int(smr_tree_insert_group(tree%handle, c_text(label), node%handle)), stat)
    end subroutine ls_add_group

    ! Put a range or a group into a group.
    subroutine ls_add_member(group, member, stat)
        type(ls_node), intent(in) :: group, member
        integer, intent(out), optional :: stat
        call report(int(smr_node_add_member(group%handle, member%handle)), stat)
    end subroutine ls_add_member

    subroutine ls_remove(node, stat)
        type(ls_node), intent(inout) :: node
        integer, intent(out), optional :: stat
        call report(int(smr_node_remove(node%handle)), stat)
        node%handle = c_null_ptr
    end subroutine ls_remove

    ! The innermost range that holds address (from c_loc); a null handle when there is none.
    function ls_find(tree, address) result(node)
        type(ls_tree), intent(in) :: tree
        type(c_ptr), intent(in) :: address
        type(ls_node) :: node
        node%handle = smr_tree_find(tree%handle, number_of(address))
    end function ls_find

    ! Element (from 1) and component (from 1) of address in node.
    subroutine ls_index_of(node, address, element, component, stat)
        type(ls_node), intent(in) :: node
        type(c_ptr), intent(in) :: address
        integer(int64), intent(out) :: element
        integer(int64), intent(out), optional :: component
        integer, intent(out), optional :: stat
        integer(c_int64_t) :: e, c
        e = -1
        c = -1
        call report(int(smr_node_index_of(node%handle, number_of(address), e, c)), stat)
        element = e + 1
        if (present(component)) component = c + 1
    end subroutine ls_index_of

    function ls_label(node) result(text)
        type(ls_node), intent(in) :: node
        character(:), allocatable :: text
        text = f_text(smr_node_label(node%handle))
    end function ls_label

    ! The text of this thread's last failure: names both labels of an overlap.
    function ls_error_text() result(text)
        character(:), allocatable :: text
        text = f_text(ls_last_error())
    end function ls_error_text

    subroutine ls_phase_begin(name)
        character(*), intent(in) :: name
        call phase_begin(c_text(name))
    end subroutine ls_phase_begin

    subroutine ls_phase_end(name)
        character(*), intent(in) :: name
        call phase_end(c_text(name))
    end subroutine ls_phase_end

    ! Ask for a text file of the samples so far: resolve writes it. The grid is that of Fortran arrays, the
    ! first extent fastest.
    subroutine ls_dump_samples(path, nx, ny, nz)
        character(*), intent(in) :: path
        integer, intent(in) :: nx, ny, nz
        call dump_samples(c_text(path), int(max(nx, 0), c_int32_t), int(max(ny, 0), c_int32_t), int(max(nz, 0), c_int32_t))
    end subroutine ls_dump_samples

    ! Keep a setting with the recording; "threshold" is a latency in cycles for ls_dump_samples.
    subroutine ls_set(name, value)
        character(*), intent(in) :: name, value
        call set(c_text(name), c_text(value))
    end subroutine ls_set

    subroutine report(code, stat)
        integer, intent(in) :: code
        integer, intent(out), optional :: stat
        if (present(stat)) stat = code
    end subroutine report

    function c_text(text) result(c)
        character(*), intent(in) :: text
        character(kind=c_char) :: c(len_trim(text) + 1)
        integer :: i
        do i = 1, len_trim(text)
            c(i) = text(i:i)
        end do
        c(len_trim(text) + 1) = c_null_char
    end function c_text

    function f_text(p) result(text)
        type(c_ptr), intent(in) :: p
        character(:), allocatable :: text
        character(kind=c_char), pointer :: c(:)
        integer :: i, n
        text = ""
        if (.not. c_associated(p)) return
        n = int(strlen(p))
        call c_f_pointer(p, c, [n])
        text = repeat(" ", n)
        do i = 1, n
            text(i:i) = c(i)
        end do
    end function f_text

    pure function number_of(address) result(n)
        type(c_ptr), intent(in) :: address
        integer(c_int64_t) :: n
        n = transfer(address, n)
    end function number_of

    subroutine add_extent(tree, label, address, elements, elem_size_bytes, contiguous, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        type(c_ptr), intent(in) :: address
        integer(int64), intent(in) :: elements
        integer, intent(in) :: elem_size_bytes
        logical, intent(in) :: contiguous
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        character(kind=c_char), target :: text(len_trim(label) + 1)
        type(smr_spec) :: spec
        type(c_ptr) :: handle
        if (.not. contiguous) then
            call report(LS_ERR_ARG, stat)
            return
        end if
        text = c_text(label)
        spec%label = c_loc(text)
        spec%start = transfer(address, spec%start)
        spec%end = spec%start + elements * elem_size_bytes
        spec%elem_size_bytes = elem_size_bytes
        if (present(dims)) spec%dims = dims
        handle = c_null_ptr
        call report(int(smr_tree_insert(tree%handle, spec, handle)), stat)
        if (present(node)) node%handle = handle
    end subroutine add_extent

    subroutine add_real32(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        real(real32), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        real(real32) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_real32

    subroutine add_real64(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        real(real64), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        real(real64) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_real64

    subroutine add_int32(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        integer(int32), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        integer(int32) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_int32

    subroutine add_int64(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        integer(int64), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        integer(int64) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_int64

    subroutine add_complex32(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        complex(real32), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        complex(real32) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_complex32

    subroutine add_complex64(tree, label, array, node, dims, stat)
        type(ls_tree), intent(in) :: tree
        character(*), intent(in) :: label
        complex(real64), intent(in), target :: array(..)
        type(ls_node), intent(out), optional :: node
        integer, intent(in), optional :: dims
        integer, intent(out), optional :: stat
        complex(real64) :: one
        call add_extent(tree, label, c_loc(array), size(array, kind=int64), storage_size(one) / 8, &
                        is_contiguous(array), node, dims, stat)
    end subroutine add_complex64

end module loadstone
