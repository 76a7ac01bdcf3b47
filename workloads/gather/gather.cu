KERNEL gather(const unsigned *__restrict__ index, const float *__restrict__ table, float *__restrict__ out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}
