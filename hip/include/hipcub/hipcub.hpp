/* SPDX-License-Identifier: MIT */
/* hipCUB: CUB, and what CUB dropped with CUDA 13. */
#ifndef SLUICE_HIPCUB_HIPCUB_HPP
#define SLUICE_HIPCUB_HIPCUB_HPP

#include "hip/hip_runtime.h"

#include <cub/cub.cuh>
#if CUDART_VERSION >= 13000
#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

#define HIPCUB_WARP_THREADS 32

namespace hipcub
{
using namespace cub;
#if CUDART_VERSION >= 13000
using Sum = cuda::std::plus<>;
using Max = cuda::maximum<>;
using Min = cuda::minimum<>;
template <class T, class Offset = ptrdiff_t> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Function, class Iterator, class Offset = ptrdiff_t>
using TransformInputIterator = thrust::transform_iterator<Function, Iterator, T>;
#endif
} // namespace hipcub

#endif
