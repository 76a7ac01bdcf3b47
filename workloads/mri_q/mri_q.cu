/* The matrix Q of non-Cartesian MRI reconstruction: Q(x) = sum over k of |phi(k)|^2 e^(2 pi i k x). */
enum { SAMPLES = 1024 };
static const float two_pi = 6.2831853071795864769f;

struct sample {
    float kx, ky, kz, phi_mag;
};
__constant__ sample samples[SAMPLES];

KERNEL mri_q_phi_mag(const float *phi_r, const float *phi_i, float *phi_mag,
                     unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        phi_mag[i] = phi_r[i] * phi_r[i] + phi_i[i] * phi_i[i];
}

/* Adds the samples that are in constant memory: a thread per voxel, all threads on the same sample. */
KERNEL mri_q(const float *x, const float *y, const float *z,
             float *q_r, float *q_i, unsigned voxels, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels)
        return;
    float my_x = x[i], my_y = y[i], my_z = z[i], sum_r = q_r[i], sum_i = q_i[i];
    for (unsigned k = 0; k < count; k++) {
        float angle = two_pi * (samples[k].kx * my_x + samples[k].ky * my_y + samples[k].kz * my_z);
        sum_r += samples[k].phi_mag * __cosf(angle);
        sum_i += samples[k].phi_mag * __sinf(angle);
    }
    q_r[i] = sum_r;
    q_i[i] = sum_i;
}
