/* SPDX-License-Identifier: MIT */
/* Programs that compile with NVRTC for a real architecture ask it for machine code. It has the PTX as well, which is
 * what can run here: they get that instead. This library is loaded in front of NVRTC, so that these are found first. */
#include "cudadriver/driver.h"

#include <dlfcn.h>

typedef int nvrtc_result;
typedef struct nvrtc_program *nvrtc_program;
enum { NVRTC_ERROR_INTERNAL_ERROR = 11 };

SL_API nvrtc_result nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes)
{
    nvrtc_result (*size)(nvrtc_program, size_t *) =
        (nvrtc_result(*)(nvrtc_program, size_t *))dlsym(RTLD_NEXT, "nvrtcGetPTXSize");
    return size ? size(program, bytes) : NVRTC_ERROR_INTERNAL_ERROR;
}

SL_API nvrtc_result nvrtcGetCUBIN(nvrtc_program program, char *image)
{
    nvrtc_result (*get)(nvrtc_program, char *) =
        (nvrtc_result(*)(nvrtc_program, char *))dlsym(RTLD_NEXT, "nvrtcGetPTX");
    return get ? get(program, image) : NVRTC_ERROR_INTERNAL_ERROR;
}
