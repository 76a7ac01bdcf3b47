/* SPDX-License-Identifier: MIT */
/* A device as its users see it, on the emulator. */
#include "support.h"

#include <string.h>

#include "device/device.h"
#include "device/kernels.h"
#include "emu/emu.h"
#include "emu/recording.h"

static sl_error error;

static sl_device *open_device(void)
{
    sl_device *device = NULL;
    assert_int_equal(sl_device_open("emu", NULL, &device, &error), SL_OK);
    return device;
}

static sl_device_module *load(sl_device *device)
{
    sl_device_module *module = NULL;
    if (sl_device_load(device, two_kernels, sizeof two_kernels - 1, "two.ptx", &module, &error))
        fail_msg("%s", error.text);
    return module;
}

static sl_device_kernel *kernel(sl_device_module *module, const char *name)
{
    sl_device_kernel *found = NULL;
    if (sl_device_kernel_get(module, name, &found, &error))
        fail_msg("%s", error.text);
    return found;
}

static uint64_t allocate(sl_device *device, uint64_t bytes, const char *label)
{
    uint64_t addr = 0;
    assert_int_equal(sl_device_alloc(device, bytes, label, &addr, &error), SL_OK);
    return addr;
}

static sl_status launch_fill(sl_device_kernel *fill, uint64_t out, uint32_t value, uint32_t n, uint32_t grid,
                             uint32_t block)
{
    sl_device_arg args[] = {{&out, sizeof out}, {&value, sizeof value}, {&n, sizeof n}};
    sl_device_launch launch = {{grid, 1, 1}, {block, 1, 1}, 0, 3, args, {0}};
    return sl_device_run(fill, &launch, &error);
}

static void memory_keeps_what_is_copied_in(void **state)
{
    (void)state;
    sl_device *device = open_device();
    uint64_t addr = allocate(device, 100, "bytes");
    char in[100], out[100];
    for (int i = 0; i < 100; i++)
        in[i] = (char)i;
    assert_int_equal(sl_device_copy_in(device, addr, in, 100, &error), SL_OK);
    assert_int_equal(sl_device_fill(device, addr + 10, 0xab, 5, &error), SL_OK);
    assert_int_equal(sl_device_copy_out(device, out, addr, 100, &error), SL_OK);
    memset(in + 10, 0xab, 5);
    assert_memory_equal(in, out, 100);
    assert_int_equal(sl_device_free(device, addr, &error), SL_OK);
    sl_device_close(device);
}

static void a_copy_beyond_an_allocation_is_refused_and_names_it(void **state)
{
    (void)state;
    sl_device *device = open_device();
    uint64_t addr = allocate(device, 100, "bytes");
    char data[200] = {0};
    assert_int_equal(sl_device_copy_in(device, addr, data, 101, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "'bytes'"));
    assert_non_null(strstr(error.text, "100 bytes"));
    assert_int_equal(sl_device_copy_out(device, data, addr + 50, 51, &error), SL_INVALID);
    assert_int_equal(sl_device_fill(device, addr - 1, 0, 1, &error), SL_INVALID);
    assert_int_equal(sl_device_free(device, addr, &error), SL_OK);
    assert_int_equal(sl_device_copy_in(device, addr, data, 1, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "freed"));
    sl_device_close(device);
}

static void a_kernel_computes_with_its_arguments(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_module *module = load(device);
    uint64_t out = allocate(device, 1000 * 4, "out");
    uint32_t result[1000];
    assert_int_equal(launch_fill(kernel(module, "fill_u32"), out, 7, 1000, 8, 128), SL_OK);
    assert_int_equal(sl_device_synchronize(device, &error), SL_OK);
    assert_int_equal(sl_device_copy_out(device, result, out, sizeof result, &error), SL_OK);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(result[i], i + 7);
    sl_device_close(device);
}

static void a_variable_of_the_module_can_be_read_and_written(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_module *module = load(device);
    uint64_t bias = 0, bytes = 0, out = allocate(device, 4, NULL);
    uint32_t value = 0;
    assert_int_equal(sl_device_symbol(module, "bias", &bias, &bytes, &error), SL_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(sl_device_copy_out(device, &value, bias, 4, &error), SL_OK);
    assert_int_equal(value, 5);
    value = 30;
    assert_int_equal(sl_device_copy_in(device, bias, &value, 4, &error), SL_OK);
    value = 12;
    assert_int_equal(sl_device_copy_in(device, out, &value, 4, &error), SL_OK);
    sl_device_arg arg = {&out, sizeof out};
    sl_device_launch launch = {{1, 1, 1}, {1, 1, 1}, 0, 1, &arg, {0}};
    assert_int_equal(sl_device_run(kernel(module, "step"), &launch, &error), SL_OK);
    assert_int_equal(sl_device_copy_out(device, &value, out, 4, &error), SL_OK);
    assert_int_equal(value, 42);
    assert_int_equal(sl_device_symbol(module, "bais", &bias, &bytes, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "'bias'"));
    sl_device_close(device);
}

static void a_kernel_is_the_same_each_time_it_is_asked_for(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_module *module = load(device);
    assert_ptr_equal(kernel(module, "step"), kernel(module, "step"));
    assert_ptr_not_equal(kernel(module, "step"), kernel(module, "fill_u32"));
    sl_device_close(device);
}

static void a_wrong_kernel_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_module *module = load(device);
    sl_device_kernel *found = NULL;
    assert_int_equal(sl_device_kernel_get(module, "fill_u3", &found, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "two.ptx"));
    assert_non_null(strstr(error.text, "'fill_u32'"));
    sl_device_close(device);
}

