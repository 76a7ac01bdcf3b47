/* SPDX-License-Identifier: MIT */
/* A small Llama that decodes a few tokens behind a long context: weights and KV cache are random, sizes are those of a
 * model whose KV cache is larger than the L2 cache of some GPUs. NVTX ranges say which token, layer and part a kernel
 * belongs to, as engines do. Build: nvcc -O3 -arch=sm_80 -lineinfo decode.cu -o decode; run: ./decode [tokens] */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <nvtx3/nvToolsExt.h>
#include <vector>

enum {
    LAYERS = 4,
    HEADS = 8,
    HEAD = 64, /* elements of a head */
    WIDTH = HEADS * HEAD,
    HIDDEN = 1024,
    VOCABULARY = 4096,
    CONTEXT = 6144, /* tokens that the KV cache holds already */
    MOST = 64,      /* tokens to generate, at most */
    CHUNK = 256,    /* keys of a block of attention */
    CHUNKS = (CONTEXT + MOST + CHUNK - 1) / CHUNK,
    WARP = 32,
};

struct Range {
    explicit Range(const char *name, int number = -1)
    {
        char text[32];
        snprintf(text, sizeof text, number < 0 ? "%s" : "%s %d", name, number);
        nvtxRangePushA(text);
    }
    ~Range()
    {
        nvtxRangePop();
    }
};

/* ---- kernels ---- */

__device__ static float sum_of_warp(float value)
{
    for (int step = WARP / 2; step; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

/* out[row] = weight[row] . in (+ out[row]); a warp for each row. */
__global__ void multiply(float *out, const half *weight, const float *in, int columns, bool add)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    float sum = 0;
    for (int i = lane * 8; i < columns; i += WARP * 8) {
        uint4 words = *(const uint4 *)&weight[(size_t)row * columns + i];
        const half2 *pairs = (const half2 *)&words;
        for (int k = 0; k < 4; k++) {
            float2 w = __half22float2(pairs[k]);
            sum += w.x * in[i + 2 * k] + w.y * in[i + 2 * k + 1];
        }
    }
    sum = sum_of_warp(sum);
    if (!lane)
        out[row] = add ? out[row] + sum : sum;
}

__global__ void normalize(float *out, const float *in)
{
    __shared__ float parts[WIDTH / WARP];
    float value = in[threadIdx.x], squares = sum_of_warp(value * value);
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = squares;
    __syncthreads();
    squares = 0;
    for (float part : parts)
        squares += part;
    out[threadIdx.x] = value * rsqrtf(squares / WIDTH + 1e-5f);
}

__global__ void append(half *keys, half *values, const float *key, const float *value, int position)
{
    keys[(size_t)position * WIDTH + threadIdx.x] = __float2half(key[threadIdx.x]);
    values[(size_t)position * WIDTH + threadIdx.x] = __float2half(value[threadIdx.x]);
}

/* One head against one chunk of the keys: its maximum, its sum, and the weighted values, which `combine` joins. */
__global__ void attend(float *part, const float *query, const half *keys, const half *values, int count)
{
    __shared__ float score[CHUNK], most;
    int head = blockIdx.x, first = blockIdx.y * CHUNK, key = first + threadIdx.x;
    float s = -1e30f;
    if (key < count) {
        s = 0;
        for (int i = 0; i < HEAD; i += 8) {
            uint4 words = *(const uint4 *)&keys[(size_t)key * WIDTH + head * HEAD + i];
            const half2 *pairs = (const half2 *)&words;
            for (int k = 0; k < 4; k++) {
                float2 w = __half22float2(pairs[k]);
                s += w.x * query[head * HEAD + i + 2 * k] + w.y * query[head * HEAD + i + 2 * k + 1];
            }
        }
        s *= 0.125f;
    }
    score[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x < WARP) {
        float m = -1e30f;
        for (int i = threadIdx.x; i < CHUNK; i += WARP)
            m = fmaxf(m, score[i]);
        for (int step = WARP / 2; step; step /= 2)
            m = fmaxf(m, __shfl_xor_sync(~0u, m, step));
        most = m;
    }
    __syncthreads();
    score[threadIdx.x] = key < count ? expf(s - most) : 0;
    __syncthreads();
    if (threadIdx.x >= HEAD)
        return;
    float sum = 0, weighted = 0;
    for (int i = 0; i < CHUNK && first + i < count; i++) {
        sum += score[i];
        weighted += score[i] * __half2float(values[(size_t)(first + i) * WIDTH + head * HEAD + threadIdx.x]);
    }
    float *to = &part[(head * CHUNKS + blockIdx.y) * (HEAD + 2)];
    to[threadIdx.x] = weighted;
    to[HEAD] = sum;
    to[HEAD + 1] = most;
}

__global__ void combine(float *out, const float *part, int chunks)
{
    float most = -1e30f, sum = 0, weighted = 0;
    const float *from = &part[blockIdx.x * CHUNKS * (HEAD + 2)];
    for (int i = 0; i < chunks; i++)
        most = fmaxf(most, from[i * (HEAD + 2) + HEAD + 1]);
    for (int i = 0; i < chunks; i++) {
        float scale = expf(from[i * (HEAD + 2) + HEAD + 1] - most);
        sum += scale * from[i * (HEAD + 2) + HEAD];
        weighted += scale * from[i * (HEAD + 2) + threadIdx.x];
    }
    out[blockIdx.x * HEAD + threadIdx.x] = weighted / sum;
}

__global__ void gate_by(float *gate, const float *up)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    gate[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
}

__global__ void choose(int *token, const float *logits)
{
    __shared__ int best[256];
    int b = threadIdx.x;
    for (int i = b; i < VOCABULARY; i += blockDim.x)
        if (logits[i] > logits[b])
            b = i;
    best[threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int other : best)
            if (logits[other] > logits[b])
                b = other;
        *token = b;
    }
}

