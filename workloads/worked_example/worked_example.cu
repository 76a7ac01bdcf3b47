/* One thread per block loads elements that lie 32 bytes apart, one after the other: `elements` has the number of each in
 * four bits, from the lowest on, to which every block adds `step` times its own number. */
enum { BITS = 4, WORDS = 8 };

KERNEL worked_example(const unsigned *x, unsigned *sums, unsigned long long elements, unsigned loads, unsigned step)
{
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < loads; i++) {
        unsigned element = (unsigned)(elements >> BITS * i) % (1 << BITS) + step * blockIdx.x;
        sum += x[element * WORDS];
    }
    sums[blockIdx.x] = sum;
}
