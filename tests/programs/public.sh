#!/bin/sh
# SPDX-License-Identifier: MIT
# Tries Sluice on public programs: builds each as its authors do, runs it on the emulator, and prints what came of it.
#
#   public.sh [-j JOBS] [-t SECONDS] SLUICE FOLDER...
#
# A FOLDER is one program, with a Makefile whose "run" starts it (as in HeCBench), a Makefile that leaves one program (as in
# ROCm's examples) or a CMakeLists.txt (as in cuda-samples).
# MAKEFLAGS='-- ARCH=sm_80' in the environment chooses what the Makefiles build for. Programs run on one core. Where Sluice refuses
# and says which option helps, --compute-capability of sluice run or -gencode of nvcc, that is done. Each line has the program's
# name, the outcome, the seconds of the core it took and that option:
#   passes      it ended with 0 and nothing in its output says that a check failed, or it asserts on purpose and says so
#   too slow    it needed more than SECONDS (60) of one core
#   waived      it ended with 2 or said that it waives itself (the samples' way to say that they need something else)
#   refused     Sluice said that it cannot run it; the reason follows
#   fails       anything else; the reason follows
#   not built   the build failed; the first error follows
#   no input    it failed, and its data is not in its repository: a .dvc file tells where it is stored, or the program says so
set -eu

jobs=1 seconds=60
while getopts j:t: option; do
    case $option in
    j) jobs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '3,6p' "$0" | cut -c3- >&2; exit 2; }

if [ $# -gt 2 ]; then
    sluice=$1
    shift
    for folder; do printf '%s\0' "$folder"; done | xargs -0 -n1 -P"$jobs" "$0" -t "$seconds" "$sluice" | sort
    exit
fi

sluice=$1 folder=$(cd "$2" && pwd)
name=$(basename "$folder")
name=${name%-cuda} name=${name%-hip}
log=$folder/sluice-build.log

outcome() # WHAT [SECONDS [REASON]]
{
    printf '%s\t%s\t%s\t%s\n' "$name" "$1" "${2-}" "$(printf '%s' "${3-}" | tr -s '\t\n ' '   ' | cut -c1-150)"
    exit 0
}
failed_build() { outcome 'not built' '' "$(grep -m1 -E 'error|No such|not found|Could NOT' "$log" || true)"; }

# Leaves the command that starts the program in $start, and its folder in $at.
build()
{
    at=$(find "$folder" -maxdepth 3 -name Makefile -exec grep -l '^run:' {} + | LC_ALL=C sort | head -n1)
    if [ "$at" ]; then
        at=$(dirname "$at")
        make -C "$at" >"$log" 2>&1 || failed_build
        start=$(make -n -C "$at" run 2>>"$log" | grep -m1 -E '^ *(\.|build)/') || failed_build
        return
    fi
    if [ -f "$folder/Makefile" ]; then
        at=$folder
        make -C "$at" >"$log" 2>&1 || failed_build
        start=$(find "$at" -maxdepth 1 -type f -perm -u+x ! -name '*.*' | head -n1)
        [ "$start" ] || failed_build
        start=./$(basename "$start")
        return
    fi
    at=$folder/sluice-build
    { cmake -S "$folder" -B "$at" -DCMAKE_BUILD_TYPE=Release && cmake --build "$at"; } >"$log" 2>&1 || failed_build
    start=$(find "$at" -maxdepth 2 -type f -perm -u+x -name "$name" | head -n1)
    [ "$start" ] || start=$(find "$at" -maxdepth 1 -type f -perm -u+x ! -name '*.so*' | head -n1)
    [ "$start" ] || failed_build
    at=$(dirname "$start")
    start=./$(basename "$start")
}

# Leaves the exit status in $status, the seconds in $spent, and what Sluice said in $refusal.
run()
{
    output=$at/sluice-output.txt errors=$at/sluice-errors.txt usage=$at/sluice-usage.txt
    status=0
    # shellcheck disable=SC3045 # dash and bash know ulimit -t
    (cd "$at" && ulimit -t "$seconds" &&
        eval "/usr/bin/time -o '$usage' -f '%U %S' timeout $((seconds * 30)) '$sluice' run -q -j1 $options -- $start" \
            >"$output" 2>"$errors" </dev/null) || status=$?
    spent=$(awk 'END { printf "%.0f", $1 + $2 }' "$usage" 2>/dev/null || echo '?')
    refusal=$(grep -m1 '^sluice' "$errors" || true)
}

# Whether an input of the program, in its folder or one that its command names, is only a reference to a store, or it says that
# there is none.
lacks_input()
{
    (cd "$at" && for word in "$folder/" $start; do find "${word%/*}" -name '*.dvc'; done 2>/dev/null) | grep -q . ||
        grep -qiE 'no such file|(open|find).* file|fail(ed)? to open' "$output" "$errors"
}

options='' how=''
build
run
case $refusal in
*'run it with --compute-capability 13.0'*)
    options=${refusal##*run it with } options=${options%%:*} how="with $options"
    run
    ;;
*'compile it with nvcc -gencode'*)
    NVCC_APPEND_FLAGS=${refusal##*compile it with nvcc } how="compiled with $NVCC_APPEND_FLAGS"
    export NVCC_APPEND_FLAGS
    rm -rf "$folder/sluice-build"
    build
    run
    ;;
esac

wrong=$(grep -iE '\bfail(s|ed|ure)?\b|mismatch|incorrect|\bwrong\b' "$output" |
    grep -m1 -viE '\b(no|0) (fail|mismatch|error)|fail[a-z]*[:=] *0\b|as expected' || true)
case $refusal in
*assertion*failed*) if grep -q 'as expected' "$output"; then status=0; fi ;;
esac
if [ "$spent" -ge "$((seconds - 1))" ] || [ $status -eq 137 ]; then outcome 'too slow' "$spent" "$how"; fi
if [ $status -eq 2 ] || grep -qi 'waiv' "$output" "$errors"; then outcome waived "$spent" "$refusal$(grep -m1 -i 'waiv' "$output" || true)"; fi
if [ $status -ne 0 ] && [ "$refusal" ]; then outcome refused "$spent" "$how $refusal"; fi
if [ $status -ne 0 ] && lacks_input; then outcome 'no input' "$spent"; fi
if [ $status -ne 0 ]; then outcome fails "$spent" "$how exit status $status: $(tail -n1 "$errors")"; fi
if [ "$wrong" ]; then outcome fails "$spent" "$how $wrong"; fi
outcome passes "$spent" "$how"
