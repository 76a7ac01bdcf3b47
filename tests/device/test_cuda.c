/* SPDX-License-Identifier: MIT */
/* The real GPU's side of the device interface, against a driver library made for these tests. */
#include "support.h"

#include <dlfcn.h>
#include <string.h>

#include "device/device.h"
#include "device/kernels.h"

static sl_error error;

static sl_device *open_device(const sl_device_config *extra)
{
    sl_device_config config = extra ? *extra : (sl_device_config){0};
    sl_device *device = NULL;
    config.library = SL_FAKE_CUDA;
    if (sl_device_open("gpu", &config, &device, &error))
        fail_msg("%s", error.text);
    return device;
}

/* What the driver was asked for. The library must still be open, so the tests hold it themselves. */
static const char *journal(void)
{
    static void *library;
    if (!library)
        library = dlopen(SL_FAKE_CUDA, RTLD_NOW);
    assert_non_null(library);
    const char *(*log)(void);
    *(void **)&log = dlsym(library, "fake_cuda_log");
    assert_non_null(log);
    return log();
}

static sl_device_kernel *kernel(sl_device *device, const char *name)
{
    sl_device_module *module = NULL;
    sl_device_kernel *found = NULL;
    if (sl_device_load(device, two_kernels, sizeof two_kernels - 1, "two.ptx", &module, &error) ||
        sl_device_kernel_get(module, name, &found, &error))
        fail_msg("%s", error.text);
    return found;
}

static sl_status launch_fill(sl_device_kernel *fill, uint64_t out, uint32_t shared_bytes)
{
    uint32_t value = 100, n = 10;
    sl_device_arg args[] = {{&out, sizeof out}, {&value, sizeof value}, {&n, sizeof n}};
    sl_device_launch launch = {{2, 1, 1}, {32, 1, 1}, shared_bytes, 3, args, {0}};
    return sl_device_run(fill, &launch, &error);
}

static void settings_of_launches_are_made_once_and_undone(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t out;
    uint32_t value = 1, n = 4, blocks, bytes;
    assert_int_equal(sl_device_alloc(device, 64, NULL, &out, &error), SL_OK);
    sl_device_kernel *fill = kernel(device, "fill_u32");
    sl_device_arg args[] = {{&out, sizeof out}, {&value, sizeof value}, {&n, sizeof n}};
    sl_device_launch launch = {{1, 1, 1}, {64, 1, 1}, 0, 3, args, {0}}, plain = launch;
    launch.settings = (sl_launch_settings){.shared_percent_plus = 26, .window = out, .window_bytes = 8192};
    assert_int_equal(sl_device_run(fill, &launch, &error), SL_OK);
    assert_int_equal(sl_device_run(fill, &launch, &error), SL_OK);
    assert_int_equal(sl_device_run(fill, &plain, &error), SL_OK);
    assert_string_equal(journal(), "attribute 9 25\nlimit 6 4096\n"
                                   "window 8192 bytes, ratio 0.5, 2 0\nfill_u32 1,1,1 64,1,1 0\n"
                                   "window 8192 bytes, ratio 0.5, 2 0\nfill_u32 1,1,1 64,1,1 0\n"
                                   "attribute 9 -1\nreset L2\nlimit 6 0\nfill_u32 1,1,1 64,1,1 0\n");
    assert_int_equal(sl_device_residency(fill, &plain, &blocks, &bytes, &error), SL_OK);
    assert_int_equal(blocks, 32);
    assert_int_equal(sl_device_free(device, out, &error), SL_OK);
    sl_device_close(device);
}

static void without_a_driver_the_message_says_what_was_looked_for(void **state)
{
    (void)state;
    sl_device *device = NULL;
    sl_device_config config = {.library = "libcuda-that-is-not-there.so.1"};
    assert_int_equal(sl_device_open("gpu", &config, &device, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "libcuda-that-is-not-there.so.1"));
    assert_non_null(strstr(error.text, "leave out --on gpu"));
}

