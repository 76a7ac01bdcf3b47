/* One step, in place: each thread replaces two values that are `step` apart by their sum and their difference. */
KERNEL fast_walsh(float *__restrict__ value, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = i + i / step * step, second = first + step;
    float a = value[first], b = value[second];
    value[first] = a + b;
    value[second] = a - b;
}
