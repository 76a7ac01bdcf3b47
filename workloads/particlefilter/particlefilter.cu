/* One frame of a particle filter that follows a disk through a noisy video; double precision. */
#include "common/cuda_double.h"

enum { BLOCK = 512 };

/* Random numbers of the particle: in (0, 1], and normally distributed. */
static __device__ __forceinline__ double uniform(unsigned *seed, int i)
{
    seed[i] = (1103515245u * seed[i] + 12345u) & 0x7fffffffu;
    return (seed[i] + 1.0) / 2147483648.0;
}

static __device__ __forceinline__ double normal(unsigned *seed, int i)
{
    double u = uniform(seed, i), v = uniform(seed, i);
    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

/* Moves each particle and weighs it by how much the pixels of a disk around it look like the object (228) rather than
 * like the background (100); adds up the weights of the block. A particle lists its pixels before it reads them. */
KERNEL likelihood_kernel(double *x, double *y, const double *resampled_x, const double *resampled_y, int *pixel,
                         const int *disk, double *likelihood, const unsigned char *video, double *weight,
                         double *partial_sum, unsigned *seed, int particles, int disk_points, int frame, int width,
                         int frames, int pixels)
{
    __shared__ double buffer[BLOCK];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    if (i < particles) {
        x[i] = resampled_x[i];
        y[i] = resampled_y[i];
        weight[i] = 1.0 / particles;
        x[i] = x[i] + 1.0 + 5.0 * normal(seed, i);
        y[i] = y[i] - 2.0 + 2.0 * normal(seed, i);
    }
    buffer[tid] = 0.0;
    __syncthreads();
    if (i < particles) {
        for (int p = 0; p < disk_points; p++) {
            int px = (int)rint(x[i]) + disk[2 * p + 1], py = (int)rint(y[i]) + disk[2 * p];
            int at = abs(px * width * frames + py * frames + frame);
            pixel[i * disk_points + p] = at < pixels ? at : 0;
        }
        double sum = 0.0;
        for (int p = 0; p < disk_points; p++) {
            double v = video[pixel[i * disk_points + p]];
            sum += ((v - 100.0) * (v - 100.0) - (v - 228.0) * (v - 228.0)) / 50.0;
        }
        likelihood[i] = sum / disk_points;
        weight[i] = weight[i] * exp(likelihood[i]);
        buffer[tid] = weight[i];
    }
    __syncthreads();
    for (int span = BLOCK / 2; span > 0; span /= 2) {
        if (tid < span)
            buffer[tid] += buffer[tid + span];
        __syncthreads();
    }
    if (tid == 0)
        partial_sum[blockIdx.x] = buffer[0];
}

/* One thread: the sum of all weights, the sums of the weights' shares up to each particle, and where drawing starts. */
KERNEL sum_kernel(double *partial_sum, const double *weight, double *cumulated, double *draw, unsigned *seed,
                  int blocks, int particles)
{
    if (blockIdx.x * blockDim.x + threadIdx.x != 0)
        return;
    double sum = 0.0;
    for (int b = 0; b < blocks; b++)
        sum += partial_sum[b];
    partial_sum[0] = sum;
    cumulated[0] = weight[0] / sum;
    for (int i = 1; i < particles; i++)
        cumulated[i] = weight[i] / sum + cumulated[i - 1];
    draw[0] = uniform(seed, 0) / particles;
}

/* The weights' shares, and evenly spaced draws. */
KERNEL normalize_weights_kernel(double *weight, const double *partial_sum, double *draw, int particles)
{
    __shared__ double first, sum;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0) {
        first = draw[0];
        sum = partial_sum[0];
    }
    __syncthreads();
    if (i >= particles)
        return;
    weight[i] = weight[i] / sum;
    if (i > 0)
        draw[i] = first + i / (double)particles;
}

/* Each particle takes the place of the first whose cumulated share reaches its draw. */
KERNEL find_index_kernel(const double *x, const double *y, const double *cumulated, const double *draw,
                         double *resampled_x, double *resampled_y, int particles)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= particles)
        return;
    int found = particles - 1;
    for (int k = 0; k < particles; k++) {
        if (cumulated[k] >= draw[i]) {
            found = k;
            break;
        }
    }
    resampled_x[i] = x[found];
    resampled_y[i] = y[found];
}
