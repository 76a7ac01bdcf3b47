/* One step of the lattice-Boltzmann method with 19 directions, a thread per cell: the distributions and the flags are
 * read at the cell, relaxed towards equilibrium and written to the neighbours that they move to. A block is a row of
 * cells. Distribution d of all cells lies together, `apart` floats after distribution d - 1; rows are padded to
 * `pitch`. */
enum { DIRECTIONS = 19, OBSTACLE = 1, ACCELERATE = 2 };

/* Direction 0 stays; each odd direction is followed by its opposite. */
static constexpr int step_x[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static constexpr int step_y[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static constexpr int step_z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

SL_DEV constexpr int opposite(int d) { return d == 0 ? 0 : d % 2 ? d + 1 : d - 1; }
SL_DEV constexpr float weight(int d) { return d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

KERNEL lbm(const float *from, float *to, int pitch, int plane, int apart, float omega)
{
    int cell = (int)blockIdx.y * plane + (int)blockIdx.x * pitch + (int)threadIdx.x;
    from += cell;
    to += cell;
    float f[DIRECTIONS];
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++)
        f[d] = from[d * apart];
    unsigned flags = __float_as_uint(from[DIRECTIONS * apart]);

    if (flags & OBSTACLE) { /* back to where they came from */
#pragma unroll
        for (int d = 0; d < DIRECTIONS; d++)
            to[d * apart + step_z[d] * plane + step_y[d] * pitch + step_x[d]] = f[opposite(d)];
        return;
    }
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
    float square = 1.0f - 1.5f * (x * x + y * y + z * z);
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        float along = (float)step_x[d] * x + (float)step_y[d] * y + (float)step_z[d] * z;
        float equilibrium = weight(d) * density * (along * (4.5f * along + 3.0f) + square);
        to[d * apart + step_z[d] * plane + step_y[d] * pitch + step_x[d]] = (1.0f - omega) * f[d] + omega * equilibrium;
    }
}
