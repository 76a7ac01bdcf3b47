/* SPDX-License-Identifier: MIT */
/* Fat binaries, ELF files and cubins, as nvcc 13 makes them (tests/data/fatbin/make.sh) and as they break. */
#include "ptx/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/cubin.h"
#include "ptx/elf.h"
#include "ptx/module.h"
#include "support.h"

typedef struct file {
    char *data;
    size_t bytes;
} file;

static file load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SL_TEST_DATA "/fatbin/%s", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    file loaded = {malloc(1 << 20), 0};
    loaded.bytes = fread(loaded.data, 1, 1 << 20, f);
    fclose(f);
    return loaded;
}

/* Unpacks the entry and checks that it is the PTX of tiny.cu. */
static void assert_is_tiny(const sl_fatbin_entry *entry)
{
    char *text;
    size_t bytes;
    sl_error error = {0};
    assert_int_equal(sl_fatbin_unpack(entry, &text, &bytes, &error), SL_OK);
    assert_int_equal(strlen(text), bytes);
    assert_non_null(strstr(text, ".entry _Z4tinyPfi("));
    sl_ptx_module *module = NULL;
    assert_int_equal(sl_ptx_parse(text, bytes, "tiny", &module, &error), SL_OK);
    assert_int_equal(module->sm, entry->sm);
    sl_ptx_free(module);
    free(text);
}

static void every_compression_unpacks_to_the_same_ptx(void **state)
{
    static const struct {
        const char *name;
        sl_fatbin_packing packing;
    } FILES[] = {{"tiny_none.fatbin", SL_FATBIN_RAW},
                 {"tiny_speed.fatbin", SL_FATBIN_LZ4},
                 {"tiny_balance.fatbin", SL_FATBIN_ZSTD},
                 {"tiny_size.fatbin", SL_FATBIN_ZSTD}};
    (void)state;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        file f = load(FILES[i].name);
        sl_fatbin fatbin = {0};
        assert_int_equal(sl_fatbin_add(&fatbin, f.data, f.bytes, false, NULL), SL_OK);
        assert_int_equal(fatbin.containers, 1);
        assert_int_equal(fatbin.entries.count, 3);
        unsigned texts = 0;
        for (size_t e = 0; e < 3; e++) {
            const sl_fatbin_entry *entry = &fatbin.entries.items[e];
            if (entry->kind != SL_FATBIN_PTX)
                continue;
            assert_int_equal(entry->packing, FILES[i].packing);
            assert_int_equal(entry->version_major, 9);
            assert_is_tiny(entry);
            texts++;
        }
        assert_int_equal(texts, 2);
        assert_int_equal(sl_fatbin_container_bytes(f.data), f.bytes);
        sl_fatbin_fini(&fatbin);
        free(f.data);
    }
}

static void the_highest_architecture_that_the_machine_has_is_chosen(void **state)
{
    (void)state;
    file f = load("tiny_none.fatbin");
    sl_fatbin fatbin = {0};
    assert_int_equal(sl_fatbin_add(&fatbin, f.data, f.bytes, false, NULL), SL_OK);
    const sl_fatbin_entry *all = fatbin.entries.items;
    assert_int_equal(sl_fatbin_best_ptx(all, 3, 90)->sm, 90);
    assert_int_equal(sl_fatbin_best_ptx(all, 3, 100)->sm, 90);
    assert_int_equal(sl_fatbin_best_ptx(all, 3, 80)->sm, 75);
    assert_int_equal(sl_fatbin_best_ptx(all, 3, 70)->sm, 75); /* nothing suits: the nearest above */
    assert_int_equal(sl_fatbin_best_cubin(all, 3, 75)->sm, 90);
    sl_fatbin_fini(&fatbin);
    free(f.data);
}

static void ptx_for_one_chip_is_taken_on_that_chip_alone(void **state)
{
    (void)state;
    file f = load("tiny_90a.fatbin");
    sl_fatbin fatbin = {0};
    assert_int_equal(sl_fatbin_add(&fatbin, f.data, f.bytes, false, NULL), SL_OK);
    assert_int_equal(fatbin.entries.count, 2);
    assert_true(fatbin.entries.items[0].suffix != fatbin.entries.items[1].suffix);
    assert_int_equal(sl_fatbin_best_ptx(fatbin.entries.items, 2, 90)->suffix, 'a');
    assert_int_equal(sl_fatbin_best_ptx(fatbin.entries.items, 2, 100)->suffix, 0);
    /* The other way round as well. */
    sl_fatbin_entry swapped[2] = {fatbin.entries.items[1], fatbin.entries.items[0]};
    assert_int_equal(sl_fatbin_best_ptx(swapped, 2, 90)->suffix, 'a');
    assert_int_equal(sl_fatbin_best_ptx(swapped, 2, 100)->suffix, 0);
    sl_fatbin_fini(&fatbin);
    free(f.data);
}

