# SPDX-License-Identifier: BSD-3-Clause
# packages: nodejs
exec node -e '
let x = 12345, map = new Map(), cells = new Float64Array(1 << 21);
for (let i = 0; i < 3000000; i++) {
  x = (Math.imul(x, 1103515245) + 12345) >>> 0;
  map.set("k" + x % 100003, i); cells[x % cells.length] += i;
}
let sum = 0; for (let i = 0; i < cells.length; i++) sum += cells[i];
const list = Array.from({length: 400000}, (_, i) => ({key: (i * 7919) % 400009, text: "t" + i}));
list.sort((a, b) => a.key - b.key);
console.log(map.size, sum, list[777].text, JSON.stringify(list).length);'
