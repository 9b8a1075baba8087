! SPDX-License-Identifier: BSD-3-Clause
! Loadstone for Fortran: declare the meaning of arrays, and control when to sample.
!
!   use loadstone
!   type(ls_tree) :: tree
!   type(ls_node) :: a_node, input
!   call ls_tree_new(tree)
!   call ls_add_range(tree, "A", a, a_node)          ! real, integer or complex, any rank, contiguous
!   call ls_add_group(tree, "Input", input)
!   call ls_add_member(input, a_node)
!
!   type(ls_domain) :: plate
!   call ls_new_grid(plate, "plate", [nx, ny])       ! the natural domain of a(nx, ny)
!   call ls_map_grid(a_node, plate)
!
! Every routine takes an optional stat: 0, or an error code of loadstone/error.h; ls_error_text() returns its text.
! Without a recording the calls only maintain the tree. Compile and link with
!   gfortran app.f90 $(pkg-config --cflags --libs loadstone_fortran)
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

    type, public :: ls_domain ! a grid or mesh that nodes are mapped onto
        type(c_ptr) :: handle = c_null_ptr
    end type ls_domain

    integer, parameter, public :: LS_OK = 0, LS_ERR_NOMEM = 1, LS_ERR_ARG = 2, LS_ERR_RANGE = 3, LS_ERR_OVERLAP = 4
    integer, parameter, public :: LS_ERR_EXISTS = 6

    ! The order of elements in a grid: a(nx, ny, nz) has x fastest. A matrix whose x counts columns and y rows
    ! is LS_COLUMN_MAJOR in Fortran.
    integer, parameter, public :: LS_X_FASTEST = 0, LS_X_SLOWEST = 1, LS_MORTON = 2, LS_HILBERT = 3, LS_STRIDED = 4, &
                                  LS_ROW_MAJOR = LS_X_FASTEST, LS_COLUMN_MAJOR = LS_X_SLOWEST
    ! Shapes of cells, with the numbers of VTK.
    integer, parameter, public :: LS_VERTEX = 1, LS_LINE = 3, LS_TRIANGLE = 5, LS_QUAD = 9, LS_TETRA = 10, &
                                  LS_HEXAHEDRON = 12, LS_WEDGE = 13, LS_PYRAMID = 14
    integer, parameter, public :: LS_CELLS = 0, LS_POINTS = 1

    ! struct mem_sample and struct loadstone_point of loadstone/ndm.h, for natural-domain functions
    type, public, bind(c) :: ls_sample
        integer(c_int64_t) :: address, cost, ip ! cost: latency in cycles
        integer(c_int) :: level                 ! 0 L1, 1 L2, 2 L3, 3 memory; -1 unknown
        integer(c_int64_t) :: time_ns
        integer(c_int32_t) :: thread
    end type ls_sample
    type, public, bind(c) :: ls_point
        real(c_double) :: at(3) = 0
    end type ls_point

    ! A natural-domain function supplied by the program. A thread of Loadstone calls it with sampled accesses of the
    ! node. It returns c_null_ptr if it recorded the access itself, or else the c_loc of an ls_point of the domain.
    abstract interface
        type(c_ptr) function ls_natural_domain(node, sample, user) bind(c)
            import :: c_ptr, ls_sample
            type(c_ptr), value :: node, user ! node: ls_node(node) is its handle
            type(ls_sample), intent(in) :: sample
        end function ls_natural_domain
    end interface
    public :: ls_natural_domain

    public :: ls_tree_new, ls_tree_free, ls_add_range, ls_add_group, ls_add_member, ls_remove
    public :: ls_find, ls_index_of, ls_label, ls_error_text
    public :: ls_new_grid, ls_new_mesh, ls_free_domain
    public :: ls_map_grid, ls_map_mesh, ls_map_targets, ls_map_function, ls_unmap
    public :: ls_start, ls_stop, ls_phase_begin, ls_phase_end, ls_dump_samples, ls_set

    ! struct smr_spec of loadstone/smr.h
    type, bind(c) :: smr_spec
        type(c_ptr) :: label = c_null_ptr
        integer(c_intptr_t) :: start = 0, end = 0
        integer(c_size_t) :: elem_size_bytes = 0, dims = 1
    end type smr_spec

    ! The structures of loadstone/ndm.h
    type, bind(c) :: ndm_grid
        type(c_ptr) :: label = c_null_ptr
        integer(c_int32_t) :: dims = 0
        integer(c_int64_t) :: extents(3) = 1
        real(c_double) :: origin(3) = 0, spacing(3) = 0
        type(c_ptr) :: axes(3) = c_null_ptr, unit = c_null_ptr
    end type ndm_grid
    type, bind(c) :: ndm_mesh
        type(c_ptr) :: label = c_null_ptr
        integer(c_int64_t) :: points_len = 0
        type(c_ptr) :: coords(3) = c_null_ptr
        integer(c_size_t) :: coord_stride_bytes = 0
        integer(c_int64_t) :: cells_len = 0
        integer(c_int) :: shape = LS_VERTEX
        type(c_ptr) :: shapes = c_null_ptr, connectivity = c_null_ptr
        integer(c_int32_t) :: index_size_bytes = 4, index_base = 1
        type(c_ptr) :: unit = c_null_ptr
        integer(c_int64_t) :: coords_len(3) = 0, connectivity_len = 0
    end type ndm_mesh
    type, bind(c) :: ndm_layout
        integer(c_int) :: order = LS_X_FASTEST
        integer(c_int64_t) :: block(3) = 0, padded(3) = 0, ghost_low(3) = 0, ghost_high(3) = 0
        integer(c_int64_t) :: offset = 0, stride(3) = 0, elements_per_cell = 1
    end type ndm_layout
    type, bind(c) :: ndm_indirection
        type(c_ptr) :: target = c_null_ptr
        integer(c_int64_t) :: targets_len = 0
        integer(c_int32_t) :: index_size_bytes = 4, index_base = 1
        integer(c_int64_t) :: elements_per_target = 1
        integer(c_int) :: centering = LS_CELLS
    end type ndm_indirection

    ! Map element i to cell or point targets(i) of the domain; an element with a target below 1 has no position.
    interface ls_map_targets
        module procedure map_targets_int32
        module procedure map_targets_int64
    end interface ls_map_targets

    ! Register an array: ls_add_range(tree, label, array [, node] [, dims] [, stat]); dims is the number of
    ! components of an element that are adjacent in memory.
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
        integer(c_int) function ndm_domain_new_grid(grid, domain) bind(c)
            import :: c_int, c_ptr, ndm_grid
            type(ndm_grid), intent(in) :: grid
            type(c_ptr), intent(inout) :: domain
        end function ndm_domain_new_grid
        integer(c_int) function ndm_domain_new_mesh(mesh, domain) bind(c)
            import :: c_int, c_ptr, ndm_mesh
            type(ndm_mesh), intent(in) :: mesh
            type(c_ptr), intent(inout) :: domain
        end function ndm_domain_new_mesh
        subroutine ndm_domain_free(domain) bind(c)
            import :: c_ptr
            type(c_ptr), value :: domain
        end subroutine ndm_domain_free
        integer(c_int) function ndm_map_grid(node, domain, layout) bind(c)
            import :: c_int, c_ptr, ndm_layout
            type(c_ptr), value :: node, domain
            type(ndm_layout), intent(in) :: layout
        end function ndm_map_grid
        integer(c_int) function ndm_map_mesh(node, domain, centering, per_entity) bind(c)
            import :: c_int, c_ptr, c_int64_t
            type(c_ptr), value :: node, domain
            integer(c_int), value :: centering
            integer(c_int64_t), value :: per_entity
        end function ndm_map_mesh
        integer(c_int) function ndm_map_indirect(node, domain, indirection) bind(c)
            import :: c_int, c_ptr, ndm_indirection
            type(c_ptr), value :: node, domain
            type(ndm_indirection), intent(in) :: indirection
        end function ndm_map_indirect
        integer(c_int) function ndm_map_callback(node, domain, fn, user) bind(c)
            import :: c_int, c_ptr, c_funptr
            type(c_ptr), value :: node, domain, user
            type(c_funptr), value :: fn
        end function ndm_map_callback
        integer(c_int) function ndm_unmap(node) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: node
        end function ndm_unmap
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

    ! End all ranges of the tree.
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

    ! Return the innermost range that contains address (from c_loc); a null handle if there is none.
    function ls_find(tree, address) result(node)
        type(ls_tree), intent(in) :: tree
        type(c_ptr), intent(in) :: address
        type(ls_node) :: node
        node%handle = smr_tree_find(tree%handle, number_of(address))
    end function ls_find

    ! Compute element (from 1) and component (from 1) of node at address.
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

    ! Create a grid of size(extents) axes, 1 to 3: ls_new_grid(plate, "plate", [nx, ny]).
    subroutine ls_new_grid(domain, label, extents, origin, spacing, unit, stat)
        type(ls_domain), intent(out) :: domain
        character(*), intent(in) :: label
        integer, intent(in) :: extents(:)
        real(c_double), intent(in), optional :: origin(:), spacing(:) ! corner and size of the first cell
        character(*), intent(in), optional :: unit
        integer, intent(out), optional :: stat
        character(kind=c_char), target :: label_text(len_trim(label) + 1)
        character(kind=c_char), allocatable, target :: unit_text(:)
        type(ndm_grid) :: grid
        integer :: n
        label_text = c_text(label)
        grid%label = c_loc(label_text)
        grid%dims = size(extents)
        n = min(size(extents), 3)
        grid%extents(:n) = extents(:n)
        if (present(origin)) grid%origin(:min(size(origin), 3)) = origin(:min(size(origin), 3))
        if (present(spacing)) grid%spacing(:min(size(spacing), 3)) = spacing(:min(size(spacing), 3))
        if (present(unit)) then
            unit_text = c_text(unit)
            grid%unit = c_loc(unit_text)
        end if
        call report(int(ndm_domain_new_grid(grid, domain%handle)), stat)
    end subroutine ls_new_grid

    ! Create a mesh of points, and cells of one shape: connectivity(:, i) are the points of cell i, counted from 1.
    subroutine ls_new_mesh(domain, label, x, y, z, shape, connectivity, unit, stat)
        type(ls_domain), intent(out) :: domain
        character(*), intent(in) :: label
        real(c_double), intent(in), target, contiguous :: x(:)
        real(c_double), intent(in), optional, target, contiguous :: y(:), z(:)
        integer, intent(in), optional :: shape
        integer(int32), intent(in), optional, target, contiguous :: connectivity(:, :)
        character(*), intent(in), optional :: unit
        integer, intent(out), optional :: stat
        character(kind=c_char), target :: label_text(len_trim(label) + 1)
        character(kind=c_char), allocatable, target :: unit_text(:)
        type(ndm_mesh) :: mesh
        label_text = c_text(label)
        mesh%label = c_loc(label_text)
        mesh%points_len = size(x, kind=int64)
        if (size(x) > 0) mesh%coords(1) = c_loc(x)
        if (present(y)) call take_coordinate(mesh, 2, y)
        if (present(z)) call take_coordinate(mesh, 3, z)
        if (present(shape)) mesh%shape = shape
        if (present(connectivity)) then
            mesh%cells_len = size(connectivity, 2, kind=int64)
            mesh%connectivity_len = size(connectivity, kind=int64)
            if (mesh%connectivity_len > 0) mesh%connectivity = c_loc(connectivity)
        end if
        if (present(unit)) then
            unit_text = c_text(unit)
            mesh%unit = c_loc(unit_text)
        end if
        call report(int(ndm_domain_new_mesh(mesh, domain%handle)), stat)
    end subroutine ls_new_mesh

    subroutine take_coordinate(mesh, axis, values)
        type(ndm_mesh), intent(inout) :: mesh
        integer, intent(in) :: axis
        real(c_double), intent(in), target, contiguous :: values(:)
        if (size(values) == 0) return
        mesh%coords(axis) = c_loc(values)
        mesh%coords_len(axis) = size(values, kind=int64)
    end subroutine take_coordinate

    ! Free a domain. Maps onto it end; its recorded samples stay in the recording.
    subroutine ls_free_domain(domain)
        type(ls_domain), intent(inout) :: domain
        call ndm_domain_free(domain%handle)
        domain%handle = c_null_ptr
    end subroutine ls_free_domain

    ! Map the elements of node to the cells of a grid. By default node is an array a(nx, ny, nz); the arguments describe
    ! other layouts. A group maps all its ranges. first: for LS_STRIDED, the element of cell (1, 1, 1), from 1.
    subroutine ls_map_grid(node, domain, order, ghost_low, ghost_high, padded, block, first, stride, per_cell, stat)
        type(ls_node), intent(in) :: node
        type(ls_domain), intent(in) :: domain
        integer, intent(in), optional :: order, ghost_low(:), ghost_high(:), padded(:), block(:), stride(:), per_cell
        integer(int64), intent(in), optional :: first
        integer, intent(out), optional :: stat
        type(ndm_layout) :: layout
        if (present(order)) layout%order = order
        if (present(ghost_low)) layout%ghost_low = three(ghost_low)
        if (present(ghost_high)) layout%ghost_high = three(ghost_high)
        if (present(padded)) layout%padded = three(padded)
        if (present(block)) layout%block = three(block)
        if (present(stride)) layout%stride = three(stride)
        if (present(first)) layout%offset = first - 1
        if (present(per_cell)) layout%elements_per_cell = per_cell
        call report(int(ndm_map_grid(node%handle, domain%handle, layout)), stat)
    end subroutine ls_map_grid

    pure function three(values)
        integer, intent(in) :: values(:)
        integer(c_int64_t) :: three(3)
        three = 0
        three(:min(size(values), 3)) = values(:min(size(values), 3))
    end function three

    ! Map element i of node to cell (LS_CELLS) or point (LS_POINTS) i of a mesh.
    subroutine ls_map_mesh(node, domain, centering, per_entity, stat)
        type(ls_node), intent(in) :: node
        type(ls_domain), intent(in) :: domain
        integer, intent(in) :: centering
        integer, intent(in), optional :: per_entity
        integer, intent(out), optional :: stat
        integer(c_int64_t) :: together
        together = 1
        if (present(per_entity)) together = per_entity
        call report(int(ndm_map_mesh(node%handle, domain%handle, int(centering, c_int), together)), stat)
    end subroutine ls_map_mesh

    subroutine map_targets_int32(node, domain, targets, centering, per_target, stat)
        type(ls_node), intent(in) :: node
        type(ls_domain), intent(in) :: domain
        integer(int32), intent(in), target, contiguous :: targets(:)
        integer, intent(in), optional :: centering, per_target
        integer, intent(out), optional :: stat
        call map_targets(node, domain, c_loc(targets), size(targets, kind=int64), 4, centering, per_target, stat)
    end subroutine map_targets_int32

    subroutine map_targets_int64(node, domain, targets, centering, per_target, stat)
        type(ls_node), intent(in) :: node
        type(ls_domain), intent(in) :: domain
        integer(int64), intent(in), target, contiguous :: targets(:)
        integer, intent(in), optional :: centering, per_target
        integer, intent(out), optional :: stat
        call map_targets(node, domain, c_loc(targets), size(targets, kind=int64), 8, centering, per_target, stat)
    end subroutine map_targets_int64

    subroutine map_targets(node, domain, targets, len, size_bytes, centering, per_target, stat)
        type(ls_node), intent(in) :: node
        type(ls_domain), intent(in) :: domain
        type(c_ptr), intent(in) :: targets
        integer(int64), intent(in) :: len
        integer, intent(in) :: size_bytes
        integer, intent(in), optional :: centering, per_target
        integer, intent(out), optional :: stat
        type(ndm_indirection) :: indirection
        indirection%target = targets
        indirection%targets_len = len
        indirection%index_size_bytes = size_bytes
        if (present(centering)) indirection%centering = centering
        if (present(per_target)) indirection%elements_per_target = per_target
        call report(int(ndm_map_indirect(node%handle, domain%handle, indirection)), stat)
    end subroutine map_targets

    ! Let a function of the program determine the position of each access; domain: the domain of its points.
    subroutine ls_map_function(node, fn, domain, user, stat)
        type(ls_node), intent(in) :: node
        procedure(ls_natural_domain) :: fn
        type(ls_domain), intent(in), optional :: domain
        type(c_ptr), intent(in), optional :: user
        integer, intent(out), optional :: stat
        type(c_ptr) :: onto, with
        onto = c_null_ptr
        with = c_null_ptr
        if (present(domain)) onto = domain%handle
        if (present(user)) with = user
        call report(int(ndm_map_callback(node%handle, onto, c_funloc(fn), with)), stat)
    end subroutine ls_map_function

    ! End the map of node, or of all ranges of a group.
    subroutine ls_unmap(node, stat)
        type(ls_node), intent(in) :: node
        integer, intent(out), optional :: stat
        call report(int(ndm_unmap(node%handle)), stat)
    end subroutine ls_unmap

    function ls_label(node) result(text)
        type(ls_node), intent(in) :: node
        character(:), allocatable :: text
        text = f_text(smr_node_label(node%handle))
    end function ls_label

    ! Return the text of this thread's last failure; for an overlap it names both labels.
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

    ! Request a text file of the samples so far; it is written when the recording is resolved. The grid has the order
    ! of Fortran arrays, the first extent fastest.
    subroutine ls_dump_samples(path, nx, ny, nz)
        character(*), intent(in) :: path
        integer, intent(in) :: nx, ny, nz
        call dump_samples(c_text(path), int(max(nx, 0), c_int32_t), int(max(ny, 0), c_int32_t), int(max(nz, 0), c_int32_t))
    end subroutine ls_dump_samples

    ! Store a setting with the recording; "threshold" is a latency in cycles for ls_dump_samples.
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