static void a_library_that_is_no_driver_is_refused_by_the_function_it_lacks(void **state)
{
    (void)state;
    sl_device *device = NULL;
    sl_device_config config = {.library = "libc.so.6"};
    assert_int_equal(sl_device_open("gpu", &config, &device, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cuInit"));
}

static void a_gpu_that_is_not_there_is_refused_by_number(void **state)
{
    (void)state;
    sl_device *device = NULL;
    sl_device_config config = {.library = SL_FAKE_CUDA, .ordinal = 3};
    assert_int_equal(sl_device_open("gpu", &config, &device, &error), SL_NOT_FOUND);
    assert_string_equal(error.text, "no GPU 3: the driver sees 1 (numbered from 0)");
}

static void a_gpu_says_what_it_is(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    const sl_device_info *info = sl_device_info_of(device);
    assert_string_equal(info->name, "Fake 0");
    assert_int_equal(info->sm, 90);
    assert_int_equal(info->lanes, 32);
    assert_int_equal(info->limits.sms, 132);
    assert_int_equal(info->limits.memory_bytes, 1 << 30);
    assert_false(info->emulated);
    sl_device_close(device);
}

static void a_kernel_gets_its_launch_and_its_arguments(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t out = 0;
    uint32_t result[10];
    assert_int_equal(sl_device_alloc(device, sizeof result, "out", &out, &error), SL_OK);
    assert_int_equal(launch_fill(kernel(device, "fill_u32"), out, 128), SL_OK);
    assert_int_equal(sl_device_copy_out(device, result, out, sizeof result, &error), SL_OK);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(result[i], 100 + i);
    assert_non_null(strstr(journal(), "fill_u32 2,1,1 32,1,1 128\n"));
    assert_int_equal(sl_device_free(device, out, &error), SL_OK);
    sl_device_close(device);
    assert_non_null(strstr(journal(), "unload\nrelease\n"));
}

static void more_shared_memory_than_the_default_is_asked_for(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t out = 0;
    assert_int_equal(sl_device_alloc(device, 40, "out", &out, &error), SL_OK);
    assert_int_equal(launch_fill(kernel(device, "fill_u32"), out, 100000), SL_OK);
    sl_device_free(device, out, NULL);
    sl_device_close(device);
}

static void an_illegal_access_is_told_with_the_kernel_by_the_next_call(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t out = 0;
    sl_device_arg arg = {&out, sizeof out};
    sl_device_launch launch = {{1, 1, 1}, {1, 1, 1}, 0, 1, &arg, {0}};
    assert_int_equal(sl_device_run(kernel(device, "step"), &launch, &error), SL_OK);
    assert_int_equal(sl_device_synchronize(device, &error), SL_FAULT);
    assert_string_equal(error.text, "the GPU failed to finish: an illegal memory access was encountered "
                                    "(CUDA_ERROR_ILLEGAL_ADDRESS, error 700); the last kernel launched was step");
    sl_device_close(device);
}

static void ptx_that_the_driver_refuses_is_told_in_its_words(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }\n";
    sl_device *device = open_device(NULL);
    sl_device_module *module = NULL;
    assert_int_equal(sl_device_load(device, text, sizeof text - 1, "new.ptx", &module, &error), SL_SYNTAX);
    assert_string_equal(error.file, "new.ptx");
    assert_string_equal(error.text, "the driver rejects this PTX: ptxas application ptx input, line 2; error : "
                                    "unknown target sm_999");
    sl_device_close(device);
}

static void memory_that_runs_out_is_a_limit(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t out = 0;
    assert_int_equal(sl_device_alloc(device, UINT64_C(1) << 40, "huge", &out, &error), SL_LIMIT);
    assert_non_null(strstr(error.text, "1099511627776 bytes for huge"));
    sl_device_close(device);
}

static void take_time(void *context, const sl_device_kernel *timed, const sl_device_launch *launch, double nanoseconds)
{
    assert_string_equal(sl_device_kernel_func(timed)->name, "fill_u32");
    assert_int_equal(launch->grid[0], 2);
    *(double *)context = nanoseconds;
}

static void launches_are_timed_when_somebody_listens(void **state)
{
    (void)state;
    double nanoseconds = 0;
    sl_device_config config = {.timed = take_time, .timed_context = &nanoseconds};
    sl_device *device = open_device(&config);
    uint64_t out = 0;
    assert_int_equal(sl_device_alloc(device, 40, "out", &out, &error), SL_OK);
    assert_int_equal(launch_fill(kernel(device, "fill_u32"), out, 0), SL_OK);
    assert_true(nanoseconds == 2.5e6);
    sl_device_free(device, out, NULL);
    sl_device_close(device);
}

static void a_variable_of_the_module_has_an_address(void **state)
{
    (void)state;
    sl_device *device = open_device(NULL);
    uint64_t addr = 0, bytes = 0;
    uint32_t value = 0;
    assert_int_equal(sl_device_symbol(kernel(device, "step")->module, "bias", &addr, &bytes, &error), SL_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(sl_device_copy_out(device, &value, addr, 4, &error), SL_OK);
    assert_int_equal(value, 5);
    sl_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_launches_are_made_once_and_undone),
        cmocka_unit_test(without_a_driver_the_message_says_what_was_looked_for),
        cmocka_unit_test(a_library_that_is_no_driver_is_refused_by_the_function_it_lacks),
        cmocka_unit_test(a_gpu_that_is_not_there_is_refused_by_number),
        cmocka_unit_test(a_gpu_says_what_it_is),
        cmocka_unit_test(a_kernel_gets_its_launch_and_its_arguments),
        cmocka_unit_test(more_shared_memory_than_the_default_is_asked_for),
        cmocka_unit_test(an_illegal_access_is_told_with_the_kernel_by_the_next_call),
        cmocka_unit_test(ptx_that_the_driver_refuses_is_told_in_its_words),
        cmocka_unit_test(memory_that_runs_out_is_a_limit),
        cmocka_unit_test(launches_are_timed_when_somebody_listens),
        cmocka_unit_test(a_variable_of_the_module_has_an_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
