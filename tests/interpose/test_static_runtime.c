/* SPDX-License-Identifier: MIT */
/* The search for a static CUDA runtime, in this very program: it is linked with fake_runtime.c. */
#include "interpose/static_runtime.h"

#include <link.h>
#include <string.h>

#include "support.h"

int cudaMalloc(void **, unsigned long);
int cudaRuntimeGetVersion(int *);
int __cudaRegisterFatBinary(void *);
/* As compilers add to programs: a name that looks like the runtime's. */
__attribute__((noinline, used)) int __cudaHelperOfTheCompiler(void);
int __cudaHelperOfTheCompiler(void)
{
    return 1;
}

static int take_base(struct dl_phdr_info *info, size_t bytes, void *base)
{
    (void)bytes;
    *(uint64_t *)base = info->dlpi_addr; /* the first one is the program */
    return 1;
}

static sl_mapped_file open_file(const char *path, sl_elf *elf)
{
    sl_mapped_file file;
    assert_true(sl_mapped_file_open(path, &file));
    assert_int_equal(sl_elf_open(file.data, file.bytes, elf, NULL), SL_OK);
    return file;
}

static const sl_static_function *named(const sl_static_runtime *runtime, const char *name)
{
    for (size_t i = 0; i < runtime->functions.count; i++)
        if (strcmp(runtime->functions.items[i].name, name) == 0)
            return &runtime->functions.items[i];
    return NULL;
}

static void symbols_tell_where_functions_are_and_which_version(void **state)
{
    (void)state;
    sl_elf elf;
    sl_static_runtime runtime;
    uint64_t base = 0;
    sl_mapped_file file = open_file("/proc/self/exe", &elf);
    assert_int_equal(sl_static_runtime_by_symbols(&elf, &runtime, NULL), SL_OK);
    assert_int_equal(runtime.major, 13);
    dl_iterate_phdr(take_base, &base);
    assert_non_null(named(&runtime, "cudaMalloc"));
    assert_int_equal(base + named(&runtime, "cudaMalloc")->addr, (uintptr_t)cudaMalloc);
    sl_static_runtime_fini(&runtime);
    sl_mapped_file_close(&file);
}

static void only_what_the_library_exports_is_sent_to_it(void **state)
{
    (void)state;
    sl_elf elf, target, none;
    sl_static_runtime runtime;
    sl_mapped_file file = open_file("/proc/self/exe", &elf), library = open_file(SL_CUDART_LIBRARY, &target);
    sl_mapped_file other = open_file(SL_OTHER_LIBRARY, &none);
    const sl_elf targets[] = {none, target};
    assert_int_equal(sl_static_runtime_by_symbols(&elf, &runtime, NULL), SL_OK);
    assert_non_null(named(&runtime, "__cudaHelperOfTheCompiler"));
    assert_int_equal(sl_static_runtime_match(&elf, &runtime, targets, 2, NULL), SL_OK);
    assert_null(named(&runtime, "__cudaHelperOfTheCompiler"));
    assert_non_null(named(&runtime, "cudaMalloc"));
    assert_int_equal(named(&runtime, "cudaMalloc")->target, 1);
    for (size_t i = 1; i < runtime.functions.count; i++)
        assert_true(runtime.functions.items[i - 1].addr < runtime.functions.items[i].addr);
    sl_static_runtime_fini(&runtime);
    sl_mapped_file_close(&file);
    sl_mapped_file_close(&library);
    sl_mapped_file_close(&other);
}

static void functions_without_room_for_a_jump_are_refused(void **state)
{
    (void)state;
    sl_elf elf, target;
    sl_static_runtime runtime;
    sl_error error = {0};
    sl_mapped_file file = open_file("/proc/self/exe", &elf), library = open_file(SL_CUDART_LIBRARY, &target);
    assert_int_equal(sl_static_runtime_by_symbols(&elf, &runtime, NULL), SL_OK);
    for (size_t i = 0; i < runtime.functions.count; i++)
        if (strcmp(runtime.functions.items[i].name, "cudaFree") == 0)
            runtime.functions.items[i].addr = named(&runtime, "cudaMalloc")->addr + SL_STATIC_FUNCTION_BYTES - 1;
    assert_int_equal(sl_static_runtime_match(&elf, &runtime, &target, 1, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no room for a jump at cudaMalloc"));
    for (size_t i = 0; i < runtime.functions.count; i++)
        runtime.functions.items[i].addr = UINT64_MAX - 4;
    assert_int_equal(sl_static_runtime_match(&elf, &runtime, &target, 1, &error), SL_UNSUPPORTED);
    sl_static_runtime_fini(&runtime);
    sl_mapped_file_close(&file);
    sl_mapped_file_close(&library);
}

static void a_library_without_a_runtime_has_none(void **state)
{
    (void)state;
    sl_elf elf;
    sl_static_runtime runtime;
    sl_mapped_file file = open_file(SL_OTHER_LIBRARY, &elf);
    assert_int_equal(sl_static_runtime_find(&elf, "", &runtime, NULL), SL_NOT_FOUND);
    sl_static_runtime_fini(&runtime);
    sl_mapped_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_tell_where_functions_are_and_which_version),
        cmocka_unit_test(only_what_the_library_exports_is_sent_to_it),
        cmocka_unit_test(functions_without_room_for_a_jump_are_refused),
        cmocka_unit_test(a_library_without_a_runtime_has_none),
    };
    int version;
    if (cudaRuntimeGetVersion(&version) < 0) /* never: keeps them in the program */
        __cudaRegisterFatBinary(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
