/* Sorts each of many lists by merging. The unit is a float4 of four sorted numbers; a thread merges two sorted runs of
 * them, four numbers at a time. */
#include "common/cuda_vector.h"

SL_DEV void in_order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

/* Sorts four numbers that rise and then fall, or the other way round. */
SL_DEV void sort_bitonic(float4 &v)
{
    in_order(v.x, v.z);
    in_order(v.y, v.w);
    in_order(v.x, v.y);
    in_order(v.z, v.w);
}

/* Of the eight numbers, the four least into `low`, the others into `high`; all four vectors sorted. */
SL_DEV void split(const float4 &a, const float4 &b, float4 &low, float4 &high)
{
    low = make_float4(fminf(a.x, b.w), fminf(a.y, b.z), fminf(a.z, b.y), fminf(a.w, b.x));
    high = make_float4(fmaxf(a.x, b.w), fmaxf(a.y, b.z), fmaxf(a.z, b.y), fmaxf(a.w, b.x));
    sort_bitonic(low);
    sort_bitonic(high);
}

/* Each thread sorts four numbers. */
KERNEL merge_first(float4 *list, unsigned units)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= units)
        return;
    float4 v = sl_load(&list[i]);
    in_order(v.x, v.y);
    in_order(v.w, v.z);
    sort_bitonic(v);
    sl_store(&list[i], v);
}

/* Merges runs of run / 2 units into runs of `run`, `threads_per_list` threads to a list; starts[l] is the first unit of
 * list l, starts[l + 1] the end. */
KERNEL merge_pass(const float4 *in, float4 *out, const unsigned *starts, unsigned lists, unsigned run,
                  unsigned threads_per_list)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned list = thread / threads_per_list, part = thread % threads_per_list;
    if (list >= lists)
        return;
    unsigned a = starts[list] + part * run, end = starts[list + 1];
    if (a >= end)
        return;
    unsigned to = a, middle = a + run / 2, b = middle;
    if (middle >= end) { /* nothing to merge with */
        for (; a < end; a++)
            sl_store(&out[a], sl_load(&in[a]));
        return;
    }
    end = min(a + run, end);
    float4 low, kept, next_a = sl_load(&in[a]), next_b = sl_load(&in[b]);
    split(next_a, next_b, low, kept);
    sl_store(&out[to++], low);
    if (++a < middle)
        next_a = sl_load(&in[a]);
    if (++b < end)
        next_b = sl_load(&in[b]);
    while (a < middle || b < end) {
        float4 next;
        if (b >= end || (a < middle && next_a.x < next_b.x)) {
            next = next_a;
            if (++a < middle)
                next_a = sl_load(&in[a]);
        } else {
            next = next_b;
            if (++b < end)
                next_b = sl_load(&in[b]);
        }
        split(kept, next, low, kept);
        sl_store(&out[to++], low);
    }
    sl_store(&out[to], kept);
}

/* Moves the numbers of each list together, without the padding of its last unit. Blocks in y are lists. */
KERNEL merge_pack(const float *in, float *out, const unsigned *starts, const unsigned *final_starts)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, list = blockIdx.y, first = final_starts[list];
    if (first + i < final_starts[list + 1])
        out[first + i] = in[4 * starts[list] + i];
}
