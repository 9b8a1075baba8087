! SPDX-License-Identifier: BSD-3-Clause
program stencil
  implicit none
  integer, parameter :: n = 1200
  real(8) :: u(n, n), v(n, n)
  common /grid/ u, v
  real(8), allocatable :: weight(:, :)
  integer :: i, j, step
  allocate (weight(n, n))
  do j = 1, n
    do i = 1, n
      u(i, j) = mod(i*7919 + j*104729, 1009)/1009d0
      weight(i, j) = 0.2d0 + 0.01d0*mod(i + j, 3)
    end do
  end do
  do step = 1, 1000
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = weight(i, j)*(u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    u(2:n - 1, 2:n - 1) = v(2:n - 1, 2:n - 1)
  end do
  print '(es20.10)', sum(u)
end program
