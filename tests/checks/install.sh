#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed works from where it lies: the program, the library with its headers, the manual pages, the Debian
# package. The examples are built against it and run.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
build=${SLUICE_BUILD:?}
prefix=$scratch/prefix
export CC="${CC:-cc}"
export MAKEFLAGS=

# The example of that name, built by pkg-config against what lies under a prefix, with further flags.
build_example() # PREFIX NAME FLAGS...
{
    where=$1 name=$2
    shift 2
    # shellcheck disable=SC2046
    run "$CC" -Wall -Wextra -Werror "$source_root/examples/$name.c" \
        $(PKG_CONFIG_PATH="$(dirname "$(find "$where" -name sluice.pc)")" pkg-config --cflags --libs sluice) "$@" -o "$name"
}
# What the example said stands in docs/library.md, line by line.
as_in_the_docs()
{
    while IFS= read -r line; do
        grep -qxF -e "$line" "$source_root/docs/library.md" || fail "docs/library.md lacks: $line"
    done <"$scratch/stdout"
}
library_folder() { dirname "$(find "$1" -name libsluice.so)"; }

it 'installs under a prefix'
run cmake --install "$build" --prefix "$prefix"
exits 0
exists "$prefix/bin/sluice"
exists "$prefix/share/man/man1/sluice.1"
exists "$prefix/share/man/man1/sluice-model.1"
exists "$prefix/share/bash-completion/completions/sluice"
exists "$prefix/share/zsh/site-functions/_sluice"
exists "$prefix/share/fish/vendor_completions.d/sluice.fish"

it 'runs from there'
run "$prefix/bin/sluice" run --size small vecadd
exits 0
run "$prefix/bin/sluice" model --size small vecadd --gpu h200
exits 0

it 'has the headers for HIP programs'
run "$prefix/bin/sluice" hip-flags
exits 0
stdout_has "-I$prefix/lib/sluice/hip/include"
exists "$prefix/lib/sluice/hip/include/hip/hip_runtime.h"

# The client driver of OpenCL and the vendors file that leads to it, under a prefix; an OpenCL program finds both.
has_opencl()
{
    exists "$1/lib/sluice/opencl/vendors/sluice.icd"
    exists "$1/lib/sluice/cuda/$(cat "$1/lib/sluice/opencl/vendors/sluice.icd")"
    "$CC" "$source_root/tests/opencl/add.c" -o add -lOpenCL 2>/dev/null || return 0 # no loader
    run "$1/bin/sluice" run --gpu hd7770 -- ./add "$source_root/tests/opencl/add.cl"
    [ "$(grep -c 'HD7770\|-3:' "$scratch/stdout")" -gt 0 ] || fail "$(saw 'no device of ours')" # -3: without a compiler
}

it 'has the client driver of OpenCL'
if [ -f "$build/lib/sluice/cuda/libsluice_opencl.so" ]; then
    has_opencl "$prefix"
else
    skip 'built without opencl-c-headers'
fi

it 'has a package for Python that finds the program and the library from where it lies'
if python=$(sh "$source_root/tests/python/find.sh"); then
    export PYTHONDONTWRITEBYTECODE=1
    "$prefix/bin/sluice" trace -q --size small -o python.slt vecadd
    finds_itself='import sluice, sluice._find as f; print(f.home(), sluice.Trace("python.slt").launches[0].kernel.name)'
    run env PYTHONPATH="$prefix/lib/python3/dist-packages" "$python" -c "$finds_itself"
    stdout_is "$prefix vecadd"
else
    skip 'python3 is not installed'
fi

