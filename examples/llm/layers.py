# SPDX-License-Identifier: MIT
"""Two layers in tinygrad, with NVTX ranges: DEV=CUDA sluice run --by range -- python3 layers.py. Work is done where it is
realized, so each layer is realized inside of its range."""
import ctypes
from contextlib import contextmanager

from tinygrad import Tensor

WIDTH, HIDDEN, HEADS, TOKENS = 64, 128, 4, 16
try:
    nvtx = ctypes.CDLL("libnvToolsExt.so.1")  # under sluice, its own
except OSError:
    nvtx = None


@contextmanager
def named(name):
    if nvtx:
        nvtx.nvtxRangePushA(name.encode())
    yield
    if nvtx:
        nvtx.nvtxRangePop()


def heads(x):
    return x.reshape(TOKENS, HEADS, WIDTH // HEADS).transpose(0, 1)


def weights(*shape):
    return Tensor.uniform(*shape, low=-0.2, high=0.2).realize()


with named("weights"):
    Tensor.manual_seed(1)
    x = weights(TOKENS, WIDTH)
    layers = [[weights(*shape) for shape in [(WIDTH, WIDTH)] * 4 + [(WIDTH, HIDDEN), (HIDDEN, WIDTH)]] for _ in range(2)]
for number, (q, k, v, o, up, down) in enumerate(layers):
    with named(f"layer {number}"):
        with named("attention"):
            mixed = heads(x @ q).scaled_dot_product_attention(heads(x @ k), heads(x @ v), is_causal=True)
            x = (x + mixed.transpose(0, 1).reshape(TOKENS, WIDTH) @ o).realize()
        with named("feed forward"):
            x = (x + (x @ up).silu() @ down).realize()
print(f"mean square {(x * x).mean().item():.4f}")
