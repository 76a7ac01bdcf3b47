/* SPDX-License-Identifier: MIT */
/* Copies and fills. */
#include "cudadriver/driver.h"

/* ---- one dimension ---- */

/* Name, parameters, where to, where from, direction: each also in a stream. */
#define COPY(name, to_type, from_type, kind)                                                                           \
    SL_API CUresult name##_v2(to_type to, from_type from, size_t bytes)                                                \
    {                                                                                                                  \
        SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, kind, NULL, true));                       \
    }                                                                                                                  \
    SL_PTDS(name##_v2);                                                                                                \
    SL_API CUresult name##Async_v2(to_type to, from_type from, size_t bytes, CUstream stream)                          \
    {                                                                                                                  \
        SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, kind, stream, false));                    \
    }                                                                                                                  \
    SL_PTSZ(name##Async_v2)
COPY(cuMemcpyHtoD, CUdeviceptr, const void *, cudaMemcpyHostToDevice);
COPY(cuMemcpyDtoH, void *, CUdeviceptr, cudaMemcpyDeviceToHost);
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice);

SL_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, cudaMemcpyDefault, NULL, true));
}
SL_PTDS(cuMemcpy);

SL_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, cudaMemcpyDefault, stream, false));
}
SL_PTSZ(cuMemcpyAsync);

SL_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                             size_t bytes)
{
    (void)to_context, (void)from_context;
    SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, cudaMemcpyDefault, NULL, true));
}
SL_PTDS(cuMemcpyPeer);

SL_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                  size_t bytes, CUstream stream)
{
    (void)to_context, (void)from_context;
    SL_CALL(sl_proc_copy_1d(rt, SL_POINTER(to), SL_POINTER(from), bytes, cudaMemcpyDefault, stream, false));
}
SL_PTSZ(cuMemcpyPeerAsync);

/* ---- two and three dimensions ---- */

typedef struct side {
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
} side;

/* Where a side begins, and its distances: x in bytes, also of arrays. */
static cudaError_t side_of(sl_proc *rt, const side *s, const CUDA_MEMCPY3D *p, char **data, size_t *pitch,
                           size_t *slice)
{
    sl_proc_array_shape shape;
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        cudaError_t error = sl_proc_array_shape_of(rt, s->array, &shape);
        if (error)
            return error;
        size_t row = shape.width * shape.element_bytes;
        if (s->x > row || p->WidthInBytes > row - s->x || s->y > shape.height || p->Height > shape.height - s->y ||
            s->z > shape.depth || p->Depth > shape.depth - s->z)
            return cudaErrorInvalidValue;
        *pitch = shape.pitch;
        *slice = shape.slice;
        *data = shape.data + s->z * shape.slice + s->y * shape.pitch + s->x;
        return cudaSuccess;
    }
    char *base = s->type == CU_MEMORYTYPE_HOST ? (char *)(uintptr_t)s->host : SL_POINTER(s->device);
    if (s->type < CU_MEMORYTYPE_HOST || s->type > CU_MEMORYTYPE_UNIFIED)
        return cudaErrorInvalidValue;
    *pitch = s->pitch ? s->pitch : p->WidthInBytes;
    if (__builtin_mul_overflow(*pitch, s->height ? s->height : p->Height, slice) ||
        (*pitch < p->WidthInBytes && p->Height > 1))
        return cudaErrorInvalidValue;
    return sl_proc_pitched_at(base, s->x, s->y, s->z, *pitch, *slice, data);
}

cudaError_t sl_driver_copy_3d(sl_proc *rt, const CUDA_MEMCPY3D *p, sl_proc_copy *copy)
{
    char *to, *from;
    if (!p)
        return cudaErrorInvalidValue;
    const side dst = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                      p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight};
    const side src = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes,
                      p->srcY,          p->srcZ,    p->srcPitch,  p->srcHeight};
    *copy = (sl_proc_copy){.width = p->WidthInBytes, .height = p->Height, .depth = p->Depth};
    cudaError_t error = side_of(rt, &dst, p, &to, &copy->dst_pitch, &copy->dst_slice);
    if (!error)
        error = side_of(rt, &src, p, &from, &copy->src_pitch, &copy->src_slice);
    if (error)
        return error;
    copy->dst = to;
    copy->src = from;
    bool unified = dst.type == CU_MEMORYTYPE_UNIFIED || src.type == CU_MEMORYTYPE_UNIFIED;
    bool to_host = dst.type == CU_MEMORYTYPE_HOST, from_host = src.type == CU_MEMORYTYPE_HOST;
    copy->kind = unified   ? cudaMemcpyDefault
                 : to_host ? (from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost)
                           : (from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice);
    return cudaSuccess;
}

static cudaError_t copy_3d(sl_proc *rt, const CUDA_MEMCPY3D *params, CUstream stream, bool wait)
{
    sl_proc_copy copy;
    cudaError_t error = sl_driver_copy_3d(rt, params, &copy);
    return error ? error : sl_proc_copy_submit(rt, &copy, stream, wait);
}

