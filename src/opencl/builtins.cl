/* SPDX-License-Identifier: MIT */
/* Functions of OpenCL C that libclc lacks for PTX, or that PTX has instructions for.
 *
 * Compiled twice (compile.c). In the plain build ids are what the device counts, in 32 bits. In the general one, for
 * ranges with an offset, uneven groups or more groups than a grid has, the host says in a constant which part of the
 * range a launch is (launch.c). */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef uint uint4 __attribute__((ext_vector_type(4)));

#define FUNCTION __attribute__((overloadable, always_inline))
#define CONST    __attribute__((const))

/* ---- work-items ---- */

struct ndrange { /* sl_cl_ndrange */
    ulong base[3], offset[3], items[3];
    uint group[3], groups[3], items_per_group[3], dims;
};
extern __constant struct ndrange sluice_ndrange;

#define BY_DIMENSION(d, x, y, z, none) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (none))

static CONST uint tid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z(), 0);
}

static CONST uint ntid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z(),
                        1);
}

static CONST uint ctaid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
                        __nvvm_read_ptx_sreg_ctaid_z(), 0);
}

static CONST uint nctaid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(),
                        __nvvm_read_ptx_sreg_nctaid_z(), 1);
}

/* Of the plain build: never negative as an int, which spares conversions. */
static CONST size_t small(uint value)
{
    __builtin_assume(value <= 0x7fffffff);
    return value;
}

FUNCTION CONST uint get_work_dim(void)
{
    return sluice_ndrange.dims;
}

FUNCTION CONST size_t get_local_id(uint d)
{
    return tid(d);
}

FUNCTION CONST size_t get_local_size(uint d)
{
    return ntid(d);
}

#if SLUICE_GENERAL
FUNCTION CONST size_t get_global_id(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.base[d] + (ulong)ctaid(d) * ntid(d) + tid(d);
}

FUNCTION CONST size_t get_global_size(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.items[d];
}

FUNCTION CONST size_t get_global_offset(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.offset[d];
}

FUNCTION CONST size_t get_group_id(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.group[d] + ctaid(d);
}

FUNCTION CONST size_t get_num_groups(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.groups[d];
}

FUNCTION CONST size_t get_enqueued_local_size(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.items_per_group[d];
}
#else
FUNCTION CONST size_t get_global_id(uint d)
{
    return small(ctaid(d) * ntid(d) + tid(d));
}

FUNCTION CONST size_t get_global_size(uint d)
{
    return small(nctaid(d) * ntid(d));
}

FUNCTION CONST size_t get_global_offset(uint d)
{
    return 0;
}

FUNCTION CONST size_t get_group_id(uint d)
{
    return ctaid(d);
}

FUNCTION CONST size_t get_num_groups(uint d)
{
    return nctaid(d);
}

FUNCTION CONST size_t get_enqueued_local_size(uint d)
{
    return ntid(d);
}
#endif
