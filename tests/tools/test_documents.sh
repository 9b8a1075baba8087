#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pages render without a warning and name every option; the completion offers them.
. "${top_srcdir:-.}/tests/tools/check.sh"
for page in loadstone.1 loadstone-record.1 loadstone-patterns.1 loadstone-replay.1 loadstone-stream.1 loadstone-study.1 loadstone-report.1 loadstone-resolve.1 loadstone-doctor.1 loadstone-diff.1 loadstone-gate.1 loadstone-merge.1 loadstone-view.1 loadstone-export.1 loadstone-trace.1 loadstone-environment.7; do
    must test -s "$top_builddir/tools/$page"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$top_builddir/tools/$page" 2>warnings
        [ -s warnings ] && { echo "FAIL: $page:"; cat warnings; failed=1; }
    fi
done
for command in record patterns replay stream study report view export diff gate merge resolve doctor; do
    for option in $("$loadstone" $command --help-all | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
        grep -qF -e "$(echo "--$option" | sed 's/-/\\-/g')" "$top_builddir/tools/loadstone-$command.1" ||
            { echo "FAIL: loadstone-$command.1 lacks --$option"; failed=1; }
    done
done
for variable in LOADSTONE_SPOOL LOADSTONE_OVERHEAD LOADSTONE_CONTROL LOADSTONE_DEBUG; do
    must grep -q $variable "$top_builddir/tools/loadstone-environment.7"
done
if command -v bash >/dev/null; then
    cat >try.bash <<'T'
. "$1"
COMP_WORDS=(loadstone record --over) COMP_CWORD=2
_loadstone && [[ ${COMPREPLY[*]} == --overhead ]] || { echo "FAIL: --over completes to '${COMPREPLY[*]}'"; exit 1; }
COMP_WORDS=(loadstone record --engine s) COMP_CWORD=3
_loadstone && [[ ${COMPREPLY[*]} == step ]] || { echo "FAIL: --engine s completes to '${COMPREPLY[*]}'"; exit 1; }
COMP_WORDS=(loadstone repo) COMP_CWORD=1
_loadstone && [[ ${COMPREPLY[*]} == report ]] || { echo "FAIL: repo completes to '${COMPREPLY[*]}'"; exit 1; }
COMP_WORDS=(loadstone report --by site,li) COMP_CWORD=3
_loadstone && [[ ${COMPREPLY[*]} == site,line ]] || { echo "FAIL: --by site,li completes to '${COMPREPLY[*]}'"; exit 1; }
T
    must bash try.bash "$top_builddir/tools/completion/loadstone"
fi
expect 2 "there is no page" "$loadstone" --dump-options man nonsense
exit $failed
