enum { SIDE = 8 };

/* Blocks of 8 x 8 pixels, one thread per coefficient: out = C * in * C^T. `basis` is C^T; the product C * in lies in
 * shared memory, transposed. */
KERNEL dct(const float *__restrict__ in, const float *__restrict__ basis, float *__restrict__ out, unsigned width)
{
    __shared__ float product[SIDE * SIDE];
    unsigned i = threadIdx.x, j = threadIdx.y;
    unsigned first = blockIdx.y * SIDE * width + blockIdx.x * SIDE;
    float sum = 0;
    for (unsigned k = 0; k < SIDE; k++)
        sum += basis[k * SIDE + i] * in[first + k * width + j];
    product[j * SIDE + i] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned k = 0; k < SIDE; k++)
        sum += product[k * SIDE + j] * basis[k * SIDE + i];
    out[first + j * width + i] = sum;
}
