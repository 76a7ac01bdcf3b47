/* SPDX-License-Identifier: MIT */
/* Kernel arguments as typed: what they mean, and what is said about wrong ones. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/kernel_args.h"

static sl_error error;

static sl_kernel_arg parse(const char *text)
{
    sl_kernel_arg arg;
    if (sl_kernel_arg_parse(text, &arg, &error))
        fail_msg("%s", error.text);
    return arg;
}

static void assert_scalar(const char *text, const void *bytes, size_t count)
{
    sl_kernel_arg arg = parse(text);
    sl_device_arg value = sl_kernel_arg_value(&arg);
    assert_false(arg.buffer);
    assert_int_equal(value.bytes, count);
    assert_memory_equal(value.data, bytes, count);
}

static void assert_refused(const char *text, const char *why)
{
    sl_kernel_arg arg;
    assert_int_equal(sl_kernel_arg_parse(text, &arg, &error), SL_INVALID);
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
}

static void scalars_have_the_bits_of_their_type(void **state)
{
    (void)state;
    assert_scalar("u32:1024", &(uint32_t){1024}, 4);
    assert_scalar("u64:0xff00", &(uint64_t){0xff00}, 8);
    assert_scalar("s32:-1", &(int32_t){-1}, 4);
    assert_scalar("s8:-128", &(int8_t){-128}, 1);
    assert_scalar("u16:65535", &(uint16_t){65535}, 2);
    assert_scalar("s64:-9223372036854775808", &(int64_t){INT64_MIN}, 8);
    assert_scalar("f32:0.5", &(float){0.5f}, 4);
    assert_scalar("f64:-1e300", &(double){-1e300}, 8);
    assert_scalar("hex:0102a0FF", "\x01\x02\xa0\xff", 4);
}

static void values_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_refused("u8:256", "'256' is not a whole number that fits 8 unsigned bits");
    assert_refused("s8:128", "fits 8 signed bits");
    assert_refused("s8:-129", "fits 8 signed bits");
    assert_refused("u32:-1", "fits 32 unsigned bits");
    assert_refused("u32:12x", "'12x'");
    assert_refused("u32:", "''");
    assert_refused("f32:one", "'one' is not a number");
    assert_refused("hex:123", "two hexadecimal digits");
    assert_refused("hex:zz", "two hexadecimal digits");
}

static void wrong_words_are_answered_with_the_right_ones(void **state)
{
    (void)state;
    assert_refused("1024", "write TYPE:VALUE or TYPE[COUNT]:FILL");
    assert_refused("f23:1", "did you mean 'f32'");
    assert_refused("int:1", "types are u8 to u64");
    assert_refused("f32[4]:randm", "did you mean 'random'");
    assert_refused("f32[4]:file", "write file:PATH");
    assert_refused("f32[4]:zero:1", "'zero' takes no value");
    assert_refused("u32[4]:random:-5", "'-5' is not a bound");
    assert_refused("f32[4", "TYPE[COUNT]:FILL");
    assert_refused("f32[]:zero", "'' is not a number of elements");
    assert_refused("f32[0]:zero", "'0' is not a number of elements");
}

static sl_device *open_device(void)
{
    sl_device *device = NULL;
    assert_int_equal(sl_device_open("emu", NULL, &device, &error), SL_OK);
    return device;
}

/* The buffer as the kernel would see it; the caller frees it. */
static void *allocated(sl_device *device, const char *text, uint64_t count)
{
    sl_kernel_arg arg = parse(text);
    sl_random random = sl_random_seed(1);
    void *data = NULL;
    assert_true(arg.buffer);
    assert_int_equal(arg.count, count);
    if (sl_kernel_arg_allocate(&arg, device, "argument", &random, &error) ||
        sl_kernel_arg_fetch(&arg, device, &data, &error))
        fail_msg("%s", error.text);
    sl_device_arg value = sl_kernel_arg_value(&arg);
    assert_int_equal(value.bytes, 8);
    assert_memory_equal(value.data, &arg.addr, 8);
    return data;
}

static void buffers_are_filled_as_requested(void **state)
{
    (void)state;
    sl_device *device = open_device();
    uint32_t *zero = allocated(device, "u32[4]", 4), *iota = allocated(device, "u32[1K]:iota", 1024);
    double *reals = allocated(device, "f64[3]:iota", 3);
    float *halves = allocated(device, "f32[3]:0.5", 3), *unit = allocated(device, "f32[1000]:random", 1000);
    uint16_t *small = allocated(device, "u16[1000]:random:10", 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(iota[i], i);
        assert_true(unit[i] >= 0 && unit[i] < 1);
        assert_true(small[i] < 10);
    }
    assert_true(memcmp(unit, unit + 1, sizeof *unit) != 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(zero[i], 0);
        assert_true(reals[i] == i);
        assert_true(halves[i] == 0.5f);
    }
    free(zero), free(iota), free(reals), free(halves), free(unit), free(small);
    sl_device_close(device);
}

static void a_file_fills_a_buffer_of_its_size_and_no_other(void **state)
{
    (void)state;
    char path[] = "/tmp/sluice-test-XXXXXX", text[64];
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, "abcdefgh", 8) == 8);
    close(file);
    sl_device *device = open_device();
    sl_random random = sl_random_seed(1);
    snprintf(text, sizeof text, "u8[8]:file:%s", path);
    char *data = allocated(device, text, 8);
    assert_memory_equal(data, "abcdefgh", 8);
    free(data);
    snprintf(text, sizeof text, "u8[9]:file:%s", path);
    sl_kernel_arg arg = parse(text);
    assert_int_equal(sl_kernel_arg_allocate(&arg, device, NULL, &random, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "is shorter than the 9 bytes"));
    snprintf(text, sizeof text, "u8[7]:file:%s", path);
    arg = parse(text);
    assert_int_equal(sl_kernel_arg_allocate(&arg, device, NULL, &random, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "is longer than the 7 bytes"));
    unlink(path);
    arg = parse(text);
    assert_int_equal(sl_kernel_arg_allocate(&arg, device, NULL, &random, &error), SL_IO);
    sl_device_close(device);
}

static void buffers_print_eight_to_a_line(void **state)
{
    (void)state;
    sl_kernel_arg arg = parse("s8[10]:iota");
    const int8_t data[10] = {0, -1, 2, 3, 4, 5, 6, 7, 8, 9};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    sl_kernel_arg_print(&arg, data, file);
    fclose(file);
    assert_string_equal(text, "       0: 0 -1 2 3 4 5 6 7\n       8: 8 9\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_the_bits_of_their_type),
        cmocka_unit_test(values_that_do_not_fit_are_refused),
        cmocka_unit_test(wrong_words_are_answered_with_the_right_ones),
        cmocka_unit_test(buffers_are_filled_as_requested),
        cmocka_unit_test(a_file_fills_a_buffer_of_its_size_and_no_other),
        cmocka_unit_test(buffers_print_eight_to_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
