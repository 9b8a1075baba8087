#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The scalar baseline is scalar: no vector instruction in its objects, and the other methods' objects show that this test sees
# them. It does not call memcpy either, which may use vector instructions.
cd "${top_builddir:-.}" || exit 99
command -v objdump >/dev/null || { echo "SKIP: objdump is not installed"; exit 77; }
case $(uname -m) in
x86_64) ;;
*) echo "SKIP: the patterns below are x86-64's"; exit 77 ;;
esac
failed=0
# Packed arithmetic and moves; scalar floating point uses xmm registers with ss and sd instructions and whole-register copies.
packed='%[yz]mm|\b(add|sub|mul|div|unpck[lh])p[sd]\b|\b(v?mov(u|nt)p[sd]|v?mov(dqu|ntdq|ups|upd)[0-9]*)\b|\bvp?(gather|scatter)|\bp(add|mul|unpck|shuf)[a-z]*\b'

object_of() {
    find kernels -name "lib*-$1.o" -path '*.libs*' | head -n 1
}

code_of() {
    objdump -d --no-show-raw-insn "$1"
}

for name in kn_var_scalar kn_var_operations kn_loop_scalar; do
    object=$(object_of $name)
    [ -n "$object" ] || { echo "FAIL: no object of $name"; exit 1; }
    if code_of "$object" | grep -nE "$packed" | head -n 5 | grep .; then
        echo "FAIL: $name holds the vector instructions above"
        failed=1
    fi
    if nm -u "$object" | grep -E 'mem(cpy|move|set)'; then
        echo "FAIL: $name calls the function above instead of its loop"
        failed=1
    fi
    [ "$(code_of "$object" | grep -c ret)" -ge 20 ] || { echo "FAIL: $name holds no loops: the wrong object?"; failed=1; }
done
for name in kn_var_avx512 kn_loop_avx2; do
    code_of "$(object_of $name)" | grep -qE "$packed" || { echo "FAIL: no vector instruction in $name: this test is blind"; failed=1; }
done
exit $failed
