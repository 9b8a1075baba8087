# SPDX-License-Identifier: BSD-3-Clause
# packages: perl
exec perl -e '
my ($x, %h, @l) = (12345);
for my $i (1 .. 1_500_000) { $x = ($x * 1103515245 + 12345) % 2147483648; $h{$x % 250007} .= chr(97 + $i % 26); push @l, $x if $i % 3 == 0 }
my $n = 0; for (values %h) { $n++ while /[aeiou]./g }
@l = sort { $a <=> $b } @l;
print scalar(keys %h), " $n $l[1000]\n";'
