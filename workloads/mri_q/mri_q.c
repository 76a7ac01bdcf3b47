/* SPDX-License-Identifier: MIT */
/* Parboil's mri-q: for every voxel the sum over all samples of k-space, in chunks that fit constant memory, a launch
 * per chunk, 256 threads per block; before it, the squared magnitudes of the samples, 512 threads per block. Global
 * memory is streamed: three coordinates in, two sums in and out, each once per chunk; the time goes into sines and
 * cosines. Chunks may be made smaller than constant memory allows. Angles stay within a few turns, where the machine's
 * approximations serve without reduction. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { SAMPLES = 1024, THREADS = 256, PHI_THREADS = 512 };
static const double two_pi = 6.283185307179586;

typedef struct sample {
    float kx, ky, kz, phi_mag;
} sample;

/* The samples without their magnitudes. */
static sample *make_samples(sl_host *h, uint32_t count)
{
    float *k = sl_uniform_floats(h, 3ull * count, -2, 2);
    sample *samples = sl_host_new(h, sample, count);
    for (uint32_t i = 0; i < count; i++)
        samples[i] = (sample){k[3 * i], k[3 * i + 1], k[3 * i + 2], 0};
    return samples;
}

/* Squares of phi, computed on the device. */
static void compute_magnitudes(sl_host *h, sample *samples, const float *phi, uint32_t count)
{
    uint64_t bytes = count * sizeof(float);
    float *magnitude = sl_host_new(h, float, count);
    uint64_t r_dev = sl_host_upload(h, "phi r", phi, bytes), i_dev = sl_host_upload(h, "phi i", phi + count, bytes);
    uint64_t mag_dev = sl_host_device(h, "phi mag", bytes);
    sl_host_launch(h, "mri_q_phi_mag", SL_DIM(sl_blocks(count, PHI_THREADS)), SL_DIM(PHI_THREADS), 0, r_dev, i_dev,
                   mag_dev, count);
    sl_host_download(h, magnitude, mag_dev, bytes);
    for (uint32_t i = 0; i < count; i++)
        samples[i].phi_mag = magnitude[i];
}

static void reference(float *q_r, float *q_i, const float *x, uint32_t voxels, const sample *samples, const float *phi,
                      uint32_t count)
{
    for (uint32_t v = 0; v < voxels; v++) {
        double sum_r = 0, sum_i = 0;
        for (uint32_t k = 0; k < count; k++) {
            double kx = (double)samples[k].kx * x[v] + (double)samples[k].ky * x[voxels + v] +
                        (double)samples[k].kz * x[2ull * voxels + v];
            double mag = (double)phi[k] * phi[k] + (double)phi[count + k] * phi[count + k];
            sum_r += mag * cos(two_pi * kx);
            sum_i += mag * sin(two_pi * kx);
        }
        q_r[v] = (float)sum_r;
        q_i[v] = (float)sum_i;
    }
}

void sl_workload_mri_q(sl_host *h)
{
    uint32_t voxels = (uint32_t)sl_host_param(h, "voxels", 1, 1u << 24);
    uint32_t count = (uint32_t)sl_host_param(h, "samples", 1, 1u << 20);
    uint32_t chunk = (uint32_t)sl_host_param(h, "chunk", 1, SAMPLES);
    uint64_t bytes = voxels * sizeof(float);
    float *x = sl_uniform_floats(h, 3ull * voxels, -0.5f, 0.5f), *phi = sl_uniform_floats(h, 2ull * count, -1, 1);
    sample *samples = make_samples(h, count);
    compute_magnitudes(h, samples, phi, count);

    uint64_t x_dev = sl_host_upload(h, "x", x, bytes), y_dev = sl_host_upload(h, "y", x + voxels, bytes);
    uint64_t z_dev = sl_host_upload(h, "z", x + 2ull * voxels, bytes);
    uint64_t r_dev = sl_host_device(h, "q r", bytes), i_dev = sl_host_device(h, "q i", bytes);
    sl_host_fill(h, r_dev, 0, bytes);
    sl_host_fill(h, i_dev, 0, bytes);
    for (uint32_t done = 0; done < count; done += chunk) {
        uint32_t now = chunk < count - done ? chunk : count - done;
        sl_host_write(h, sl_host_symbol(h, "samples"), samples + done, now * sizeof *samples);
        sl_host_launch(h, "mri_q", SL_DIM(sl_blocks(voxels, THREADS)), SL_DIM(THREADS), 0, x_dev, y_dev, z_dev, r_dev,
                       i_dev, voxels, now);
    }
    float *q_r = sl_host_new(h, float, voxels), *q_i = sl_host_new(h, float, voxels);
    sl_host_download(h, q_r, r_dev, bytes);
    sl_host_download(h, q_i, i_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected_r = sl_host_new(h, float, voxels), *expected_i = sl_host_new(h, float, voxels);
    reference(expected_r, expected_i, x, voxels, samples, phi, count);
    /* Each term is at most 2 and off by the error of the angle (up to 19, rounded a few times) and of sine or cosine at
     * that angle; rounding of the sums is less. */
    sl_check_f32(h, "q r", q_r, expected_r, voxels, count * 2e-5, 0);
    sl_check_f32(h, "q i", q_i, expected_i, voxels, count * 2e-5, 0);
}
