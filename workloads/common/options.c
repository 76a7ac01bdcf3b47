/* SPDX-License-Identifier: MIT */
#include "workloads/common/options.h"

#include <math.h>

#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

static double normal(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

static double between(double min, double max, double share)
{
    return min * share + max * (1 - share);
}

static void price(double share, float *call, float *put)
{
    double stock = between(10, 100, share), strike = stock, years = between(1, 10, share);
    double interest = between(0.01, 0.05, share), volatility = between(0.01, 0.10, share);
    double spread = volatility * sqrt(years), discounted = strike * exp(-interest * years);
    double d1 = (log(stock / discounted) + 0.5 * spread * spread) / spread, d2 = d1 - spread;
    *call = (float)(stock * normal(d1) - discounted * normal(d2));
    *put = (float)(discounted * normal(-d2) - stock * normal(-d1));
}

void sl_price_options(sl_host *h, const char *kernel)
{
    uint32_t width = sl_param_multiple(h, "width", 16, 1u << 14), height = sl_param_multiple(h, "height", 16, 1u << 14);
    uint64_t options = 4ull * width * height, bytes = options * sizeof(float);
    float *share = sl_uniform_floats(h, options, 0, 1);
    float *call = sl_host_new(h, float, options), *put = sl_host_new(h, float, options);
    uint64_t share_dev = sl_host_upload(h, "share", share, bytes);
    uint64_t call_dev = sl_host_device(h, "call", bytes), put_dev = sl_host_device(h, "put", bytes);

    sl_host_launch(h, kernel, SL_DIM(width / 16, height / 16), SL_DIM(16, 16), 0, share_dev, call_dev, put_dev, width);
    sl_host_download(h, call, call_dev, bytes);
    sl_host_download(h, put, put_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected_call = sl_host_new(h, float, options), *expected_put = sl_host_new(h, float, options);
    for (uint64_t i = 0; i < options; i++)
        price((double)share[i], &expected_call[i], &expected_put[i]);
    /* Differences of products of prices up to 100 and probabilities that are wrong by some 1e-7. */
    sl_check_f32(h, "call", call, expected_call, options, 1e-4, 0);
    sl_check_f32(h, "put", put, expected_put, options, 1e-4, 0);
}
