/* A time step of Barnes and Hut's method for bodies that attract each other. Nodes 0 to bodies - 1 are the bodies, the
 * others cells of an octree, the root first; cell c has the children child[8 * (c - bodies)] and following, where -1 is
 * none. Positions, masses and the rest each have an array of their own. */
enum { BOX_THREADS = 512, FORCE_THREADS = 256, WARPS = FORCE_THREADS / 32, MOST_LEVELS = 32 };
#define SOFTENING 0.0025f

/* Shared memory of the box: the least and greatest of each axis, by thread. */
typedef float box_part[BOX_THREADS];

/* Halves the threads that take part until thread 0 has it all. */
static __device__ __forceinline__ void reduce_box(box_part *least, box_part *greatest)
{
    unsigned t = threadIdx.x;
    for (unsigned half = BOX_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            for (int axis = 0; axis < 3; axis++) {
                least[axis][t] = fminf(least[axis][t], least[axis][t + half]);
                greatest[axis][t] = fmaxf(greatest[axis][t], greatest[axis][t + half]);
            }
    }
}

/* The box around the bodies of each block's share; partial holds the least and greatest of each axis, by block. */
KERNEL bounding_box(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                    float *__restrict__ partial, unsigned bodies)
{
    __shared__ box_part least[3], greatest[3];
    unsigned t = threadIdx.x, blocks = gridDim.x;
    const float *position[3] = {x, y, z};
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        float low = position[axis][0], high = low;
        for (unsigned i = blockIdx.x * BOX_THREADS + t; i < bodies; i += blocks * BOX_THREADS) {
            low = fminf(low, position[axis][i]);
            high = fmaxf(high, position[axis][i]);
        }
        least[axis][t] = low;
        greatest[axis][t] = high;
    }
    reduce_box(least, greatest);
    if (t == 0)
        for (int axis = 0; axis < 3; axis++) {
            partial[axis * blocks + blockIdx.x] = least[axis][0];
            partial[(axis + 3) * blocks + blockIdx.x] = greatest[axis][0];
        }
}

/* One block puts the parts together: box holds the centre and half the longest side. */
KERNEL join_boxes(const float *__restrict__ partial, float *__restrict__ box, unsigned blocks)
{
    __shared__ box_part least[3], greatest[3];
    unsigned t = threadIdx.x, part = min(t, blocks - 1);
    for (int axis = 0; axis < 3; axis++) {
        least[axis][t] = partial[axis * blocks + part];
        greatest[axis][t] = partial[(axis + 3) * blocks + part];
    }
    reduce_box(least, greatest);
    if (t == 0) {
        float side = 0;
        for (int axis = 0; axis < 3; axis++) {
            box[axis] = 0.5f * (least[axis][0] + greatest[axis][0]);
            side = fmaxf(side, greatest[axis][0] - least[axis][0]);
        }
        box[3] = 0.5f * side;
    }
}

/* Mass, centre of mass and number of bodies of the cells of one level, whose children are known. Children are moved to
 * the front, so that the walk can stop at the first that is missing. */
KERNEL summarize(float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, float *__restrict__ mass,
                 int *__restrict__ count, int *__restrict__ child, unsigned first, unsigned cells, int bodies)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    int cell = (int)(first + i), *mine = child + 8 * (cell - bodies), kept = 0, total = 0;
    float sum = 0, sum_x = 0, sum_y = 0, sum_z = 0;
    for (int k = 0; k < 8; k++) {
        int node = mine[k];
        if (node < 0)
            continue;
        if (k != kept) {
            mine[k] = -1;
            mine[kept] = node;
        }
        kept++;
        total += node < bodies ? 1 : count[node - bodies];
        float m = mass[node];
        sum += m;
        sum_x += x[node] * m;
        sum_y += y[node] * m;
        sum_z += z[node] * m;
    }
    count[cell - bodies] = total;
    mass[cell] = sum;
    x[cell] = sum_x / sum;
    y[cell] = sum_y / sum;
    z[cell] = sum_z / sum;
}

