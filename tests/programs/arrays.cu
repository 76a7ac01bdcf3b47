/* particles.cu with the field in shared memory, and an array for each member of its structure. */
#define STAGED
#define ARRAYS
#include "particles.cu"
