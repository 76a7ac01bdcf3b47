/* Searches in a B+ tree of order 256: a block per query, a thread per key of a node. In an inner node keys[i] is the
 * least key below indices[i], and the first is below all keys; in a leaf indices[i] is the record of keys[i]. Behind
 * its last key every node has one above all keys. */
enum { ORDER = 256 };

struct node {
    int keys[ORDER + 1];
    int indices[ORDER + 1];
    int key_count, is_leaf;
};

/* The value of the record with the key, for each query; -1 where there is none. */
KERNEL find_k(const node *__restrict__ nodes, const int *__restrict__ records, const int *__restrict__ keys,
              int *current, int *following, int *__restrict__ answer, int height)
{
    int thread = threadIdx.x, query = blockIdx.x;
    for (int level = 1; level < height; level++) {
        const node *here = &nodes[current[query]];
        if (here->keys[thread] <= keys[query] && here->keys[thread + 1] > keys[query])
            following[query] = here->indices[thread];
        __syncthreads();
        if (thread == 0)
            current[query] = following[query];
        __syncthreads();
    }
    const node *leaf = &nodes[current[query]];
    if (thread < leaf->key_count && leaf->keys[thread] == keys[query])
        answer[query] = records[leaf->indices[thread]];
}

/* The first record with a key from `first` to `last` (both are keys of the tree), and how many there are: two descents
 * side by side. */
KERNEL find_range_k(const node *__restrict__ nodes, const int *__restrict__ first, const int *__restrict__ last,
                    int *current, int *following, int *current_last, int *following_last, int *start, int *length,
                    int height)
{
    int thread = threadIdx.x, query = blockIdx.x;
    for (int level = 1; level < height; level++) {
        const node *low = &nodes[current[query]];
        if (low->keys[thread] <= first[query] && low->keys[thread + 1] > first[query])
            following[query] = low->indices[thread];
        const node *high = &nodes[current_last[query]];
        if (high->keys[thread] <= last[query] && high->keys[thread + 1] > last[query])
            following_last[query] = high->indices[thread];
        __syncthreads();
        if (thread == 0) {
            current[query] = following[query];
            current_last[query] = following_last[query];
        }
        __syncthreads();
    }
    const node *low = &nodes[current[query]];
    if (thread < low->key_count && low->keys[thread] == first[query])
        start[query] = low->indices[thread];
    __syncthreads();
    const node *high = &nodes[current_last[query]];
    if (thread < high->key_count && high->keys[thread] == last[query])
        length[query] = high->indices[thread] - start[query] + 1;
}

/* The same searches on Rodinia's arrays: a node has its location in front and its keys last, so that they lie across
 * lines; places in the tree have 8 bytes; and what is followed must be a node. */
struct rodinia_node {
    int location;
    int indices[ORDER + 1];
    int keys[ORDER + 1];
    bool is_leaf;
    int key_count;
};

/* One level down for the query, if the thread's key is the one to follow. */
SL_DEV void follow(const rodinia_node *nodes, long node_count, const long *current, int key, long *following)
{
    const rodinia_node *here = &nodes[*current];
    int thread = threadIdx.x;
    if (here->keys[thread] <= key && here->keys[thread + 1] > key && here->indices[thread] < node_count)
        *following = here->indices[thread];
}

KERNEL find_k_rodinia(const rodinia_node *nodes, const int *records, const int *keys, long *current, long *following,
                      int *answer, int height, long node_count)
{
    int thread = threadIdx.x, query = blockIdx.x;
    for (int level = 1; level < height; level++) {
        follow(nodes, node_count, &current[query], keys[query], &following[query]);
        __syncthreads();
        if (thread == 0)
            current[query] = following[query];
        __syncthreads();
    }
    if (nodes[current[query]].keys[thread] == keys[query])
        answer[query] = records[nodes[current[query]].indices[thread]];
}

KERNEL find_range_k_rodinia(const rodinia_node *nodes, const int *first, const int *last, long *current, long *following,
                            long *current_last, long *following_last, int *start, int *length, int height,
                            long node_count)
{
    int thread = threadIdx.x, query = blockIdx.x;
    for (int level = 1; level < height; level++) {
        follow(nodes, node_count, &current[query], first[query], &following[query]);
        follow(nodes, node_count, &current_last[query], last[query], &following_last[query]);
        __syncthreads();
        if (thread == 0) {
            current[query] = following[query];
            current_last[query] = following_last[query];
        }
        __syncthreads();
    }
    if (nodes[current[query]].keys[thread] == first[query])
        start[query] = nodes[current[query]].indices[thread];
    __syncthreads();
    if (nodes[current_last[query]].keys[thread] == last[query])
        length[query] = nodes[current_last[query]].indices[thread] - start[query] + 1;
}
