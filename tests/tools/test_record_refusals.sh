#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Invocations that record refuses before anything is started, each with its reason and status.
. "${top_srcdir:-.}/tests/tools/check.sh"
expect 127 "no such program in PATH" "$loadstone" record no-such-program-here
expect 127 "No such file" "$loadstone" record ./nowhere/program
expect 126 "is a directory" "$loadstone" record /
echo data >plain
expect 126 "is not executable" "$loadstone" record ./plain
printf '#!/no/such/interpreter\n' >script
chmod +x script
expect 126 "interpreter" "$loadstone" record ./script
printf 'a\0b' >binary
chmod +x binary
expect 126 "neither a program nor a script" "$loadstone" record ./binary
printf '\177ELF\001\001\001\0\0\0\0\0\0\0\0\0\002\0\003\0\001\0\0\0%064d' 0 >elf32
chmod +x elf32
expect 126 "another machine" "$loadstone" record ./elf32
echo 'int main(void) { return 0; }' >main.c
if ${CC:-cc} -static -o static main.c 2>/dev/null; then
    expect 126 "statically linked" "$loadstone" record ./static
    printf '#!%s/static\n' "$scratch" >wrapped
    chmod +x wrapped
    expect 126 "statically linked" "$loadstone" record ./wrapped
else
    echo "note: no static C library here, static programs are tested by test_rec_target only"
fi
if [ "$(id -u)" -eq 0 ] && cp /bin/true setuid 2>/dev/null && chown 65534 setuid 2>/dev/null && chmod 4755 setuid &&
    ! findmnt -no OPTIONS -T . 2>/dev/null | grep -q nosuid; then
    expect 126 "is setuid" "$loadstone" record ./setuid
fi
echo keep >present.h5
expect 125 "--force overwrites it" "$loadstone" record -o present.h5 true
must test "$(cat present.h5)" = keep
cp /bin/true program
expect 125 "is a program or a library" "$loadstone" record --force -o program ./program
must cmp -s /bin/true program
expect 125 "cannot write to directory" "$loadstone" record -o no/such/dir/run.h5 true
expect 125 "which is not there" env LOADSTONE_PRELOAD=/no/such/file "$loadstone" record true
must test -z "$(ls -d loadstone-spool* 2>/dev/null)"
exit $failed
