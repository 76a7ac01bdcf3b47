#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that use CUDA's libraries: NVRTC, cuBLAS, cuRAND, cuFFT.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
sluice=$sluice_with_programs
if [ "${SLUICE_PROGRAMS_BY:?}" != nvcc ] || [ -n "${SLUICE_SANITIZERS:-}" ]; then
    it 'runs programs with libraries of CUDA'
    skip 'only with nvcc, and without the sanitizers'
    done_testing
fi
. "$source_root/tests/nvcc.sh"
libraries=$(dirname "$(dirname "$nvcc")")/lib64
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
installed() { [ -e "$libraries/lib$1.so" ]; }

cat >nvrtc.cu <<'END'
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>
static const char *source = "extern \"C\" __global__ void saxpy(float a, const float *x, float *y)"
                            "{ y[threadIdx.x] += a * x[threadIdx.x]; }";
static int failed(int error, const char *what)
{
    if (error)
        printf("%s: %d\n", what, error);
    return error;
}
#define TRY(call) if (failed(call, #call)) return 1
int main(int count, char **)
{
    nvrtcProgram program;
    size_t bytes;
    CUcontext context;
    CUmodule module;
    CUfunction saxpy;
    float *x, *y, host[32], a = 2;
    const char *options[] = {count > 1 ? "--gpu-architecture=sm_90" : "--gpu-architecture=compute_90"};
    TRY(nvrtcCreateProgram(&program, source, "saxpy.cu", 0, nullptr, nullptr));
    TRY(nvrtcCompileProgram(program, 1, options));
    TRY(count > 1 ? nvrtcGetCUBINSize(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
    std::vector<char> image(bytes);
    TRY(count > 1 ? nvrtcGetCUBIN(program, image.data()) : nvrtcGetPTX(program, image.data()));
    TRY(cuInit(0));
    TRY(cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoadData(&module, image.data()));
    TRY(cuModuleGetFunction(&saxpy, module, "saxpy"));
    for (int i = 0; i < 32; i++)
        host[i] = i;
    TRY(cudaMalloc(&x, sizeof host));
    TRY(cudaMalloc(&y, sizeof host));
    TRY(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice));
    void *params[] = {&a, &x, &y};
    TRY(cuLaunchKernel(saxpy, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
    TRY(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    printf("%g\n", host[31]);
}
END

it 'runs what NVRTC compiled, as PTX or for a real architecture'
if installed nvrtc; then
    compile nvrtc.cu nvrtc -lnvrtc -lcuda
    run "$sluice" run -- ./nvrtc
    exits 0
    stdout_is 93
    stderr_has saxpy
    run "$sluice" run -- ./nvrtc machine-code
    exits 0
    stdout_is 93
else
    skip 'NVRTC is not installed'
fi

cat >blas.cu <<'END'
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <vector>
static const int N = 48;
template <class T> static T *up(const std::vector<double> &values)
{
    std::vector<T> host(values.begin(), values.end());
    T *device;
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}
template <class T> static void compare(const char *what, int error, const T *device, const std::vector<double> &right)
{
    std::vector<T> host(right.size());
    double worst = 0;
    cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < right.size(); i++)
        worst = std::fmax(worst, std::fabs((double)(float)host[i] - right[i]));
    printf("%s: %s\n", what, error ? "failed" : worst < 0.02 ? "right" : "wrong");
}
int main()
{
    std::vector<double> a(N * N), b(N * N), product(N * N), vector(N), zero(N * N);
    cublasHandle_t handle;
    if (cublasCreate(&handle))
        return puts("no handle"), 1;
    if (cudaError_t theirs = cudaGetLastError())
        printf("cuBLAS left %s\n", cudaGetErrorName(theirs));
    double dot_right = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = (i * 7 % 11 - 5) / 8.0;
        b[i] = (i * 5 % 13 - 6) / 8.0;
        dot_right += a[i] * b[i];
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                product[j * N + i] += a[k * N + i] * b[j * N + k];
    for (int i = 0; i < N; i++)
        vector[i] = product[i];
    float one = 1, none = 0, dot = 0, *sa = up<float>(a), *sb = up<float>(b), *sc = up<float>(zero);
    double one64 = 1, none64 = 0, *da = up<double>(a), *db = up<double>(b), *dc = up<double>(zero);
    __half one16 = 1.f, none16 = 0.f, *ha = up<__half>(a), *hb = up<__half>(b), *hc = up<__half>(zero);
    const cublasOperation_t n = CUBLAS_OP_N;
    int error = cublasSgemm(handle, n, n, N, N, N, &one, sa, N, sb, N, &none, sc, N);
    compare("SGEMM", error, sc, product);
    error = cublasDgemm(handle, n, n, N, N, N, &one64, da, N, db, N, &none64, dc, N);
    compare("DGEMM", error, dc, product);
    error = cublasHgemm(handle, n, n, N, N, N, &one16, ha, N, hb, N, &none16, hc, N);
    compare("HGEMM", error, hc, product);
    error = cublasSgemv(handle, n, N, N, &one, sa, N, sb, 1, &none, sc, 1);
    compare("SGEMV", error, sc, vector);
    error = cublasSdot(handle, N * N, sa, 1, sb, 1, &dot);
    printf("dot: %s\n", error ? "failed" : std::fabs(dot - dot_right) < 0.02 ? "right" : "wrong");
}
END

it 'runs cuBLAS as on a device that it does not know, and says so'
if installed cublas; then
    compile blas.cu blas -lcublas
    run "$sluice" run -- ./blas
    exits 0
    stdout_is 'SGEMM: right
DGEMM: right
HGEMM: right
SGEMV: right
dot: right'
    stderr_has 'cuBLAS chose forward-compatible kernels (libcublas.so.'
    stderr_has sgemm
    run "$sluice" run --json blas.json -- ./blas
    file_has blas.json 'cuBLAS chose forward-compatible kernels (libcublas.so.'
    run "$sluice" model --launch 1-1 -- ./blas
    stderr_has 'cuBLAS chose forward-compatible kernels (libcublas.so.'
else
    skip 'cuBLAS is not installed'
fi

cat >lt.cu <<'END'
#include <cublasLt.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>
int main()
{
    const int N = 64;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t shape;
    std::vector<half> host(N * N, __float2half(0.5f));
    half *a, *c;
    float one = 1, none = 0;
    cudaMalloc(&a, N * N * sizeof(half));
    cudaMalloc(&c, N * N * sizeof(half));
    cudaMemcpy(a, host.data(), N * N * sizeof(half), cudaMemcpyHostToDevice);
    int error = cublasLtCreate(&handle);
    error |= cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    error |= cublasLtMatrixLayoutCreate(&shape, CUDA_R_16F, N, N, N);
    error |= cublasLtMatmul(handle, product, &one, a, shape, a, shape, &none, c, shape, c, shape, nullptr, nullptr, 0, 0);
    cudaMemcpy(host.data(), c, N * N * sizeof(half), cudaMemcpyDeviceToHost);
    printf("Lt: %d, %g\n", error, __half2float(host[77]));
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("program: %d.%d\n", p.major, p.minor);
}
END

it 'lets a library of CUDA alone see a newer device: the program sees an H200'
if installed cublasLt; then
    compile lt.cu lt -lcublasLt
    run "$sluice" run -- ./lt
    exits 0
    stdout_is 'Lt: 0, 16
program: 9.0'
    stderr_has 'cuBLASLt chose forward-compatible kernels (libcublasLt.so.'
else
    skip 'cuBLASLt is not installed'
fi

it 'does not end well when cuBLAS has kernels as machine code only, and says what to do'
if installed cublas; then
    run "$sluice" run --compute-capability 9.0 -- ./blas
    exits 1
    stderr_has 'sm_90 alone; run it without --compute-capability'
    stdout_lacks 'cuBLAS left'
else
    skip 'cuBLAS is not installed'
fi

cat >fft.cu <<'END'
#include <cstdio>
#include <cufft.h>
int main()
{
    cufftHandle plan;
    cufftPlan1d(&plan, 256, CUFFT_C2C, 1);
    puts("done");
}
END

it 'does not end well when a program uses cuFFT'
if installed cufft; then
    compile fft.cu fft -lcufft
    run "$sluice" run -- ./fft
    exits 1
    stdout_is 'done'
    stderr_has 'libcufft.so.'
    stderr_has 'does not work here: cuFFT needs an interface'
else
    skip 'cuFFT is not installed'
fi

it 'refuses a compute capability that is none'
run "$sluice" run --compute-capability nine -- true
exits 2
stderr_has "--compute-capability: 'nine' is not a version X.Y, such as 9.0"

done_testing
