/* Particles that sample a field and move, as people write it first: an array of structures. In staged.cu, blocks copy the
 * field to shared memory; in arrays.cu, there is an array for each member, too. All print the same. */
#include "check.h"

const int COUNT = 1 << 16, SAMPLES = 32, CELLS = 1 << 15, STEPS = 2;
const float DT = 0.125f;

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float push;
    unsigned seed;
};

/* The cell of a sample: neighbouring particles are in cells that are far apart. */
__host__ __device__ inline unsigned cell_of(unsigned seed, int sample)
{
    unsigned hash = (seed + (unsigned)sample) * 2654435761u;
    return (hash ^ hash >> 15) % CELLS;
}

/* Where samples are read: the field itself, or a copy in shared memory, of which a warp reads 32 words at once wherever
 * they are. To copy it once for each SM, blocks are large. */
#ifdef STAGED
const int BLOCK = 512, STAGED_BYTES = CELLS * sizeof(float);
__device__ inline const float *staged(const float *field)
{
    extern __shared__ float4 copy[];
#pragma unroll
    for (int c = 0; c < CELLS / 4; c += BLOCK)
        copy[c + threadIdx.x] = ((const float4 *)field)[c + threadIdx.x];
    __syncthreads();
    return (const float *)copy;
}
#else
const int BLOCK = 256, STAGED_BYTES = 0;
__device__ inline const float *staged(const float *field)
{
    return field;
}
#endif

#ifdef ARRAYS
extern "C" __global__ void sample(const float *field, float *push, unsigned *seeds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *cells = staged(field);
    unsigned seed = seeds[i];
    float sum = 0;
    for (int k = 0; k < SAMPLES; k++)
        sum += cells[cell_of(seed, k)];
    push[i] = sum;
    seeds[i] = seed + SAMPLES;
}

extern "C" __global__ void move(float *x, float *y, float *z, const float *vx, const float *vy, const float *vz,
                                const float *push)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float step = push[i] * DT;
    x[i] += vx[i] * step;
    y[i] += vy[i] * step;
    z[i] += vz[i] * step;
}
#else
extern "C" __global__ void sample(const float *field, Particle *particle)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *cells = staged(field);
    unsigned seed = particle[i].seed;
    float sum = 0;
    for (int k = 0; k < SAMPLES; k++)
        sum += cells[cell_of(seed, k)];
    particle[i].push = sum;
    particle[i].seed = seed + SAMPLES;
}

extern "C" __global__ void move(Particle *particle)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float step = particle[i].push * DT;
    particle[i].x += particle[i].vx * step;
    particle[i].y += particle[i].vy * step;
    particle[i].z += particle[i].vz * step;
}
#endif

template <class T> __attribute__((noinline)) static T *on_device(const std::vector<T> &values)
{
    T *device;
    CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> static std::vector<T> from_device(const T *device)
{
    std::vector<T> values(COUNT);
    CHECK(cudaMemcpy(values.data(), device, COUNT * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

/* Positions after the last step: all x, all y, all z. */
static std::vector<float> simulate(const std::vector<float> &field, const std::vector<Particle> &start)
{
    std::vector<float> position;
    const float *d_field = on_device(field);
    CHECK(cudaFuncSetAttribute(sample, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGED_BYTES));
#ifdef ARRAYS
    float *member[7];
    std::vector<float> values(COUNT);
    for (int m = 0; m < 7; m++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (&start[i].x)[m];
        member[m] = on_device(values);
    }
    std::vector<unsigned> seeds(COUNT);
    for (int i = 0; i < COUNT; i++)
        seeds[i] = start[i].seed;
    unsigned *d_seeds = on_device(seeds);
    for (int step = 0; step < STEPS; step++) {
        sample<<<COUNT / BLOCK, BLOCK, STAGED_BYTES>>>(d_field, member[6], d_seeds);
        move<<<COUNT / BLOCK, BLOCK>>>(member[0], member[1], member[2], member[3], member[4], member[5], member[6]);
    }
    for (int m = 0; m < 3; m++) {
        values = from_device(member[m]);
        position.insert(position.end(), values.begin(), values.end());
    }
#else
    Particle *d_particle = on_device(start);
    for (int step = 0; step < STEPS; step++) {
        sample<<<COUNT / BLOCK, BLOCK, STAGED_BYTES>>>(d_field, d_particle);
        move<<<COUNT / BLOCK, BLOCK>>>(d_particle);
    }
    std::vector<Particle> particle = from_device(d_particle);
    for (int m = 0; m < 3; m++)
        for (const Particle &p : particle)
            position.push_back((&p.x)[m]);
#endif
    return position;
}

static bool as_on_cpu(const std::vector<float> &field, const std::vector<Particle> &start,
                      const std::vector<float> &position)
{
    bool good = true;
    for (int i = 0; i < COUNT; i++) {
        Particle p = start[i];
        for (int step = 0; step < STEPS; step++) {
            float sum = 0;
            for (int k = 0; k < SAMPLES; k++)
                sum += field[cell_of(p.seed, k)];
            p.x += p.vx * sum * DT;
            p.y += p.vy * sum * DT;
            p.z += p.vz * sum * DT;
            p.seed += SAMPLES;
        }
        for (int m = 0; m < 3; m++)
            good = good && near((&p.x)[m], position[m * COUNT + i], 1e-4);
    }
    return good;
}

int main()
{
    Random random(17);
    std::vector<float> field(CELLS);
    for (float &value : field)
        value = random.unit() - 0.5f;
    std::vector<Particle> start(COUNT);
    for (Particle &p : start) {
        for (int m = 0; m < 6; m++)
            (&p.x)[m] = random.unit();
        p.push = 0;
        p.seed = random.next();
    }
    std::vector<float> position = simulate(field, start);
    show("positions", position);
    return verdict(as_on_cpu(field, start, position));
}
