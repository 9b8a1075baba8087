#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A reader of README.md who types its commands gets its outputs, apart from the figures.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python sys
needs_runtime
needs_step
command -v g++ >/dev/null || skip "no g++ here"
mkdir bin
ln -s "$loadstone" bin/loadstone
for example in matmul_naive particles_whole spmv; do ln -s "$top_builddir/examples/$example" $example; done
printf '#!/bin/sh\nexec ./matmul_naive 256\n' >program
chmod 755 program
cat >bin/compile <<E
#!/bin/sh
exec g++ -std=c++11 -I'$top_srcdir/include' "\$@" -L'$top_builddir/.libs' -Wl,-rpath,'$top_builddir/.libs' -lloadstone
E
chmod 755 bin/compile
PATH=$scratch/bin:$PATH
# The sizes of the README take half a minute; smaller ones print the same lines.
sed 's/matmul_naive 1024$/matmul_naive 1200/; s/spmv 1000 refined 381$/spmv 400 refined 381/' "$top_srcdir/README.md" >small.md
must test "$(diff "$top_srcdir/README.md" small.md | grep -c '^>')" -eq 2
must "$python" "$top_srcdir/tests/cases/readme.py" small.md
exit $failed
