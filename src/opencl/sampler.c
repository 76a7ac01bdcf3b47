/* SPDX-License-Identifier: MIT */
/* Samplers. A kernel gets one as what clang makes of a literal in its source: bits for addressing, coordinates, filter.
 */
#include "opencl/opencl.h"

#include <stdlib.h>

void sl_cl_sampler_fini(sl_proc *rt, cl_sampler sampler)
{
    free(sampler->properties.item);
    sl_cl_unuse(rt, sampler->context);
}

uint32_t sl_cl_sampler_bits(const struct _cl_sampler *s)
{
    /* CLK_ADDRESS_NONE, _CLAMP_TO_EDGE, _CLAMP, _REPEAT, _MIRRORED_REPEAT are 0, 2, 4, 6, 8 */
    const uint32_t addressing = s->addressing == CL_ADDRESS_CLAMP_TO_EDGE     ? 2
                                : s->addressing == CL_ADDRESS_CLAMP           ? 4
                                : s->addressing == CL_ADDRESS_REPEAT          ? 6
                                : s->addressing == CL_ADDRESS_MIRRORED_REPEAT ? 8
                                                                              : 0;
    return addressing | (s->normalized ? 1 : 0) | (s->filter == CL_FILTER_LINEAR ? 0x20 : 0x10);
}

static cl_int create(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                     cl_sampler *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (normalized > CL_TRUE || addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT ||
        (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) ||
        (!normalized && (addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT)))
        return CL_INVALID_VALUE;
    cl_sampler s = sl_cl_new(SL_CL_SAMPLER);
    if (!s)
        return CL_OUT_OF_HOST_MEMORY;
    s->context = context;
    s->normalized = normalized;
    s->addressing = addressing;
    s->filter = filter;
    sl_cl_use(context);
    *made = s;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode addressing, cl_filter_mode filter, cl_int *error)
{
    SL_CL_MAKE(cl_sampler, error, (void)rt, create(context, normalized, addressing, filter, &made));
}

static cl_int create_with(sl_proc *rt, cl_context context, const cl_sampler_properties *properties, cl_sampler *made)
{
    cl_sampler_properties value[3] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    for (const cl_sampler_properties *p = properties; p && *p; p += 2) {
        if (*p < CL_SAMPLER_NORMALIZED_COORDS || *p > CL_SAMPLER_FILTER_MODE)
            return sl_cl_is(context, SL_CL_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT;
        value[*p - CL_SAMPLER_NORMALIZED_COORDS] = p[1];
    }
    cl_int error = create(context, (cl_bool)value[0], (cl_addressing_mode)value[1], (cl_filter_mode)value[2], made);
    if (!error && (error = sl_cl_properties_keep(&(*made)->properties, properties)))
        sl_cl_release(rt, *made, SL_CL_SAMPLER, error);
    return error;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *error)
{
    SL_CL_MAKE(cl_sampler, error, create_with(rt, context, properties, &made));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    SL_CL_CALL(sl_cl_retain(sampler, SL_CL_SAMPLER, CL_INVALID_SAMPLER));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    SL_CL_CALL(sl_cl_release(rt, sampler, SL_CL_SAMPLER, CL_INVALID_SAMPLER));
}

static cl_int sampler_info(cl_sampler s, cl_sampler_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(s, SL_CL_SAMPLER))
        return CL_INVALID_SAMPLER;
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, s->object.references);
    case CL_SAMPLER_CONTEXT:
        return SL_CL_GIVE(to, cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return SL_CL_GIVE(to, cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return SL_CL_GIVE(to, cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return SL_CL_GIVE(to, cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return sl_cl_give(to, s->properties.item, s->properties.bytes);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info what, size_t room, void *value,
                                                 size_t *size)
{
    SL_CL_CALL((void)rt, sampler_info(sampler, what, &(sl_cl_answer){room, value, size}));
}
