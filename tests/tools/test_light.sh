#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The light program maps few libraries, and leads to all commands of the full one.
. "${top_srcdir:-.}/tests/tools/check.sh"
full=$top_builddir/tools/full/loadstone
printf '[{"kernel":"Gather","pattern":[0,1,2,3],"count":64}]' >suite.json
few="-l 64 -r 2 --warmups 1 --no-stream"

# ---- libraries ----

# mapped COMMAND...: the libraries that a process of the command maps, by the reports of the loader, and loads later, a line each
mapped() {
    rm -f loader.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=$scratch/loader "$@" >out 2>err </dev/null || { echo "FAIL: $*"; cat err; failed=1; }
    sed -n 's/.*calling init: //p' loader.* | sed 's,.*/,,' | sort -u
}
heavy='cairo|hdf5|archive|X11|curl|libdw|libelf|Zydis|xml|crypto|OpenCL'
# shellcheck disable=SC2086
mapped "$full" replay -p UNIFORM:8:1 $few >full.libs
if [ ! -s full.libs ]; then
    echo "not tested: mapped libraries (this loader reports none)"
else
    must grep -qE "$heavy" full.libs # the reports name libraries
    for call in "replay -p UNIFORM:8:1 $few" "replay suite.json $few --format spatter" "replay suite.json --json $few" \
        "stream -n 1000 -r 2 --warmups 1" "study --list" "study length suite.json --max-count 64 -r 2 --warmups 1" "--version" "replay --help"; do
        # shellcheck disable=SC2086
        mapped "$loadstone" $call >libs
        if grep -E "$heavy" libs; then echo "FAIL: loadstone $call maps these"; failed=1; fi
        must test "$(wc -l <libs)" -le 16
    done
fi

# ---- commands ----

# same ARGUMENT...: both programs print the same, and end with the same status
same() {
    "$loadstone" "$@" >light.out 2>light.err </dev/null
    light=$?
    "$full" "$@" >full.out 2>full.err </dev/null
    must test $light -eq $?
    cmp light.out full.out && cmp light.err full.err || { echo "FAIL: loadstone $* differs"; failed=1; }
}
"$full" --help | sed -n '/^Commands:/,/^loadstone/s/^  \([a-z]*\) .*/\1/p' >commands
must test "$(wc -l <commands)" -ge 17
while read -r command; do
    same "$command" --help
    same "$command" --help-all
    same help "$command"
    same "$command" --no-such-option
    same "$command" --dump-options
done <commands
same
same --help
same --version
same help
same help nothing
same reprot
same --dump-options man loadstone-replay
same --dump-options completion bash
same report nothing.h5
same replay nothing.json
same replay --with nothing.h5
same replay -p RAW=nothing
same replay
same stream -k nothing
same study
same study --list
same study nothing
same study length nothing.json
same study length --ranks 2

# ---- calls that the light program leaves to the full one ----

# runs PROGRAM ARGUMENT...: the light or the full program runs the call, by the libraries that are mapped
runs() {
    wanted=$1
    shift
    mapped "$loadstone" "$@" >libs
    [ -s full.libs ] || return
    if grep -qE 'hdf5' libs; then got=full; else got=light; fi
    must test "$wanted: $*" = "$got: $*"
}
gzip -k suite.json
printf '[{"kernel":"Gather","pattern":"RAW=indices","count":64}]' >names.json
i=0
while [ $i -lt 4 ]; do
    # shellcheck disable=SC2059
    printf "\\00$i\\000\\000\\000\\000\\000\\000\\000"
    i=$((i + 1))
done >indices
# shellcheck disable=SC2086
{
    runs light replay suite.json $few -o COPY
    runs full replay suite.json $few -o kept.h5
    runs full replay suite.json $few --plot kept.svg
    runs full replay suite.json $few --with kept.h5
    runs full replay suite.json.gz $few
    runs full replay -f suite.json.gz $few
    runs full replay -p FILE=suite.json.gz $few
    runs full replay names.json $few
    runs full replay -p RAW=indices $few
    runs full stream -n 1000 -r 2 --warmups 1 -o stream.h5
    runs full study length suite.json --max-count 64 -r 2 --warmups 1 -o study.h5
    runs full study length suite.json.gz --max-count 64 -r 2 --warmups 1
}
must test -s kept.h5
must test -s kept.svg
must test -s stream.h5
must test -s study.h5
mkdir empty
expect 3 "" "$loadstone" study weak --collect empty
# a file that is longer than the part that is read at once, with the name of a file across two parts
for before in 65533 65534 65535 65536 65537; do
    { printf '%*s' $before ""; printf '["kernel RAW=indices"'; } >long.json
    expect 3 "" "$loadstone" replay long.json
done
# pipes are read once
# shellcheck disable=SC2086
"$loadstone" replay -f - $few --format spatter <suite.json | grep -q '^0  ' || { echo "FAIL: standard input"; failed=1; }
mkfifo pipe
cat suite.json >pipe &
# shellcheck disable=SC2086
expect 0 "" "$loadstone" replay pipe $few
wait
# a name with which it was started
mkdir -p link
ln -s "$loadstone" link/renamed
expect 2 "Usage: loadstone COMMAND" link/renamed
exit $failed
