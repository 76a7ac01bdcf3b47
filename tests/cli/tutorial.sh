#!/bin/sh
# The tutorial says what the program says: what stands in its blocks marked `console` is typed again.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
PATH=$(dirname "$sluice"):$PATH
LC_ALL=C.UTF-8 # bars are drawn as the locale can
export PATH LC_ALL
cp "$source_root"/examples/tutorial/* . || exit 1
awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' "$source_root/docs/tutorial.md" >transcript

# Each line that was expected must come, in order; "..." stands for any number of others.
compare()
{
    awk 'NR == FNR { want[++wants] = $0; next }
        at < wants && want[at + 1] == "..." { at++; skipping = 1 }
        at < wants && $0 == want[at + 1] { at++; skipping = 0; next }
        !skipping { print "not in the tutorial: " $0; bad = 1; exit }
        END {
            if (at < wants && want[at + 1] == "...") at++
            if (!bad && at < wants) { print "missing: " want[at + 1]; bad = 1 }
            exit bad
        }' "$1" "$2"
}

check()
{
    [ -n "$typed" ] || return 0
    it "says of '$typed' what the tutorial says"
    status=0
    eval "$typed" >said 2>&1 || status=$?
    [ "$status" = 0 ] || fail "exit code $status: $(cat said)"
    difference=$(compare expected said) || fail "$difference"
}

typed='' commands=0
: >expected
while IFS= read -r line; do
    case $line in
    '$ '*)
        check
        typed=${line#??} commands=$((commands + 1))
        : >expected
        ;;
    *) printf '%s\n' "$line" >>expected ;;
    esac
done <transcript
check

it 'has commands'
[ $commands -gt 5 ] || fail "only $commands commands were found"

done_testing
