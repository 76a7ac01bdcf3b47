/* Flow of a compressible gas without viscosity on an unstructured mesh of cells with four faces: finite volumes for
 * density, momentum and energy, three stages of Runge and Kutta per time step. Everything lies as a structure of
 * arrays: value k of cell i at [i + k * cells]. */
enum { FACES = 4, VALUES = 5, DENSITY = 0, MOMENTUM = 1, ENERGY = 4, WALL = -1, FAR = -2 };
#define GAMMA 1.4f
#define SMOOTHING 0.2f

/* The gas far away, and its flux of momentum and energy. */
__constant__ float far_values[VALUES];
__constant__ float3 far_flux[4];

/* What the values of a cell say about its gas. */
struct gas {
    float density, energy, pressure, sound, speed;
    float3 momentum, velocity;
};

static __device__ __forceinline__ gas gas_of(const float *__restrict__ values, unsigned cell, unsigned cells)
{
    gas g;
    g.density = values[cell + DENSITY * cells];
    g.momentum.x = values[cell + (MOMENTUM + 0) * cells];
    g.momentum.y = values[cell + (MOMENTUM + 1) * cells];
    g.momentum.z = values[cell + (MOMENTUM + 2) * cells];
    g.energy = values[cell + ENERGY * cells];
    g.velocity.x = g.momentum.x / g.density;
    g.velocity.y = g.momentum.y / g.density;
    g.velocity.z = g.momentum.z / g.density;
    float squared = g.velocity.x * g.velocity.x + g.velocity.y * g.velocity.y + g.velocity.z * g.velocity.z;
    g.pressure = (GAMMA - 1.0f) * (g.energy - 0.5f * g.density * squared);
    g.sound = sqrtf(GAMMA * g.pressure / g.density);
    g.speed = sqrtf(squared);
    return g;
}

/* Through a face: n.f for the fluxes of the three momenta and of the energy. */
static __device__ __forceinline__ void flux_through(const gas &g, float3 n, float *flux)
{
    float carried = g.velocity.x * n.x + g.velocity.y * n.y + g.velocity.z * n.z;
    flux[DENSITY] = g.momentum.x * n.x + g.momentum.y * n.y + g.momentum.z * n.z;
    flux[MOMENTUM + 0] = g.momentum.x * carried + g.pressure * n.x;
    flux[MOMENTUM + 1] = g.momentum.y * carried + g.pressure * n.y;
    flux[MOMENTUM + 2] = g.momentum.z * carried + g.pressure * n.z;
    flux[ENERGY] = (g.energy + g.pressure) * carried;
}

KERNEL initialize_variables(float *__restrict__ values, unsigned cells)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < VALUES; k++)
        values[i + k * cells] = far_values[k];
}

KERNEL compute_step_factor(const float *__restrict__ values, const float *__restrict__ areas,
                           float *__restrict__ step_factors, unsigned cells)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    gas g = gas_of(values, i, cells);
    step_factors[i] = 0.5f / (sqrtf(areas[i]) * (g.speed + g.sound));
}

KERNEL compute_flux(const int *__restrict__ neighbours, const float *__restrict__ normals,
                    const float *__restrict__ values, float *__restrict__ fluxes, unsigned cells)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    gas here = gas_of(values, i, cells);
    float flux[VALUES] = {0};
#pragma unroll
    for (unsigned face = 0; face < FACES; face++) {
        int other = neighbours[i + face * cells];
        float3 n = make_float3(normals[i + face * cells], normals[i + (face + FACES) * cells],
                               normals[i + (face + 2 * FACES) * cells]);
        if (other >= 0) {
            gas there = gas_of(values, (unsigned)other, cells);
            float mine[VALUES], theirs[VALUES];
            flux_through(here, n, mine);
            flux_through(there, n, theirs);
            float area = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
            float factor = -area * SMOOTHING * 0.5f * (here.speed + there.speed + here.sound + there.sound);
            flux[DENSITY] += factor * (here.density - there.density);
            flux[MOMENTUM + 0] += factor * (here.momentum.x - there.momentum.x);
            flux[MOMENTUM + 1] += factor * (here.momentum.y - there.momentum.y);
            flux[MOMENTUM + 2] += factor * (here.momentum.z - there.momentum.z);
            flux[ENERGY] += factor * (here.energy - there.energy);
#pragma unroll
            for (unsigned k = 0; k < VALUES; k++)
                flux[k] += 0.5f * (mine[k] + theirs[k]);
        } else if (other == WALL) {
            flux[MOMENTUM + 0] += n.x * here.pressure;
            flux[MOMENTUM + 1] += n.y * here.pressure;
            flux[MOMENTUM + 2] += n.z * here.pressure;
        } else if (other == FAR) {
            float mine[VALUES];
            flux_through(here, n, mine);
            flux[DENSITY] += 0.5f * (mine[DENSITY] + far_values[1] * n.x + far_values[2] * n.y + far_values[3] * n.z);
#pragma unroll
            for (unsigned k = 0; k < 4; k++)
                flux[MOMENTUM + k] +=
                    0.5f * (mine[MOMENTUM + k] + far_flux[k].x * n.x + far_flux[k].y * n.y + far_flux[k].z * n.z);
        }
    }
#pragma unroll
    for (unsigned k = 0; k < VALUES; k++)
        fluxes[i + k * cells] = flux[k];
}

KERNEL time_step(unsigned stage, unsigned cells, const float *__restrict__ old_values, float *__restrict__ values,
                 const float *__restrict__ step_factors, const float *__restrict__ fluxes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float factor = step_factors[i] / (float)(3 + 1 - stage);
#pragma unroll
    for (unsigned k = 0; k < VALUES; k++)
        values[i + k * cells] = old_values[i + k * cells] + factor * fluxes[i + k * cells];
}
