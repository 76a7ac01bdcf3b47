#!/bin/sh
# SPDX-License-Identifier: MIT
# Finding one's way: help, version, and what happens to wrong words.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'prints its version'
run "$sluice" --version
exits 0
stdout_has 'sluice 0.'
stderr_is ''

it 'lists its commands when asked for help'
run "$sluice" --help
exits 0
stdout_has 'Commands:'
stdout_has 'completion'
stderr_is ''

it 'lists its commands and fails when nothing is asked'
run "$sluice"
exits 2
stdout_is ''
stderr_has 'Commands:'

it 'suggests the nearest command for a wrong one'
run "$sluice" complation
exits 2
stdout_is ''
stderr_has "unknown command 'complation'; did you mean 'completion'?"

it 'suggests nothing when nothing is near'
run "$sluice" zzzzzzzz
exits 2
stderr_is "sluice: unknown command 'zzzzzzzz'
Try 'sluice --help'."

it 'rejects an unknown option before the command'
run "$sluice" --frobnicate
exits 2
stderr_has "unknown option '--frobnicate'"

it 'explains every command it lists, with an example'
commands=$("$sluice" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || fail 'no commands'
for command in $commands; do
    run "$sluice" "$command" --help
    exits 0
    stderr_is ''
    stdout_has "Usage: sluice $command"
    stdout_has 'Examples:'
    cp "$scratch/stdout" "$scratch/by-option"
    run "$sluice" help "$command"
    cmp -s "$scratch/stdout" "$scratch/by-option" || fail "'help $command' and '$command --help' differ"
done

it 'lists its commands and options for programs, too'
run "$sluice" help --json
exits 0
[ "$(grep -c '"usage":' "$scratch/stdout")" = "$(echo "$commands" | wc -l)" ] || fail "$(saw 'not all commands')"
run "$sluice" help model --json
exits 0
[ "$(grep -c '"usage":' "$scratch/stdout")" = 1 ] || fail "$(saw 'not one command')"
stdout_has '{"name": "gpu", "letter": "g", "kind": "text", "value": "GPU", "help": "GPU model:'
stdout_has '{"name": "size", "kind": "choice", "value": "SIZE", "choices": ["small", "default", "large"],'

it 'shows at most ten options of a command, and all when asked to'
for command in $commands; do
    run "$sluice" "$command" --help
    shown=$(grep -cE '^  (-[a-z], |    )--' "$scratch/stdout")
    run "$sluice" "$command" --help=all
    exits 0
    all=$(grep -cE '^  (-[a-z], |    )--' "$scratch/stdout")
    listed=$("$sluice" help "$command" --json | grep -c '"often":')
    often=$("$sluice" help "$command" --json | grep -c '"often": true')
    [ "$all" = $((listed + 1)) ] || fail "$command: $all options with --help=all, $listed in JSON"
    [ "$listed" = "$often" ] && continue
    [ "$often" = 10 ] || fail "$command: $often options are used most"
    [ "$shown" = 12 ] || fail "$command: $shown options in --help"
done

it 'has JSON and CSV of every command that shows something'
for command in $("$sluice" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | grep -vxE 'help|completion|hip-flags|watch'); do
    run "$sluice" "$command" --help=all
    stdout_has '--json'
    stdout_has '--csv'
done

it 'shows help even when the rest of the command line is wrong'
run "$sluice" completion --help --frobnicate
exits 0
stdout_has 'Usage: sluice completion'

it 'keeps help within 100 columns'
for command in $commands; do
    wide=$("$sluice" help "$command" | awk 'length > 100')
    [ -z "$wide" ] || fail "$command: $wide"
done

it 'suggests the nearest command when help is asked for a wrong one'
run "$sluice" help complation
exits 2
stderr_has "did you mean 'completion'?"

it 'names what is missing'
run "$sluice" completion
exits 2
stderr_has 'a shell is missing'

it 'names what is too much'
run "$sluice" completion bash fish
exits 2
stderr_has "unexpected argument 'fish'"

it 'suggests the nearest option for a wrong one'
run "$sluice" completion --hlep
exits 2
stderr_has "unknown option '--hlep'; did you mean '--help'?"

it 'fits its long tables into 100 columns'
for list in policies workloads machines 'machines --keys'; do
    # shellcheck disable=SC2086
    run "$sluice" $list
    exits 0
    sed 's/…/./g' "$scratch/stdout" | awk 'length > 100 { exit 1 }' || fail "$(saw "'$list' is wider")"
done

it 'says so when standard output cannot be written'
if [ -e /dev/full ]; then
    status=0
    "$sluice" --help >/dev/full 2>"$scratch/stderr" || status=$?
    : >"$scratch/stdout"
    exits 1
    stderr_has 'cannot write standard output: No space left on device'
else
    skip 'there is no /dev/full'
fi

done_testing
