/* Copies a matrix: each thread copies a row, element by element. */
KERNEL rowcopy(float *in, float *out, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < width; j++)
        out[row * width + j] = in[row * width + j];
}
