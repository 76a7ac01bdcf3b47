/* Following points of a heart's wall through frames of ultrasound: a block for each point correlates a small template
 * of its surroundings with a window of the next frame, in many passes over arrays of its own in global memory. All
 * arrays lie column by column. A template has T x T pixels, a window W x W, a correlation C = W + T - 1 squared, and
 * the window with a margin of T on each side is R = W + 2 T squared.
 *
 * This file is compiled twice: heartwall has blocks of 256 threads and all arrays in global memory; heartwall_shared, the
 * part at the end, has blocks of 512 threads and the rotated template in shared memory, as Rodinia 2. */
#ifndef SHARED_TEMPLATE
enum { THREADS = 256 };
#define KERNEL_NAME heartwall
#else
enum { THREADS = 512, MOST_TEMPLATE = 51 };
#define KERNEL_NAME heartwall_shared
#endif

/* Arrays of all points, one after the other. */
struct work {
    float *pattern, *rotated;                       /* T * T */
    float *window, *squares;                        /* W * W */
    float *padded;                                  /* R * R */
    float *strips;                                  /* C * R */
    float *convolved, *sum, *sum_sqr, *correlation; /* C * C */
    float *column_sum, *best;                       /* C */
    int *best_row;                                  /* C */
};

/* Pixels of the frame around a point. */
static __device__ void cut_out(const float *frame, int frame_rows, int row, int column, int size, float *to)
{
    for (int i = threadIdx.x; i < size * size; i += THREADS) {
        int r = row - size / 2 + i % size, c = column - size / 2 + i / size;
        to[i] = frame[c * frame_rows + r];
    }
    __syncthreads();
}

/* Full convolution of the window with the rotated template, each thread some of the results. */
static __device__ void convolve(const float *rotated, const float *window, int t, int w, float *out)
{
    int size = w + t - 1;
    for (int i = threadIdx.x; i < size * size; i += THREADS) {
        int row = i % size, column = i / size;
        int first_row = max(0, row - w + 1), last_row = min(t - 1, row);
        int first_column = max(0, column - w + 1), last_column = min(t - 1, column);
        float sum = 0;
        for (int c = first_column; c <= last_column; c++)
            for (int r = first_row; r <= last_row; r++)
                sum += rotated[c * t + r] * window[(column - c) * w + row - r];
        out[i] = sum;
    }
    __syncthreads();
}

/* Sums over all places of the template on the image: cumulative sums down the columns, differences T apart, the same
 * along the rows. */
