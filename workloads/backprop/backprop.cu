/* One training step of a layer of n inputs and 16 hidden units. A row of weights is 17 long and its first is not used;
 * the first row is the bias. So a block's 16 x 16 weights lie across lines. */
enum { HIDDEN = 16, WIDTH = HIDDEN + 1 };

/* Sums of inputs times weights over the 16 inputs of a block, of each hidden unit. What the reduction leaves takes the
 * place of the weights. */
KERNEL layer_forward(const float *input, float *weight, float *partial_sum)
{
    __shared__ float node[HIDDEN], product[HIDDEN][HIDDEN];
    int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int w = WIDTH * (HIDDEN * by + ty + 1) + tx + 1;
    if (tx == 0)
        node[ty] = input[HIDDEN * by + ty + 1];
    __syncthreads();
    product[ty][tx] = weight[w];
    __syncthreads();
    product[ty][tx] *= node[ty];
    __syncthreads();
    for (int span = 2; span <= HIDDEN; span *= 2) {
        if (ty % span == 0)
            product[ty][tx] += product[ty + span / 2][tx];
        __syncthreads();
    }
    weight[w] = product[ty][tx];
    __syncthreads();
    if (tx == 0)
        partial_sum[HIDDEN * by + ty] = product[0][ty];
}

/* weight += change, for change = rate * delta * input + momentum * change. The pointers may be to the same memory, so
 * the second line reads again what the first has read. */
KERNEL adjust_weights(const float *delta, const float *input, float *weight, float *change)
{
    const float rate = 0.3f, momentum = 0.3f;
    int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int w = WIDTH * (HIDDEN * by + ty + 1) + tx + 1, x = tx + 1, y = HIDDEN * by + ty + 1;
    weight[w] += rate * delta[x] * input[y] + momentum * change[w];
    change[w] = rate * delta[x] * input[y] + momentum * change[w];
    __syncthreads();
    if (ty == 0 && by == 0) { /* the bias, an input that is always 1 */
        weight[x] += rate * delta[x] + momentum * change[x];
        change[x] = rate * delta[x] + momentum * change[x];
    }
}
