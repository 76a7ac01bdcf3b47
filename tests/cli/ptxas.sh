#!/bin/sh
# SPDX-License-Identifier: MIT
# sluice-ptxas in place of ptxas: what it takes, refuses and writes, and that a launcher like Triton's can use it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
host=${SLUICE_BUILD:?}/bin/jit_host
ptxas=$(dirname "$sluice")/sluice-ptxas

# PTX as Triton writes it: vectors under predicates, a fixed block, scratch memory behind the arguments.
cat >add.ptx <<'END'
.version 8.7
.target sm_90a
.address_size 64
.visible .entry add_kernel(
.param .u64 .ptr .global .align 1 add_kernel_param_0, .param .u64 .ptr .global .align 1 add_kernel_param_1,
.param .u64 .ptr .global .align 1 add_kernel_param_2, .param .u32 add_kernel_param_3,
.param .u64 .ptr .global .align 1 add_kernel_param_4, .param .u64 .ptr .global .align 1 add_kernel_param_5)
.reqntid 128
{
.reg .pred %p<2>;
.reg .b32 %r<30>;
.reg .f32 %f<14>;
.reg .b64 %rd<8>;
.loc 1 9 0
ld.param.b64 %rd1, [add_kernel_param_0];
ld.param.b64 %rd2, [add_kernel_param_1];
ld.param.b64 %rd3, [add_kernel_param_2];
ld.param.b32 %r20, [add_kernel_param_3];
mov.u32 %r21, %ctaid.x;
shl.b32 %r22, %r21, 9;
mov.u32 %r23, %tid.x;
shl.b32 %r24, %r23, 2;
and.b32 %r25, %r24, 508;
or.b32 %r26, %r25, %r22;
setp.lt.s32 %p1, %r26, %r20;
mul.wide.s32 %rd4, %r26, 4;
add.s64 %rd5, %rd1, %rd4;
mov.u32 %r1, 0x0; mov.u32 %r2, 0x0; mov.u32 %r3, 0x0; mov.u32 %r4, 0x0;
@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd5 + 0 ];
mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b32 %f4, %r4;
add.s64 %rd6, %rd2, %rd4;
@%p1 ld.global.v4.b32 { %r5, %r6, %r7, %r8 }, [ %rd6 + 0 ];
mov.b32 %f5, %r5; mov.b32 %f6, %r6; mov.b32 %f7, %r7; mov.b32 %f8, %r8;
add.f32 %f9, %f1, %f5; add.f32 %f10, %f2, %f6; add.f32 %f11, %f3, %f7; add.f32 %f12, %f4, %f8;
add.s64 %rd7, %rd3, %rd4;
mov.b32 %r9, %f9; mov.b32 %r10, %f10; mov.b32 %r11, %f11; mov.b32 %r12, %f12;
@%p1 st.global.v4.b32 [ %rd7 + 0 ], { %r9, %r10, %r11, %r12 };
ret;
}
.file 1 "add.py"
END

it 'takes the command line that Triton gives to ptxas, and names the kernels'
run "$ptxas" -lineinfo -v --gpu-name=sm_90a add.ptx -o add.ptx.o
exits 0
stderr_is "ptxas info    : Compiling entry function 'add_kernel' for 'sm_90a'"
exists add.ptx.o

it 'writes what a launcher like that of Triton can load and launch'
run "$sluice_with_programs" run -q -- "$host" add.ptx.o
exits 0
stdout_is 'registers, 0 local bytes, 128 threads, 232448 bytes of shared memory
device pointer, clusters
1000 of 1000 sums are right'

it 'writes a fat binary, of the architecture that was asked for, with the text as it was'
run "$sluice" ptx add.ptx.o --csv
exits 0
stdout_has ',sm_90a,yes,'
run "$sluice" ptx add.ptx.o -o again.ptx
exits 0
run cmp add.ptx again.ptx
exits 0

it 'accepts the other options of ptxas, in all their spellings'
run "$ptxas" -O3 --opt-level 2 -g -suppress-debug-info -m64 --maxrregcount=64 --fmad true -arch sm_90a --output-file=b.o add.ptx
exits 0
cmp -s add.ptx.o b.o || fail 'they changed the output'

it 'says that it does not do what --fmad=false asks for'
run "$ptxas" --fmad=false -arch=sm_90a -o c.o add.ptx
exits 0
stderr_has 'warning: --fmad=false has no effect'

it 'names the release of ptxas it stands in for, as Triton looks for it'
run "$ptxas" --version
exits 0
stdout_has 'release 13.0'

it 'explains itself'
run "$ptxas" --help
exits 0
stdout_has 'TRITON_PTXAS_PATH'

it 'refuses what the emulator does not execute, with the line, the code of ptxas, and no output'
sed 's/^ret;/frobnicate.b32 %r1, %r2;\nret;/' add.ptx >wrong.ptx
run "$ptxas" -arch=sm_90a wrong.ptx -o wrong.o
exits 255
stderr_has 'wrong.ptx:38'
absent wrong.o

it 'refuses PTX of another architecture'
run "$ptxas" -arch=sm_90 add.ptx -o d.o
exits 255
stderr_has 'its target is sm_90a, which does not run on sm_90'
absent d.o

real=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ -x "$real" ]; then
    it 'knows only instructions of sm_100a that ptxas takes (tests/emu/test_ptx_headers.c decodes them)'
    awk 'BEGIN { print ".version 9.0\n.target sm_100a\n.address_size 64" }
         /^[-+] / { print ".visible .entry k" NR "()\n{\n.reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<64>, %s<128>;"
                    print ".reg .f32 %f<32>; .reg .f64 %g<32>; .reg .b64 %d<32>; .reg .b128 %q<4>;\n" substr($0, 3) "\nret;\n}" }' \
        "$source_root/tests/data/ptx/sm_100a.txt" >listed.ptx
    run "$real" -O0 -arch=sm_100a listed.ptx -o listed.cubin
    exits 0
fi

it 'reports wrong usage'
run "$ptxas" --gpu-nam=sm_90 add.ptx
exits 2
stderr_has "unknown option '--gpu-nam=sm_90'; did you mean '--gpu-name'?"
run "$ptxas" -arch=volta add.ptx
exits 2
stderr_has "'volta' is no GPU architecture"
run "$ptxas"
exits 2
stderr_has 'a PTX file is missing'
run "$ptxas" -o
exits 2
run "$ptxas" absent.ptx
exits 1
stderr_has 'absent.ptx'

done_testing
