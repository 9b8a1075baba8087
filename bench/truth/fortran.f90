! SPDX-License-Identifier: BSD-3-Clause
! Two Fortran subroutines in equal shares: a stencil over 16 MB and a sum of square roots.
module truth_fortran_work
    use, intrinsic :: iso_c_binding
    implicit none
    real(8), save :: field(1000, 2000) = 1
    real(8), volatile, save :: total = 0
    interface
        function truth_phase_new(kind, name, data) bind(c)
            import
            integer(c_int), value :: kind
            character(kind=c_char), intent(in) :: name(*), data(*)
            type(c_ptr) :: truth_phase_new
        end function
        subroutine truth_slice(phase, work) bind(c)
            import
            type(c_ptr), value :: phase
            type(c_funptr), value :: work
        end subroutine
        subroutine truth_print() bind(c)
        end subroutine
    end interface
contains
    subroutine fortran_stencil() bind(c)
        integer, save :: column = 2
        integer :: i, j
        do j = column, column + 200
            do i = 2, 999
                field(i, j) = 0.25 * (field(i - 1, j) + field(i + 1, j) + field(i, j - 1) + field(i, j + 1))
            end do
        end do
        column = mod(column + 200, 1600) + 2
    end subroutine
    subroutine fortran_roots() bind(c)
        integer :: i
        real(8) :: x
        x = total + 2
        do i = 1, 100000
            x = sqrt(x + 2)
        end do
        total = x
    end subroutine
end module

program truth_fortran
    use truth_fortran_work
    implicit none
    type(c_ptr) :: of_stencil, of_roots
    integer :: round
    of_stencil = truth_phase_new(0, c_char_'fortran_stencil' // c_null_char, c_char_'truth_fortran_work::field' // c_null_char)
    of_roots = truth_phase_new(0, c_char_'fortran_roots' // c_null_char, c_char_'no data (computing)' // c_null_char)
    do round = 1, 2000
        call truth_slice(of_stencil, c_funloc(fortran_stencil))
        call truth_slice(of_roots, c_funloc(fortran_roots))
    end do
    call truth_print()
end program
