/* Causal attention in halves without the matrix of scores. A block keeps 64 queries of one head, 16 per warp, as
 * fragments in registers, and goes over keys and values in tiles of 64 in shared memory. Scores, weights and results
 * stay in the registers of the matrix products: with g = lane / 4 and t = lane % 4, a lane holds of every 8 columns
 * the columns 2 * t and 2 * t + 1 of rows g and g + 8. Arrays are [batch][length][heads][DIM]; length is a multiple
 * of 64. */
#include "common/cuda_half.h"
#include "common/cuda_vector.h"

enum { ROWS = 64, KEYS = 64, DIM = 64, THREADS = 128, STEPS = DIM / 16, PARTS = DIM / 8 };
typedef uint4 row_parts[PARTS + 1]; /* a row in parts of 8 halves, and one of padding against bank conflicts */

/* 64 rows of a head into shared memory. */
SL_DEV void stage(row_parts *tile, const uint4 *__restrict__ from, unsigned pitch)
{
    for (unsigned i = threadIdx.x; i < ROWS * PARTS; i += THREADS)
        sl_store(&tile[i / PARTS][i % PARTS], sl_load(&from[i / PARTS * pitch + i % PARTS]));
}

/* Over the four lanes that share a row. */
SL_DEV float row_max(float v)
{
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 2));
    return fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 1));
}
SL_DEV float row_sum(float v)
{
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    return v + __shfl_xor_sync(0xffffffffu, v, 1);
}

/* score[8][4]: the products of 16 queries and 64 keys. */
SL_DEV void multiply_keys(float (*score)[4], const sl_fragments *query, const row_parts *k_tile)
{
    unsigned lane = threadIdx.x % 32, row = lane % 8 + lane / 16 * 8, side = lane / 8 % 2;
#pragma unroll
    for (unsigned keys = 0; keys < KEYS / 16; keys++)
#pragma unroll
        for (unsigned step = 0; step < STEPS; step++) {
            sl_fragments key = sl_load_matrices(&k_tile[keys * 16 + row][step * 2 + side]);
            sl_multiply_add(score[2 * keys], query[step], key.part[0], key.part[1]);
            sl_multiply_add(score[2 * keys + 1], query[step], key.part[2], key.part[3]);
        }
}

/* result[8][4] += the weights of 64 keys times their values; the weights are where the scores were. */
SL_DEV void multiply_values(float (*result)[4], const float (*weight)[4], const row_parts *v_tile)
{
    unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned keys = 0; keys < KEYS / 16; keys++) {
        sl_fragments part;
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            const float *pair = &weight[2 * keys + i / 2][i % 2 * 2];
            part.part[i] = sl_half_pair(pair[0], pair[1]);
        }
#pragma unroll
        for (unsigned step = 0; step < STEPS; step++) {
            sl_fragments value = sl_load_matrices_transposed(&v_tile[keys * 16 + lane % 16][step * 2 + lane / 16]);
            sl_multiply_add(result[2 * step], part, value.part[0], value.part[1]);
            sl_multiply_add(result[2 * step + 1], part, value.part[2], value.part[3]);
        }
    }
}

/* Turns the scores of a row, items 2 * side and 2 * side + 1 of each four, into weights; scales what was summed. */
SL_DEV void weigh(float (*score)[4], float (*result)[4], unsigned side, float scale, float *top, float *sum)
{
    float largest = *top;
#pragma unroll
    for (unsigned i = 0; i < 16; i++)
        largest = fmaxf(largest, score[i / 2][2 * side + i % 2] * scale);
    largest = row_max(largest);
    float shrink = exp2f(*top - largest);
    *top = largest;
    *sum *= shrink;
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
        float *s = &score[i / 2][2 * side + i % 2];
        *s = exp2f(*s * scale - largest);
        *sum += *s;
        result[i / 2][2 * side + i % 2] *= shrink;
    }
}

KERNEL __launch_bounds__(THREADS)
attention_f16(const uint4 *__restrict__ q, const uint4 *__restrict__ k, const uint4 *__restrict__ v,
              uint4 *__restrict__ out, unsigned length, unsigned heads, float scale)
{
    __shared__ row_parts q_tile[ROWS], k_tile[KEYS], v_tile[KEYS];
    unsigned pitch = heads * PARTS, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16, first = blockIdx.x * ROWS;
    unsigned head = (blockIdx.z * length * heads + blockIdx.y) * PARTS;
    float top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0}, result[8][4] = {};

    stage(q_tile, q + head + first * pitch, pitch);
    __syncthreads();
    sl_fragments query[STEPS];
#pragma unroll
    for (unsigned step = 0; step < STEPS; step++)
        query[step] = sl_load_matrices(&q_tile[row + lane % 16][step * 2 + lane / 16]);

    for (unsigned key = 0; key <= first; key += KEYS) {
        __syncthreads();
        stage(k_tile, k + head + key * pitch, pitch);
        stage(v_tile, v + head + key * pitch, pitch);
        __syncthreads();
        float score[8][4] = {};
        multiply_keys(score, query, k_tile);
        if (key == first)
#pragma unroll
            for (unsigned i = 0; i < 32; i++)
                if (i / 4 * 8 + lane % 4 * 2 + i % 2 > row + lane / 4 + i % 4 / 2 * 8)
                    score[i / 4][i % 4] = -1e30f;
        weigh(score, result, 0, scale, &top[0], &sum[0]);
        weigh(score, result, 1, scale, &top[1], &sum[1]);
        multiply_values(result, score, v_tile);
    }

    /* Through shared memory, to store 16 bytes per thread; a warp reads only what it wrote. */
#pragma unroll
    for (unsigned side = 0; side < 2; side++) {
        float share = 1.0f / row_sum(sum[side]);
#pragma unroll
        for (unsigned i = 0; i < 8; i++)
            ((unsigned *)&q_tile[row + lane / 4 + 8 * side][i])[lane % 4] =
                sl_half_pair(result[i][2 * side] * share, result[i][2 * side + 1] * share);
    }
    __syncwarp();
#pragma unroll
    for (unsigned i = lane; i < 16 * PARTS; i += 32)
        sl_store(&out[head + (first + row + i / PARTS) * pitch + i % PARTS],
                 sl_load(&q_tile[row + i / PARTS][i % PARTS]));
}
