/* particles.cu with an array for each member of its structure. */
#define ARRAYS
#include "particles.cu"
