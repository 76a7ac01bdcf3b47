/* Causal attention without the matrix of scores: a block keeps 32 queries of one head and goes over the keys and values
 * in tiles of 32, which it stages in shared memory. Softmax is computed on the way: when a tile brings a larger score,
 * what was summed so far is scaled down. Arrays are [batch][length][heads][DIM]; length is a multiple of 32. */
#include "common/cuda_vector.h"

enum { ROWS = 32, KEYS = 32, DIM = 64, PARTS = DIM / 4, THREADS = 128 };

/* 32 rows of a head into shared memory, whose rows have 4 floats of padding against bank conflicts. */
SL_DEV void stage(float4 (*tile)[PARTS + 1], const float4 *__restrict__ from, unsigned pitch)
{
    for (unsigned i = threadIdx.x; i < ROWS * PARTS; i += THREADS)
        sl_store(&tile[i / PARTS][i % PARTS], sl_load(&from[i / PARTS * pitch + i % PARTS]));
}

SL_DEV float dot(float4 a, float4 b, float sum) { return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

/* Over the eight threads that share a row. */
SL_DEV float row_max(float v)
{
    for (int distance = 4; distance; distance /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, distance));
    return v;
}
SL_DEV float row_sum(float v)
{
    for (int distance = 4; distance; distance /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, distance);
    return v;
}

KERNEL __launch_bounds__(THREADS)
attention_f32(const float4 *__restrict__ q, const float4 *__restrict__ k, const float4 *__restrict__ v,
              float4 *__restrict__ out, unsigned length, unsigned heads, float scale)
{
    __shared__ float4 q_tile[ROWS][PARTS + 1], k_tile[KEYS][PARTS + 1], v_tile[KEYS][PARTS + 1];
    __shared__ float4 weight[ROWS][KEYS / 4 + 1];
    unsigned pitch = heads * PARTS, column = threadIdx.x % 8, row = threadIdx.x / 8 * 2;
    unsigned head = (blockIdx.z * length * heads + blockIdx.y) * PARTS, first = blockIdx.x * ROWS;
    float top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
    float4 result[2][2] = {};

    stage(q_tile, q + head + first * pitch, pitch);
    for (unsigned key = 0; key <= first; key += KEYS) {
        __syncthreads();
        stage(k_tile, k + head + key * pitch, pitch);
        stage(v_tile, v + head + key * pitch, pitch);
        __syncthreads();

        /* The thread's scores: two rows by the keys column, column + 8, column + 16 and column + 24. */
        float score[2][4] = {};
#pragma unroll 4
        for (unsigned part = 0; part < PARTS; part++)
            for (unsigned j = 0; j < 4; j++) {
                float4 key_part = k_tile[column + 8 * j][part];
                score[0][j] = dot(q_tile[row][part], key_part, score[0][j]);
                score[1][j] = dot(q_tile[row + 1][part], key_part, score[1][j]);
            }

        for (unsigned r = 0; r < 2; r++) {
            float largest = top[r];
            for (unsigned j = 0; j < 4; j++) {
                bool later = key + column + 8 * j > first + row + r;
                score[r][j] = later ? -1e30f : score[r][j] * scale;
                largest = fmaxf(largest, score[r][j]);
            }
            largest = row_max(largest);
            float shrink = exp2f(top[r] - largest);
            top[r] = largest;
            sum[r] *= shrink;
            result[r][0] = shrink * result[r][0];
            result[r][1] = shrink * result[r][1];
            for (unsigned j = 0; j < 4; j++) {
                float w = exp2f(score[r][j] - largest);
                sum[r] += w;
                ((float *)weight[row + r])[column + 8 * j] = w;
            }
        }
        __syncwarp();

        /* The thread's results: two rows by the quads column and column + 8; rows stay within a warp. */
        for (unsigned i = 0; i < KEYS / 4; i++) {
            float4 w0 = weight[row][i], w1 = weight[row + 1][i];
            const float *of_row0 = &w0.x, *of_row1 = &w1.x;
            for (unsigned j = 0; j < 4; j++)
                for (unsigned part = 0; part < 2; part++) {
                    float4 value = v_tile[4 * i + j][column + 8 * part];
                    result[0][part] = result[0][part] + of_row0[j] * value;
                    result[1][part] = result[1][part] + of_row1[j] * value;
                }
        }
    }

    for (unsigned r = 0; r < 2; r++) {
        float share = 1.0f / row_sum(sum[r]);
        for (unsigned part = 0; part < 2; part++)
            out[head + (first + row + r) * pitch + column + 8 * part] = share * result[r][part];
    }
}