static void a_driver_s_choice_among_portable_family_and_chip(void **state)
{
    (void)state;
    const sl_fatbin_entry all[] = {
        {.kind = SL_FATBIN_PTX, .sm = 90},
        {.kind = SL_FATBIN_PTX, .sm = 100, .suffix = 'a'},
        {.kind = SL_FATBIN_PTX, .sm = 100},
        {.kind = SL_FATBIN_PTX, .sm = 100, .suffix = 'f'},
    };
    static const struct {
        uint32_t sm, taken;
    } CHOICES[] = {{90, 0}, {100, 1}, {103, 3}, {120, 2}, {80, 0}};
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++)
        assert_ptr_equal(sl_fatbin_best_ptx(all, 4, CHOICES[i].sm), &all[CHOICES[i].taken]);
    assert_ptr_equal(sl_fatbin_best_ptx(all + 1, 1, 103), all + 1); /* there is nothing else */
    char arch[16];
    assert_string_equal(sl_fatbin_arch(&all[3], arch, sizeof arch), "100f");
}

static void machine_code_alone_has_no_ptx(void **state)
{
    (void)state;
    file f = load("tiny_machine_code_only.fatbin");
    sl_fatbin fatbin = {0};
    assert_int_equal(sl_fatbin_add(&fatbin, f.data, f.bytes, false, NULL), SL_OK);
    assert_null(sl_fatbin_best_ptx(fatbin.entries.items, fatbin.entries.count, 90));
    assert_non_null(sl_fatbin_best_cubin(fatbin.entries.items, fatbin.entries.count, 90));
    sl_fatbin_fini(&fatbin);
    free(f.data);
}

