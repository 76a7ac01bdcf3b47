/* SPDX-License-Identifier: MIT */
/* Images. */
#include "opencl/opencl.h"

void sl_cl_image_fini(sl_proc *rt, cl_mem mem)
{
    (void)rt, (void)mem;
}

uint64_t sl_cl_image_handle(cl_mem image, cl_kernel_arg_access_qualifier access)
{
    return access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? image->surface : image->texture[0];
}
