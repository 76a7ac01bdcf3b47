/* 3 x 3 convolution: one thread per pixel, nine loads; the border is not written. */
KERNEL conv2d_kernel(float *in, float *out, int width, int height)
{
    const float w[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1)
        return;
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += w[j][i] * in[(y + j - 1) * width + x + i - 1];
    out[y * width + x] = sum;
}
