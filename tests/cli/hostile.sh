#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels that try to leave the emulator, or to keep it busy for ever: PTX of a stranger, run by itself and inside of a
# program that the user trusts. Each ends in seconds, with a reason.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
host=${SLUICE_BUILD:?}/bin/ptx_host
seconds=20 # far more than any of them takes, far less than any of them would take

head='.version 8.0
.target sm_90
.address_size 64'

# in_host FILE [OPTION...]: runs kernel k of a file inside of a trusted program.
in_host()
{
    file=$1
    shift
    run timeout $seconds "$sluice_with_programs" run -q "$@" -- "$host" "$file"
}

alone() { run timeout $seconds "$sluice" "$@" --grid 1 --block 1; }

# string NAME TEXT: a global variable with a text and its zero.
string()
{
    printf '.global .align 8 .b8 %s[] = {' "$1"
    printf '%s' "$2" | od -An -v -tu1 | tr -s ' \n' ',' | sed 's/^,//; s/,$//'
    printf ',0};\n'
}

# print_kernel FILE FORMAT ARGUMENTS: prints FORMAT with so many pointers to the text "x".
print_kernel()
{
    {
        printf '%s\n.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n' "$head"
        string format "$2"
        string x x
        printf '.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{ .local .align 8 .b8 args[4096]; .reg .b64 %%d<4>;\n'
        printf 'mov.u64 %%d0, x; cvta.global.u64 %%d0, %%d0; mov.u64 %%d1, args;\n'
        i=0
        while [ $i -lt "$3" ]; do
            printf 'st.local.u64 [%%d1+%d], %%d0;\n' $((8 * i))
            i=$((i + 1))
        done
        printf 'cvta.local.u64 %%d1, %%d1; mov.u64 %%d2, format; cvta.global.u64 %%d2, %%d2;\n'
        printf '{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %%d2; st.param.b64 [a], %%d1;\n'
        printf 'call.uni (r), vprintf, (f, a); }\nret; }\n'
    } >"$1"
}

# copy_kernel FILE HEAD... : copies by cudaMemcpy3DAsync. Each further argument is one copy: SOURCE DESTINATION PITCH YSIZE
# WIDTH HEIGHT DEPTH KIND, with registers %buffer, %secret, %variable.
copy_kernel()
{
    file=$1
    shift
    {
        printf '%s\n.extern .func (.param .b32 r) __cudaCDP2Memcpy3DAsync (.param .b64 p, .param .b64 s);\n' "$head"
        printf '.global .align 8 .b8 params[160];\n'
        printf '.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{ .reg .b64 %%buffer, %%secret, %%variable, %%p;\n'
        printf 'ld.param.u64 %%buffer, [a]; ld.param.u64 %%secret, [b]; ld.param.u64 %%variable, [c];\n'
        printf 'mov.u64 %%p, 0x21; st.global.u64 [%%buffer+1024], %%p;\n'
        for copy; do
            # shellcheck disable=SC2086
            set -- $copy
            printf 'st.global.u64 [params+32], %s; st.global.u64 [params+40], %s; st.global.u64 [params+56], %s;\n' "$1" "$3" "$4"
            printf 'st.global.u64 [params+96], %s; st.global.u64 [params+104], %s; st.global.u64 [params+120], %s;\n' "$2" "$3" "$4"
            printf 'st.global.u64 [params+128], %s; st.global.u64 [params+136], %s; st.global.u64 [params+144], %s;\n' "$5" "$6" "$7"
            printf 'st.global.u32 [params+152], %s;\n' "$8"
            printf 'mov.u64 %%p, params; cvta.global.u64 %%p, %%p;\n'
            printf '{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %%p; st.param.b64 [s], 0;\n'
            printf 'call.uni (r), __cudaCDP2Memcpy3DAsync, (p, s); }\n'
        done
        printf 'ret; }\n'
    } >"$file"
}

it 'copies device memory for a kernel'
copy_kernel good.ptx '%buffer %buffer+0 64 1 8 1 1 3'
sed -i 's/, %buffer+0;/, %p;/; s/st.global.u64 .params+32., %buffer;/add.u64 %p, %buffer, 1024; st.global.u64 [params+32], %p; mov.u64 %p, %buffer;/' good.ptx
in_host good.ptx
exits 0 && stdout_has 'result 0, the buffer begins with 0x21'

it 'copies no host memory for a kernel, whatever kind of copy it names'
for kind in 0 1 2 3 4 7; do
    copy_kernel copy.ptx "%secret %buffer 64 1 48 1 1 $kind"
    in_host copy.ptx
    exits 1 && stdout_has 'result 700' && stderr_has 'a copy that a kernel issued is outside of allocations'
    copy_kernel copy.ptx "%buffer %variable 64 1 8 1 1 $kind"
    in_host copy.ptx
    exits 1 && stdout_has 'result 700' && stderr_has 'a copy that a kernel issued is outside of allocations'
done

