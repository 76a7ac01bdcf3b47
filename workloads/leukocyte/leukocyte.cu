/* Finding white blood cells in a frame of video: how well circles of several sizes fit around each pixel, then the
 * maximum over each pixel's surroundings. Images lie column by column; the tables that all threads read at the same
 * place are in constant memory. */
enum { CIRCLES = 7, MOST_POINTS = 150, MOST_REACH = 12, MOST_WIDTH = 2 * MOST_REACH + 1, BORDER = 22 };

__constant__ float cos_angle[MOST_POINTS], sin_angle[MOST_POINTS];
__constant__ int offset_x[CIRCLES * MOST_POINTS], offset_y[CIRCLES * MOST_POINTS];
__constant__ float element[MOST_WIDTH * MOST_WIDTH];

/* A block per column, a thread per row. The score of a circle is mean^2 / variance of the gradient along its radii. */
KERNEL gicov(const float *__restrict__ grad_x, const float *__restrict__ grad_y, float *__restrict__ score, int rows,
             int points)
{
    int column = blockIdx.x + BORDER, row = threadIdx.x + BORDER;
    float best = 0;
    for (int circle = 0; circle < CIRCLES; circle++) {
        float mean = 0, squares = 0;
        for (int n = 0; n < points; n++) {
            int x = column + offset_x[circle * MOST_POINTS + n];
            int y = row + offset_y[circle * MOST_POINTS + n];
            int address = x * rows + y;
            float along = grad_x[address] * cos_angle[n] + grad_y[address] * sin_angle[n];
            float delta = along - mean;
            mean += delta / (float)(n + 1);
            squares += delta * (along - mean);
        }
        float variance = squares / (float)(points - 1);
        if (mean * mean / variance > best)
            best = mean * mean / variance;
    }
    score[column * rows + row] = best;
}

/* The greatest value under a disc around each pixel. The result lies row by row. */
KERNEL dilate(const float *__restrict__ image, float *__restrict__ dilated, int rows, int columns, int reach)
{
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    int row = pixel % rows, column = pixel / rows;
    if (column >= columns)
        return;
    int width = 2 * reach + 1;
    float greatest = 0;
    for (int i = 0; i < width; i++) {
        int y = row - reach + i;
        if (y < 0 || y >= rows)
            continue;
        for (int j = 0; j < width; j++) {
            int x = column - reach + j;
            if (x >= 0 && x < columns && element[i * width + j] != 0)
                greatest = fmaxf(greatest, image[x * rows + y]);
        }
    }
    dilated[row * columns + column] = greatest;
}
