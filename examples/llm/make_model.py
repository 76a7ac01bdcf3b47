#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a small Llama with random weights as a GGUF file, which llama.cpp and other engines load:
python3 make_model.py tiny.gguf. It generates nonsense, by the kernels of a real model."""
import random
import struct
import sys

LAYERS, WIDTH, HEADS, HIDDEN, CONTEXT = 4, 256, 4, 512, 512
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5  # GGUF's types of values
F32, Q8_0 = 0, 8  # its types of tensors
ALIGNMENT = 32


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value_of(kind, value):
    if isinstance(value, list):
        return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(plain(kind, item) for item in value)
    return struct.pack("<I", kind) + plain(kind, value)


def plain(kind, value):
    return text(value) if kind == STRING else struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f"}[kind], value)


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def vocabulary():
    """Three special tokens, one for each byte, the space and the letters; type 2 unknown, 3 control, 6 byte, 1 normal."""
    tokens = [("<unk>", 2), ("<s>", 3), ("</s>", 3)]
    tokens += [(f"<0x{byte:02X}>", 6) for byte in range(256)]
    tokens += [(letter, 1) for letter in "\u2581abcdefghijklmnopqrstuvwxyz"]
    tokens += [(f"[{i}]", 1) for i in range(-len(tokens) % 32)]
    return tokens


def metadata(tokens):
    yield "general.architecture", STRING, "llama"
    yield "general.name", STRING, "tiny"
    yield "general.file_type", UINT32, 7
    for key, value in {"block_count": LAYERS, "context_length": CONTEXT, "embedding_length": WIDTH,
                       "feed_forward_length": HIDDEN, "attention.head_count": HEADS, "attention.head_count_kv": HEADS,
                       "rope.dimension_count": WIDTH // HEADS, "vocab_size": len(tokens)}.items():
        yield f"llama.{key}", UINT32, value
    yield "llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5
    yield "tokenizer.ggml.model", STRING, "llama"
    yield "tokenizer.ggml.tokens", STRING, [token for token, _ in tokens]
    yield "tokenizer.ggml.scores", FLOAT32, [0.0] * len(tokens)
    yield "tokenizer.ggml.token_type", INT32, [kind for _, kind in tokens]
    for number, name in enumerate(("unknown", "bos", "eos")):
        yield f"tokenizer.ggml.{name}_token_id", UINT32, number


def matrix(draw, columns, rows, scale):
    """Random numbers in blocks of 32: a scale as a half, then signed bytes."""
    blocks = []
    for _ in range(rows * columns // 32):
        numbers = [draw.gauss(0, scale) for _ in range(32)]
        step = max(abs(number) for number in numbers) / 127
        blocks.append(struct.pack("<e32b", step, *(round(number / step) for number in numbers)))
    return [columns, rows], Q8_0, b"".join(blocks)


def ones(count):
    return [count], F32, struct.pack("<f", 1) * count


def tensors(words):
    draw = random.Random(1)
    yield "token_embd.weight", matrix(draw, WIDTH, words, 0.5)
    yield "output_norm.weight", ones(WIDTH)
    yield "output.weight", matrix(draw, WIDTH, words, 0.08)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for name in "attn_norm", "ffn_norm":
            yield f"{block}{name}.weight", ones(WIDTH)
        for name in "attn_q", "attn_k", "attn_v", "attn_output":
            yield f"{block}{name}.weight", matrix(draw, WIDTH, WIDTH, 0.08)
        for name in "ffn_gate", "ffn_up":
            yield f"{block}{name}.weight", matrix(draw, WIDTH, HIDDEN, 0.08)
        yield f"{block}ffn_down.weight", matrix(draw, HIDDEN, WIDTH, 0.08)


def main(path):
    tokens = vocabulary()
    facts = [text(key) + value_of(kind, value) for key, kind, value in metadata(tokens)]
    described, data = [], b""
    for name, (dimensions, kind, content) in tensors(len(tokens)):
        described.append(text(name) + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, kind,
                                                  len(data)))
        data += padded(content)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(described), len(facts)) + b"".join(facts + described)
    with open(path, "wb") as file:
        file.write(padded(head) + data)
    print(f"{path}: {LAYERS} layers, {len(tokens)} tokens, {len(padded(head) + data) / 1e6:.1f} MB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_model.py FILE.gguf")
    main(sys.argv[1])
