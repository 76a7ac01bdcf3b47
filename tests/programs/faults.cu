/* Kernels that break the device, each in a process of its own: what later calls say. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void write(int *x, long i)
{
    x[i] = 1;
}

__global__ void misaligned(char *x)
{
    *(int *)(x + 1) = 5;
}

__global__ void trap()
{
    __trap();
}

__global__ void shared_write(int i)
{
    extern __shared__ int tile[];
    tile[i] = i;
}

static void say(const char *what, cudaError_t error)
{
    printf("%-20s %s\n", what, cudaGetErrorName(error));
}

static void fault(int which)
{
    int *x = NULL, host = 0;
    CHECK(cudaMalloc(&x, 1024));
    switch (which) {
    case 0:
        write<<<1, 1>>>(NULL, 0);
        break;
    case 1:
        write<<<1, 1>>>(x, 1l << 40);
        break;
    case 2:
        misaligned<<<1, 1>>>((char *)x);
        break;
    case 3:
        trap<<<1, 1>>>();
        break;
    case 4:
        shared_write<<<1, 1, 64>>>(1 << 20);
        break;
    }
    say("launch", cudaGetLastError());
    say("wait", cudaDeviceSynchronize());
    say("wait again", cudaDeviceSynchronize());
    say("last", cudaGetLastError());
    say("last again", cudaGetLastError());
    say("copy", cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    say("free", cudaFree(x));
    write<<<1, 1>>>(x, 0);
    say("next launch", cudaGetLastError());
}

int main()
{
    static const char *const NAMES[] = {"null pointer", "far outside", "misaligned", "trap", "outside shared memory"};
    bool good = true;
    for (int which = 0; which < 5; which++) {
        printf("%s\n", NAMES[which]);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            fault(which);
            fflush(stdout);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        good = good && status == 0;
    }
    return verdict(good);
}
