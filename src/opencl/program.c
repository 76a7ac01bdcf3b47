/* SPDX-License-Identifier: MIT */
/* Programs: from source and binaries, building, compiling, linking. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* Takes away what the last build left. */
static void unbuild(sl_proc *rt, cl_program p, bool code)
{
    for (int v = 0; v < SL_CL_VARIANTS; v++) {
        if (p->binary[v])
            sl_proc_binary_unload(rt, p->binary[v]);
        p->binary[v] = NULL;
        p->broken[v] = false;
    }
    sl_cl_kernels_fini(&p->kernels);
    if (code)
        sl_cl_code_fini(&p->code);
    free(p->options);
    p->options = NULL;
    p->type = CL_PROGRAM_BINARY_TYPE_NONE;
}

void sl_cl_program_fini(sl_proc *rt, cl_program program)
{
    unbuild(rt, program, true);
    sl_buffer_free(&program->log);
    free(program->source);
    if (program->context)
        sl_cl_unuse(rt, program->context);
}

static cl_program new_program(cl_context context, sl_cl_origin origin)
{
    cl_program p = sl_cl_new(SL_CL_PROGRAM);
    if (!p)
        return NULL;
    p->context = context;
    p->origin = origin;
    p->status = CL_BUILD_NONE;
    sl_cl_use(context);
    return p;
}

/* ---- making ---- */

static cl_int of_source(sl_proc *rt, cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                        cl_program *made)
{
    sl_buffer whole = {0};
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!count || !texts)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!texts[i])
            return CL_INVALID_VALUE;
    bool fits = sl_buffer_append(&whole, "", 0);
    for (cl_uint i = 0; fits && i < count; i++) {
        size_t length = lengths && lengths[i] ? strnlen(texts[i], lengths[i]) : strlen(texts[i]);
        fits = sl_buffer_append(&whole, texts[i], length);
    }
    cl_program p = fits ? new_program(context, SL_CL_OF_SOURCE) : NULL;
    if (!p) {
        sl_buffer_free(&whole);
        return CL_OUT_OF_HOST_MEMORY;
    }
    (void)rt;
    p->source = whole.data;
    *made = p;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                                              const size_t *lengths, cl_int *error)
{
    SL_CL_MAKE(cl_program, error, of_source(rt, context, count, texts, lengths, &made));
}

static cl_int of_binary(sl_proc *rt, cl_context context, cl_uint count, const cl_device_id *devices,
                        const size_t *lengths, const unsigned char **binaries, cl_int *status, cl_program *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!count || !devices || !lengths || !binaries)
        return CL_INVALID_VALUE;
    if (sl_cl_devices_check(count, devices))
        return CL_INVALID_DEVICE;
    cl_int error = count > 1 || !lengths[0] || !binaries[0] ? CL_INVALID_VALUE : CL_SUCCESS;
    cl_program p = error ? NULL : new_program(context, SL_CL_OF_BINARY);
    if (!error)
        error = p ? sl_cl_binary_read((const char *)binaries[0], lengths[0], &p->code) : CL_OUT_OF_HOST_MEMORY;
    if (status)
        *status = error;
    if (error && p)
        sl_cl_release(rt, p, SL_CL_PROGRAM, error);
    else
        *made = p;
    if (!error)
        p->type = p->code.ptx[SL_CL_PLAIN] ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    return error;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *status,
                                                              cl_int *error)
{
    SL_CL_MAKE(cl_program, error, of_binary(rt, context, count, devices, lengths, binaries, status, &made));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    SL_CL_CALL(sl_cl_retain(program, SL_CL_PROGRAM, CL_INVALID_PROGRAM));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    SL_CL_CALL(sl_cl_release(rt, program, SL_CL_PROGRAM, CL_INVALID_PROGRAM));
}

/* ---- loading ---- */

cl_int sl_cl_program_load(sl_proc *rt, cl_program p, sl_cl_variant variant)
{
    static const char ORIGIN[] = "an OpenCL program";
    char why[1536];
    if (p->binary[variant])
        return CL_SUCCESS;
    if (p->broken[variant])
        return CL_INVALID_PROGRAM_EXECUTABLE;
    p->broken[variant] = true;
    size_t said = p->log.count;
    cl_int error = sl_cl_generate(&p->code, variant, &p->log);
    if (error) {
        sl_proc_problem(rt, "%s", p->log.count > said ? p->log.data + said : "an OpenCL program cannot be compiled");
        return error;
    }
    if (sl_proc_image_load(rt, p->code.ptx[variant], ORIGIN, &p->binary[variant], why, sizeof why)) {
        sl_buffer_format(&p->log, "%s\n", why);
        p->binary[variant] = NULL;
        return CL_INVALID_BINARY;
    }
    p->broken[variant] = false;
    return CL_SUCCESS;
}

