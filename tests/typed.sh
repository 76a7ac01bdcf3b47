#!/bin/sh
# SPDX-License-Identifier: MIT
# For tests of what stands in documents: each command of a block marked `console` is typed again in a scratch folder, and each
# line that the document shows must come.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
PATH=$(dirname "$sluice"):$PATH
LC_ALL=C.UTF-8 # bars are drawn as the locale can
export PATH LC_ALL XDG_CACHE_HOME="$scratch/cache"
cp "$source_root"/examples/tutorial/* . || exit 1
# The README is read in the folder of the sources.
mkdir build
mkdir tests
ln -s "$source_root/papers" "$source_root/workloads" "$source_root/examples" "$source_root/python" .
ln -s "$source_root/tests/programs" tests
ln -s "${SLUICE_BUILD:?}" build/release

# Each line that was expected must come, in order; "..." stands for any number of others.
compare()
{
    awk 'NR == FNR { want[++wants] = $0; next }
        at < wants && want[at + 1] == "..." { at++; skipping = 1 }
        at < wants && $0 == want[at + 1] { at++; skipping = 0; next }
        !skipping { print "not in the text: " $0; bad = 1; exit }
        END {
            if (at < wants && want[at + 1] == "...") at++
            if (!bad && at < wants) { print "missing: " want[at + 1]; bad = 1 }
            exit bad
        }' "$1" "$2"
}

check() # PAGE
{
    [ -n "$typed" ] || return 0
    it "says of '${typed%%  *}' what $1 says"
    case "$1 $typed" in
    *build/release/programs/* | *bfs.slt* | docs/walkthrough.md*)
        [ -x build/release/programs/bfs ] || { skip 'the CUDA programs were not built' && return; }
        ;;
    esac
    status=0
    eval "$typed" >said 2>&1 || status=$?
    [ "$status" = 0 ] || fail "exit code $status: $(cat said)"
    difference=$(compare expected said) || fail "$difference"
}

type_again() # PAGE
{
    awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' "$source_root/$1" >transcript
    typed='' commands=0
    : >expected
    while IFS= read -r line; do
        case $line in
        '$ '*)
            check "$1"
            typed=${line#??} commands=$((commands + 1))
            : >expected
            ;;
        *) printf '%s\n' "$line" >>expected ;;
        esac
    done <transcript
    check "$1"
    it "finds commands in $1"
    [ $commands -gt 5 ] || fail "only $commands commands were found"
}
