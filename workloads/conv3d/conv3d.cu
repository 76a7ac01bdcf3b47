/* One plane of the convolution of a volume: one thread per point of the plane, 11 loads; the border is not written. */
KERNEL conv3d_kernel(float *in, float *out, int depth, int height, int width, int z)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1 || z < 1 || z >= depth - 1)
        return;
    int plane = width * height;
    float *p = &in[z * plane + y * width + x];
    out[z * plane + y * width + x] =
        -1 * p[-plane - width - 1] + 21 * p[plane - width - 1] - 3 * p[-width] + 6 * p[0] - 9 * p[width] +
        2 * p[-plane - width + 1] + 4 * p[plane - width + 1] + 5 * p[-plane + 1] + 7 * p[plane + 1] -
        8 * p[-plane + width + 1] + 10 * p[plane + width + 1];
}
