/* SPDX-License-Identifier: MIT */
#include "trace/inlined.h"

#include <string.h>

/* What the path of a header has in it. CUDA: as its packages, Conda and pip install it. */
static const char *const folders[] = {"/cub/",     "/thrust/",      "/libcudacxx/",    "/cccl/",
                                      "/cuda-",    "/usr/include/", "/usr/local/cuda", "/targets/",
                                      "/usr/lib/", "/nvidia/",      "/nvhpc/",         "/hpc_sdk/"};

/* Whether a file is a header of CUDA, CUB, Thrust, libcu++ or the host compiler, by its path. */
static bool is_library_header(const char *path)
{
    static const char *const sources[] = {".cu", ".c", ".cc", ".cpp", ".cxx"};
    const char *slash = strrchr(path, '/'), *suffix = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; suffix && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(suffix, sources[i]))
            return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i]))
            return true;
    return false;
}

sl_trace_call sl_inst_own_location(const sl_inst *inst, const char *strings, const sl_trace_call *calls)
{
    const sl_trace_call innermost = {inst->source_file, inst->source_line, inst->inlined};
    sl_trace_call at = innermost;
    while (at.caller && calls && is_library_header(strings + at.source_file))
        at = calls[at.caller - 1];
    return is_library_header(strings + at.source_file) ? innermost : at;
}
