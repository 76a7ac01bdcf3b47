/* Sums of absolute differences for motion estimation in H.264: every macroblock of 16 x 16 pixels against all places of
 * a reference image up to 16 pixels away, for its 16 blocks of 4 x 4 and, by adding those, for all larger blocks.
 *
 * Results are 16 bits wide, in planes by the size of blocks; in a plane by macroblock, block, place. Places are rows of
 * 33, their number padded to 1096. */
enum { RANGE = 16, SIDE = 2 * RANGE + 1, PLACES = SIDE * SIDE, PADDED = 1096 };
enum { PER_THREAD = 18, THREADS = 61, BLOCK = 4, PIXELS = BLOCK * BLOCK };

/* A block of threads per 4 x 4 block, 18 places in a row to a thread. The reference has a border of RANGE pixels; its
 * rows and those of the frame are `pitch` and 4 * gridDim.x pixels. */
KERNEL sad_4x4(unsigned *sads, const unsigned short *frame, const unsigned short *reference, unsigned pitch)
{
    __shared__ unsigned short mine[PIXELS], found[PADDED];
    unsigned tid = threadIdx.x, left = blockIdx.x * BLOCK, top = blockIdx.y * BLOCK;
    if (tid < PIXELS)
        mine[tid] = frame[(top + tid / BLOCK) * (gridDim.x * BLOCK) + left + tid % BLOCK];
    if (tid < PADDED - PLACES)
        found[PLACES + tid] = 0;
    __syncthreads();
    for (unsigned place = tid * PER_THREAD; place < min((tid + 1) * PER_THREAD, (unsigned)PLACES); place++) {
        const unsigned short *from = reference + (top + place / SIDE) * pitch + left + place % SIDE;
        unsigned sum = 0;
#pragma unroll
        for (unsigned y = 0; y < BLOCK; y++)
#pragma unroll
            for (unsigned x = 0; x < BLOCK; x++)
                sum += (unsigned)abs((int)from[y * pitch + x] - (int)mine[y * BLOCK + x]);
        found[place] = (unsigned short)sum;
    }
    __syncthreads();
    unsigned macroblock = (blockIdx.y / 4) * (gridDim.x / 4) + blockIdx.x / 4;
    unsigned block = blockIdx.y % 4 * 4 + blockIdx.x % 4;
    sads += (macroblock * 16 + block) * (PADDED / 2);
    for (unsigned i = tid; i < PADDED / 2; i += THREADS)
        sads[i] = found[2 * i] | (unsigned)found[2 * i + 1] << 16;
}

/* The plane that holds macroblocks' blocks of one size, `blocks` of them, two places to a word. */
SL_DEV unsigned *list_of(unsigned *plane, unsigned blocks, unsigned block)
{
    unsigned macroblock = blockIdx.y * gridDim.x + blockIdx.x;
    return plane + (macroblock * blocks + block) * (PADDED / 2);
}

/* From 4 x 4 to 8 x 4, 4 x 8 and 8 x 8: a block of 32 x 4 threads per macroblock, a warp per 8 x 8. Both places of a
 * word are added at once, as no sum is above 16 bits. */
KERNEL sad_8x8(unsigned *sads_4x4, unsigned *sads_8x4, unsigned *sads_4x8, unsigned *sads_8x8)
{
    unsigned quarter_x = threadIdx.y % 2, quarter_y = threadIdx.y / 2;
    unsigned first = quarter_y * 8 + quarter_x * 2;
    const unsigned *in[4] = {list_of(sads_4x4, 16, first), list_of(sads_4x4, 16, first + 1),
                             list_of(sads_4x4, 16, first + 4), list_of(sads_4x4, 16, first + 5)};
    unsigned *upper = list_of(sads_8x4, 8, quarter_y * 4 + quarter_x), *lower = upper + 2 * (PADDED / 2);
    unsigned *left = list_of(sads_4x8, 8, quarter_y * 4 + quarter_x * 2), *right = left + PADDED / 2;
    unsigned *whole = list_of(sads_8x8, 4, threadIdx.y);
    for (unsigned i = threadIdx.x; i < PADDED / 2; i += warpSize) {
        unsigned a = in[0][i], b = in[1][i], c = in[2][i], d = in[3][i];
        upper[i] = a + b;
        lower[i] = c + d;
        left[i] = a + c;
        right[i] = b + d;
        whole[i] = a + b + c + d;
    }
}

/* From 8 x 8 to 16 x 8, 8 x 16 and 16 x 16: a warp per macroblock. */
KERNEL sad_16x16(unsigned *sads_8x8, unsigned *sads_16x8, unsigned *sads_8x16, unsigned *sads_16x16)
{
    const unsigned *in = list_of(sads_8x8, 4, 0);
    unsigned *wide = list_of(sads_16x8, 2, 0), *high = list_of(sads_8x16, 2, 0), *whole = list_of(sads_16x16, 1, 0);
    for (unsigned i = threadIdx.x; i < PADDED / 2; i += warpSize) {
        unsigned a = in[i], b = in[i + PADDED / 2], c = in[i + PADDED], d = in[i + 3 * (PADDED / 2)];
        wide[i] = a + b;
        wide[i + PADDED / 2] = c + d;
        high[i] = a + c;
        high[i + PADDED / 2] = b + d;
        whole[i] = a + b + c + d;
    }
}