it 'is found by the Python below whose prefix it is installed, and else says how'
if [ -n "$python" ] && "$python" -m venv --without-pip "$scratch/environment" 2>/dev/null; then
    cmake --install "$build" --prefix "$scratch/environment" >/dev/null
    run env PATH="$scratch/environment/bin:$PATH" sh "$source_root/python/on_path.sh" "$scratch/environment"
    exits 0
    stdout_is ''
    run env -u PYTHONPATH "$scratch/environment/bin/python3" -c "$finds_itself"
    stdout_is "$scratch/environment vecadd"
    run env PATH="$scratch/environment/bin:$PATH" DESTDIR="$scratch/stage" sh "$source_root/python/on_path.sh" "$scratch/environment"
    exits 0
    run find "$scratch/stage" -name sluice.pth
    stdout_has "$scratch/stage$scratch/environment/lib/"
    run sh "$source_root/python/on_path.sh" "$prefix"
    stdout_is "for Python: export PYTHONPATH=$prefix/lib/python3/dist-packages"
else
    skip 'python3 with venv is not installed'
fi

it 'has a manual page for every command'
for command in $("$sluice" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
    exists "$prefix/share/man/man1/sluice-$command.1"
done

it 'runs CUDA programs with the runtime library that was installed'
if [ -x "${SLUICE_PROGRAMS:-}/bfs" ]; then
    run "$prefix/bin/sluice" run -- "$SLUICE_PROGRAMS/bfs"
    exits 0
    stdout_has PASSED
else
    skip 'the CUDA programs were not built'
fi

it 'has a soname with the first two numbers of its version'
version=$("$sluice" --version | sed 's/^sluice //')
run objdump -p "$(library_folder "$prefix")/libsluice.so.$version"
exits 0
stdout_has "SONAME               libsluice.so.${version%.*}"

it 'shows the functions that its headers declare, and nothing else'
nm -D --defined-only "$(library_folder "$prefix")/libsluice.so" | awk '{print $3}' | sort >shown
cat "$prefix"/include/sluice/*.h | grep -v '^#' | tr '\n' ' ' | grep -oE 'SL_API [^(;]*\(' |
    sed 's/($//; s/.*[ *]//' | sort >declared
[ -s declared ] || fail 'no declarations were found'
run diff declared shown
exits 0

it 'has headers that compile alone, in C and in C++, without a warning'
for header in "$prefix"/include/sluice/*.h; do
    echo "#include <sluice/${header##*/}>" >alone.c
    run "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" alone.c
    exits 0
    if command -v c++ >/dev/null; then
        run c++ -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" alone.c
        exits 0
    fi
done