it 'ends a copy of more rows than there is memory'
for shape in '0 1 8 1152921504606846976 1' '8 1 8 1152921504606846976 1' '8 0 8 1 1152921504606846976' '8 1 8 256 1152921504606846976' '0 0 8 1073741824 1073741824'; do
    copy_kernel copy.ptx "%buffer %buffer $shape 3"
    in_host copy.ptx
    exits 1 && stdout_has 'result 700' && stderr_has 'a copy that a kernel issued'
done

it 'lets no kernel write its parameters'
cat >params.ptx <<END
$head
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) { .reg .b64 %d<4>;
ld.param.u64 %d0, [a]; mov.u64 %d1, a; cvta.param.u64 %d1, %d1; st.u64 [%d1+8], %d0; ret; }
END
in_host params.ptx
exits 1 && stdout_has 'result 700' && stderr_has 'illegal 8-byte write'

# launch_kernel FILE TIMES: k launches itself so often.
launch_kernel()
{
    {
        printf '%s\n.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n' "$head"
        printf '.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);\n'
        printf '.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{ .reg .b64 %%k, %%p; .reg .b32 %%n; .reg .pred %%t;\n'
        printf 'mov.u32 %%n, %d; mov.u64 %%k, k;\nL: { .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n' "$2"
        printf 'st.param.b64 [k], %%k; st.param.b32 [s], 0;\n'
        for at in 0 4 8; do
            printf 'st.param.b32 [g+%d], 1; st.param.b32 [b+%d], 1;\n' $at $at
        done
        printf 'call.uni (r), __cudaCDP2GetParameterBufferV2, (k, g, b, s); ld.param.b64 %%p, [r]; }\n'
        printf '{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %%p; st.param.b64 [s], 0;\n'
        printf 'call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); }\n'
        printf 'sub.u32 %%n, %%n, 1; setp.ne.u32 %%t, %%n, 0; @%%t bra L; ret; }\n'
    } >"$1"
}

it 'ends launches of a kernel by itself at CUDA'"'"'s depth'
launch_kernel again.ptx 1
in_host again.ptx
exits 0 && stderr_has 'launches nest deeper than 24'

it 'counts the instructions of launches by kernels for --max-instructions'
launch_kernel twice.ptx 2
in_host twice.ptx --max-instructions 10000
exits 1 && stdout_has 'result 702' && stderr_has 'more than 10000 warp instructions'

it 'bounds the launches that are pending'
launch_kernel many.ptx 1000000
in_host many.ptx --max-instructions 100000000
stderr_has 'too many launches and copies are pending'

it 'ends a tree of calls, by itself and by --max-instructions'
{
    printf '%s\n.func f0() { ret; }\n' "$head"
    i=1
    while [ $i -le 60 ]; do
        printf '.func f%d() { call.uni f%d; call.uni f%d; ret; }\n' $i $((i - 1)) $((i - 1))
        i=$((i + 1))
    done
    printf '.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) { call.uni f60; ret; }\n'
} >tree.ptx
arguments='--arg u64:0 --arg u64:0 --arg u64:0'
for command in run model sim; do
    # shellcheck disable=SC2086
    alone $command tree.ptx $arguments
    exits 1 && stderr_has 'calls of one warp without a loop'
done
# shellcheck disable=SC2086
alone run tree.ptx $arguments --max-instructions 1000
exits 1 && stderr_has 'more than 1000 warp instructions'
in_host tree.ptx
exits 1 && stdout_has 'result 702'

it 'prints no text that a format has no right to'
print_kernel underflow.ptx '%4096*4096*4096s%4096*4096*4096sAAAAAAAA' 8
# shellcheck disable=SC2086
alone run -q underflow.ptx $arguments
exits 1 && stderr_has 'more than one width or precision' && stdout_is ''
in_host underflow.ptx
exits 1 && stdout_has 'result 715'

it 'bounds the text of one call of printf'
format=
i=0
while [ $i -lt 300 ]; do
    format="$format%4096s" i=$((i + 1))
done
print_kernel amplify.ptx "$format" 300
# shellcheck disable=SC2086
alone run amplify.ptx $arguments
exits 1 && stderr_has 'more than 1048576 characters in one call'

it 'models and simulates no prefetch of memory that there is not'
cat >prefetch.ptx <<END
$head
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) { .reg .b64 %d0;
mov.u64 %d0, 0x1000; cp.async.bulk.prefetch.L2.global [%d0], 0xfffffff0; ret; }
END
for command in run model sim; do
    # shellcheck disable=SC2086
    alone $command prefetch.ptx $arguments
    exits 0
done

it 'is ended by Ctrl-C while a kernel runs for ever'
cat >loop.ptx <<END
$head
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) { L: bra L; }
END
ends_by_interrupt()
{
    start setsid "$@"
    sleep 1
    kill -INT "-$started" # as a terminal sends it: to all of them
    wait "$started"
    [ $? -eq 130 ] || fail "not ended by SIGINT: $*"
}
for command in run model sim; do
    # shellcheck disable=SC2086
    ends_by_interrupt "$sluice" $command loop.ptx --grid 1 --block 1 $arguments
done
ends_by_interrupt "$sluice_with_programs" run -q -- "$host" loop.ptx

done_testing