static cudaError_t copy_2d(sl_proc *rt, const CUDA_MEMCPY2D *p, CUstream stream, bool wait)
{
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D params = {.srcXInBytes = p->srcXInBytes,
                                  .srcY = p->srcY,
                                  .srcMemoryType = p->srcMemoryType,
                                  .srcHost = p->srcHost,
                                  .srcDevice = p->srcDevice,
                                  .srcArray = p->srcArray,
                                  .srcPitch = p->srcPitch,
                                  .dstXInBytes = p->dstXInBytes,
                                  .dstY = p->dstY,
                                  .dstMemoryType = p->dstMemoryType,
                                  .dstHost = p->dstHost,
                                  .dstDevice = p->dstDevice,
                                  .dstArray = p->dstArray,
                                  .dstPitch = p->dstPitch,
                                  .WidthInBytes = p->WidthInBytes,
                                  .Height = p->Height,
                                  .Depth = 1};
    return copy_3d(rt, &params, stream, wait);
}

SL_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *params)
{
    SL_CALL(copy_2d(rt, params, NULL, true));
}
SL_PTDS(cuMemcpy2D_v2);
SL_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
SL_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);

SL_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *params, CUstream stream)
{
    SL_CALL(copy_2d(rt, params, stream, false));
}
SL_PTSZ(cuMemcpy2DAsync_v2);

SL_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *params)
{
    SL_CALL(copy_3d(rt, params, NULL, true));
}
SL_PTDS(cuMemcpy3D_v2);
SL_ALIAS(cuMemcpy3DPeer, cuMemcpy3D_v2);
SL_ALIAS(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);

SL_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *params, CUstream stream)
{
    SL_CALL(copy_3d(rt, params, stream, false));
}
SL_PTSZ(cuMemcpy3DAsync_v2);
SL_ALIAS(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
SL_ALIAS(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);

/* ---- arrays as one row of bytes ---- */

SL_API CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes)
{
    SL_CALL(from ? sl_proc_copy_array_run(rt, to, offset, 0, NULL, from, bytes, cudaMemcpyHostToDevice, NULL, true)
                 : cudaErrorInvalidValue);
}
SL_PTDS(cuMemcpyHtoA_v2);

SL_API CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)
{
    SL_CALL(from ? sl_proc_copy_array_run(rt, to, offset, 0, NULL, from, bytes, cudaMemcpyHostToDevice, stream, false)
                 : cudaErrorInvalidValue);
}
SL_PTSZ(cuMemcpyHtoAAsync_v2);

SL_API CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes)
{
    SL_CALL(to ? sl_proc_copy_array_run(rt, from, offset, 0, to, NULL, bytes, cudaMemcpyDeviceToHost, NULL, true)
               : cudaErrorInvalidValue);
}
SL_PTDS(cuMemcpyAtoH_v2);

SL_API CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
    SL_CALL(to ? sl_proc_copy_array_run(rt, from, offset, 0, to, NULL, bytes, cudaMemcpyDeviceToHost, stream, false)
               : cudaErrorInvalidValue);
}
SL_PTSZ(cuMemcpyAtoHAsync_v2);

SL_API CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    SL_CALL(from ? sl_proc_copy_array_run(rt, to, offset, 0, NULL, SL_POINTER(from), bytes, cudaMemcpyDeviceToDevice,
                                          NULL, true)
                 : cudaErrorInvalidValue);
}
SL_PTDS(cuMemcpyDtoA_v2);

SL_API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    SL_CALL(to ? sl_proc_copy_array_run(rt, from, offset, 0, SL_POINTER(to), NULL, bytes, cudaMemcpyDeviceToDevice,
                                        NULL, true)
               : cudaErrorInvalidValue);
}
SL_PTDS(cuMemcpyAtoD_v2);

SL_API CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    SL_CALL(sl_proc_copy_array_runs(rt, to, to_offset, 0, from, from_offset, 0, bytes, cudaMemcpyDeviceToDevice));
}
SL_PTDS(cuMemcpyAtoA_v2);

/* ---- fills ---- */

static cudaError_t fill(sl_proc *rt, CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element_bytes, size_t width,
                        size_t height, CUstream stream)
{
    sl_proc_fill what = {.dst = SL_POINTER(to),
                         .pitch = pitch,
                         .height = height,
                         .depth = 1,
                         .value = value,
                         .element_bytes = element_bytes};
    if (to % element_bytes || __builtin_mul_overflow(width, (size_t)element_bytes, &what.width))
        return cudaErrorInvalidValue;
    return sl_proc_fill_submit(rt, &what, stream);
}

/* Name, type of the value: a row and rows, each also in a stream. */
#define FILL(bits, type)                                                                                               \
    SL_API CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                                     \
    {                                                                                                                  \
        SL_CALL(fill(rt, to, 0, value, bits / 8, count, 1, NULL));                                                     \
    }                                                                                                                  \
    SL_PTDS(cuMemsetD##bits##_v2);                                                                                     \
    SL_API CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream)                  \
    {                                                                                                                  \
        SL_CALL(fill(rt, to, 0, value, bits / 8, count, 1, stream));                                                   \
    }                                                                                                                  \
    SL_PTSZ(cuMemsetD##bits##Async);                                                                                   \
    SL_API CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)      \
    {                                                                                                                  \
        SL_CALL(fill(rt, to, pitch, value, bits / 8, width, height, NULL));                                            \
    }                                                                                                                  \
    SL_PTDS(cuMemsetD2D##bits##_v2);                                                                                   \
    SL_API CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,    \
                                             CUstream stream)                                                          \
    {                                                                                                                  \
        SL_CALL(fill(rt, to, pitch, value, bits / 8, width, height, stream));                                          \
    }                                                                                                                  \
    SL_PTSZ(cuMemsetD2D##bits##Async)
FILL(8, unsigned char);
FILL(16, unsigned short);
FILL(32, unsigned);
