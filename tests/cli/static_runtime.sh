#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that contain a CUDA runtime, as nvcc links them by default. Most tests use one that only has its names; those
# with nvcc's own follow.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
sources=$source_root/tests/interpose cc=${CC:-cc} by=${SLUICE_PROGRAMS_BY:?}
if [ -n "${SLUICE_SANITIZERS:-}" ] || [ "$(uname -m)" != x86_64 ]; then
    it 'redirects static runtimes'
    skip 'only on x86-64, and not with the sanitizers'
    done_testing
fi

# build MAJOR: ./staticMAJOR with a runtime inside, its archive, and a plug-in with another copy
build()
{
    "$cc" -O1 -fPIC -DMAJOR="$1" -c "$sources/fake_runtime.c" -o "runtime$1.o" || fail 'the runtime was not built'
    rm -f "runtime$1.a"
    ar cr "runtime$1.a" "runtime$1.o"
    "$cc" -O1 -fPIC "$sources/fake_program.c" "runtime$1.a" -o "static$1" -ldl || fail 'the program was not built'
    "$cc" -O1 -fPIC -shared -DPLUGIN "$sources/fake_program.c" "runtime$1.a" -o "plugin$1.so" ||
        fail 'the plug-in was not built'
}

for major in 11 12 13; do
    it "sends the runtime inside a program of CUDA $major to the library for it"
    build $major
    run ./static$major
    stdout_is 'not redirected'
    run "$sluice" run -- ./static$major
    exits 0
    stdout_is "CUDA $major, filled with 7070707"
done

it 'finds the runtime of a program without symbols by the archive it came from'
strip -o stripped static12
run "$sluice" run --cudart-static runtime12.a -- ./stripped
exits 0
stdout_is 'CUDA 12, filled with 7070707'
run env SLUICE_CUDART_STATIC=runtime12.a "$sluice" run -- ./stripped
exits 0
stdout_is 'CUDA 12, filled with 7070707'

it 'finds it by the archive of another release of the same version'
"$cc" -O1 -fPIC -DMAJOR=12 -DRELEASE_2 -c "$sources/fake_runtime.c" -o release_2.o && ar cr release_2.a release_2.o
run "$sluice" run --cudart-static release_2.a -- ./stripped
exits 0
stdout_is 'CUDA 12, filled with 7070707'

it 'refuses a program without symbols when it does not know its runtime'
run "$sluice" run --cudart-static runtime13.a -- ./stripped
exits 1
stdout_is ''
stderr_has './stripped contains a CUDA runtime without symbols, and none of the known libcudart_static.a ('
stderr_has 'name that of the CUDA version it was built with (--cudart-static), or link it with nvcc -cudart shared'

it 'takes a damaged archive for what it is'
head -c 3000 runtime12.a >damaged.a
run "$sluice" run --cudart-static damaged.a -- ./stripped
exits 1
stderr_has './stripped contains a CUDA runtime without symbols'

it 'redirects the runtime of a plug-in that a program opens later'
run "$sluice" run -- ./static13 ./plugin11.so
exits 0
stdout_is 'CUDA 11, filled with 7070707'
strip -o bare.so plugin12.so
run "$sluice" run --cudart-static runtime12.a -- ./static13 ./bare.so
exits 0
stdout_is 'CUDA 12, filled with 7070707'

it 'does not end well when a plug-in has a runtime that it does not know'
run "$sluice" run --cudart-static runtime13.a -- sh -c './static13 ./bare.so; exit 0'
exits 1
stdout_is 'not redirected'
stderr_has './bare.so contains a CUDA runtime without symbols'

it 'redirects programs that a shell or another program starts'
run "$sluice" run -- sh -c './static13 && exec ./static12'
exits 0
stdout_is 'CUDA 13, filled with 7070707
CUDA 12, filled with 7070707'

it 'leaves programs without CUDA alone'
run "$sluice" run -- sh -c 'expr 6 \* 7 | cat'
exits 0
stdout_is 42

it 'refuses a program that is linked with -static'
if "$cc" -O1 -static "$sources/fake_program.c" runtime13.a -o whole 2>/dev/null; then
    run "$sluice" run -- ./whole
    exits 1
    stdout_is ''
    stderr_has './whole is linked with -static: libraries cannot be preloaded; link it dynamically'
else
    skip 'there is no static C library'
fi

it 'refuses a program that changes its user'
cp static13 changing
if chown nobody changing 2>/dev/null && chmod u+s changing; then
    run "$sluice" run -- ./changing
    exits 1
    stderr_has './changing is set-user-ID, set-group-ID or has capabilities'
else
    skip 'only root can give a program to another user'
fi

it 'works from a folder whose name has a space and a colon'
root=$(dirname "$(dirname "$sluice")")
mkdir -p 'a b:c/lib/sluice' && cp -r "$root/bin" 'a b:c/' && cp -r "$root/lib/sluice/cuda" 'a b:c/lib/sluice/'
run 'a b:c/bin/sluice' run -- ./static13
exits 0
stdout_is 'CUDA 13, filled with 7070707'

# ---- nvcc's own ----

[ "$by" = nvcc ] || done_testing
. "$source_root/tests/nvcc.sh"
expected=$source_root/tests/programs/expected
cp "$source_root"/tests/programs/reduce.cu "$source_root"/tests/programs/*.h .
compile reduce.cu static -std=c++17 -arch=compute_75
strip -o stripped static

for name in static stripped; do
    it "runs a program that nvcc linked by default ($name) as a GPU does"
    run "$sluice" run -- ./$name
    echo "exit code $status" >>"$scratch/stdout"
    stdout_is "$(cat "$expected/reduce.txt")"
done

it 'records its launches'
run "$sluice" trace -o t.slt -- bash -c ./static
exits 0
run "$sluice" info t.slt
stdout_has 'scan'

it 'models it'
run "$sluice" model -- ./static
exits 0
stderr_has 'scan'

done_testing