__global__ void embed(float *out, const half *table, const int *token)
{
    out[threadIdx.x] = __half2float(table[(size_t)*token * WIDTH + threadIdx.x]);
}

/* ---- the model ---- */

static uint32_t state = 1;
static half *make_halves(size_t count, float scale)
{
    std::vector<half> host(count);
    half *device;
    for (half &value : host) {
        state = state * 1664525u + 1013904223u;
        value = __float2half(((int)(state >> 16) - 32768) / 32768.0f * scale);
    }
    cudaMalloc((void **)&device, count * sizeof(half));
    cudaMemcpy(device, host.data(), count * sizeof(half), cudaMemcpyHostToDevice);
    return device;
}

static float *make_floats(size_t count)
{
    float *device;
    cudaMalloc((void **)&device, count * sizeof(float));
    cudaMemset(device, 0, count * sizeof(float));
    return device;
}

struct Layer {
    half *query, *key, *value, *output, *gate, *up, *down, *keys, *values;
};

static float *x, *normal, *query, *key, *value, *part, *mixed, *gate, *up, *logits;

static void product(float *out, const half *weight, const float *in, int rows, int columns, bool add = false)
{
    multiply<<<rows * WARP / 256, 256>>>(out, weight, in, columns, add);
}

static void run_attention(const Layer &l, int position)
{
    Range range("attention");
    int chunks = (position + CHUNK) / CHUNK;
    normalize<<<1, WIDTH>>>(normal, x);
    product(query, l.query, normal, WIDTH, WIDTH);
    product(key, l.key, normal, WIDTH, WIDTH);
    product(value, l.value, normal, WIDTH, WIDTH);
    append<<<1, WIDTH>>>(l.keys, l.values, key, value, position);
    attend<<<dim3(HEADS, chunks), CHUNK>>>(part, query, l.keys, l.values, position + 1);
    combine<<<HEADS, HEAD>>>(mixed, part, chunks);
    product(x, l.output, mixed, WIDTH, WIDTH, true);
}

static void run_feed_forward(const Layer &l)
{
    Range range("feed forward");
    normalize<<<1, WIDTH>>>(normal, x);
    product(gate, l.gate, normal, HIDDEN, WIDTH);
    product(up, l.up, normal, HIDDEN, WIDTH);
    gate_by<<<HIDDEN / 256, 256>>>(gate, up);
    product(x, l.down, gate, WIDTH, HIDDEN, true);
}

int main(int argc, char **argv)
{
    int tokens = argc > 1 ? atoi(argv[1]) : 4;
    if (tokens < 1 || tokens > MOST)
        return fprintf(stderr, "usage: decode [tokens], 1 to %d\n", MOST), 2;
    Layer layer[LAYERS];
    half *table = make_halves((size_t)VOCABULARY * WIDTH, 1), *head = make_halves((size_t)VOCABULARY * WIDTH, 0.05f);
    for (Layer &l : layer) {
        l.query = make_halves(WIDTH * WIDTH, 0.08f);
        l.key = make_halves(WIDTH * WIDTH, 0.08f);
        l.value = make_halves(WIDTH * WIDTH, 0.08f);
        l.output = make_halves(WIDTH * WIDTH, 0.08f);
        l.gate = make_halves(HIDDEN * WIDTH, 0.08f);
        l.up = make_halves(HIDDEN * WIDTH, 0.08f);
        l.down = make_halves(WIDTH * HIDDEN, 0.06f);
        l.keys = make_halves((size_t)(CONTEXT + MOST) * WIDTH, 1);
        l.values = make_halves((size_t)(CONTEXT + MOST) * WIDTH, 1);
    }
    for (float **buffer : {&x, &normal, &query, &key, &value, &mixed})
        *buffer = make_floats(WIDTH);
    gate = make_floats(HIDDEN);
    up = make_floats(HIDDEN);
    part = make_floats(HEADS * CHUNKS * (HEAD + 2));
    logits = make_floats(VOCABULARY);
    int *token = (int *)make_floats(1), chosen;
    for (int t = 0; t < tokens; t++) {
        Range range("token", t);
        embed<<<1, WIDTH>>>(x, table, token);
        for (int i = 0; i < LAYERS; i++) {
            Range of_layer("layer", i);
            run_attention(layer[i], CONTEXT + t);
            run_feed_forward(layer[i]);
        }
        Range of_head("head");
        normalize<<<1, WIDTH>>>(normal, x);
        product(logits, head, normal, VOCABULARY, WIDTH);
        choose<<<1, 256>>>(token, logits);
        if (cudaMemcpy(&chosen, token, sizeof chosen, cudaMemcpyDeviceToHost))
            return 1;
        printf("%s%d", t ? " " : "", chosen);
    }
    printf("\n");
    return 0;
}
