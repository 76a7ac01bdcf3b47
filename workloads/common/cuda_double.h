/* Double-precision functions that CUDA takes from its device library, built from polynomials on exact reductions:
 * within a few units in the last place for exp, log and pow of moderate arguments, an absolute 2^-48 for sin and cos
 * within a few thousand turns. Read after cuda_device.h. */
#ifndef SL_CUDA_DOUBLE_H
#define SL_CUDA_DOUBLE_H
// clang-format off

SL_DEV double rint(double v) { return __nvvm_round_d(v); }
SL_DEV double sl_double_of(long long bits) { return __builtin_bit_cast(double, bits); }

/* e^v = 2^whole * e^rest with |rest| <= ln(2) / 2; the series of e^rest to its 13th term. */
SL_DEV double exp(double v)
{
    if (v < -708.0) return 0.0;
    if (v > 709.0) return sl_double_of(0x7ff0000000000000);
    double whole = rint(v * 1.4426950408889634);
    double rest = fma(whole, -6.93147180369123816490e-01, v);
    rest = fma(whole, -1.90821492927058770002e-10, rest);
    double sum = 1.0 / 6227020800.0;
    sum = fma(sum, rest, 1.0 / 479001600.0);
    sum = fma(sum, rest, 1.0 / 39916800.0);
    sum = fma(sum, rest, 1.0 / 3628800.0);
    sum = fma(sum, rest, 1.0 / 362880.0);
    sum = fma(sum, rest, 1.0 / 40320.0);
    sum = fma(sum, rest, 1.0 / 5040.0);
    sum = fma(sum, rest, 1.0 / 720.0);
    sum = fma(sum, rest, 1.0 / 120.0);
    sum = fma(sum, rest, 1.0 / 24.0);
    sum = fma(sum, rest, 1.0 / 6.0);
    sum = fma(sum, rest, 0.5);
    sum = fma(sum, rest, 1.0);
    sum = fma(sum, rest, 1.0);
    return sum * sl_double_of(((long long)whole + 1023) << 52);
}

/* Of positive normal numbers: v = 2^whole * m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1) / (m + 1)). */
SL_DEV double log(double v)
{
    long long bits = __builtin_bit_cast(long long, v);
    long long whole = (bits - 0x3fe6a09e667f3bcd) >> 52;
    double m = sl_double_of(bits - (whole << 52));
    double s = (m - 1.0) / (m + 1.0), q = s * s;
    double sum = 1.0 / 21.0;
    sum = fma(sum, q, 1.0 / 19.0);
    sum = fma(sum, q, 1.0 / 17.0);
    sum = fma(sum, q, 1.0 / 15.0);
    sum = fma(sum, q, 1.0 / 13.0);
    sum = fma(sum, q, 1.0 / 11.0);
    sum = fma(sum, q, 1.0 / 9.0);
    sum = fma(sum, q, 1.0 / 7.0);
    sum = fma(sum, q, 1.0 / 5.0);
    sum = fma(sum, q, 1.0 / 3.0);
    double rest = 2.0 * fma(s * q, sum, s);
    return fma((double)whole, 6.93147180369123816490e-01, fma((double)whole, 1.90821492927058770002e-10, rest));
}

/* Of positive x. */
SL_DEV double pow(double x, double y) { return exp(y * log(x)); }

/* v = quarter * pi/2 + rest with |rest| <= pi/4. */
struct sl_quarter_turns { int quarter; double rest; };
SL_DEV sl_quarter_turns sl_reduce(double v)
{
    double whole = rint(v * 0.63661977236758134308);
    double rest = fma(whole, -1.57079632679489655800e+00, v);
    return {(int)whole & 3, fma(whole, -6.12323399573676603587e-17, rest)};
}
SL_DEV double sl_sin_near(double v)
{
    double q = v * v, sum = -1.0 / 1307674368000.0;
    sum = fma(sum, q, 1.0 / 6227020800.0);
    sum = fma(sum, q, -1.0 / 39916800.0);
    sum = fma(sum, q, 1.0 / 362880.0);
    sum = fma(sum, q, -1.0 / 5040.0);
    sum = fma(sum, q, 1.0 / 120.0);
    sum = fma(sum, q, -1.0 / 6.0);
    return fma(sum * q, v, v);
}
SL_DEV double sl_cos_near(double v)
{
    double q = v * v, sum = 1.0 / 20922789888000.0;
    sum = fma(sum, q, -1.0 / 87178291200.0);
    sum = fma(sum, q, 1.0 / 479001600.0);
    sum = fma(sum, q, -1.0 / 3628800.0);
    sum = fma(sum, q, 1.0 / 40320.0);
    sum = fma(sum, q, -1.0 / 720.0);
    sum = fma(sum, q, 1.0 / 24.0);
    sum = fma(sum, q, -0.5);
    return fma(sum, q, 1.0);
}
SL_DEV double sin(double v)
{
    sl_quarter_turns turns = sl_reduce(v);
    double near = turns.quarter & 1 ? sl_cos_near(turns.rest) : sl_sin_near(turns.rest);
    return turns.quarter & 2 ? -near : near;
}
SL_DEV double cos(double v)
{
    sl_quarter_turns turns = sl_reduce(v);
    double near = turns.quarter & 1 ? sl_sin_near(turns.rest) : sl_cos_near(turns.rest);
    return (turns.quarter + 1) & 2 ? -near : near;
}

// clang-format on
#endif
