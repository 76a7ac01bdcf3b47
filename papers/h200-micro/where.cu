/* On which SM each block of a launch runs, and when it starts: where.txt is what an H200 printed. For each launch a line
 * that says what it is, the SMs of the blocks in the order of their numbers, and the nanoseconds at which they started. */
#include <cstdio>

enum { MOST = 4096 };

__global__ void where(unsigned *sm, unsigned long long *start, int spin)
{
    if (threadIdx.x + threadIdx.y == 0) {
        unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[block]));
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start[block]));
        long long now = clock64();
        while (clock64() - now < spin)
            ;
    }
    __syncthreads();
}

int main()
{
    static const struct {
        int grid_x, grid_y, block_x, block_y, spin;
    } launches[] = {{8, 32, 32, 8, 200000},    {12, 12, 16, 16, 200000}, {48, 48, 4, 4, 1500},
                    {48, 48, 4, 4, 0},         {48, 48, 4, 4, 300000},   {1056, 1, 256, 1, 300000},
                    {2112, 1, 256, 1, 3000},   {264, 1, 1024, 1, 300000}, {8, 2, 256, 1, 100000}};
    static unsigned sm[MOST];
    static unsigned long long start[MOST];
    unsigned *sm_dev;
    unsigned long long *start_dev;
    cudaMalloc(&sm_dev, sizeof sm);
    cudaMalloc(&start_dev, sizeof start);
    for (auto &l : launches) {
        int blocks = l.grid_x * l.grid_y;
        for (int warm = 0; warm < 2; warm++) /* the second is the one that is shown */
            where<<<dim3(l.grid_x, l.grid_y), dim3(l.block_x, l.block_y)>>>(sm_dev, start_dev, l.spin);
        cudaMemcpy(sm, sm_dev, blocks * sizeof *sm, cudaMemcpyDeviceToHost);
        cudaMemcpy(start, start_dev, blocks * sizeof *start, cudaMemcpyDeviceToHost);
        unsigned long long first = start[0], last = start[0];
        for (int i = 0; i < blocks; i++) {
            first = start[i] < first ? start[i] : first;
            last = start[i] > last ? start[i] : last;
        }
        printf("grid %dx%d block %dx%d spin %d: started over %llu ns\n", l.grid_x, l.grid_y, l.block_x, l.block_y,
               l.spin, last - first);
        for (int i = 0; i < blocks; i++)
            printf("%u ", sm[i]);
        printf("\n");
        for (int i = 0; i < blocks; i++)
            printf("%llu ", start[i] - first);
        printf("\n");
    }
}