static void containers_may_be_empty_repeated_and_padded(void **state)
{
    (void)state;
    file f = load("tiny_size.fatbin");
    char *joined = calloc(1, 2 * f.bytes + 64);
    static const unsigned char EMPTY[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    size_t bytes = 0;
    memcpy(joined, EMPTY, 16);
    memcpy(joined + (bytes = 16), f.data, f.bytes);
    memcpy(joined + (bytes += f.bytes + 24), f.data, f.bytes);
    bytes += f.bytes + 7;
    sl_fatbin fatbin = {0};
    assert_int_equal(sl_fatbin_add(&fatbin, joined, bytes, false, NULL), SL_OK);
    assert_int_equal(fatbin.containers, 3);
    assert_int_equal(fatbin.entries.count, 6);
    assert_int_equal(fatbin.entries.items[0].container, 1);
    assert_int_equal(fatbin.entries.items[5].container, 2);
    sl_fatbin_fini(&fatbin);
    free(joined);
    free(f.data);
}

static void relocatable_code_is_found_in_an_object_file(void **state)
{
    (void)state;
    file f = load("tiny_rdc.obj");
    sl_fatbin fatbin = {0};
    sl_elf elf;
    assert_int_equal(sl_fatbin_add_elf(&fatbin, f.data, f.bytes, NULL), SL_OK);
    assert_int_equal(fatbin.entries.count, 1);
    assert_true(fatbin.entries.items[0].relocatable);
    assert_is_tiny(&fatbin.entries.items[0]);
    assert_int_equal(sl_elf_open(f.data, f.bytes, &elf, NULL), SL_OK);
    assert_int_equal(elf.type, SL_ELF_RELOCATABLE);
    assert_false(sl_elf_is_dynamic(&elf));
    assert_null(sl_elf_needed(&elf, 0));
    sl_fatbin_fini(&fatbin);
    free(f.data);
}

static void a_cubin_tells_registers_and_shared_memory(void **state)
{
    (void)state;
    file f = load("tiny.cubin");
    sl_cubin cubin = {0};
    assert_int_equal(sl_cubin_read(f.data, f.bytes, &cubin, NULL), SL_OK);
    const sl_cubin_kernel *kernel = sl_cubin_find(&cubin, "_Z4tinyPfi");
    assert_non_null(kernel);
    assert_int_equal(kernel->registers, 10);                   /* as nvcc -Xptxas -v says */
    assert_int_equal(kernel->static_shared_bytes, 256 + 1024); /* its own and what sm_90 reserves */
    assert_null(sl_cubin_find(&cubin, "_Z4tiny"));
    sl_cubin_fini(&cubin);
    free(f.data);
}

static void an_executable_tells_what_it_needs(void **state)
{
    (void)state;
    FILE *self = fopen("/proc/self/exe", "rb");
    size_t room = 64 << 20;
    char *data = malloc(room);
    sl_elf elf;
    bool defined = true;
    size_t bytes = fread(data, 1, room, self);
    fclose(self);
    assert_int_equal(sl_elf_open(data, bytes, &elf, NULL), SL_OK);
    assert_true(sl_elf_is_dynamic(&elf));
    bool found = false;
    for (size_t i = 0; sl_elf_needed(&elf, i); i++)
        found = found || strstr(sl_elf_needed(&elf, i), "libcmocka.so") != NULL;
    assert_true(found);
    assert_true(sl_elf_dynamic_symbol(&elf, "_cmocka_run_group_tests", &defined));
    assert_false(defined);
    assert_false(sl_elf_dynamic_symbol(&elf, "__cudaRegisterFatBinary", &defined));
    free(data);
}

static void expect_corrupt(file f, const char *reason)
{
    sl_fatbin fatbin = {0};
    sl_error error = {0};
    sl_status status = sl_fatbin_add(&fatbin, f.data, f.bytes, false, &error);
    char *text = NULL;
    size_t bytes;
    for (size_t i = 0; !status && i < fatbin.entries.count; i++) {
        status = sl_fatbin_unpack(&fatbin.entries.items[i], &text, &bytes, &error);
        if (!status)
            free(text);
    }
    assert_int_equal(status, SL_CORRUPT);
    assert_non_null(strstr(error.text, reason));
    sl_fatbin_fini(&fatbin);
    free(f.data);
}

static file damaged(const char *name, size_t at, uint8_t value)
{
    file f = load(name);
    f.data[at] = (char)value;
    return f;
}

static file shortened(const char *name, size_t cut)
{
    file f = load(name);
    f.bytes -= cut;
    f.data = realloc(f.data, f.bytes);
    return f;
}

static void damage_is_named(void **state)
{
    (void)state;
    expect_corrupt(shortened("tiny_none.fatbin", 1), "is cut off");
    expect_corrupt(damaged("tiny_none.fatbin", 0, 0x51), "expected a container");
    expect_corrupt(damaged("tiny_none.fatbin", 16 + 4, 8), "lies outside its container");
    expect_corrupt(damaged("tiny_none.fatbin", 16 + 15, 1), "lies outside its container");
    expect_corrupt(damaged("tiny_size.fatbin", 16 + 16 + 3, 1), "packed bytes");
    expect_corrupt(damaged("tiny_size.fatbin", 16 + 80 + 20, 0xff), "does not unpack (zstd)");
    expect_corrupt(damaged("tiny_speed.fatbin", 16 + 56 + 3, 9), "claims to unpack");
    expect_corrupt(damaged("tiny_speed.fatbin", 16 + 56, 1), "does not unpack (LZ4)");
}

static void truncated_elf_files_give_errors_not_crashes(void **state)
{
    (void)state;
    file f = load("tiny.cubin");
    for (size_t bytes = 0; bytes < f.bytes; bytes += 7) {
        sl_cubin cubin = {0};
        sl_error error = {0};
        char *part = malloc(bytes + 1);
        memcpy(part, f.data, bytes);
        /* The very end holds nothing that is needed; up to there something is missing and is said to be. */
        if (sl_cubin_read(part, bytes, &cubin, &error))
            assert_int_not_equal(error.text[0], 0);
        else
            assert_int_equal(sl_cubin_find(&cubin, "_Z4tinyPfi")->registers, 10);
        assert_true(bytes > f.bytes / 2 || error.status);
        sl_cubin_fini(&cubin);
        free(part);
    }
    free(f.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compression_unpacks_to_the_same_ptx),
        cmocka_unit_test(the_highest_architecture_that_the_machine_has_is_chosen),
        cmocka_unit_test(ptx_for_one_chip_is_taken_on_that_chip_alone),
        cmocka_unit_test(a_driver_s_choice_among_portable_family_and_chip),
        cmocka_unit_test(machine_code_alone_has_no_ptx),
        cmocka_unit_test(containers_may_be_empty_repeated_and_padded),
        cmocka_unit_test(relocatable_code_is_found_in_an_object_file),
        cmocka_unit_test(a_cubin_tells_registers_and_shared_memory),
        cmocka_unit_test(an_executable_tells_what_it_needs),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(truncated_elf_files_give_errors_not_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
