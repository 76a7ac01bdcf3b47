/* SPDX-License-Identifier: MIT */
/* Attention as it is written for Hopper: one warp group loads tiles of K and V by tensor copies into a ring of stages,
 * two others multiply them with wgmma and keep the softmax in registers. */
#include "check.h"

enum { DEPTH = 64, TILE = 64, STAGES = 2, GROUPS = 2, HEADS = 2, QUERIES = 256, KEYS = 320 };

struct alignas(64) Map {
    uint64_t opaque[16];
};
typedef int (*EncodeTiled)(Map *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                           const uint32_t *, int, int, int, int);

struct Shared {
    uint16_t q[GROUPS][TILE * DEPTH], k[STAGES][TILE * DEPTH], v[STAGES][TILE * DEPTH];
    uint64_t queries, full[STAGES], empty[STAGES];
};

__device__ static unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ static void init(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
}

__device__ static void expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ static void arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ static void wait(uint64_t *barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
            address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ static void load(void *to, const Map *map, int row, int head, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4}], [%5];" ::"r"(address(to)),
                 "l"(map), "r"(0), "r"(row), "r"(head), "r"(address(barrier))
                 : "memory");
}

__device__ static bool elected()
{
    unsigned yes;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(yes));
    return yes;
}

/* Tiles are rows of 128 bytes, swizzled. */
__device__ static uint64_t descriptor(const void *shared)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (address(shared) & 0x3ffff) >> 4;
}

__device__ static void scores(float (&d)[32], uint64_t q, uint64_t k, int keep)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
                 ", %32, %33, p, 1, 1, 0, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(q), "l"(k), "r"(keep)
                 : "memory");
}

__device__ static void values(float (&d)[32], const unsigned *p, uint64_t v)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v)
                 : "memory");
}

