#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In each group of texts (comments of the product, pages, comments of tests, comments of bench, examples and scripts) at most 1 %
# contain a phrase that plain technical English hardly ever needs (CONTRIBUTING.md, Language), and the lint that counts them sees one.
command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }
lint=${top_srcdir:-.}/tests/lint/language.py
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# counts TEXTS MARKED FILE: the lint finds this number of texts in the standard input, saved as FILE
counts() {
    cat >"$work/$3"
    python3 "$lint" "$work/$3" | grep -Eq "^all +$1 +$2 " && return
    echo "FAIL: $3 should have $1 texts, $2 of them marked:"
    python3 "$lint" "$work/$3"
    failed=1
}
counts 4 3 a.c <<'EOT'
/* Return the slot that holds the key. */
/* What is behind it was told. */
int x; // "what" is two words
// One comment of two lines,
// which says nothing.
const char *s = "/* what is told */";
EOT
counts 4 2 a.py <<'EOT'
# SPDX-License-Identifier: BSD-3-Clause
"""What the module does.

usage: a plain line of text"""
x = "# what is told here"  # those that are left
# A comment of two lines that
# ends here without a phrase.
EOT
counts 2 1 a.sh <<'EOT'
#!/bin/sh what is told here
echo "a plain string" # of what is left over
# A whole line without a phrase.
EOT
counts 6 3 a.md <<'EOT'
# A heading of words

A paragraph whose `code says what` is left out.
* An item that is said.

| a cell without | a cell that says so | two words |
|---|---|---|
```
what is told in a block of code
```
The rest lies here.
EOT

cd "${top_srcdir:-.}" || exit 99
# group NAME LEAST FILE...: at most 1 % of the texts of at least LEAST files are marked
group() {
    local name=$1 least=$2 all
    shift 2
    [ $# -ge "$least" ] || { echo "FAIL: $name: only $# files were found"; failed=1; return; }
    all=$(python3 tests/lint/language.py "$@" | tail -1)
    echo "$name: $all"
    all=${all##* }
    case $all in 0.* | 1.0) return ;; esac
    echo "FAIL: $name: reword these:"
    python3 tests/lint/language.py --list "$@"
    failed=1
}
# sources FOLDER...: files with comments below these folders
sources() {
    find "$@" \( -name node_modules -o -name modules -o -name bundle -o -name 'loadstone-*' -o -name '_build' -o -name 'corpus-*' -o -name data \) -prune -o -type f \
        \( -name '*.[chS]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' -o -name '*.inc' -o -name '*.mk' -o -name '*.m4' -o -name '*.mjs' \
        -o -name '*.js' -o -name '*.css' -o -name check -o -name demo -o -name deps \) -print | grep -v '^tests/lint/language.py$\|^tests/lint/test_language.sh$'
}
mapfile -t product < <(sources $(ls -d */local.mk | cut -d/ -f1 | grep -vx -e bench -e doc -e examples -e scripts -e tests))
mapfile -t tests < <(sources tests)
mapfile -t others < <(sources bench examples scripts; ls m4/ls_*.m4)
group product 500 "${product[@]}"
group pages 20 doc/*.md README.md ARCHITECTURE.md CONTRIBUTING.md
group tests 300 "${tests[@]}"
group "bench, examples, scripts" 60 "${others[@]}"
exit $failed
