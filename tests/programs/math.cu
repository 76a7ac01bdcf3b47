/* Functions of the math library, over ranges of arguments, against the CPU's. Those that go through approximations of
 * the hardware are only checked; the others are made of exact arithmetic and printed as well. */
#include "check.h"

#include <cmath>

const int N = 2000;

#ifdef __NVCC__
#define ON_DEVICE(expression) (expression)
#else
#define ON_DEVICE(expression) x /* never compiled: the device code comes from the fat binary */
#endif

/* A kernel that evaluates the expression at N points, and its check. The CPU uses more precision than the result has. */
#define FUNCTION(T, name, expression, low, high, tolerance, exact)                                                     \
    __global__ void k_##name(const T *in, T *out)                                                                      \
    {                                                                                                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        if (i < N) {                                                                                                   \
            T x = in[i];                                                                                               \
            out[i] = ON_DEVICE(expression);                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static bool check_##name()                                                                                         \
    {                                                                                                                  \
        std::vector<T> in(N), out(N);                                                                                  \
        T *d_in, *d_out;                                                                                               \
        for (int i = 0; i < N; i++)                                                                                    \
            in[i] = (T)low + ((T)high - (T)low) * ((T)i / N);                                                          \
        CHECK(cudaMalloc(&d_in, N * sizeof(T)));                                                                       \
        CHECK(cudaMalloc(&d_out, N * sizeof(T)));                                                                      \
        CHECK(cudaMemcpy(d_in, in.data(), N * sizeof(T), cudaMemcpyHostToDevice));                                     \
        k_##name<<<(N + 255) / 256, 256>>>(d_in, d_out);                                                               \
        CHECK(cudaMemcpy(out.data(), d_out, N * sizeof(T), cudaMemcpyDeviceToHost));                                   \
        CHECK(cudaFree(d_in));                                                                                         \
        CHECK(cudaFree(d_out));                                                                                        \
        bool good = true;                                                                                              \
        for (int i = 0; i < N; i++) {                                                                                  \
            T x = in[i];                                                                                               \
            if (!near(out[i], host_##name(x), tolerance)) {                                                            \
                printf(#name "(%a) is %a, not %a\n", (double)x, (double)out[i], (double)host_##name(x));               \
                good = false;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        if (exact)                                                                                                     \
            show(#name, out);                                                                                          \
        return good;                                                                                                   \
    }

#define EACH(F)                                                                                                        \
    F(float, sqrtf, sqrtf(x), 0, 100, 1e-7, true)                                                                      \
    F(float, divide, 1.0f / x, 1, 100, 1e-7, true)                                                                     \
    F(float, rsqrtf, rsqrtf(x), 1, 100, 3e-7, false)                                                                   \
    F(float, cbrtf, cbrtf(x), -50, 50, 3e-7, false)                                                                    \
    F(float, sinf, sinf(x), -20, 20, 3e-7, true)                                                                       \
    F(float, cosf, cosf(x), -20, 20, 3e-7, true)                                                                       \
    F(float, large_sinf, sinf(x), 1e6f, 2e9f, 3e-7, true)                                                              \
    F(float, tanf, tanf(x), -1.5f, 1.5f, 5e-7, false)                                                                   \
    F(float, asinf, asinf(x), -1, 1, 5e-7, false)                                                                       \
    F(float, acosf, acosf(x), -1, 1, 5e-7, false)                                                                       \
    F(float, atanf, atanf(x), -30, 30, 5e-7, false)                                                                     \
    F(float, atan2f, atan2f(x, 1.25f), -30, 30, 5e-7, true)                                                            \
    F(float, tanhf, tanhf(x), -4, 4, 5e-7, false)                                                                       \
    F(float, expf, expf(x), -20, 20, 5e-7, false)                                                                       \
    F(float, exp2f, exp2f(x), -20, 20, 5e-7, false)                                                                     \
    F(float, logf, logf(x), 0.001f, 100, 5e-7, true)                                                                   \
    F(float, log2f, log2f(x), 0.001f, 100, 5e-7, true)                                                                 \
    F(float, log10f, log10f(x), 0.001f, 100, 5e-7, true)                                                               \
    F(float, powf, powf(x, 1.7f), 0.01f, 50, 1e-6, true)                                                               \
    F(float, erff, erff(x), -3, 3, 5e-7, false)                                                                         \
    F(float, lgammaf, lgammaf(x), 1, 20, 1e-6, false)                                                                   \
    F(float, fmodf, fmodf(x, 0.37f), -20, 20, 0, true)                                                                 \
    F(float, rounding, floorf(x) + rintf(x) * 10 + truncf(x) * 100, -9, 9, 0, true)                                    \
    F(float, fast_sin, __sinf(x), -3, 3, 2e-6, false)                                                                   \
    F(float, fast_exp, __expf(x), -5, 5, 2e-6, false)                                                                   \
    F(float, fast_log, __logf(x), 0.1f, 50, 2e-6, false)                                                                \
    F(float, fast_divide, __fdividef(1.0f, x), 1, 100, 5e-7, false)                                                     \
    F(double, sqrt, sqrt(x), 0, 100, 2e-16, true)                                                                      \
    F(double, divide64, 1.0 / x, 1, 100, 2e-16, true)                                                                  \
    F(double, rsqrt, rsqrt(x), 1, 100, 1e-15, false)                                                                    \
    F(double, cbrt, cbrt(x), -50, 50, 1e-15, true)                                                                     \
    F(double, sin, sin(x), -20, 20, 1e-15, true)                                                                       \
    F(double, large_cos, cos(x), 1e6, 1e15, 1e-15, true)                                                               \
    F(double, tan, tan(x), -1.5, 1.5, 1e-15, true)                                                                     \
    F(double, asin, asin(x), -1, 1, 1e-15, true)                                                                       \
    F(double, acos, acos(x), -1, 1, 1e-15, true)                                                                       \
    F(double, atan, atan(x), -30, 30, 1e-15, false)                                                                     \
    F(double, sinh, sinh(x), -5, 5, 1e-15, true)                                                                       \
    F(double, tanh, tanh(x), -4, 4, 1e-15, true)                                                                       \
    F(double, exp, exp(x), -20, 20, 1e-15, true)                                                                       \
    F(double, log, log(x), 0.001, 100, 1e-15, true)                                                                    \
    F(double, pow, pow(x, 1.7), 0.01, 50, 1e-15, true)                                                                 \
    F(double, erf, erf(x), -3, 3, 1e-15, true)                                                                         \
    F(double, lgamma, lgamma(x), 1, 20, 1e-14, true)                                                                   \
    F(double, fmod, fmod(x, 0.37), -20, 20, 0, true)

/* The same on the CPU, in double or long double. */
static long double host_sqrtf(float x) { return std::sqrt((double)x); }
static long double host_divide(float x) { return 1.0 / x; }
static long double host_rsqrtf(float x) { return 1.0 / std::sqrt((double)x); }
static long double host_cbrtf(float x) { return std::cbrt((double)x); }
static long double host_sinf(float x) { return std::sin((double)x); }
static long double host_cosf(float x) { return std::cos((double)x); }
static long double host_large_sinf(float x) { return std::sin((double)x); }
static long double host_tanf(float x) { return std::tan((double)x); }
static long double host_asinf(float x) { return std::asin((double)x); }
static long double host_acosf(float x) { return std::acos((double)x); }
static long double host_atanf(float x) { return std::atan((double)x); }
static long double host_atan2f(float x) { return std::atan2((double)x, 1.25); }
static long double host_tanhf(float x) { return std::tanh((double)x); }
static long double host_expf(float x) { return std::exp((double)x); }
static long double host_exp2f(float x) { return std::exp2((double)x); }
static long double host_logf(float x) { return std::log((double)x); }
static long double host_log2f(float x) { return std::log2((double)x); }
static long double host_log10f(float x) { return std::log10((double)x); }
static long double host_powf(float x) { return std::pow((double)x, (double)1.7f); }
static long double host_erff(float x) { return std::erf((double)x); }
static long double host_lgammaf(float x) { return std::lgamma((double)x); }
static long double host_fmodf(float x) { return fmodf(x, 0.37f); }
static long double host_rounding(float x) { return floorf(x) + rintf(x) * 10 + truncf(x) * 100; }
static long double host_fast_sin(float x) { return std::sin((double)x); }
static long double host_fast_exp(float x) { return std::exp((double)x); }
static long double host_fast_log(float x) { return std::log((double)x); }
static long double host_fast_divide(float x) { return 1.0 / x; }
static long double host_sqrt(double x) { return std::sqrt((long double)x); }
static long double host_divide64(double x) { return 1.0l / x; }
static long double host_rsqrt(double x) { return 1.0l / std::sqrt((long double)x); }
static long double host_cbrt(double x) { return std::cbrt((long double)x); }
static long double host_sin(double x) { return std::sin((long double)x); }
static long double host_large_cos(double x) { return std::cos((long double)x); }
static long double host_tan(double x) { return std::tan((long double)x); }
static long double host_asin(double x) { return std::asin((long double)x); }
static long double host_acos(double x) { return std::acos((long double)x); }
static long double host_atan(double x) { return std::atan((long double)x); }
static long double host_sinh(double x) { return std::sinh((long double)x); }
static long double host_tanh(double x) { return std::tanh((long double)x); }
static long double host_exp(double x) { return std::exp((long double)x); }
static long double host_log(double x) { return std::log((long double)x); }
static long double host_pow(double x) { return std::pow((long double)x, (long double)1.7); }
static long double host_erf(double x) { return std::erf((long double)x); }
static long double host_lgamma(double x) { return std::lgamma((long double)x); }
static long double host_fmod(double x) { return std::fmod(x, 0.37); }

EACH(FUNCTION)

int main()
{
    bool good = true;
#define RUN(T, name, expression, low, high, tolerance, exact) good = check_##name() && good;
    EACH(RUN)
    return verdict(good);
}
