/* SPDX-License-Identifier: MIT */
/* BinomialOption of the AMD APP SDK, used by the FRC paper: prices of European call options by a binomial lattice.
 *
 * One block prices four options at once, one thread per node of a level, with the lattice in shared memory and two
 * barriers per round. Global memory sees one load and one store per block: hardly any misses, so that no cache makes a
 * difference. Warps fall idle as the lattice narrows. */
#include <math.h>

#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { MOST_STEPS = 254 };

static float lattice_price(double share, uint32_t steps)
{
    double years = 0.25 + 9.75 * share, step = years / steps, price = 5 + 25 * share, strike = 1 + 99 * share;
    double rise = exp(0.3 * sqrt(step)), fall = 1 / rise, growth = exp(0.02 * step);
    double up = (growth - fall) / (rise - fall), node[MOST_STEPS + 1];
    for (uint32_t i = 0; i <= steps; i++)
        node[i] = fmax(price * pow(rise, 2.0 * i - steps) - strike, 0);
    for (uint32_t level = steps; level > 0; level--)
        for (uint32_t i = 0; i < level; i++)
            node[i] = (up * node[i + 1] + (1 - up) * node[i]) / growth;
    return (float)node[0];
}

void sl_workload_binomial_option(sl_host *h)
{
    uint32_t options = sl_param_multiple(h, "options", 4, 1u << 24),
             steps = sl_param_multiple(h, "steps", 2, MOST_STEPS);
    float *share = sl_uniform_floats(h, options, 0, 1), *value = sl_host_new(h, float, options);
    uint64_t share_dev = sl_host_upload(h, "share", share, options * sizeof *share);
    uint64_t value_dev = sl_host_device(h, "value", options * sizeof *value);

    sl_host_launch(h, "binomial_option", SL_DIM(options / 4), SL_DIM(steps + 1), 0, share_dev, value_dev, steps);
    sl_host_download(h, value, value_dev, options * sizeof *value);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, options);
    for (uint32_t i = 0; i < options; i++)
        expected[i] = lattice_price((double)share[i], steps);
    /* The weights are wrong by some 2^-24, in each of 254 steps, and a probability by that over twice the logarithm of
     * a step up (0.01 at least); prices are up to 30. */
    sl_check_f32(h, "value", value, expected, options, 1e-3, 0);
}
