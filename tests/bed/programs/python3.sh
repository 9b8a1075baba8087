# SPDX-License-Identifier: BSD-3-Clause
# packages: python3
exec /usr/bin/python3 - <<'P'
words = {}
x = 12345
for i in range(1_500_000):
    x = (x * 1103515245 + 12345) % 2147483648
    key = "w%d" % (x % 200_003)
    words[key] = words.get(key, 0) + 1
top = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:5]
print(top, len(words))
class Node:
    __slots__ = ("left", "right")
    def __init__(self, left, right): self.left, self.right = left, right
def tree(depth): return Node(tree(depth - 1), tree(depth - 1)) if depth else None
def count(node): return 1 + count(node.left) + count(node.right) if node else 0
print(count(tree(18)))
P
