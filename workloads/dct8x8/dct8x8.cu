/* Discrete cosine transform of 8 x 8 blocks and its inverse, each in two ways: as products with the matrix of the
 * transform, a thread per value; and as sums and differences, a thread per row and column of a block. */
enum { EDGE = 8 };
__constant__ float basis[EDGE][EDGE]; /* basis[x][u] = a(u) cos((2 x + 1) u pi / 16) */

/* out = basis' * in * basis, or for the inverse basis * in * basis'. 8 x 8 threads per block of the image. */
template <bool inverse> SL_DEV void by_matrix(float *out, const float *in, unsigned width)
{
    __shared__ float image[EDGE][EDGE], half_done[EDGE][EDGE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned at = (blockIdx.y * EDGE + ty) * width + blockIdx.x * EDGE + tx;
    image[ty][tx] = in[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        sum += (inverse ? basis[ty][i] : basis[i][ty]) * image[i][tx];
    half_done[ty][tx] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        sum += half_done[ty][i] * (inverse ? basis[tx][i] : basis[i][tx]);
    out[at] = sum;
}

KERNEL dct8x8_1_forward(float *out, const float *in, unsigned width) { by_matrix<false>(out, in, width); }
KERNEL dct8x8_1_inverse(float *out, const float *in, unsigned width) { by_matrix<true>(out, in, width); }

/* sqrt(1/8), and cos(k pi / 16) / 2 for the others. */
static const float C0 = 0.35355339059327379f, C1 = 0.49039264020161522f, C2 = 0.46193976625564337f,
                   C3 = 0.41573480615127262f, C5 = 0.27778511650980114f, C6 = 0.19134171618254489f,
                   C7 = 0.09754516100806413f;

/* Eight values, `stride` apart, in place. */
SL_DEV void forward_vector(float *v, unsigned stride)
{
    float x[EDGE];
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        x[i] = v[i * stride];
    float s07 = x[0] + x[7], s16 = x[1] + x[6], s25 = x[2] + x[5], s34 = x[3] + x[4];
    float d07 = x[0] - x[7], d16 = x[1] - x[6], d25 = x[2] - x[5], d34 = x[3] - x[4];
    float outer = s07 + s34, inner = s16 + s25, outer_d = s07 - s34, inner_d = s16 - s25;
    v[0 * stride] = C0 * (outer + inner);
    v[1 * stride] = C1 * d07 + C3 * d16 + C5 * d25 + C7 * d34;
    v[2 * stride] = C2 * outer_d + C6 * inner_d;
    v[3 * stride] = C3 * d07 - C7 * d16 - C1 * d25 - C5 * d34;
    v[4 * stride] = C0 * (outer - inner);
    v[5 * stride] = C5 * d07 - C1 * d16 + C7 * d25 + C3 * d34;
    v[6 * stride] = C6 * outer_d - C2 * inner_d;
    v[7 * stride] = C7 * d07 - C5 * d16 + C3 * d25 - C1 * d34;
}

SL_DEV void inverse_vector(float *v, unsigned stride)
{
    float x[EDGE];
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        x[i] = v[i * stride];
    float sum04 = C0 * (x[0] + x[4]), difference04 = C0 * (x[0] - x[4]);
    float sum26 = C2 * x[2] + C6 * x[6], difference26 = C6 * x[2] - C2 * x[6];
    float even[4] = {sum04 + sum26, difference04 + difference26, difference04 - difference26, sum04 - sum26};
    float odd[4] = {C1 * x[1] + C3 * x[3] + C5 * x[5] + C7 * x[7], C3 * x[1] - C7 * x[3] - C1 * x[5] - C5 * x[7],
                    C5 * x[1] - C1 * x[3] + C7 * x[5] + C3 * x[7], C7 * x[1] - C5 * x[3] + C3 * x[5] - C1 * x[7]};
#pragma unroll
    for (unsigned i = 0; i < EDGE / 2; i++) {
        v[i * stride] = even[i] + odd[i];
        v[(EDGE - 1 - i) * stride] = even[i] - odd[i];
    }
}

/* Blocks of 8 x 4 x 2 threads for 32 x 16 values: eight threads per 8 x 8 block, each of which loads a column, then
 * does a row and a column of the tile in shared memory, then stores a column. */
enum { TILE_X = 32, TILE_Y = 16, TILE_STRIDE = TILE_X + 1 };

template <bool inverse> SL_DEV void by_vectors(float *out, const float *in, unsigned width)
{
    __shared__ float tile[TILE_Y * TILE_STRIDE];
    unsigned left = threadIdx.y * EDGE, top = threadIdx.z * EDGE;
    unsigned at = (blockIdx.y * TILE_Y + top) * width + blockIdx.x * TILE_X + left + threadIdx.x;
    float *column = tile + top * TILE_STRIDE + left + threadIdx.x;
    float *row = tile + (top + threadIdx.x) * TILE_STRIDE + left;
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        column[i * TILE_STRIDE] = in[at + i * width];
    __syncthreads();
    inverse ? inverse_vector(row, 1) : forward_vector(row, 1);
    __syncthreads();
    inverse ? inverse_vector(column, TILE_STRIDE) : forward_vector(column, TILE_STRIDE);
#pragma unroll
    for (unsigned i = 0; i < EDGE; i++)
        out[at + i * width] = column[i * TILE_STRIDE];
}

KERNEL dct8x8_2_forward(float *out, const float *in, unsigned width) { by_vectors<false>(out, in, width); }
KERNEL dct8x8_2_inverse(float *out, const float *in, unsigned width) { by_vectors<true>(out, in, width); }
