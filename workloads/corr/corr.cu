/* Correlation of the columns of data[length][vectors]. Rows and columns are counted from 1; row and column 0 are not
 * used. */

/* One thread per column. */
KERNEL mean_kernel(float *data, float *mean, int vectors, int length)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > vectors)
        return;
    mean[j] = 0;
    for (int i = 1; i <= length; i++)
        mean[j] += data[i * (vectors + 1) + j];
    mean[j] /= length;
}

/* One thread per column. Columns that hardly vary get deviation 1. */
KERNEL std_kernel(float *data, float *mean, float *deviation, int vectors, int length)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > vectors)
        return;
    deviation[j] = 0;
    for (int i = 1; i <= length; i++)
        deviation[j] += (data[i * (vectors + 1) + j] - mean[j]) * (data[i * (vectors + 1) + j] - mean[j]);
    deviation[j] = sqrtf(deviation[j] / length);
    if (deviation[j] <= 0.005f)
        deviation[j] = 1;
}

/* Centers columns and gives them length 1: one thread per element. */
KERNEL reduce_kernel(float *data, float *mean, float *deviation, int vectors, int length)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i > length || j > vectors)
        return;
    data[i * (vectors + 1) + j] -= mean[j];
    data[i * (vectors + 1) + j] /= sqrtf(length) * deviation[j];
}

/* Products of each column with those behind it: one thread per column, which sums in global memory. */
KERNEL corr_kernel(float *data, float *result, int vectors, int length)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 >= vectors)
        return;
    result[j1 * (vectors + 1) + j1] = 1;
    for (int j2 = j1 + 1; j2 <= vectors; j2++) {
        float *sum = &result[j1 * (vectors + 1) + j2];
        *sum = 0;
        for (int i = 1; i <= length; i++)
            *sum += data[i * (vectors + 1) + j1] * data[i * (vectors + 1) + j2];
        result[j2 * (vectors + 1) + j1] = *sum;
    }
}
