/* SPDX-License-Identifier: MIT */
/* Entry points that are refused by name (unsupported.def). */
#ifndef SL_OPENCL_UNSUPPORTED_H
#define SL_OPENCL_UNSUPPORTED_H

#include "opencl/opencl.h"

#define SL_CL_REFUSED(name) cl_int CL_API_CALL sl_cl_refuse_##name(void);
#include "opencl/unsupported.def"
#undef SL_CL_REFUSED

#endif
