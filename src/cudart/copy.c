/* SPDX-License-Identifier: MIT */
/* Copies and fills. */
#include "cudart/runtime.h"

/* ---- running ---- */

SL_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    SL_CALL(sl_proc_copy_1d(rt, dst, src, bytes, kind, NULL, true));
}
SL_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

SL_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(sl_proc_copy_1d(rt, dst, src, bytes, kind, stream, false));
}
SL_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

SL_API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    SL_CALL(dst_device || src_device ? cudaErrorInvalidDevice
                                     : sl_proc_copy_1d(rt, dst, src, bytes, cudaMemcpyDeviceToDevice, NULL, true));
}

SL_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                       cudaStream_t stream)
{
    SL_CALL(dst_device || src_device ? cudaErrorInvalidDevice
                                     : sl_proc_copy_1d(rt, dst, src, bytes, cudaMemcpyDeviceToDevice, stream, false));
}

/* ---- symbols ---- */

static cudaError_t copy_symbol(sl_proc *rt, const void *symbol, size_t offset, void *to, const void *from, size_t bytes,
                               cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    char *location;
    size_t size;
    cudaError_t error = sl_proc_variable_address(rt, symbol, &location, &size);
    if (error)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    bool out = kind == cudaMemcpyDeviceToHost;
    if (from ? out : kind == cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    return from ? sl_proc_copy_1d(rt, location + offset, from, bytes, kind, stream, wait)
                : sl_proc_copy_1d(rt, to, location + offset, bytes, kind, stream, wait);
}

SL_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind)
{
    SL_CALL(src ? copy_symbol(rt, symbol, offset, NULL, src, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

SL_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? copy_symbol(rt, symbol, offset, NULL, src, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

SL_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    SL_CALL(copy_symbol(rt, symbol, offset, dst, NULL, bytes, kind, NULL, true));
}
SL_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

SL_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(copy_symbol(rt, symbol, offset, dst, NULL, bytes, kind, stream, false));
}
SL_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

/* ---- two dimensions ---- */

SL_API cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    SL_CALL(sl_proc_copy_2d(rt, dst, dst_pitch, src, src_pitch, width, height, kind, NULL, true));
}
SL_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

SL_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(sl_proc_copy_2d(rt, dst, dst_pitch, src, src_pitch, width, height, kind, stream, false));
}
SL_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

/* ---- three dimensions ---- */

SL_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params)
{
    SL_CALL(sl_proc_copy_3d(rt, params, NULL, true));
}
SL_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

SL_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, cudaStream_t stream)
{
    SL_CALL(sl_proc_copy_3d(rt, params, stream, false));
}
SL_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

static cudaError_t copy_3d_peer(sl_proc *rt, const cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool wait)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcDevice || p->dstDevice)
        return cudaErrorInvalidDevice;
    const cudaMemcpy3DParms params = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    return sl_proc_copy_3d(rt, &params, stream, wait);
}

SL_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *params)
{
    SL_CALL(copy_3d_peer(rt, params, NULL, true));
}
SL_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

SL_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *params, cudaStream_t stream)
{
    SL_CALL(copy_3d_peer(rt, params, stream, false));
}
SL_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

/* ---- arrays, by the older calls: x offsets and widths are in bytes ---- */

SL_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    SL_CALL(src ? sl_proc_copy_array_2d(rt, dst, x, y, NULL, src, pitch, width, height, kind, NULL, true)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

SL_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? sl_proc_copy_array_2d(rt, dst, x, y, NULL, src, pitch, width, height, kind, stream, false)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

SL_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                         size_t height, cudaMemcpyKind kind)
{
    SL_CALL(dst ? sl_proc_copy_array_2d(rt, src, x, y, dst, NULL, pitch, width, height, kind, NULL, true)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

SL_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(dst ? sl_proc_copy_array_2d(rt, src, x, y, dst, NULL, pitch, width, height, kind, stream, false)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

SL_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                     cudaMemcpyKind kind)
{
    SL_CALL(src ? sl_proc_copy_array_run(rt, dst, x, y, NULL, src, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

SL_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? sl_proc_copy_array_run(rt, dst, x, y, NULL, src, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

SL_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind)
{
    SL_CALL(dst ? sl_proc_copy_array_run(rt, src, x, y, dst, NULL, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

SL_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(dst ? sl_proc_copy_array_run(rt, src, x, y, dst, NULL, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

SL_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                            size_t src_y, size_t width, size_t height, cudaMemcpyKind kind)
{
    SL_CALL(sl_proc_copy_arrays(rt, dst, dst_x, dst_y, src, src_x, src_y, width, height, kind));
}
SL_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

SL_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                          size_t src_y, size_t bytes, cudaMemcpyKind kind)
{
    SL_CALL(sl_proc_copy_array_runs(rt, dst, dst_x, dst_y, src, src_x, src_y, bytes, kind));
}
SL_ALIAS(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);

/* ---- fills ---- */

static cudaError_t fill(sl_proc *rt, void *dst, size_t pitch, size_t slice, int value, size_t width, size_t height,
                        size_t depth, cudaStream_t stream)
{
    const sl_proc_fill bytes = {.dst = dst,
                                .pitch = pitch,
                                .slice = slice,
                                .width = width,
                                .height = height,
                                .depth = depth,
                                .value = (uint8_t)value,
                                .element_bytes = 1};
    return sl_proc_fill_submit(rt, &bytes, stream);
}

SL_API cudaError_t cudaMemset(void *dst, int value, size_t bytes)
{
    SL_CALL(fill(rt, dst, 0, 0, value, bytes, 1, 1, NULL));
}
SL_ALIAS(cudaMemset_ptds, cudaMemset);

SL_API cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream)
{
    SL_CALL(fill(rt, dst, 0, 0, value, bytes, 1, 1, stream));
}
SL_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

SL_API cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    SL_CALL(fill(rt, dst, pitch, 0, value, width, height, 1, NULL));
}
SL_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

SL_API cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    SL_CALL(fill(rt, dst, pitch, 0, value, width, height, 1, stream));
}
SL_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

SL_API cudaError_t cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent extent)
{
    SL_CALL(
        fill(rt, dst.ptr, dst.pitch, dst.pitch * dst.ysize, value, extent.width, extent.height, extent.depth, NULL));
}
SL_ALIAS(cudaMemset3D_ptds, cudaMemset3D);

SL_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent extent, cudaStream_t stream)
{
    SL_CALL(
        fill(rt, dst.ptr, dst.pitch, dst.pitch * dst.ysize, value, extent.width, extent.height, extent.depth, stream));
}
SL_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
