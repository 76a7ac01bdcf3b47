/* SPDX-License-Identifier: MIT */
/* A batch of 512-point Fourier transforms that work on chip, forward and back: the FFT of Volkov and Kazian, as SHOC
 * and the studies of shared memory use it (the paper on decoupled L1D takes that of Yang and others, PACT 2012). A
 * block of 64 threads makes one transform; global memory is read and written once, in order, and everything else
 * happens in registers and shared memory, so that L1 cannot help. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { POINTS = 512, THREADS = 64 };

typedef struct complex_number {
    double re, im;
} complex_number;

/* The transform of in[0], in[stride], …: that of the even and of the odd ones, put together. */
static void transform(const complex_number *in, complex_number *out, uint32_t points, uint32_t stride)
{
    if (points == 1) {
        *out = *in;
        return;
    }
    uint32_t half = points / 2;
    transform(in, out, half, 2 * stride);
    transform(in + stride, out + half, half, 2 * stride);
    for (uint32_t k = 0; k < half; k++) {
        double angle = -2 * 3.14159265358979323846 * k / points, c = cos(angle), s = sin(angle);
        complex_number even = out[k], odd = out[k + half];
        complex_number turned = {odd.re * c - odd.im * s, odd.re * s + odd.im * c};
        out[k] = (complex_number){even.re + turned.re, even.im + turned.im};
        out[k + half] = (complex_number){even.re - turned.re, even.im - turned.im};
    }
}

static void reference(const float *in, float *out)
{
    complex_number signal[POINTS], spectrum[POINTS];
    for (uint32_t i = 0; i < POINTS; i++)
        signal[i] = (complex_number){(double)in[2 * i], (double)in[2 * i + 1]};
    transform(signal, spectrum, POINTS, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        out[2 * i] = (float)spectrum[i].re;
        out[2 * i + 1] = (float)spectrum[i].im;
    }
}

void sl_workload_fft(sl_host *h)
{
    uint32_t batch = (uint32_t)sl_host_param(h, "batch", 1, 1u << 20);
    uint64_t floats = 2ull * POINTS * batch, bytes = floats * sizeof(float);
    float *signal = sl_random_floats(h, floats);
    float *spectrum = sl_host_new(h, float, floats), *back = sl_host_new(h, float, floats);
    uint64_t data_dev = sl_host_upload(h, "data", signal, bytes);

    sl_host_launch(h, "fft512_forward", SL_DIM(batch), SL_DIM(THREADS), 0, data_dev);
    sl_host_download(h, spectrum, data_dev, bytes);
    sl_host_launch(h, "fft512_inverse", SL_DIM(batch), SL_DIM(THREADS), 0, data_dev);
    sl_host_download(h, back, data_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, floats);
    for (uint64_t first = 0; first < floats; first += 2 * POINTS)
        reference(signal + first, expected + first);
    /* Two factors on the way of a number are off by 2^-20 each, of sums below 512 * sqrt(2) in all; on the way back
     * these errors are averaged over 512 numbers and the same are added once more. */
    sl_check_f32(h, "spectrum", spectrum, expected, floats, 2 * 512 * 0x1p-19, 0);
    sl_check_f32(h, "data", back, signal, floats, 4 * 0x1p-19, 0);
}