/* Kernels that PTX alone tells of: what its parameters say. */
static bool describe_by_ptx(sl_proc *rt, cl_program p)
{
    sl_proc_binary *b = p->binary[SL_CL_PLAIN];
    (void)rt;
    for (size_t m = 0; m < b->modules.count; m++)
        for (uint32_t i = 0; i < b->modules.items[m]->funcs; i++) {
            const sl_ptx_func *f = b->modules.items[m]->func[i];
            if (!f->entry || !f->has_body)
                continue;
            sl_cl_kernel_facts k = {.name = strdup(f->name), .attributes = strdup("")};
            bool fits = k.name && k.attributes;
            for (uint32_t a = 0; fits && a < f->params; a++) {
                const char *to = f->param[a]->pointee;
                sl_cl_arg arg = {.kind = !to                     ? SL_CL_ARG_VALUE
                                         : strstr(to, ".shared") ? SL_CL_ARG_LOCAL
                                         : strstr(to, ".const")  ? SL_CL_ARG_CONSTANT
                                                                 : SL_CL_ARG_GLOBAL};
                fits = sl_array_push(&k.args, arg);
            }
            if (!fits || !sl_array_push(&p->kernels, k)) {
                sl_cl_kernel_facts_fini(&k);
                return false;
            }
        }
    return true;
}

