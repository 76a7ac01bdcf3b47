#!/bin/sh
# SPDX-License-Identifier: MIT
# HIP programs, built with the options that hip-flags prints.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
. "$source_root/tests/nvcc.sh"
programs=$source_root/tests/programs/hip

it 'prints options with a folder that has the headers'
run "$sluice" hip-flags
exits 0
stdout_has '-x cu '
stdout_has '-DSLUICE_HIP_LANES=32'
folder=$(sed -n 's/.*-I//p' "$scratch/stdout")
exists "$folder/hip/hip_runtime.h"
exists "$folder/hiprand/hiprand.h"

it 'prints the lanes of a GPU model, and no language for object files'
run "$sluice" hip-flags --gpu mi300x --link
exits 0
stdout_has '-DSLUICE_HIP_LANES=64'
stdout_lacks '-x cu'

it 'rejects a GPU model that there is not'
run "$sluice" hip-flags --gpu mi3
exits 1
stderr_has "unknown GPU model 'mi3'"

if [ ! -x "$nvcc" ] && ! command -v nvcc >/dev/null; then
    it 'builds and runs HIP programs'
    skip 'nvcc is not installed'
    done_testing
fi
headers=$(find "$source_root/hip" -name '*.h*' -exec cat {} + | sha256sum | cut -c1-16)
# shellcheck disable=SC2046,SC2086 # options are words
build() # SOURCE PROGRAM [OPTIONS [OF NVCC]]
{
    compile "$programs/$1.hip" "$2" $("$sluice" hip-flags ${3-}) "-DHEADERS=0x$headers" ${4-}
}

it 'runs a program of the runtime and of modules'
build runtime runtime
build module module.ptx '' -ptx
run "$sluice_with_programs" run -q -- ./runtime module.ptx
exits 0
stdout_is ''

it 'has wavefronts of 32 lanes, on warps of 32'
build wavefront wavefront
run "$sluice_with_programs" run -q -- ./wavefront
exits 0
stdout_is 32

it 'has wavefronts of 64 lanes on a GPU model of AMD'
build wavefront wavefront64 '--gpu mi300x'
run "$sluice_with_programs" run -q --gpu mi300x -- ./wavefront64
exits 0
stdout_is 64
run "$sluice_with_programs" run -q --lanes 64 -- ./wavefront64
exits 0

it 'refuses a program for 64 lanes where warps have 32'
run "$sluice_with_programs" run -q -- ./wavefront64
exits 1
stderr_has 'built for wavefronts of 64 lanes'

it 'compiles every header'
for header in $(cd "$folder" && find . -name '*.h*' ! -path '*/detail*' | sort); do
    echo "#include <${header#./}>"
done >all.cu
# shellcheck disable=SC2046
run "$nvcc" $("$sluice" hip-flags) -ptx all.cu -o all.ptx
exits 0
done_testing
