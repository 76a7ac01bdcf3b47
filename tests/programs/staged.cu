/* particles.cu with the field in shared memory. */
#define STAGED
#include "particles.cu"
