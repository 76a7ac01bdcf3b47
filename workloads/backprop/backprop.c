/* SPDX-License-Identifier: MIT */
/* One training step of a neural network with n inputs, 16 hidden units and one output, as Rodinia's backprop: the
 * weights between inputs and hidden units are on the GPU, the rest is done on the CPU. Blocks of 16 x 16 threads reduce
 * products in shared memory, then adjust the weights. Rows of 17 weights put a warp's two rows on two or three lines
 * that its neighbours use too, and adjusting reads delta, inputs and changes twice: most accesses hit an L1 cache
 * (Decoupled L1D: without it, this program is more than four times slower).
 *
 * As in the original, the forward kernel overwrites its weights, and fresh ones are copied for adjusting. Simplified:
 * rate and momentum are single precision, where the original computes in double. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { HIDDEN = 16, WIDTH = HIDDEN + 1 };

typedef struct network {
    uint32_t inputs;
    uint64_t weights;    /* (inputs + 1) * WIDTH */
    float *input;        /* [inputs + 1], the first is the bias: 1 */
    float *weight;       /* [inputs + 1][WIDTH] */
    float *change;       /* of weights, in the step before */
    float output[WIDTH]; /* weights between hidden units and the output */
    float target;
} network;

static network make_network(sl_host *h, uint32_t inputs)
{
    network net = {.inputs = inputs, .weights = (inputs + 1ull) * WIDTH, .target = 0.1f};
    net.input = sl_random_floats(h, inputs + 1ull);
    net.input[0] = 1;
    net.weight = sl_random_floats(h, net.weights);
    net.change = sl_random_floats(h, net.weights);
    for (int j = 0; j < WIDTH; j++)
        net.output[j] = 2 * sl_random_f32(sl_host_random(h)) - 1;
    return net;
}

static float squash(float sum)
{
    return 1 / (1 + expf(-sum));
}

/* From the sums of the hidden units, without bias, to the errors of those: delta[1] to delta[HIDDEN]. */
static void propagate_back(const network *net, const float *sum, float *delta)
{
    float hidden[WIDTH] = {1}, total = net->output[0];
    for (int j = 1; j < WIDTH; j++) {
        hidden[j] = squash((sum[j] + net->weight[j]) / (float)net->inputs);
        total += hidden[j] * net->output[j];
    }
    float output = squash(total), error = output * (1 - output) * (net->target - output);
    delta[0] = 0;
    for (int j = 1; j < WIDTH; j++)
        delta[j] = hidden[j] * (1 - hidden[j]) * error * net->output[j];
}

static void check(sl_host *h, network *net, const float *partial_got, const float *weight_got, const float *change_got)
{
    uint32_t blocks = net->inputs / HIDDEN;
    float *partial = sl_host_new(h, float, (uint64_t)blocks *HIDDEN), sum[WIDTH] = {0}, delta[WIDTH];
    for (uint32_t i = 1; i <= net->inputs; i++)
        for (uint32_t j = 1; j < WIDTH; j++)
            partial[(i - 1) / HIDDEN * HIDDEN + j - 1] += net->input[i] * net->weight[(size_t)i * WIDTH + j];
    sl_check_f32(h, "partial sums", partial_got, partial, (uint64_t)blocks * HIDDEN, 0, 0);

    for (uint32_t i = 0; i < blocks * HIDDEN; i++)
        sum[i % HIDDEN + 1] += partial[i];
    propagate_back(net, sum, delta);
    for (uint32_t i = 0; i <= net->inputs; i++)
        for (uint32_t j = 1; j < WIDTH; j++) {
            size_t w = (size_t)i * WIDTH + j;
            net->change[w] = 0.3f * delta[j] * net->input[i] + 0.3f * net->change[w];
            net->weight[w] += net->change[w];
        }
    /* Three roundings of values below 1, and one of a weight below 2. */
    sl_check_f32(h, "changes", change_got, net->change, net->weights, 0x1p-22, 0);
    sl_check_f32(h, "weights", weight_got, net->weight, net->weights, 0x1p-22, 0);
}

void sl_workload_backprop(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", HIDDEN, HIDDEN * 65535), blocks = n / HIDDEN;
    if (n % HIDDEN)
        sl_host_fail(h, SL_INVALID, "n must be a multiple of %d, not %u", HIDDEN, n);
    network net = make_network(h, n);
    uint64_t weight_bytes = net.weights * sizeof(float), sum_bytes = (uint64_t)n * sizeof(float);
    float *partial = sl_host_new(h, float, n), sum[WIDTH] = {0}, delta[WIDTH];
    uint64_t input_dev = sl_host_upload(h, "input", net.input, (n + 1ull) * sizeof(float));
    uint64_t weight_dev = sl_host_upload(h, "weight", net.weight, weight_bytes);
    uint64_t partial_dev = sl_host_device(h, "partial sum", sum_bytes);

    sl_host_launch(h, "layer_forward", SL_DIM(1, blocks), SL_DIM(HIDDEN, HIDDEN), 0, input_dev, weight_dev,
                   partial_dev);
    sl_host_download(h, partial, partial_dev, sum_bytes);
    for (uint32_t i = 0; i < n; i++)
        sum[i % HIDDEN + 1] += partial[i];
    propagate_back(&net, sum, delta);

    sl_host_write(h, weight_dev, net.weight, weight_bytes);
    uint64_t change_dev = sl_host_upload(h, "change", net.change, weight_bytes);
    uint64_t delta_dev = sl_host_upload(h, "delta", delta, sizeof delta);
    sl_host_launch(h, "adjust_weights", SL_DIM(1, blocks), SL_DIM(HIDDEN, HIDDEN), 0, delta_dev, input_dev, weight_dev,
                   change_dev);
    float *weight = sl_host_new(h, float, net.weights), *change = sl_host_new(h, float, net.weights);
    sl_host_download(h, weight, weight_dev, weight_bytes);
    sl_host_download(h, change, change_dev, weight_bytes);
    if (sl_host_checks(h))
        check(h, &net, partial, weight, change);
}
