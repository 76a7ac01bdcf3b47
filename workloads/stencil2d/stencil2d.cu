/* One time step: each inner point becomes half of itself and an eighth of each neighbour; the border stays. */
KERNEL stencil2d(const float *__restrict__ in, float *__restrict__ out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned i = y * width + x;
    float v = in[i];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        v = 0.5f * v + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    out[i] = v;
}
