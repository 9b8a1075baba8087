# SPDX-License-Identifier: BSD-3-Clause
# packages: lua5.4
exec lua5.4 -e 'local t, x = {}, 12345
for i = 1, 3000000 do x = (x * 1103515245 + 12345) % 2147483648; local k = "k" .. x % 100003; t[k] = (t[k] or 0) + 1 end
local n, m = 0, 0; for _, v in pairs(t) do n = n + 1; if v > m then m = v end end print(n, m)'
