/* SPDX-License-Identifier: MIT */
/* Numbers in memory that streams write, or wait for. */
#include "cudadriver/driver.h"

#include <stdlib.h>

enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };

cudaError_t sl_driver_values(sl_proc *rt, unsigned count, const CUstreamBatchMemOpParams *params,
                             sl_proc_value **values, unsigned *made)
{
    (void)rt;
    if (!params || !count)
        return cudaErrorInvalidValue;
    sl_proc_value *v = calloc(count, sizeof *v);
    if (!v)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < count; i++) {
        const CUstreamBatchMemOpParams *p = &params[i];
        if (p->operation < WAIT_32 || p->operation > BARRIER) {
            free(v);
            return cudaErrorInvalidValue;
        }
        bool wide = p->operation == WAIT_64 || p->operation == WRITE_64;
        if (p->operation == FLUSH || p->operation == BARRIER)
            continue;
        v[i] = (sl_proc_value){.address = SL_POINTER(p->address),
                               .value = wide ? p->value : (uint32_t)p->value,
                               .bytes = wide ? 8 : 4,
                               .wait = p->operation == WAIT_32 || p->operation == WAIT_64,
                               .flags = p->flags};
    }
    *values = v;
    *made = count;
    return cudaSuccess;
}

static cudaError_t submit(sl_proc *rt, CUstream stream, unsigned count, const CUstreamBatchMemOpParams *params)
{
    sl_proc_op op = {.kind = SL_PROC_VALUES};
    cudaError_t error = sl_driver_values(rt, count, params, &op.values.item, &op.values.count);
    return error ? error : sl_proc_submit(rt, stream, &op);
}

SL_API CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams *params, unsigned flags)
{
    SL_CALL(flags ? cudaErrorInvalidValue : submit(rt, stream, count, params));
}
SL_PTSZ(cuStreamBatchMemOp_v2);
SL_ALIAS(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);
SL_ALIAS(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2);

#define VALUE(name, type, kind)                                                                                        \
    SL_API CUresult name##_v2(CUstream stream, CUdeviceptr address, type value, unsigned flags)                        \
    {                                                                                                                  \
        const CUstreamBatchMemOpParams params = {kind, address, value, flags, {0}};                                    \
        SL_CALL(submit(rt, stream, 1, &params));                                                                       \
    }                                                                                                                  \
    SL_PTSZ(name##_v2);                                                                                                \
    SL_ALIAS(name, name##_v2);                                                                                         \
    SL_ALIAS(name##_ptsz, name##_v2)
VALUE(cuStreamWaitValue32, uint32_t, WAIT_32);
VALUE(cuStreamWriteValue32, uint32_t, WRITE_32);
VALUE(cuStreamWaitValue64, uint64_t, WAIT_64);
VALUE(cuStreamWriteValue64, uint64_t, WRITE_64);
