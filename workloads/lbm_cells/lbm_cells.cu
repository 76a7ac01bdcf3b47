/* A step of the lattice-Boltzmann method as in workloads/lbm, on an array of cells of 20 floats: 19 distributions and
 * the flags. Loads and stores of a warp are 80 bytes apart. */
enum { DIRECTIONS = 19, CELL = DIRECTIONS + 1, OBSTACLE = 1, ACCELERATE = 2 };

/* Direction 0 stays; each odd direction is followed by its opposite. */
static constexpr int step_x[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static constexpr int step_y[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static constexpr int step_z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

SL_DEV constexpr int opposite(int d) { return d == 0 ? 0 : d % 2 ? d + 1 : d - 1; }
SL_DEV constexpr float weight(int d) { return d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

struct lbm_flow {
    float density, x, y, z, square;
};

SL_DEV lbm_flow lbm_flow_of(const float *f, unsigned flags)
{
    float density = 0, x = 0, y = 0, z = 0;
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        density += f[d];
        x += (float)step_x[d] * f[d];
        y += (float)step_y[d] * f[d];
        z += (float)step_z[d] * f[d];
    }
    x /= density;
    y /= density;
    z /= density;
    if (flags & ACCELERATE) {
        x = 0.005f;
        y = 0.002f;
        z = 0.0f;
    }
    return {density, x, y, z, 1.0f - 1.5f * (x * x + y * y + z * z)};
}

SL_DEV float lbm_relaxed(const lbm_flow &flow, int d, float f, float omega)
{
    float along = (float)step_x[d] * flow.x + (float)step_y[d] * flow.y + (float)step_z[d] * flow.z;
    float equilibrium = weight(d) * flow.density * (along * (4.5f * along + 3.0f) + flow.square);
    return (1.0f - omega) * f + omega * equilibrium;
}

KERNEL lbm_cells(const float *from, float *to, int pitch, int plane, float omega)
{
    int cell = (int)blockIdx.y * plane + (int)blockIdx.x * pitch + (int)threadIdx.x;
    from += cell * CELL;
    to += cell * CELL;
    float f[DIRECTIONS];
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++)
        f[d] = from[d];
    unsigned flags = __float_as_uint(from[DIRECTIONS]);

    if (flags & OBSTACLE) { /* back to where they came from */
#pragma unroll
        for (int d = 0; d < DIRECTIONS; d++)
            to[d + (step_z[d] * plane + step_y[d] * pitch + step_x[d]) * CELL] = f[opposite(d)];
        return;
    }
    const lbm_flow flow = lbm_flow_of(f, flags);
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++)
        to[d + (step_z[d] * plane + step_y[d] * pitch + step_x[d]) * CELL] = lbm_relaxed(flow, d, f[d], omega);
}
