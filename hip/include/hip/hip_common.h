/* SPDX-License-Identifier: MIT */
/* What HIP's compiler defines. The platform is NVIDIA's, because nvcc compiles. */
#ifndef SLUICE_HIP_COMMON_H
#define SLUICE_HIP_COMMON_H

#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#if defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define __HIP_DEVICE_COMPILE__ 1
#endif

/* Lanes of a wavefront: `sluice hip-flags --gpu NAME` sets those of a GPU model. */
#ifndef SLUICE_HIP_LANES
#define SLUICE_HIP_LANES 32
#endif
#if SLUICE_HIP_LANES != 32 && SLUICE_HIP_LANES != 64
#error "SLUICE_HIP_LANES: a wavefront has 32 or 64 lanes"
#endif

#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__     1
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ 1
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__     1
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ 1
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__         1
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__     1
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__     1
#define __HIP_ARCH_HAS_DOUBLES__                  1
#define __HIP_ARCH_HAS_WARP_VOTE__                1
#define __HIP_ARCH_HAS_WARP_BALLOT__              1
#define __HIP_ARCH_HAS_WARP_SHUFFLE__             1
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__        1
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__      1
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__          1
#define __HIP_ARCH_HAS_SURFACE_FUNCS__            1
#define __HIP_ARCH_HAS_3DGRID__                   1
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__         1

#endif