/* Puts the bodies below the cells of one level in the order of the tree, so that a warp has bodies that are close. */
KERNEL sort(const int *__restrict__ count, const int *__restrict__ child, int *__restrict__ start,
            int *__restrict__ order, unsigned first, unsigned cells, int bodies)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    int cell = (int)(first + i) - bodies, at = start[cell];
    for (int k = 0; k < 8; k++) {
        int node = child[8 * cell + k];
        if (node < 0)
            break;
        if (node < bodies) {
            order[at++] = node;
        } else {
            start[node - bodies] = at;
            at += count[node - bodies];
        }
    }
}

/* The pull of all others on each body. The lanes of a warp walk the tree together, with one stack in shared memory: a
 * cell is taken as a whole when it is far enough from all of them, and opened otherwise. The walk stands at the child
 * `slot` of the cell whose children begin at `children`. */
KERNEL force(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
             const float *__restrict__ mass, const int *__restrict__ child, const int *__restrict__ order,
             const float *__restrict__ box, float *__restrict__ acc_x, float *__restrict__ acc_y,
             float *__restrict__ acc_z, float inverse_theta_squared, int bodies)
{
    __shared__ float far_enough[MOST_LEVELS];
    __shared__ int stack_children[WARPS][MOST_LEVELS], stack_slot[WARPS][MOST_LEVELS];
    if (threadIdx.x < MOST_LEVELS) {
        float side = 2.0f * box[3];
        for (unsigned level = 0; level < threadIdx.x; level++)
            side *= 0.5f;
        /* Children of a cell at this level have half its side. */
        far_enough[threadIdx.x] = 0.25f * side * side * inverse_theta_squared + SOFTENING;
    }
    __syncthreads();
    int index = blockIdx.x * blockDim.x + threadIdx.x, body = order[min(index, bodies - 1)];
    unsigned warp = threadIdx.x / 32;
    float px = x[body], py = y[body], pz = z[body], ax = 0, ay = 0, az = 0;
    int depth = 0, children = 0, slot = 0;
    for (;;) {
        int node = slot < 8 ? child[children + slot] : -1;
        if (node < 0) {
            if (--depth < 0)
                break;
            children = stack_children[warp][depth];
            slot = stack_slot[warp][depth];
            __syncwarp();
            continue;
        }
        slot++;
        float dx = x[node] - px, dy = y[node] - py, dz = z[node] - pz;
        float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
        if (node < bodies || __all_sync(0xffffffffu, squared >= far_enough[depth])) {
            float inverse = rsqrtf(squared), pull = mass[node] * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
            continue;
        }
        if (threadIdx.x % 32 == 0) {
            stack_children[warp][depth] = children;
            stack_slot[warp][depth] = slot;
        }
        __syncwarp();
        depth++;
        children = 8 * (node - bodies);
        slot = 0;
    }
    if (index < bodies) {
        acc_x[body] = ax;
        acc_y[body] = ay;
        acc_z[body] = az;
    }
}

KERNEL integrate(float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, float *__restrict__ vel_x,
                 float *__restrict__ vel_y, float *__restrict__ vel_z, const float *__restrict__ acc_x,
                 const float *__restrict__ acc_y, const float *__restrict__ acc_z, float step, unsigned bodies)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies)
        return;
    float change_x = acc_x[i] * step * 0.5f, change_y = acc_y[i] * step * 0.5f, change_z = acc_z[i] * step * 0.5f;
    float half_x = vel_x[i] + change_x, half_y = vel_y[i] + change_y, half_z = vel_z[i] + change_z;
    x[i] += half_x * step;
    y[i] += half_y * step;
    z[i] += half_z * step;
    vel_x[i] = half_x + change_x;
    vel_y[i] = half_y + change_y;
    vel_z[i] = half_z + change_z;
}