static __device__ void local_sums(const float *image, int t, int w, float *padded, float *strips, float *sums)
{
    int r_size = w + 2 * t, c_size = w + t - 1;
    for (int i = threadIdx.x; i < r_size * r_size; i += THREADS) {
        int row = i % r_size - t, column = i / r_size - t;
        bool inside = row >= 0 && row < w && column >= 0 && column < w;
        padded[i] = inside ? image[column * w + row] : 0.0f;
    }
    __syncthreads();
    for (int column = threadIdx.x; column < r_size; column += THREADS) {
        float sum = 0;
        for (int i = column * r_size; i < (column + 1) * r_size; i++)
            padded[i] = sum += padded[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < c_size * r_size; i += THREADS) {
        int from = i / c_size * r_size + i % c_size;
        strips[i] = padded[from + t] - padded[from];
    }
    __syncthreads();
    for (int row = threadIdx.x; row < c_size; row += THREADS) {
        float sum = 0;
        for (int i = row; i < c_size * r_size; i += c_size)
            strips[i] = sum += strips[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < c_size * c_size; i += THREADS)
        sums[i] = strips[i + t * c_size] - strips[i];
    __syncthreads();
}

/* Sum of the template, or of its squares: a thread per column, then one thread. */
static __device__ float total(const float *pattern, bool squared, int t, float *column_sum)
{
    __shared__ float result;
    for (int column = threadIdx.x; column < t; column += THREADS) {
        float sum = 0;
        for (int i = column * t; i < (column + 1) * t; i++)
            sum += squared ? pattern[i] * pattern[i] : pattern[i];
        column_sum[column] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int column = 0; column < t; column++)
            sum += column_sum[column];
        result = sum;
    }
    __syncthreads();
    float sum = result;
    __syncthreads();
    return sum;
}

/* Where the template fits best, among the places where it lies wholly in the window; the point moves there. */
static __device__ void follow(const work &mine, int t, int w, int frame_rows, int frame_columns, int *row, int *column)
{
    int size = w + t - 1;
    for (int c = t - 1 + threadIdx.x; c < w; c += THREADS) {
        float best = -2.0f;
        int best_row = 0;
        for (int r = t - 1; r < w; r++)
            if (mine.correlation[c * size + r] > best) {
                best = mine.correlation[c * size + r];
                best_row = r;
            }
        mine.best[c] = best;
        mine.best_row[c] = best_row;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int at = t - 1, centre = t - 1 + (w - t) / 2, reach = w / 2;
        for (int c = t; c < w; c++)
            if (mine.best[c] > mine.best[at])
                at = c;
        *row = min(max(*row + mine.best_row[at] - centre, reach), frame_rows - 1 - reach);
        *column = min(max(*column + at - centre, reach), frame_columns - 1 - reach);
    }
}

KERNEL KERNEL_NAME(const float *frame, int frame_rows, int frame_columns, int first, int *rows, int *columns,
                 float *pattern, float *rotated, float *window, float *squares, float *padded, float *strips,
                 float *convolved, float *sum, float *sum_sqr, float *correlation, float *column_sum, float *best,
                 int *best_row, int t, int w)
{
    int point = blockIdx.x, c_size = w + t - 1, r_size = w + 2 * t;
    int ts = point * t * t, ws = point * w * w, cs = point * c_size * c_size, line = point * c_size;
    work mine = {.pattern = pattern + ts,
                 .rotated = rotated + ts,
                 .window = window + ws,
                 .squares = squares + ws,
                 .padded = padded + point * r_size * r_size,
                 .strips = strips + line * r_size,
                 .convolved = convolved + cs,
                 .sum = sum + cs,
                 .sum_sqr = sum_sqr + cs,
                 .correlation = correlation + cs,
                 .column_sum = column_sum + line,
                 .best = best + line,
                 .best_row = best_row + line};
    if (first) {
        cut_out(frame, frame_rows, rows[point], columns[point], t, mine.pattern);
        return;
    }
    cut_out(frame, frame_rows, rows[point], columns[point], w, mine.window);
#ifdef SHARED_TEMPLATE
    __shared__ float shared_template[MOST_TEMPLATE * MOST_TEMPLATE];
    for (int i = threadIdx.x; i < t * t; i += THREADS)
        shared_template[i] = mine.pattern[t * t - 1 - i];
    __syncthreads();
    convolve(shared_template, mine.window, t, w, mine.convolved);
#else
    for (int i = threadIdx.x; i < t * t; i += THREADS)
        mine.rotated[i] = mine.pattern[t * t - 1 - i];
    __syncthreads();
    convolve(mine.rotated, mine.window, t, w, mine.convolved);
#endif
    local_sums(mine.window, t, w, mine.padded, mine.strips, mine.sum);
    for (int i = threadIdx.x; i < w * w; i += THREADS)
        mine.squares[i] = mine.window[i] * mine.window[i];
    __syncthreads();
    local_sums(mine.squares, t, w, mine.padded, mine.strips, mine.sum_sqr);
    float pattern_sum = total(mine.pattern, false, t, mine.column_sum);
    float pattern_sqr = total(mine.pattern, true, t, mine.column_sum);
    float pixels = (float)(t * t), variance = pattern_sqr - pattern_sum * pattern_sum / pixels;
    for (int i = threadIdx.x; i < c_size * c_size; i += THREADS) {
        float here = mine.sum[i];
        float common = mine.convolved[i] - here * pattern_sum / pixels;
        float spread = (mine.sum_sqr[i] - here * here / pixels) * variance;
        mine.correlation[i] = spread > 0 ? common / sqrtf(spread) : 0.0f;
    }
    __syncthreads();
    follow(mine, t, w, frame_rows, frame_columns, &rows[point], &columns[point]);
}

#undef KERNEL_NAME
#ifndef SHARED_TEMPLATE
#define SHARED_TEMPLATE
namespace shared_template {
#include "heartwall/heartwall.cu"
}
#endif
