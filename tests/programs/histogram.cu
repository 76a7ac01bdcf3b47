/* Atomics of every kind, in shared and global memory; a histogram from several host threads, each with a stream. */
#include "check.h"

#include <thread>

__global__ void histogram(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void extremes(const int *in, int n, int *low, int *high, unsigned *bits, double *sum,
                         unsigned long long *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicMin(low, in[i]);
    atomicMax(high, in[i]);
    atomicOr(bits, 1u << (in[i] & 31));
    atomicAdd(sum, (double)in[i]);
    atomicAdd(count, 1ull);
}

static bool count_bytes(int seed, std::vector<unsigned> &bins)
{
    const int n = 20000;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256, 0);
    Random random(seed);
    for (unsigned char &b : in) {
        b = (unsigned char)(random.next() % 256);
        want[b]++;
    }
    unsigned char *d_in;
    unsigned *d_bins;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&d_in, n));
    CHECK(cudaMalloc(&d_bins, 256 * sizeof(unsigned)));
    CHECK(cudaMemcpyAsync(d_in, in.data(), n, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(d_bins, 0, 256 * sizeof(unsigned), stream));
    histogram<<<8, 256, 0, stream>>>(d_in, n, d_bins);
    CHECK(cudaGetLastError());
    bins.resize(256);
    CHECK(cudaMemcpyAsync(bins.data(), d_bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    return bins == want;
}

int main()
{
    const int threads = 4, n = 3000;
    std::vector<unsigned> bins[threads];
    bool ok[threads], good = true;
    std::vector<std::thread> running;
    for (int t = 0; t < threads; t++)
        running.emplace_back([&, t] { ok[t] = count_bytes(t + 1, bins[t]); });
    for (int t = 0; t < threads; t++) {
        running[t].join();
        good = good && ok[t];
        show("histogram", bins[t]);
    }
    std::vector<int> in(n);
    Random random(99);
    double want = 0;
    int low = 1 << 30, high = -(1 << 30);
    for (int &x : in) {
        x = (int)(random.next() % 100001) - 50000;
        want += x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    int *d_in, *d_extreme, extreme[2] = {1 << 30, -(1 << 30)};
    unsigned *d_bits, bits;
    double *d_sum, sum;
    unsigned long long *d_count, count;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_extreme, sizeof extreme));
    CHECK(cudaMalloc(&d_bits, sizeof bits));
    CHECK(cudaMalloc(&d_sum, sizeof sum));
    CHECK(cudaMalloc(&d_count, sizeof count));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_extreme, extreme, sizeof extreme, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bits, 0, sizeof bits));
    CHECK(cudaMemset(d_sum, 0, sizeof sum));
    CHECK(cudaMemset(d_count, 0, sizeof count));
    extremes<<<(n + 127) / 128, 128>>>(d_in, n, d_extreme, d_extreme + 1, d_bits, d_sum, d_count);
    CHECK(cudaMemcpy(extreme, d_extreme, sizeof extreme, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&bits, d_bits, sizeof bits, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    printf("low %d high %d bits %08x sum %a count %llu\n", extreme[0], extreme[1], bits, sum, count);
    return verdict(good && extreme[0] == low && extreme[1] == high && bits == 0xffffffffu && sum == want && count == n);
}
