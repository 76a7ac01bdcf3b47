/* Reads a row above and below the image and only then looks whether there is one: outside of the allocation, but a GPU,
 * which maps whole pages, does not mind. Real programs do this. */
#include "check.h"

enum { ROWS = 64, COLS = 128 };

__global__ void blur(const int *image, int *out, int rows, int cols)
{
    __shared__ int above[COLS], below[COLS];
    int x = threadIdx.x, y = blockIdx.x;
    above[x] = ((const volatile int *)image)[(y - 1) * cols + x];
    below[x] = ((const volatile int *)image)[(y + 1) * cols + x];
    if (y == 0)
        above[x] = image[x];
    if (y == rows - 1)
        below[x] = image[y * cols + x];
    __syncthreads();
    int left = x ? x - 1 : x, right = x < cols - 1 ? x + 1 : x;
    out[y * cols + x] = above[left] + above[right] + below[left] + below[right] + 4 * image[y * cols + x];
}

int main()
{
    Random random(11);
    std::vector<int> image(ROWS * COLS), out(ROWS * COLS);
    for (int &x : image)
        x = (int)(random.next() % 1000);
    size_t bytes = image.size() * sizeof(int);
    int *d_image, *d_out;
    CHECK(cudaMalloc(&d_image, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_image, image.data(), bytes, cudaMemcpyHostToDevice));
    for (int i = 0; i < 2; i++)
        blur<<<ROWS, COLS>>>(d_image, d_out, ROWS, COLS);
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));

    bool good = true;
    for (int y = 0; y < ROWS; y++) {
        const int *above = &image[(y ? y - 1 : y) * COLS], *below = &image[(y < ROWS - 1 ? y + 1 : y) * COLS];
        for (int x = 0; x < COLS; x++) {
            int left = x ? x - 1 : x, right = x < COLS - 1 ? x + 1 : x;
            int sum = above[left] + above[right] + below[left] + below[right] + 4 * image[y * COLS + x];
            good = good && out[y * COLS + x] == sum;
        }
    }
    show("blurred", out);
    return verdict(good);
}