it 'has headers that include nothing but each other and the C library'
run grep -hE '^#include "' "$prefix"/include/sluice/*.h
stdout_lacks '"base/'
[ "$(grep -cvE '"sluice/[a-z]+\.h"' "$scratch/stdout")" = 0 ] || fail "$(saw 'other headers')"

if ! command -v pkg-config >/dev/null; then
    it 'builds the examples'
    skip 'pkg-config is not installed'
    done_testing
fi

it 'says its version to pkg-config'
run env PKG_CONFIG_PATH="$(library_folder "$prefix")/pkgconfig" pkg-config --modversion sluice
stdout_is "$version"

it 'lets a program model a trace of its own'
build_example "$prefix" custom_trace
exits 0
run env LD_LIBRARY_PATH="$(library_folder "$prefix")" ./custom_trace fermi-gtx470
exits 0
cp "$scratch/stdout" by-shared
as_in_the_docs
# 512 x 512 floats: 8192 warp loads, each of one line along rows and of 32 down columns. Lines are 128 bytes.
stdout_has 'by_rows       ld_sectors 8192  ld_sector_hits 0  l2_read_sectors 32768  dram_read_sectors 32768'
stdout_has 'by_columns    ld_sectors 262144  '

it 'lets a program add a policy from outside, and use it next to the built-in ones'
build_example "$prefix" custom_policy
exits 0
"$prefix/bin/sluice" trace -q --size small -o gesummv.slt gesummv
run env LD_LIBRARY_PATH="$(library_folder "$prefix")" ./custom_policy gesummv.slt
exits 0
as_in_the_docs
hits() { sed -n "s/^$1  *\([0-9]*\) of .*/\1/p" "$scratch/stdout"; }
# The built-in policies hit as often as they do in the program; the new one keeps a part of what LRU evicts too early.
run_hits=$("$prefix/bin/sluice" model gesummv.slt --gpu fermi-gtx470 --csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ld_sector_hits") at = i; next } { sum += $at } END { print sum }')
[ "$(hits lru)" = "$run_hits" ] || fail "$(saw "sluice model has $run_hits hits")"
[ "$(hits bip)" -gt "$(hits lru)" ] || fail "$(saw 'bip is no better than lru')"

it 'lets a program record a workload, tune it and simulate it with the plan'
build_example "$prefix" tune_recording
exits 0
run env LD_LIBRARY_PATH="$(library_folder "$prefix")" ./tune_recording gesummv
exits 0
as_in_the_docs

it 'lets a program simulate a trace with a policy from outside'
build_example "$prefix" custom_bypass
exits 0
run env LD_LIBRARY_PATH="$(library_folder "$prefix")" ./custom_bypass gesummv.slt
exits 0
as_in_the_docs
cycles() { sed -n "s/^$1  *\([0-9]*\) cycles.*/\1/p" "$scratch/stdout"; }
sim_cycles() { "$prefix/bin/sluice" sim gesummv.slt -g fermi-gtx480 --l1 "$1" --json | sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' | head -n 1; }
# The built-in policies take the cycles that they take in the program; the new one saves some of those without one.
[ "$(cycles none)" = "$(sim_cycles lru)" ] || fail "$(saw "sluice sim takes $(sim_cycles lru) cycles")"
[ "$(cycles decoupled)" = "$(sim_cycles decoupled)" ] || fail "$(saw "sluice sim takes $(sim_cycles decoupled) cycles")"
[ "$(cycles once)" -lt "$(cycles none)" ] || fail "$(saw 'once is no better than nothing')"

it 'links with the static library too'
libraries=$(PKG_CONFIG_PATH="$(library_folder "$prefix")/pkgconfig" pkg-config --static --libs sluice |
    sed "s|-lsluice|-l:libsluice.a|")
# shellcheck disable=SC2086
run "$CC" -I"$prefix/include" "$source_root/examples/custom_trace.c" $libraries -o custom_trace_static
exits 0
run ./custom_trace_static
exits 0
cmp -s by-shared "$scratch/stdout" || fail "$(saw 'another result than with the shared library')"

it 'tells a program what was wrong'
run env LD_LIBRARY_PATH="$(library_folder "$prefix")" ./custom_trace fermi-gtx47
exits 1
stderr_has "fermi-gtx470"

it 'makes a Debian package that works where it is unpacked'
if command -v dpkg-deb >/dev/null && command -v cpack >/dev/null; then
    run cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackConfig.cmake" -B "$scratch/package"
    exits 0
    package=$(find "$scratch/package" -maxdepth 1 -name 'sluice_*.deb')
    run dpkg-deb -x "$package" "$scratch/root"
    exits 0
    run "$scratch/root/usr/bin/sluice" run --size small vecadd
    exits 0
    exists "$scratch/root/usr/lib/sluice/hip/include/hip/hip_runtime.h"
    [ ! -f "$build/lib/sluice/cuda/libsluice_opencl.so" ] || has_opencl "$scratch/root/usr"
    build_example "$scratch/root/usr" custom_trace
    exits 0
    run env LD_LIBRARY_PATH="$(library_folder "$scratch/root/usr")" ./custom_trace
    exits 0
    cmp -s by-shared "$scratch/stdout" || fail "$(saw 'another result than from the prefix')"
    run dpkg-deb -x "$(find "$scratch/package" -maxdepth 1 -name 'python3-sluice_*_all.deb')" "$scratch/root"
    exits 0
    if [ -n "$python" ]; then
        run env PYTHONPATH="$scratch/root/usr/lib/python3/dist-packages" "$python" -c "$finds_itself"
        stdout_is "$scratch/root/usr vecadd"
    fi
    run dpkg-deb -f "$package" Depends
    stdout_has libyaml-0-2
    stdout_has libzstd1
else
    skip 'dpkg-deb or cpack is not installed'
fi

done_testing
