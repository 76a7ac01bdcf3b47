/* Which lanes run together behind an if that some leave another way: they return, trap, break or continue. */
#include "check.h"

enum { TURNS = 4 };

/* Enough work that the compiler makes a branch of it. */
static __device__ unsigned work(const unsigned *table, unsigned x)
{
    for (int i = 0; i < 3; i++)
        x = table[(x + i) % 64] + x * 3;
    return x;
}

#define LANE                                                                                                           \
    unsigned lane = threadIdx.x, x = table[lane];                                                                      \
    unsigned *mask = out + lane

__global__ void returns(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    for (int turn = 0; turn < TURNS; turn++) {
        if (x & 1) {
            x = work(table, x);
            if (lane >= first + turn)
                return;
            x += work(table, x);
        }
        mask[turn * 32] = __activemask();
        x = work(table, lane + turn);
    }
}

__global__ void traps(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    for (int turn = 0; turn < TURNS; turn++) {
        if (x & 1) {
            x = work(table, x);
            if (lane >= first + 100)
                __trap();
            x += work(table, x);
        }
        mask[turn * 32] = __activemask();
        x = work(table, lane + turn);
    }
}

__global__ void breaks(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    for (int turn = 0; turn < TURNS - 1; turn++) {
        if (x & 1) {
            x = work(table, x);
            if (lane >= first + turn)
                break;
            x += work(table, x);
        }
        mask[turn * 32] = __activemask();
        x = work(table, lane + turn);
    }
    mask[(TURNS - 1) * 32] = __activemask();
}

__global__ void continues(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    for (int turn = 0; turn < TURNS; turn++) {
        if (x & 1) {
            x = work(table, x);
            if (lane >= first + turn)
                continue;
            x += work(table, x);
        }
        mask[turn * 32] = __activemask();
        x = work(table, lane + turn);
    }
}

__global__ void stores_and_returns(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    for (int turn = 0; turn < TURNS; turn++) {
        if (x & 1) {
            x = work(table, x);
            if (lane >= first + turn) {
                out[TURNS * 32 + lane] = work(table, x);
                return;
            }
            x += work(table, x);
        }
        mask[turn * 32] = __activemask();
        x = work(table, lane + turn);
    }
}

__global__ void either(unsigned *out, const unsigned *table, unsigned first)
{
    LANE;
    if (lane % 4 == 0 || work(table, x) % 3 == 0) {
        mask[0] = __activemask();
        x = work(table, x + first);
    } else {
        x = work(table, x * 5);
    }
    mask[32] = __activemask() + (x == 123456);
}

int main()
{
    unsigned *table, *out, numbers[64], masks[(TURNS + 1) * 32];
    Random random(9);
    for (unsigned &n : numbers)
        n = random.next();
    CHECK(cudaMalloc(&table, sizeof numbers));
    CHECK(cudaMalloc(&out, sizeof masks));
    CHECK(cudaMemcpy(table, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    const struct {
        const char *name;
        void (*kernel)(unsigned *, const unsigned *, unsigned);
    } kernels[] = {{"returns", returns}, {"traps", traps},       {"breaks", breaks}, {"continues", continues},
                   {"stores", stores_and_returns}, {"either", either}};
    for (auto &k : kernels)
        for (unsigned first = 12; first <= 40; first += 28) {
            CHECK(cudaMemset(out, 0, sizeof masks));
            k.kernel<<<1, 32>>>(out, table, first);
            CHECK(cudaMemcpy(masks, out, sizeof masks, cudaMemcpyDeviceToHost));
            printf("%s from %u on:", k.name, first);
            for (int turn = 0; turn < TURNS; turn++) {
                unsigned seen = 0, groups = 0;
                for (int lane = 0; lane < 32; lane++)
                    if (masks[turn * 32 + lane] && !(seen & 1u << lane)) {
                        printf("%s%08x", groups++ ? "+" : " ", masks[turn * 32 + lane]);
                        seen |= masks[turn * 32 + lane];
                    }
            }
            printf("\n");
        }
    return verdict(true);
}
