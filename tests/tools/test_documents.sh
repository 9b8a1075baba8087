#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pages render without a warning and name every option; the completions of the shells offer them.
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
if command -v zsh >/dev/null; then
    # the specifications as zsh's own function receives them, and a word that it completes
    must zsh -f -c 'compdef() :; _describe() print -rl -- $names; _arguments() print -rl -- "$@"
        words=(loadstone re) CURRENT=2; source $1; words=(loadstone record --) CURRENT=3; source $1' zsh "$top_builddir/tools/completion/_loadstone" >specified
    must grep -q '^report:..*' specified
    must grep -qF -e '--overhead=[' specified
    must grep -qF -e '(auto ' specified
    cat >try.zsh <<'T'
zmodload zsh/zpty || exit 77
zpty shell "TERM=dumb PS1= zsh -f -i"
zpty -w shell "fpath=(${1:h} \$fpath); autoload -U compinit; compinit -u -D; echo ready"
zpty -r shell text '*ready*ready*'
zpty -w -n shell $'loadstone record --overh\t'
turns=300 text=
while (( turns-- > 0 )); do
    zpty -r -t shell part && text+=$part
    [[ $text == *--overhead* ]] && break
    sleep 0.1
done
zpty -d shell
[[ $text == *--overhead* ]] || { print -r -- "FAIL: zsh completes --overh to: $text"; exit 1; }
T
    must zsh -f try.zsh "$top_builddir/tools/completion/_loadstone"
fi
if command -v fish >/dev/null; then
    complete() { HOME=$scratch fish --no-config -c "source '$top_builddir/tools/completion/loadstone.fish'; complete -C '$1'" | sed 's/\t.*//'; }
    must test "$(complete 'loadstone record --over')" = --overhead
    must test "$(complete 'loadstone repo')" = report
    must test "$(complete 'loadstone record --engine st')" = step
    must test "$(complete 'loadstone report --by site,thr')" = site,thread
fi
expect 2 "only for bash, zsh and fish" "$loadstone" --dump-options completion csh
expect 2 "there is no page" "$loadstone" --dump-options man nonsense
exit $failed
