/* Reductions with warp shuffles: an integer sum, a maximum with its place, a float sum in a fixed order, a scan. */
#include "check.h"

__device__ int warp_sum(int x)
{
    for (int offset = 16; offset; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    return x;
}

__global__ void sum(const int *in, int *out, int n)
{
    __shared__ int part[32];
    int x = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x += in[i];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            atomicAdd(out, x);
    }
}

__global__ void maximum(const float *in, float *value, int *place, int n)
{
    float best = -1;
    int at = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        if (in[i] > best) {
            best = in[i];
            at = i;
        }
    for (int mask = 16; mask; mask /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, best, mask);
        int there = __shfl_xor_sync(0xffffffffu, at, mask);
        if (other > best || (other == best && there < at)) {
            best = other;
            at = there;
        }
    }
    if (threadIdx.x == 0) {
        *value = best;
        *place = at;
    }
}

__global__ void float_sum(const float *in, float *out, int n)
{
    float x = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
        x = x + in[i];
    for (int mask = 16; mask; mask /= 2)
        x = x + __shfl_xor_sync(0xffffffffu, x, mask);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

__global__ void scan(const int *in, int *out, unsigned *odd)
{
    int x = in[threadIdx.x], lane = threadIdx.x % 32;
    unsigned ballot = __ballot_sync(0xffffffffu, x & 1);
    for (int offset = 1; offset < 32; offset *= 2) {
        int y = __shfl_up_sync(0xffffffffu, x, offset);
        if (lane >= offset)
            x += y;
    }
    out[threadIdx.x] = x;
    if (lane == 0)
        odd[threadIdx.x / 32] = ballot;
}

int main()
{
    const int n = 100000, blocks = 8;
    Random random(3);
    std::vector<int> ints(n);
    std::vector<float> floats(n), partial(blocks);
    long long want = 0;
    for (int i = 0; i < n; i++) {
        ints[i] = (int)(random.next() % 2001) - 1000;
        floats[i] = random.unit();
        want += ints[i];
    }
    int *d_ints, *d_out, *d_scan;
    float *d_floats, *d_partial;
    unsigned *d_odd;
    CHECK(cudaMalloc(&d_ints, n * sizeof(int)));
    CHECK(cudaMalloc(&d_floats, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, 2 * sizeof(int)));
    CHECK(cudaMalloc(&d_partial, (blocks + 1) * sizeof(float)));
    CHECK(cudaMalloc(&d_scan, 128 * sizeof(int)));
    CHECK(cudaMalloc(&d_odd, 4 * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_ints, ints.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_floats, floats.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, 2 * sizeof(int)));

    sum<<<16, 256>>>(d_ints, d_out, n);
    maximum<<<1, 32>>>(d_floats, d_partial + blocks, d_out + 1, n);
    float_sum<<<blocks, 32>>>(d_floats, d_partial, n);
    scan<<<1, 128>>>(d_ints, d_scan, d_odd);
    CHECK(cudaGetLastError());

    int out[2];
    float best;
    std::vector<int> scanned(128);
    std::vector<unsigned> odd(4);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&best, d_partial + blocks, sizeof best, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(scanned.data(), d_scan, 128 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(odd.data(), d_odd, 4 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("sum: %d\nmaximum: %a at %d\n", out[0], best, out[1]);
    show("partial float sums", partial);
    show("scan", scanned);
    show("odd", odd);

    int at = 0;
    double total = 0, got = 0;
    bool good = out[0] == (int)want;
    for (int i = 0; i < n; i++) {
        at = floats[i] > floats[at] ? i : at;
        total += floats[i];
    }
    for (float p : partial)
        got += p;
    good = good && out[1] == at && best == floats[at] && near(total, got, 1e-5);
    for (int i = 0, running = 0; i < 128; i++) {
        running = i % 32 ? running + ints[i] : ints[i];
        good = good && scanned[i] == running && (odd[i / 32] >> (i % 32) & 1) == (unsigned)(ints[i] & 1);
    }
    return verdict(good);
}
