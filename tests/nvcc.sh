# SPDX-License-Identifier: MIT
# For tests of programs that only nvcc can make: `compile SOURCE PROGRAM FLAGS...`. Sourced after tap.sh.
# shellcheck shell=sh
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
compiler=$("$nvcc" --version)
# compile SOURCE PROGRAM FLAGS...: seconds each time, so that the builds next to each other share what comes out.
compile()
{
    source=$1 program=$2
    shift 2
    shared=${SLUICE_BUILD:?}/../nvcc/$({ echo "$compiler $*" && cat "$source"; } | sha256sum | cut -c1-32)
    if [ ! -x "$shared" ]; then
        mkdir -p "${shared%/*}"
        "$nvcc" "$@" "$source" -o "$shared.$$" >/dev/null || fail 'nvcc failed'
        mv "$shared.$$" "$shared"
    fi
    cp "$shared" "$program"
}
