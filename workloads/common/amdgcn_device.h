/* SPDX-License-Identifier: MIT */
/* The NVIDIA builtins that cuda_device.h stands on, for AMD GPUs: so that the kernels of the workloads compile for
 * amdgcn as they are (see ../generate-ir). Read before cuda_device.h. Warps are wavefronts of 32.
 *
 * A call of one that is missing here is an error of the compiler: add it when a kernel needs it. Inline PTX cannot be
 * had. Only clang reads this file; it is not part of the library. */
#ifndef SL_AMDGCN_DEVICE_H
#define SL_AMDGCN_DEVICE_H
// clang-format off

#define SL_AMD static __inline__ __attribute__((device, always_inline, nodebug))

/* ---- built-in variables ---- */

SL_AMD unsigned __nvvm_read_ptx_sreg_tid_x() { return __builtin_amdgcn_workitem_id_x(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_tid_y() { return __builtin_amdgcn_workitem_id_y(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_tid_z() { return __builtin_amdgcn_workitem_id_z(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ctaid_x() { return __builtin_amdgcn_workgroup_id_x(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ctaid_y() { return __builtin_amdgcn_workgroup_id_y(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ctaid_z() { return __builtin_amdgcn_workgroup_id_z(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ntid_x() { return __builtin_amdgcn_workgroup_size_x(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ntid_y() { return __builtin_amdgcn_workgroup_size_y(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_ntid_z() { return __builtin_amdgcn_workgroup_size_z(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_nctaid_x() { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_nctaid_y() { return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(); }
SL_AMD unsigned __nvvm_read_ptx_sreg_nctaid_z() { return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z(); }

/* ---- barriers and fences ---- */

SL_AMD void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
SL_AMD void __nvvm_bar_warp_sync(unsigned) { __builtin_amdgcn_wave_barrier(); }
SL_AMD void __nvvm_membar_cta() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
SL_AMD void __nvvm_membar_gl() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
SL_AMD void __nvvm_membar_sys() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* ---- loads ---- */

SL_AMD int __nvvm_ldg_i(const int *p) { return *p; }
SL_AMD unsigned __nvvm_ldg_ui(const unsigned *p) { return *p; }
SL_AMD float __nvvm_ldg_f(const float *p) { return *p; }
SL_AMD double __nvvm_ldg_d(const double *p) { return *p; }

/* ---- atomics; each returns the value before ---- */

#define SL_AMD_ATOMIC(name, type, operation)                                                                           \
    SL_AMD type __nvvm_atom_##name(type *p, type v)                                                                    \
    {                                                                                                                  \
        return __hip_atomic_##operation(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                             \
    }
SL_AMD_ATOMIC(add_gen_i, int, fetch_add)
SL_AMD_ATOMIC(add_gen_ll, long long, fetch_add)
SL_AMD_ATOMIC(add_gen_f, float, fetch_add)
SL_AMD_ATOMIC(add_gen_d, double, fetch_add)
SL_AMD_ATOMIC(min_gen_i, int, fetch_min)
SL_AMD_ATOMIC(min_gen_ui, unsigned, fetch_min)
SL_AMD_ATOMIC(min_gen_ull, unsigned long long, fetch_min)
SL_AMD_ATOMIC(max_gen_i, int, fetch_max)
SL_AMD_ATOMIC(max_gen_ui, unsigned, fetch_max)
SL_AMD_ATOMIC(max_gen_ull, unsigned long long, fetch_max)
SL_AMD_ATOMIC(xchg_gen_i, int, exchange)
SL_AMD_ATOMIC(and_gen_i, int, fetch_and)
SL_AMD_ATOMIC(or_gen_i, int, fetch_or)
SL_AMD_ATOMIC(xor_gen_i, int, fetch_xor)
#undef SL_AMD_ATOMIC
#define SL_AMD_SWAP(name, type)                                                                                        \
    SL_AMD type __nvvm_atom_##name(type *p, type expected, type v)                                                     \
    {                                                                                                                  \
        __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED,                      \
                                             __HIP_MEMORY_SCOPE_AGENT);                                                \
        return expected;                                                                                               \
    }
SL_AMD_SWAP(cas_gen_i, int)
SL_AMD_SWAP(cas_gen_ll, long long)
#undef SL_AMD_SWAP

/* ---- arithmetic ---- */

SL_AMD float __nvvm_round_f(float v) { return __builtin_rintf(v); }
SL_AMD double __nvvm_round_d(double v) { return __builtin_rint(v); }
SL_AMD float __nvvm_sqrt_rn_f(float v) { return __builtin_sqrtf(v); }
SL_AMD double __nvvm_sqrt_rn_d(double v) { return __builtin_sqrt(v); }
SL_AMD float __nvvm_rsqrt_approx_f(float v) { return __builtin_amdgcn_rsqf(v); }
SL_AMD float __nvvm_div_approx_f(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
SL_AMD float __nvvm_ex2_approx_f(float v) { return __builtin_exp2f(v); }
SL_AMD float __nvvm_lg2_approx_f(float v) { return __builtin_log2f(v); }
SL_AMD float __nvvm_sin_approx_f(float v) { return __builtin_sinf(v); }
SL_AMD float __nvvm_cos_approx_f(float v) { return __builtin_cosf(v); }

/* ---- named by cuda_device.h, but not there: ../generate-ir refuses kernels that call them ---- */

extern "C" {
__attribute__((device)) unsigned __nvvm_read_ptx_sreg_laneid();
__attribute__((device)) long long __nvvm_read_ptx_sreg_clock64();
__attribute__((device)) int __nvvm_bar0_popc(int), __nvvm_bar0_and(int), __nvvm_bar0_or(int);
__attribute__((device)) unsigned __nvvm_atom_inc_gen_ui(unsigned *, unsigned), __nvvm_atom_dec_gen_ui(unsigned *, unsigned);
__attribute__((device)) int __nvvm_vote_all_sync(unsigned, int), __nvvm_vote_any_sync(unsigned, int);
__attribute__((device)) unsigned __nvvm_vote_ballot_sync(unsigned, int), __nvvm_match_any_sync_i32(unsigned, unsigned);
__attribute__((device)) int __nvvm_redux_sync_add(int, int);
#define SL_AMD_SHUFFLE(kind)                                                                                           \
    __attribute__((device)) int __nvvm_shfl_sync_##kind##_i32(unsigned, int, int, int);                                \
    __attribute__((device)) float __nvvm_shfl_sync_##kind##_f32(unsigned, float, int, int);
SL_AMD_SHUFFLE(idx)
SL_AMD_SHUFFLE(up)
SL_AMD_SHUFFLE(down)
SL_AMD_SHUFFLE(bfly)
#undef SL_AMD_SHUFFLE
}

// clang-format on
#endif
