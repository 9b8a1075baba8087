! SPDX-License-Identifier: BSD-3-Clause
! Ways to allocate in Fortran. A comment after a line, marked by "=", has the names that a person would give to the memory
! allocated there, in this order: idioms_check.py compares them.
module idioms_mod
  implicit none
  type cell
    real(8), allocatable :: list(:)
  end type
  type mesh
    real(8), allocatable :: x(:), y(:)
    type(cell), allocatable :: cells(:)
    real(8), pointer :: p(:)
  end type
  real(8), allocatable :: field(:), global(:, :)
contains
  subroutine alloc_field(x, n)
    real(8), allocatable, intent(out) :: x(:)
    integer, intent(in) :: n
    allocate(x(n))
    x = 1
  end subroutine
  subroutine mesh_init(m, n)
    type(mesh), intent(inout) :: m
    integer, intent(in) :: n
    integer :: i
    allocate(m%x(n)) != m%x
    allocate( m%y(n) ) != m%y
    allocate(m%cells(n)) != m%cells
    do i = 1, 3
      allocate(m%cells(i)%list(n)) != m%cells%list
    end do
    ALLOCATE(m%p(n), STAT=i) != m%p
    m%p = 2
  end subroutine
end module

program idioms
  use idioms_mod
  implicit none
  integer, parameter :: n = 8192
  real(8), allocatable :: a(:), b(:), c(:), u(:), v(:), w(:), s(:), temp(:), d(:)
  real(8), pointer :: ptr(:)
  type(mesh) :: m
  integer :: err
  allocate(a(n)) != a
  allocate(b(n), c(n + 1)) != b, c
  allocate(u(n), &
           v(n + 1), &
           stat=err) != u, v
  if (.not. allocated(field)) allocate(field(n)) != field
  allocate(global(n, 2), source=1d0) != global
  allocate(ptr(n)) != ptr
  a = 1; b = 2; c = 3; u = 4; v = 5; field = 6; ptr = 7
  w = a * 2 != w
  s = [a, b] != s
  call alloc_field(temp, n) != temp
  call mesh_init(m, n)
  m%x = 1; m%y = 2
  d = get(n) != d
  print *, sum(a) + sum(b) + sum(c) + sum(u) + sum(v) + sum(w) + sum(s) + sum(temp) + sum(d) + sum(global) + sum(ptr) &
    + sum(field) + sum(m%x) + sum(m%y) + sum(m%p)
contains
  function get(k) result(r)
    integer, intent(in) :: k
    real(8), allocatable :: r(:)
    allocate(r(k))
    r = 3
  end function
end program
