/* An octree built by all threads at once. Nodes 0 to bodies - 1 are the bodies, those above are cells, the root the last
 * of them; cell c has the children child[8 * c] and following. A child is a node, EMPTY, or LOCKED while a thread puts
 * cells in its place. */
enum { EMPTY = -1, LOCKED = -2 };

/* The eighth of a cube that a point is in, by its bits x, y and z. */
static __device__ __forceinline__ int octant_of(float3 centre, float3 point)
{
    return (centre.x < point.x) | (centre.y < point.y) << 1 | (centre.z < point.z) << 2;
}

/* The same, and moves the centre to that eighth's. */
static __device__ __forceinline__ int enter_octant(float3 *centre, float quarter, float3 point)
{
    int octant = octant_of(*centre, point);
    centre->x += octant & 1 ? quarter : -quarter;
    centre->y += octant & 2 ? quarter : -quarter;
    centre->z += octant & 4 ? quarter : -quarter;
    return octant;
}

KERNEL clear_children(int *__restrict__ child, int first, int end)
{
    for (int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x); i < end; i += (int)(blockDim.x * gridDim.x))
        child[i] = EMPTY;
}

/* The root's position is the centre of the cube around all bodies, *radius half of its side; *bottom is the lowest cell
 * that is taken. */
KERNEL build_octree(volatile float *x, volatile float *y, volatile float *z, volatile int *child, int *bottom,
                    volatile float *radius, int bodies, int root)
{
    float half = *radius, quarter = 0;
    float3 middle = make_float3(x[root], y[root], z[root]), centre = middle, point = middle;
    int body = (int)(blockIdx.x * blockDim.x + threadIdx.x), slot = 0;
    bool begun = false;
    while (__syncthreads_or(body < bodies)) {
        if (body >= bodies)
            continue;
        if (!begun) {
            begun = true;
            point = make_float3(x[body], y[body], z[body]);
            centre = middle;
            quarter = 0.5f * half;
            slot = 8 * root + enter_octant(&centre, quarter, point);
        }
        int node = child[slot];
        while (node >= bodies) {
            quarter *= 0.5f;
            slot = 8 * node + enter_octant(&centre, quarter, point);
            node = child[slot];
        }
        if (node == EMPTY) {
            begun = atomicCAS((int *)&child[slot], EMPTY, body) != EMPTY;
        } else if (node != LOCKED && atomicCAS((int *)&child[slot], node, LOCKED) == node) {
            /* Cells until the body that was there and this one are apart; others see them when all are done. */
            int lock = slot, top = -1, other = node;
            do {
                int cell = atomicSub(bottom, 1) - 1;
                if (top < 0)
                    top = cell;
                else
                    child[slot] = cell;
                child[8 * cell + octant_of(centre, make_float3(x[node], y[node], z[node]))] = node;
                quarter *= 0.5f;
                slot = 8 * cell + enter_octant(&centre, quarter, point);
                other = child[slot];
            } while (other >= 0);
            child[slot] = body;
            __threadfence();
            child[lock] = top;
            begun = false;
        }
        if (!begun)
            body += (int)(blockDim.x * gridDim.x);
    }
}
