#!/bin/sh
# SPDX-License-Identifier: MIT
# What the documents say of language models, and engines as they are, where they are installed.
. "${SLUICE_SOURCE:?}/tests/typed.sh"
. "$source_root/tests/nvcc.sh"
examples=$source_root/examples/llm
ln -s "$source_root/examples" .

if [ -x "$nvcc" ] && [ -z "${SLUICE_SANITIZERS:-}" ] && sh "$source_root/tests/python/find.sh" >/dev/null; then
    compile "$examples/decode.cu" decode -O3 -arch=sm_80 -lineinfo
    compile "$examples/flash.cu" flash -O3 -arch=sm_80 -lineinfo
    type_again docs/llm.md
    type_again docs/flash-attention.md
else
    it 'says what the documents on language models say'
    skip 'nvcc or python3 is not installed, or the build has sanitizers, in which static runtimes are not redirected'
fi

it 'makes a model that llama.cpp loads, and generates the same tokens as its CPU backend'
# SLUICE_LLAMA: a folder in which `npm install node-llama-cpp @node-llama-cpp/linux-x64-cuda` was done.
if [ -d "${SLUICE_LLAMA:-}/node_modules/@node-llama-cpp/linux-x64-cuda" ]; then
    python3 "$examples/make_model.py" tiny.gguf >/dev/null || fail 'the model was not made'
    ln -s "$SLUICE_LLAMA/node_modules" .
    cp "$examples/generate.mjs" .
    node generate.mjs tiny.gguf cpu | sed 's/.*: //' >expected
    run "$sluice_with_programs" run --by caller --json llama.json -- node generate.mjs tiny.gguf
    exits 0
    stdout_is "cuda: $(cat expected)"
    stderr_has '
ggml_cuda_mul_mat_q '
else
    skip 'SLUICE_LLAMA names no folder with llama.cpp for Node'
fi

it 'runs tinygrad, with the ranges of a Python program'
if ! python3 -c 'import tinygrad' 2>/dev/null; then
    skip 'tinygrad is not installed'
elif ! DEV=CPU python3 "$examples/layers.py" >cpu 2>error; then
    skip "tinygrad does not run on the CPU here: $(tail -n 1 error)"
else
    export DEV=CUDA
    run "$sluice_with_programs" run --by range -- python3 "$examples/layers.py"
    exits 0
    stdout_is "$(cat cpu)"
    stderr_has '
layer 1 '
fi

done_testing
