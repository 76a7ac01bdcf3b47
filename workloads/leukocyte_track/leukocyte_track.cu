/* The motion gradient vector field of cells, by which they are followed from one frame to the next: a block per cell
 * relaxes its matrix in shared memory, Jacobi's way, until it hardly changes. */
enum { ROWS = 41, COLUMNS = 81, PIXELS = ROWS * COLUMNS, THREADS = 320, POWER_OF_TWO = 256 };
enum { CHUNKS = (PIXELS + THREADS - 1) / THREADS };

static constexpr double MU = 0.5, LAMBDA = 8 * MU + 1, PI = 3.14159265358979323846;

/* Within 2e-6. */
SL_DEV float arc_tangent(float x)
{
    float size = fabsf(x), z = size > 1 ? 1 / size : size, s = z * z;
    float series = 0.0028662257f;
    series = series * s - 0.0161657367f;
    series = series * s + 0.0429096138f;
    series = series * s - 0.0752896400f;
    series = series * s + 0.1065626393f;
    series = series * s - 0.1420889944f;
    series = series * s + 0.1999355085f;
    series = series * s - 0.3333314528f;
    float angle = z + z * s * series;
    angle = size > 1 ? (float)(PI / 2) - angle : angle;
    return x < 0 ? -angle : angle;
}

/* A difference to a neighbour, weighted by a smooth step of its product with a direction. */
SL_DEV float flow(float neighbour, float here, float direction)
{
    float difference = neighbour - here;
    float weight = (float)(arc_tangent(difference * direction) * (1 / PI) + 0.5);
    return weight * difference;
}

/* The new value of a pixel. `x` and `y`: the direction of motion, divided by the width of the step. */
SL_DEV float relaxed(const float *value, const float *image, int pixel, float x, float y)
{
    int row = pixel / COLUMNS, column = pixel % COLUMNS;
    int up = row == 0 ? 0 : -COLUMNS, down = row == ROWS - 1 ? 0 : COLUMNS;
    int left = column == 0 ? 0 : -1, right = column == COLUMNS - 1 ? 0 : 1;
    const float *at = value + pixel;
    float here = *at;
    float sum = flow(at[up], here, -y) + flow(at[down], here, y) + flow(at[left], here, -x) + flow(at[right], here, x) +
                flow(at[up + right], here, x - y) + flow(at[down + right], here, x + y) +
                flow(at[up + left], here, -x - y) + flow(at[down + left], here, y - x);
    float moved = here + (float)(MU / LAMBDA) * sum, seen = image[pixel];
    return (float)(moved - 1 / LAMBDA * seen * (moved - seen));
}

/* What all threads changed, for thread 0. */
SL_DEV float sum_of_block(float *sum, float mine)
{
    int thread = threadIdx.x;
    sum[thread] = mine;
    __syncthreads();
    if (thread >= POWER_OF_TWO)
        sum[thread - POWER_OF_TWO] += sum[thread];
    __syncthreads();
    for (int half = POWER_OF_TWO / 2; half > 0; half /= 2) {
        if (thread < half)
            sum[thread] += sum[thread + half];
        __syncthreads();
    }
    return sum[0];
}

/* `images` and `fields` have a matrix per cell; fields hold the first guess and get the result. */
KERNEL leukocyte_track(const float *images, float *fields, int iterations, float x, float y, float cutoff)
{
    __shared__ float value[PIXELS], sum[THREADS];
    __shared__ int converged;
    const float *image = images + blockIdx.x * PIXELS;
    float *field = fields + blockIdx.x * PIXELS;
    int thread = threadIdx.x;
    for (int pixel = thread; pixel < PIXELS; pixel += THREADS)
        value[pixel] = field[pixel];
    if (thread == 0)
        converged = 0;
    __syncthreads();
    for (int i = 0; i < iterations && !converged; i++) {
        float changed = 0, last = 0, one_before = 0;
        /* A chunk reads pixels of the chunks beside it: new values are written two chunks later. */
#pragma unroll 1
        for (int chunk = 0; chunk < CHUNKS + 2; chunk++) {
            int pixel = chunk * THREADS + thread;
            float next = 0;
            if (chunk < CHUNKS && pixel < PIXELS) {
                next = relaxed(value, image, pixel, x, y);
                changed += fabsf(next - value[pixel]);
            }
            int done = pixel - 2 * THREADS;
            if (chunk >= 2 && done < PIXELS)
                value[done] = one_before;
            one_before = last;
            last = next;
            __syncthreads();
        }
        float total = sum_of_block(sum, changed);
        if (thread == 0 && total / PIXELS < cutoff)
            converged = 1;
        __syncthreads();
    }
    for (int pixel = thread; pixel < PIXELS; pixel += THREADS)
        field[pixel] = value[pixel];
}
