/* SPDX-License-Identifier: MIT */
/* Comparing what a kernel computed with the CPU reference. The first difference is the one that is reported, with how
 * many there are. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "workloads/host.h"

typedef struct differences {
    uint64_t count, first;
} differences;

static void note(differences *d, uint64_t index)
{
    if (!d->count++)
        d->first = index;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void sl_check_u32(sl_host *h, const char *what, const uint32_t *got, const uint32_t *expected, uint64_t count)
{
    differences d = {0};
    for (uint64_t i = 0; i < count; i++)
        if (got[i] != expected[i])
            note(&d, i);
    if (d.count)
        sl_host_fail(h, SL_MISMATCH,
                     "%s[%" PRIu64 "] is %u, but the CPU reference is %u (%" PRIu64 " value%s of %" PRIu64 " differ)",
                     what, d.first, got[d.first], expected[d.first], d.count, plural(d.count), count);
    h->compared += count;
}

/* Infinities and NaN agree only with themselves. */
static bool near_enough(double got, double expected, double allowed, double *worst)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected);
    double difference = got == expected ? 0 : fabs(got - expected);
    if (!(difference <= allowed))
        return false;
    if (difference > 0 && difference / allowed > *worst)
        *worst = difference / allowed;
    return true;
}

typedef double value_at(const void *values, uint64_t index);

static double f32_at(const void *values, uint64_t index)
{
    return (double)((const float *)values)[index];
}

static double f64_at(const void *values, uint64_t index)
{
    return ((const double *)values)[index];
}

static void check_floats(sl_host *h, const char *what, value_at *at, const void *got, const void *expected,
                         uint64_t count, double absolute, double relative)
{
    differences d = {0};
    for (uint64_t i = 0; i < count; i++) {
        double wanted = at(expected, i);
        if (!near_enough(at(got, i), wanted, absolute + relative * fabs(wanted), &h->worst))
            note(&d, i);
    }
    if (d.count)
        sl_host_fail(h, SL_MISMATCH,
                     "%s[%" PRIu64 "] is %.9g, but the CPU reference is %.9g (%" PRIu64 " value%s of %" PRIu64
                     " differ by more than allowed)",
                     what, d.first, at(got, d.first), at(expected, d.first), d.count, plural(d.count), count);
    h->compared += count;
}

void sl_check_f32(sl_host *h, const char *what, const float *got, const float *expected, uint64_t count,
                  double absolute, double relative)
{
    check_floats(h, what, f32_at, got, expected, count, absolute, relative);
}

void sl_check_f64(sl_host *h, const char *what, const double *got, const double *expected, uint64_t count,
                  double absolute, double relative)
{
    check_floats(h, what, f64_at, got, expected, count, absolute, relative);
}
