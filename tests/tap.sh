# SPDX-License-Identifier: MIT
# Tests in shell that read as sentences and report as TAP. Sourced by the scripts of tests/cli and tests/checks.
#
#   it 'prints its version'            begins a test
#   run sluice --version               runs a command; what it does is checked by the following
#   start sluice trace …              starts it in the background, as from a terminal; its number is $started
#   exits 0                            its exit code
#   stdout_is TEXT, stdout_has TEXT    the whole of its output; a part of it (also stderr_…)
#   file_has FILE TEXT, exists FILE, absent FILE
#   fail WHY, skip WHY                 for everything else
#   done_testing                       last
#
# Each script runs in an empty directory of its own, which is removed at the end. $sluice is the program, and
# $sluice_with_programs the one to run CUDA programs with.
# shellcheck shell=sh

set -u
# Texts as wide as they get; tests of widths say otherwise.
export COLUMNS=0
# shellcheck disable=SC2034
sluice=${SLUICE:-} source_root=${SLUICE_SOURCE:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work" || exit 1
cd "$scratch/work" || exit 1

# With the sanitizers in our library, a CUDA program needs them from the start; what it leaks itself is its own affair.
sluice_with_programs=$sluice
if [ -n "${SLUICE_SANITIZERS:-}" ]; then
    sluice_with_programs=$scratch/sluice
    printf '#!/bin/sh\nLD_PRELOAD="%s" ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 exec "%s" "$@"\n' \
        "$SLUICE_SANITIZERS" "$sluice" >"$sluice_with_programs"
    chmod +x "$sluice_with_programs"
fi

tests=0 failures=0 current='' trouble='' skipped=''

finish_test()
{
    [ -n "$current" ] || return 0
    tests=$((tests + 1))
    if [ -n "$trouble" ]; then
        failures=$((failures + 1))
        printf 'not ok %d - %s\n' "$tests" "$current"
        printf '%s\n' "$trouble" | sed 's/^/# /'
    elif [ -n "$skipped" ]; then
        printf 'ok %d - %s # SKIP %s\n' "$tests" "$current" "$skipped"
    else
        printf 'ok %d - %s\n' "$tests" "$current"
    fi
    current=''
}

it()
{
    finish_test
    current=$1 trouble='' skipped='' status=none
}

skip() { skipped=$1; }

fail()
{
    trouble="$trouble${trouble:+
}$1"
}

# Quotes what a test saw, for its complaint.
saw()
{
    printf '%s\n--- stdout\n%s\n--- stderr\n%s\n---' "$1" "$(head -c 4000 "$scratch/stdout")" \
        "$(head -c 4000 "$scratch/stderr")"
}

run()
{
    status=0
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?
}

# A shell without job control lets what it starts in the background ignore SIGINT.
start()
{
    env --default-signal=INT "$@" >"$scratch/started.stdout" 2>"$scratch/started.stderr" </dev/null &
    # shellcheck disable=SC2034
    started=$!
}

exits() { [ "$status" = "$1" ] || fail "$(saw "exit code $status, expected $1")"; }

stdout_is() { [ "$(cat "$scratch/stdout")" = "$1" ] || fail "$(saw "stdout is not: $1")"; }
stderr_is() { [ "$(cat "$scratch/stderr")" = "$1" ] || fail "$(saw "stderr is not: $1")"; }
stdout_has() { grep -qF -e "$1" "$scratch/stdout" || fail "$(saw "stdout lacks: $1")"; }
stderr_has() { grep -qF -e "$1" "$scratch/stderr" || fail "$(saw "stderr lacks: $1")"; }
stdout_lacks() { ! grep -qF -e "$1" "$scratch/stdout" || fail "$(saw "stdout should not have: $1")"; }
stderr_lacks() { ! grep -qF -e "$1" "$scratch/stderr" || fail "$(saw "stderr should not have: $1")"; }

exists() { [ -e "$1" ] || fail "$1 does not exist"; }
absent() { [ ! -e "$1" ] || fail "$1 exists"; }
empty_directory() { [ -z "$(ls -A "$1")" ] || fail "$1 holds: $(ls -A "$1")"; }
file_is() { [ "$(cat "$1" 2>/dev/null)" = "$2" ] || fail "$1 is not: $2; it is: $(head -c 2000 "$1" 2>/dev/null)"; }
file_has() { grep -qF -e "$2" "$1" 2>/dev/null || fail "$1 lacks: $2; it is: $(head -c 2000 "$1" 2>/dev/null)"; }

done_testing()
{
    finish_test
    echo "1..$tests"
    [ "$failures" -eq 0 ]
    exit
}
