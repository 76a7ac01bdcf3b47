/* Depthwise 3 x 3 convolution with a border of zeros: each channel of each image has a filter of its own. Arrays are
 * [image][channel][height][width]; a thread per output, planes in the grid's z. */
KERNEL depthwise_conv(const float *__restrict__ in, const float *__restrict__ filter, float *__restrict__ out,
                      int channels, int height, int width)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    size_t plane = (size_t)blockIdx.z * (size_t)(height * width);
    const float *weight = filter + (int)blockIdx.z % channels * 9;
    in += plane;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
                sum += in[(y + dy) * width + x + dx] * weight[(dy + 1) * 3 + dx + 1];
    out[plane + (size_t)(y * width + x)] = sum;
}
