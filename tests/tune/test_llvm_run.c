/* SPDX-License-Identifier: MIT */
/* IR for AMD GPUs, run on the emulator. */
#include "tune/llvm_test.h"

#include "device/device.h"

enum { THREADS = 64, BLOCKS = 2, COUNT = THREADS * BLOCKS };

static char *ptx;
static size_t ptx_bytes;

static void make_ptx(void)
{
    if (sl_llvm_emit_ptx(code, true, &ptx, &ptx_bytes, &error))
        fail_msg("%s", error.text);
}

/* Runs @k(int *in, int *out) over in[i] = i and gives back `out`. */
static void run_kernel(uint32_t *out)
{
    sl_device *device = NULL;
    sl_device_module *module = NULL;
    sl_device_kernel *kernel = NULL;
    uint64_t from = 0, to = 0;
    uint32_t in[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i;
    sl_device_arg args[] = {{&from, sizeof from}, {&to, sizeof to}};
    sl_device_launch launch = {{BLOCKS, 1, 1}, {THREADS, 1, 1}, 0, 2, args, {0}};
    if (sl_device_open("emu", &(sl_device_config){0}, &device, &error) ||
        sl_device_alloc(device, sizeof in, "in", &from, &error) ||
        sl_device_alloc(device, sizeof in, "out", &to, &error) ||
        sl_device_copy_in(device, from, in, sizeof in, &error) ||
        sl_device_load(device, ptx, ptx_bytes, "test.ptx", &module, &error) ||
        sl_device_kernel_get(module, "k", &kernel, &error) || sl_device_run(kernel, &launch, &error) ||
        sl_device_copy_out(device, out, to, sizeof in, &error))
        fail_msg("%s", error.text);
    sl_device_close(device);
    free(ptx);
}

#define ARRAYS "i32 addrspace(1)* noalias %in, i32 addrspace(1)* noalias %out"
#define WHERE                                                                                                          \
    "  %block = call i32 @llvm.amdgcn.workgroup.id.x()\n"                                                              \
    "  %tid = call i32 @llvm.amdgcn.workitem.id.x()\n"                                                                 \
    "  %base = mul i32 %block, 64\n"                                                                                   \
    "  %i = add i32 %base, %tid\n"                                                                                     \
    "  %p = getelementptr i32, i32 addrspace(1)* %in, i32 %i\n"                                                        \
    "  %q = getelementptr i32, i32 addrspace(1)* %out, i32 %i\n"
#define DECLARE HEAD "declare i32 @llvm.amdgcn.workgroup.id.x()\n"

static void kernels_compute_what_they_say(void **state)
{
    (void)state;
    uint32_t out[COUNT];
    read_code(DECLARE "define amdgpu_kernel void @k(" ARRAYS ") {\n" WHERE "  %x = load i32, i32 addrspace(1)* %p\n"
                      "  %y = add i32 %x, 7\n"
                      "  store i32 %y, i32 addrspace(1)* %q\n"
                      "  ret void\n}\n");
    make_ptx();
    run_kernel(out);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(out[i], i + 7);
    close_code();
}

static void the_launch_is_read_from_the_dispatch_packet(void **state)
{
    (void)state;
    uint32_t out[COUNT];
    read_code(DECLARE "declare i8 addrspace(4)* @llvm.amdgcn.dispatch.ptr()\n"
                      "define amdgpu_kernel void @k(" ARRAYS ") {\n" WHERE
                      "  %d = call i8 addrspace(4)* @llvm.amdgcn.dispatch.ptr()\n"
                      "  %d4 = getelementptr i8, i8 addrspace(4)* %d, i64 4\n"
                      "  %s = bitcast i8 addrspace(4)* %d4 to i16 addrspace(4)*\n"
                      "  %size = load i16, i16 addrspace(4)* %s\n"
                      "  %wide = zext i16 %size to i32\n"
                      "  %both = bitcast i8 addrspace(4)* %d4 to i32 addrspace(4)*\n"
                      "  %xy = load i32, i32 addrspace(4)* %both\n"
                      "  %high = lshr i32 %xy, 16\n"
                      "  %d12 = getelementptr i8, i8 addrspace(4)* %d, i64 12\n"
                      "  %g = bitcast i8 addrspace(4)* %d12 to i32 addrspace(4)*\n"
                      "  %threads = load i32, i32 addrspace(4)* %g\n"
                      "  %a = mul i32 %wide, 1000\n"
                      "  %b = add i32 %a, %threads\n"
                      "  %c = mul i32 %high, 1000000\n"
                      "  %e = add i32 %b, %c\n"
                      "  store i32 %e, i32 addrspace(1)* %q\n"
                      "  ret void\n}\n");
    make_ptx();
    run_kernel(out);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(out[i], 1000000 + 64000 + COUNT);
    close_code();
}

static void implicit_arguments_are_those_of_the_code_object_version(void **state)
{
    (void)state;
    uint32_t out[COUNT];
    read_code(DECLARE "declare i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                      "define amdgpu_kernel void @k(" ARRAYS ") {\n" WHERE
                      "  %d = call i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                      "  %b = bitcast i8 addrspace(4)* %d to i32 addrspace(4)*\n"
                      "  %blocks = load i32, i32 addrspace(4)* %b\n"
                      "  %d12 = getelementptr i8, i8 addrspace(4)* %d, i64 12\n"
                      "  %s = bitcast i8 addrspace(4)* %d12 to i16 addrspace(4)*\n"
                      "  %size = load i16, i16 addrspace(4)* %s\n"
                      "  %wide = zext i16 %size to i32\n"
                      "  %a = mul i32 %blocks, %wide\n"
                      "  store i32 %a, i32 addrspace(1)* %q\n"
                      "  ret void\n}\n"
                      "!llvm.module.flags = !{!0}\n"
                      "!0 = !{i32 1, !\"amdgpu_code_object_version\", i32 500}\n");
    make_ptx();
    run_kernel(out);
    assert_int_equal(out[0], COUNT);
    close_code();
}

static void shared_private_and_constant_memory_and_barriers_work(void **state)
{
    (void)state;
    uint32_t out[COUNT];
    read_code(DECLARE "declare void @llvm.amdgcn.s.barrier()\n"
                      "@tile = internal addrspace(3) global [64 x i32] undef\n"
                      "@table = addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]\n"
                      "define amdgpu_kernel void @k(" ARRAYS ") {\n"
                      "  %own = alloca [4 x i32], addrspace(5)\n" WHERE "  %x = load i32, i32 addrspace(1)* %p\n"
                      "  %s = getelementptr [64 x i32], [64 x i32] addrspace(3)* @tile, i32 0, i32 %tid\n"
                      "  store i32 %x, i32 addrspace(3)* %s\n"
                      "  fence syncscope(\"workgroup\") release\n"
                      "  call void @llvm.amdgcn.s.barrier()\n"
                      "  fence syncscope(\"workgroup\") acquire\n"
                      "  %other = sub i32 63, %tid\n"
                      "  %t = getelementptr [64 x i32], [64 x i32] addrspace(3)* @tile, i32 0, i32 %other\n"
                      "  %y = load i32, i32 addrspace(3)* %t\n"
                      "  %part = and i32 %tid, 3\n"
                      "  %f = getelementptr [4 x i32], [4 x i32] addrspace(4)* @table, i32 0, i32 %part\n"
                      "  %z = load i32, i32 addrspace(4)* %f\n"
                      "  %m = getelementptr [4 x i32], [4 x i32] addrspace(5)* %own, i32 0, i32 %part\n"
                      "  store volatile i32 %z, i32 addrspace(5)* %m\n"
                      "  %w = load volatile i32, i32 addrspace(5)* %m\n"
                      "  %sum = add i32 %y, %w\n"
                      "  store i32 %sum, i32 addrspace(1)* %q\n"
                      "  ret void\n}\n");
    make_ptx();
    assert_null(strstr(ptx, "ld.const"));
    assert_null(strstr(ptx, "membar"));
    assert_null(strstr(ptx, "fence"));
    run_kernel(out);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(out[i], (i & ~63u) + 63 - (i & 63) + 10 * ((i & 3) + 1));
    close_code();
}

static void each_load_keeps_its_number(void **state)
{
    (void)state;
    read_code(DECLARE "define amdgpu_kernel void @k(" ARRAYS ") {\n" WHERE "  %x = load i32, i32 addrspace(1)* %p\n"
                      "  %r = getelementptr i32, i32 addrspace(1)* %in, i32 %x\n"
                      "  %y = load i32, i32 addrspace(1)* %r\n"
                      "  store i32 %y, i32 addrspace(1)* %q\n"
                      "  ret void\n}\n");
    make_ptx();
    sl_ptx_module *module = NULL;
    assert_int_equal(sl_ptx_parse(ptx, ptx_bytes, "test.ptx", &module, &error), SL_OK);
    const sl_ptx_func *kernel = sl_ptx_find(module, "k");
    assert_non_null(kernel);
    uint32_t next = 0;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_ptx_inst *inst = &kernel->inst[i];
        uint32_t load = sl_llvm_load_of(code, inst->loc_line);
        if (inst->op == SL_OP_LD && sl_ptx_inst_space(inst) == SL_SPACE_GLOBAL)
            assert_int_equal(load, next++);
        else if (inst->op != SL_OP_LD)
            assert_int_equal(load, SL_LLVM_NO_LOAD);
    }
    assert_int_equal(next, 2);
    sl_ptx_free(module);
    free(ptx);
    close_code();
}

static void expect_refused(const char *text, const char *reason)
{
    read_code(text);
    assert_int_equal(sl_llvm_emit_ptx(code, true, &ptx, &ptx_bytes, &error), SL_UNSUPPORTED);
    if (!strstr(error.text, reason) || !strstr(error.text, "k cannot be run"))
        fail_msg("'%s' does not name %s", error.text, reason);
    close_code();
}

static void what_has_no_counterpart_is_refused_by_name(void **state)
{
    (void)state;
    expect_refused(HEAD "declare i32 @llvm.amdgcn.readfirstlane(i32)\n"
                        "define amdgpu_kernel void @k(i32 addrspace(1)* %a) {\n"
                        "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                        "  %x = call i32 @llvm.amdgcn.readfirstlane(i32 %i)\n"
                        "  store i32 %x, i32 addrspace(1)* %a\n  ret void\n}\n",
                   "llvm.amdgcn.readfirstlane");
    expect_refused(HEAD "declare void @elsewhere()\n"
                        "define amdgpu_kernel void @k(i32 addrspace(1)* %a) {\n"
                        "  call void @elsewhere()\n  ret void\n}\n",
                   "elsewhere");
    expect_refused(HEAD "define amdgpu_kernel void @k(i32 addrspace(1)* %a) {\n"
                        "  call void asm sideeffect \"s_nop 0\", \"\"()\n  ret void\n}\n",
                   "inline assembly");
    expect_refused(HEAD "define amdgpu_kernel void @k({i32, i32} addrspace(4)* byref({i32, i32}) %s) {\n"
                        "  ret void\n}\n",
                   "struct by reference");
    expect_refused(HEAD "declare i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                        "define amdgpu_kernel void @k(i64 addrspace(1)* %a) {\n"
                        "  %d = call i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                        "  %d80 = getelementptr i8, i8 addrspace(4)* %d, i64 80\n"
                        "  %h = bitcast i8 addrspace(4)* %d80 to i64 addrspace(4)*\n"
                        "  %x = load i64, i64 addrspace(4)* %h\n"
                        "  store i64 %x, i64 addrspace(1)* %a\n  ret void\n}\n",
                   "byte 80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_compute_what_they_say),
        cmocka_unit_test(the_launch_is_read_from_the_dispatch_packet),
        cmocka_unit_test(implicit_arguments_are_those_of_the_code_object_version),
        cmocka_unit_test(shared_private_and_constant_memory_and_barriers_work),
        cmocka_unit_test(each_load_keeps_its_number),
        cmocka_unit_test(what_has_no_counterpart_is_refused_by_name),
    };
    return RUN_WITH_EACH_LLVM(tests);
}
