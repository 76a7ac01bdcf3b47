#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the programs with nvcc, runs them on the GPU of this machine and keeps what they print: expected/NAME.txt is
# what an H200 printed. Usage: run_on_gpu.sh FOLDER [compare]; with `compare` the outputs are held against expected/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?a folder for the outputs}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$here" || exit 1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
grep '^[a-z]' programs.txt >"$build/list"
while IFS='|' read -r head files; do
    name=${head%%:*} flags=${head#*:}
    arch=-arch=compute_75
    case $flags in *-arch* | *-gencode*) arch= ;; esac
    # shellcheck disable=SC2086
    nvcc -std=c++17 -cudart shared $arch $flags $files -o "$build/$name" </dev/null || exit 1
    "$build/$name" >"$folder/$name.txt" 2>"$folder/$name.err" </dev/null
    echo "exit code $?" >>"$folder/$name.txt"
    if [ "${2:-}" = compare ]; then
        if diff "expected/$name.txt" "$folder/$name.txt"; then echo "$name: the same"; else echo "$name: different"; fi
    fi
done <"$build/list"