static void no_kernel_name_means_the_only_kernel(void **state)
{
    (void)state;
    static const char one[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry only() { ret; }\n";
    sl_device *device = open_device();
    sl_device_module *module = NULL;
    sl_device_kernel *found = NULL;
    assert_int_equal(sl_device_load(device, one, sizeof one - 1, "one.ptx", &module, &error), SL_OK);
    assert_int_equal(sl_device_kernel_get(module, NULL, &found, &error), SL_OK);
    assert_string_equal(sl_device_kernel_func(found)->name, "only");
    assert_int_equal(sl_device_kernel_get(load(device), NULL, &found, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "2 kernels"));
    sl_device_close(device);
}

static void arguments_of_the_wrong_number_or_size_are_refused(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_kernel *fill = kernel(load(device), "fill_u32");
    uint64_t out = allocate(device, 64, "out");
    uint32_t n = 1;
    sl_device_arg args[] = {{&out, sizeof out}, {&n, sizeof n}, {&out, sizeof out}};
    sl_device_launch launch = {{1, 1, 1}, {1, 1, 1}, 0, 2, args, {0}};
    assert_int_equal(sl_device_run(fill, &launch, &error), SL_INVALID);
    assert_string_equal(error.text, "fill_u32 takes 3 arguments, not 2");
    launch.args = 3;
    assert_int_equal(sl_device_run(fill, &launch, &error), SL_INVALID);
    assert_string_equal(error.text, "argument 2 of fill_u32 is 8 bytes, but the parameter takes 4");
    sl_device_close(device);
}

static void an_empty_grid_is_refused(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_kernel *fill = kernel(load(device), "fill_u32");
    assert_int_equal(launch_fill(fill, allocate(device, 4, "out"), 0, 1, 0, 32), SL_INVALID);
    assert_string_equal(error.text, "fill_u32: grid.x is 0");
    sl_device_close(device);
}

static void text_that_is_not_ptx_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char bad[] = ".version 7.0\n.target sm_80\n.visible .entry k( { ret; }\n";
    sl_device *device = open_device();
    sl_device_module *module = NULL;
    assert_int_equal(sl_device_load(device, bad, sizeof bad - 1, "bad.ptx", &module, &error), SL_SYNTAX);
    assert_string_equal(error.file, "bad.ptx");
    assert_int_equal(error.line, 3);
    sl_device_close(device);
}

static void the_emulator_has_no_clock(void **state)
{
    (void)state;
    sl_device *device = open_device();
    sl_device_event *event = NULL;
    assert_true(sl_device_info_of(device)->emulated);
    assert_int_equal(sl_device_event_create(device, &event, &error), SL_UNSUPPORTED);
    sl_device_close(device);
}

static void a_wrong_kind_of_device_is_answered_with_those_there_are(void **state)
{
    (void)state;
    sl_device *device = NULL;
    assert_int_equal(sl_device_open("gup", NULL, &device, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean gpu"));
    assert_non_null(strstr(error.text, "emu and gpu"));
}

static void emulators_side_by_side_record_the_same_addresses(void **state)
{
    (void)state;
    static recording heard[2];
    sl_device *device[2];
    uint32_t result[40];
    for (uint32_t i = 0; i < 2; i++) {
        sl_launch_sink sink = recording_sink(&heard[i]);
        sl_emu_config emu = {.settings.threads = 1, .sink = &sink};
        assert_int_equal(sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device[i], &error), SL_OK);
        uint64_t out = allocate(device[i], sizeof result, "out");
        assert_int_equal(launch_fill(kernel(load(device[i]), "fill_u32"), out, 100 * i, 40, 2, 20), SL_OK);
    }
    assert_int_equal(heard[0].count, 2);
    assert_int_equal(heard[1].count, 2);
    for (uint32_t k = 0; k < 2; k++)
        assert_memory_equal(heard[0].access[k].addr, heard[1].access[k].addr, 20 * sizeof(uint64_t));
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t out = heard[i].access[0].addr[0];
        assert_int_equal(sl_device_copy_out(device[i], result, out, sizeof result, &error), SL_OK);
        for (uint32_t k = 0; k < 40; k++)
            assert_int_equal(result[k], 100 * i + k);
    }
    sl_device_close(device[0]);
    sl_device_close(device[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_keeps_what_is_copied_in),
        cmocka_unit_test(a_copy_beyond_an_allocation_is_refused_and_names_it),
        cmocka_unit_test(a_kernel_computes_with_its_arguments),
        cmocka_unit_test(a_variable_of_the_module_can_be_read_and_written),
        cmocka_unit_test(a_kernel_is_the_same_each_time_it_is_asked_for),
        cmocka_unit_test(a_wrong_kernel_name_is_answered_with_the_nearest),
        cmocka_unit_test(no_kernel_name_means_the_only_kernel),
        cmocka_unit_test(arguments_of_the_wrong_number_or_size_are_refused),
        cmocka_unit_test(an_empty_grid_is_refused),
        cmocka_unit_test(text_that_is_not_ptx_is_refused_with_its_place),
        cmocka_unit_test(the_emulator_has_no_clock),
        cmocka_unit_test(emulators_side_by_side_record_the_same_addresses),
        cmocka_unit_test(a_wrong_kind_of_device_is_answered_with_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
