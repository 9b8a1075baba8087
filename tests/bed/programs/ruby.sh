# SPDX-License-Identifier: BSD-3-Clause
# packages: ruby
exec ruby -e 'x = 12345; h = Hash.new(0); l = []
1500000.times { |i| x = (x * 1103515245 + 12345) % 2147483648; h["k#{x % 100003}"] += 1; l << x if i % 3 == 0 }
l.sort!; puts h.size, h.values.max, l[1000], (1..400).inject(:*).to_s.size'
