/* One Jacobi step on a grid of nx x ny x nz, x running fastest. A block of 32 x 4 threads covers 64 x 4 points of a
 * plane, two per thread, and marches through the planes: the points below, at and above the plane are in registers, the
 * tile of the plane in shared memory; neighbours outside of the tile are read from global memory. */
enum { BLOCK_X = 32, BLOCK_Y = 4, TILE_X = 2 * BLOCK_X };

/* Known to be in global memory, so that the compiler does not choose between addresses in shared and global memory. */
typedef __attribute__((address_space(1))) const float global_float;

struct plane {
    global_float *values;
    unsigned nx;
};

/* The neighbours of point (x, y) in its plane; column and row are its place in the tile. */
SL_DEV float around(float (*tile)[TILE_X], plane at, unsigned x, unsigned y, unsigned column, unsigned row)
{
    unsigned i = y * at.nx + x;
    float left = column > 0 ? tile[row][column - 1] : at.values[i - 1];
    float right = column < TILE_X - 1 ? tile[row][column + 1] : at.values[i + 1];
    float back = row > 0 ? tile[row - 1][column] : at.values[i - at.nx];
    float front = row < BLOCK_Y - 1 ? tile[row + 1][column] : at.values[i + at.nx];
    return left + right + back + front;
}

KERNEL stencil(const float *in, float *out, unsigned nx, unsigned ny, unsigned nz, float c0,
               float c1)
{
    __shared__ float tile[BLOCK_Y][TILE_X];
    unsigned column = threadIdx.x, row = threadIdx.y, plane_points = nx * ny;
    unsigned x = blockIdx.x * TILE_X + column, x2 = x + BLOCK_X, y = blockIdx.y * BLOCK_Y + row;
    unsigned i = y * nx + x, i2 = i + BLOCK_X;
    bool in_y = y > 0 && y < ny - 1;
    bool inner = in_y && x > 0 && x < nx - 1, inner2 = in_y && x2 < nx - 1;
    bool inside = y < ny && x < nx, inside2 = y < ny && x2 < nx;

    float bottom = inside ? in[i] : 0, current = inside ? in[i + plane_points] : 0;
    float bottom2 = inside2 ? in[i2] : 0, current2 = inside2 ? in[i2 + plane_points] : 0;
    for (unsigned z = 1; z < nz - 1; z++) {
        plane here = {(global_float *)(in + z * plane_points), nx};
        unsigned above = (z + 1) * plane_points;
        float top = inside ? in[i + above] : 0, top2 = inside2 ? in[i2 + above] : 0;
        tile[row][column] = current;
        tile[row][column + BLOCK_X] = current2;
        __syncthreads();
        if (inner)
            out[z * plane_points + i] = (top + bottom + around(tile, here, x, y, column, row)) * c1 - current * c0;
        if (inner2)
            out[z * plane_points + i2] =
                (top2 + bottom2 + around(tile, here, x2, y, column + BLOCK_X, row)) * c1 - current2 * c0;
        __syncthreads();
        bottom = current;
        current = top;
        bottom2 = current2;
        current2 = top2;
    }
}
