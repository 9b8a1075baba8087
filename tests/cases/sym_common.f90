! SPDX-License-Identifier: BSD-3-Clause
! COMMON blocks and module variables are known by the names in the source.
module weather
   implicit none
   real(8) :: wind(1000)
end module weather

subroutine step(n)
   use weather
   implicit none
   integer, intent(in) :: n
   integer :: i
   real(8) :: heat(1000)
   integer :: marks(500)
   real(4) :: loose(300)
   integer, save :: rounds(1000)
   common /plate/ heat, marks
   common loose
   do i = 1, n
      heat(mod(i, 1000) + 1) = heat(mod(i, 1000) + 1) + 1
      marks(mod(i, 500) + 1) = marks(mod(i, 500) + 1) + 1
      loose(mod(i, 300) + 1) = loose(mod(i, 300) + 1) + 1
      wind(mod(i, 1000) + 1) = wind(mod(i, 1000) + 1) + 1
      rounds(mod(i, 1000) + 1) = rounds(mod(i, 1000) + 1) + 1
   end do
   if (n == 1) then
      call report('heat', loc(heat), 8000, 8)
      call report('marks', loc(marks), 2000, 4)
      call report('loose', loc(loose), 1200, 4)
      call report('weather::wind', loc(wind), 8000, 8)
      call report('step::rounds', loc(rounds), 4000, 4)
   end if
contains
   subroutine report(label, base, length, element)
      character(*), intent(in) :: label
      integer(8), intent(in) :: base
      integer, intent(in) :: length, element
      print '(a, " MAIN symbol ", i0, " ", i0, " ", i0, " 0 18446744073709551615")', label, base, base + length, element
   end subroutine report
end subroutine step

program plate_program
   implicit none
   character(20) :: argument
   integer(8) :: now, begin, rate
   integer :: ms
   call get_command_argument(1, argument)
   read (argument, *) ms
   call step(1)
   call system_clock(begin, rate)
   do
      call step(100000)
      call system_clock(now)
      if ((now - begin) * 1000 / rate >= ms) exit
   end do
end program plate_program