/* What is compiled becomes something that runs. */
static cl_int finish(sl_proc *rt, cl_program p)
{
    cl_int error = sl_cl_program_load(rt, p, SL_CL_PLAIN);
    if (error)
        return CL_BUILD_PROGRAM_FAILURE;
    bool whole = p->code.ir ? sl_cl_kernels_of_ir(p->code.ir, &p->kernels) : describe_by_ptx(rt, p);
    return whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* ---- building ---- */

typedef void(CL_CALLBACK *build_notify)(cl_program, void *);

static cl_int check_build(cl_program p, cl_uint count, const cl_device_id *devices, build_notify notify,
                          const void *data)
{
    if (!sl_cl_is(p, SL_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!notify && data)
        return CL_INVALID_VALUE;
    cl_int error = sl_cl_devices_check(count, devices);
    return error ? error : p->attached ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static void tell(cl_program p, build_notify notify, void *data)
{
    if (notify)
        sl_cl_callback_due(&(sl_cl_callback){.kind = SL_CL_ON_PROGRAM, .program = notify, .object = p, .data = data});
}

/* Starts a build: parses options; keeps the code of programs that have no source. */
static cl_int start(sl_proc *rt, cl_program p, const char *text, sl_cl_options *options)
{
    sl_buffer_clear(&p->log);
    sl_buffer_append(&p->log, "", 0);
    unbuild(rt, p, p->origin == SL_CL_OF_SOURCE);
    p->status = CL_BUILD_ERROR;
    p->options = strdup(text ? text : "");
    if (!p->options)
        return CL_OUT_OF_HOST_MEMORY;
    return sl_cl_options_parse(text, options, &p->log) ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS;
}

/* A missing compiler is reported on standard error, too: programs show a number. */
static cl_int report_missing(sl_proc *rt, cl_program p, cl_int error)
{
    if (error == CL_COMPILER_NOT_AVAILABLE)
        sl_proc_problem(rt, "%.*s", (int)strcspn(p->log.data, "\n"), p->log.data);
    return error;
}

static cl_int build(sl_proc *rt, cl_program p, cl_uint count, const cl_device_id *devices, const char *text,
                    build_notify notify, void *data)
{
    sl_cl_options options = {0};
    cl_int error = check_build(p, count, devices, notify, data);
    if (error)
        return error;
    error = start(rt, p, text, &options);
    if (!error && p->origin == SL_CL_OF_SOURCE)
        error = report_missing(rt, p, sl_cl_compile(p->source, &options, NULL, 0, true, &p->code, &p->log));
    if (!error)
        error = finish(rt, p);
    if (!error) {
        p->status = CL_BUILD_SUCCESS;
        p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
    sl_cl_options_fini(&options);
    tell(p, notify, data);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *options, build_notify notify, void *data)
{
    SL_CL_CALL(build(rt, program, count, devices, options, notify, data));
}

static cl_int gather_headers(cl_uint count, const cl_program *programs, const char **names, sl_cl_header *headers)
{
    for (cl_uint i = 0; i < count; i++) {
        if (!sl_cl_is(programs[i], SL_CL_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (programs[i]->origin != SL_CL_OF_SOURCE)
            return CL_INVALID_OPERATION;
        if (!names[i])
            return CL_INVALID_VALUE;
        headers[i] = (sl_cl_header){names[i], programs[i]->source};
    }
    return CL_SUCCESS;
}

static cl_int compile(sl_proc *rt, cl_program p, cl_uint count, const cl_device_id *devices, const char *text,
                      cl_uint header_count, const cl_program *header_programs, const char **names, build_notify notify,
                      void *data)
{
    sl_cl_options options = {0};
    sl_cl_header *headers = NULL;
    cl_int error = check_build(p, count, devices, notify, data);
    if (!error && (!header_count != !header_programs || !header_count != !names))
        error = CL_INVALID_VALUE;
    if (!error && p->origin != SL_CL_OF_SOURCE)
        error = CL_INVALID_OPERATION;
    if (!error && header_count && !(headers = calloc(header_count, sizeof *headers)))
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error)
        error = gather_headers(header_count, header_programs, names, headers);
    if (error) {
        free(headers);
        return error;
    }
    error = start(rt, p, text, &options);
    if (error == CL_INVALID_BUILD_OPTIONS)
        error = CL_INVALID_COMPILER_OPTIONS;
    if (!error)
        error =
            report_missing(rt, p, sl_cl_compile(p->source, &options, headers, header_count, false, &p->code, &p->log));
    if (error == CL_BUILD_PROGRAM_FAILURE)
        error = CL_COMPILE_PROGRAM_FAILURE;
    if (!error) {
        p->status = CL_BUILD_SUCCESS;
        p->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    }
    sl_cl_options_fini(&options);
    free(headers);
    tell(p, notify, data);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                                 const char *options, cl_uint header_count, const cl_program *headers,
                                                 const char **names, build_notify notify, void *data)
{
    SL_CL_CALL(compile(rt, program, count, devices, options, header_count, headers, names, notify, data));
}

/* ---- linking ---- */

static cl_int link_parts(sl_proc *rt, cl_program p, const cl_program *parts, cl_uint count, const char *text)
{
    sl_cl_options options = {0};
    const sl_cl_code **code = calloc(count, sizeof *code);
    cl_int error = code ? start(rt, p, text, &options) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_INVALID_BUILD_OPTIONS)
        error = CL_INVALID_LINKER_OPTIONS;
    for (cl_uint i = 0; !error && i < count; i++)
        code[i] = &parts[i]->code;
    if (!error)
        error = report_missing(rt, p, sl_cl_link(code, count, &p->code, &p->log));
    if (!error && !options.library)
        error = finish(rt, p);
    if (error == CL_BUILD_PROGRAM_FAILURE)
        error = CL_LINK_PROGRAM_FAILURE;
    if (!error) {
        p->status = CL_BUILD_SUCCESS;
        p->type = options.library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
    sl_cl_options_fini(&options);
    free(code);
    return error;
}

static cl_int link_program(sl_proc *rt, cl_context context, cl_uint count, const cl_device_id *devices,
                           const char *text, cl_uint part_count, const cl_program *parts, build_notify notify,
                           void *data, cl_program *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    cl_int error = sl_cl_devices_check(count, devices);
    if (error || !part_count || !parts || (!notify && data))
        return error ? error : CL_INVALID_VALUE;
    for (cl_uint i = 0; i < part_count; i++) {
        if (!sl_cl_is(parts[i], SL_CL_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (!parts[i]->code.ir || (parts[i]->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
                                   parts[i]->type != CL_PROGRAM_BINARY_TYPE_LIBRARY))
            return CL_INVALID_OPERATION;
    }
    cl_program p = new_program(context, SL_CL_OF_LINKING);
    if (!p)
        return CL_OUT_OF_HOST_MEMORY;
    error = link_parts(rt, p, parts, part_count, text);
    /* A program comes back where linking itself has failed: it has the log. */
    if (error && error != CL_LINK_PROGRAM_FAILURE)
        sl_cl_release(rt, p, SL_CL_PROGRAM, error);
    else
        *made = p;
    tell(*made, notify, data);
    return error;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                                  const char *options, cl_uint part_count, const cl_program *parts,
                                                  build_notify notify, void *data, cl_int *error)
{
    sl_proc *rt;
    cl_program made = NULL;
    cl_int failed = sl_cl_enter(&rt)
                        ? link_program(rt, context, count, devices, options, part_count, parts, notify, data, &made)
                        : CL_OUT_OF_RESOURCES;
    sl_cl_leave(rt);
    if (error)
        *error = failed;
    return made;
}