__device__ static void fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static void finish()
{
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ static float power(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ static unsigned pair(float low, float high)
{
    unsigned both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

__device__ static float larger(float a, float b)
{
    return a > b ? a : b;
}

__device__ static void produce(Shared *s, const Map *q, const Map *k, const Map *v)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x >= 32 || !elected())
        return;
    expect(&s->queries, sizeof s->q);
    for (int group = 0; group < GROUPS; group++)
        load(s->q[group], q, (int)(blockIdx.x * GROUPS + group) * TILE, (int)blockIdx.y, &s->queries);
    for (int tile = 0; tile < KEYS / TILE; tile++) {
        int stage = tile % STAGES, round = tile / STAGES;
        wait(&s->empty[stage], (unsigned)(round & 1) ^ 1);
        expect(&s->full[stage], 2 * sizeof s->k[0]);
        load(s->k[stage], k, tile * TILE, (int)blockIdx.y, &s->full[stage]);
        load(s->v[stage], v, tile * TILE, (int)blockIdx.y, &s->full[stage]);
    }
}

/* Scores become weights; sums and results so far are scaled to the new largest score. */
__device__ static void soften(float (&score)[32], float (&result)[32], float (&most)[2], float (&sum)[2], float scale)
{
    for (int half = 0; half < 2; half++) {
        float top = most[half], total = 0;
        for (int i = 0; i < 32; i++)
            if ((i >> 1 & 1) == half)
                top = larger(top, score[i]);
        top = larger(top, __shfl_xor_sync(~0u, top, 1));
        top = larger(top, __shfl_xor_sync(~0u, top, 2));
        float shrink = power((most[half] - top) * scale);
        for (int i = 0; i < 32; i++)
            if ((i >> 1 & 1) == half) {
                score[i] = power((score[i] - top) * scale);
                total += score[i];
                result[i] *= shrink;
            }
        sum[half] = sum[half] * shrink + total;
        most[half] = top;
    }
}

__device__ static void consume(Shared *s, const Map *out, float scale)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int group = (int)threadIdx.x / 128 - 1;
    float result[32], score[32], most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
    for (int i = 0; i < 32; i++)
        result[i] = 0;
    wait(&s->queries, 0);
    for (int tile = 0; tile < KEYS / TILE; tile++) {
        int stage = tile % STAGES;
        wait(&s->full[stage], (unsigned)(tile / STAGES) & 1);
        fence();
        for (int part = 0; part < DEPTH / 16; part++)
            scores(score, descriptor(s->q[group] + part * 16), descriptor(s->k[stage] + part * 16), part != 0);
        finish();
        soften(score, result, most, sum, scale);
        unsigned weight[16];
        for (int i = 0; i < 16; i++)
            weight[i] = pair(score[2 * i], score[2 * i + 1]);
        fence();
        for (int part = 0; part < TILE / 16; part++)
            values(result, weight + 4 * part, descriptor(s->v[stage] + part * 16 * DEPTH));
        finish();
        if (elected())
            arrive(&s->empty[stage]);
    }
    for (int half = 0; half < 2; half++) {
        sum[half] += __shfl_xor_sync(~0u, sum[half], 1);
        sum[half] += __shfl_xor_sync(~0u, sum[half], 2);
        sum[half] = 1 / sum[half];
    }
    /* Where the queries were: four matrices of 8 x 8 at a time. */
    unsigned warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    for (unsigned part = 0; part < 4; part++) {
        unsigned row = 16 * warp + lane % 16, byte = row * 128 + part * 32 + lane / 16 * 16;
        unsigned at = address(s->q[group]) + (byte ^ (byte >> 3 & 0x70));
        unsigned w[4];
        for (int i = 0; i < 4; i++)
            w[i] = pair(result[8 * part + 2 * i] * sum[i & 1], result[8 * part + 2 * i + 1] * sum[i & 1]);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(w[0]),
                     "r"(w[1]), "r"(w[2]), "r"(w[3])
                     : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    if (warp == 0 && elected()) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(out),
                     "r"(0), "r"((int)(blockIdx.x * GROUPS + group) * TILE), "r"(blockIdx.y), "r"(address(s->q[group]))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void __launch_bounds__(384)
    attention(const __grid_constant__ Map q, const __grid_constant__ Map k, const __grid_constant__ Map v,
              const __grid_constant__ Map out, float scale)
{
    extern __shared__ unsigned char room[];
    Shared *s = (Shared *)(room + (1024 - __cvta_generic_to_shared(room) % 1024) % 1024);
    if (!threadIdx.x) {
        init(&s->queries, 1);
        for (int i = 0; i < STAGES; i++) {
            init(&s->full[i], 1);
            init(&s->empty[i], 4 * GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128)
        produce(s, &q, &k, &v);
    else
        consume(s, &out, scale);
}

static float from_half(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    float value = exponent ? ldexpf((float)(mantissa | 0x400), exponent - 25) : ldexpf((float)mantissa, -24);
    return h >> 15 ? -value : value;
}

/* Between -2 and 2, in steps of 1/256. */
static std::vector<uint16_t> inputs(unsigned rows, unsigned seed)
{
    Random random{seed};
    std::vector<uint16_t> numbers((size_t)HEADS * rows * DEPTH);
    for (uint16_t &n : numbers) {
        int value = (int)(random.next() % 1024) - 512;
        unsigned magnitude = (unsigned)abs(value), exponent = 17;
        for (; magnitude && !(magnitude & 0x400); magnitude <<= 1)
            exponent--;
        n = (uint16_t)((value < 0 ? 0x8000 : 0) | (magnitude ? exponent << 10 | (magnitude & 0x3ff) : 0));
    }
    return numbers;
}

static void make_map(Map *map, EncodeTiled encode, void *array, unsigned rows)
{
    uint64_t size[3] = {DEPTH, rows, HEADS}, stride[2] = {DEPTH * 2, (uint64_t)rows * DEPTH * 2};
    uint32_t box[3] = {DEPTH, TILE, 1}, one[3] = {1, 1, 1};
    int error = encode(map, 6, 3, array, size, stride, box, one, 0, 3, 2, 0);
    if (error) {
        printf("cuTensorMapEncodeTiled: %d\n", error);
        exit(2);
    }
}

int main()
{
    void *encode = nullptr, *device[4];
    CHECK(cudaFree(0));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, 0, nullptr));
    std::vector<uint16_t> in[3] = {inputs(QUERIES, 1), inputs(KEYS, 2), inputs(KEYS, 3)};
    for (int i = 0; i < 4; i++) {
        size_t bytes = in[i % 3].size() * 2;
        CHECK(cudaMalloc(&device[i], bytes));
        if (i < 3)
            CHECK(cudaMemcpy(device[i], in[i].data(), bytes, cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemset(device[i], 0xff, bytes));
    }
    static Map maps[4];
    for (int i = 0; i < 4; i++)
        make_map(&maps[i], (EncodeTiled)encode, device[i], i % 3 ? KEYS : QUERIES);
    float scale = 0.125f;
    int room = sizeof(Shared) + 1024;
    CHECK(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    attention<<<dim3(QUERIES / TILE / GROUPS, HEADS), 384, room>>>(maps[0], maps[1], maps[2], maps[3],
                                                                   scale * 1.44269504f);
    std::vector<uint16_t> got(in[0].size());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), device[3], got.size() * 2, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (unsigned head = 0; head < HEADS; head++)
        for (unsigned row = 0; row < QUERIES; row++) {
            const uint16_t *q = &in[0][(head * QUERIES + row) * DEPTH];
            std::vector<double> weight(KEYS), result(DEPTH);
            double sum = 0;
            for (unsigned key = 0; key < KEYS; key++) {
                const uint16_t *k = &in[1][(head * KEYS + key) * DEPTH];
                double dot = 0;
                for (unsigned i = 0; i < DEPTH; i++)
                    dot += (double)from_half(q[i]) * from_half(k[i]);
                sum += weight[key] = exp(dot * scale);
            }
            for (unsigned key = 0; key < KEYS; key++)
                for (unsigned i = 0; i < DEPTH; i++)
                    result[i] += weight[key] / sum * from_half(in[2][(head * KEYS + key) * DEPTH + i]);
            for (unsigned i = 0; i < DEPTH; i++) {
                double error = fabs(result[i] - from_half(got[(head * QUERIES + row) * DEPTH + i]));
                worst = error > worst ? error : worst;
            }
        }
    printf("%u rows of %u, error below 1/512: %d\n", QUERIES * HEADS, KEYS, worst < 1.0 / 512);
    return verdict(worst < 1.0 / 512);
}
