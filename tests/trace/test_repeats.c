/* SPDX-License-Identifier: MIT */
/* Traces in which launches repeat earlier ones, and traces of older versions. */
#include "file_maker.h"

enum { REPETITIONS = 3, REPEATED_BLOCKS = 3 };

/* A launch with blocks and some that repeat it: the last one as `last` and `original` say. */
static void write_repetitions(const char *path, const sl_trace_launch *last, uint32_t original)
{
    maker_kernel maker;
    make_kernel(&maker);
    sl_trace_writer *w;
    sl_error error;
    uint32_t index;
    block_streams b = {0};
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_OK);
    for (uint32_t n = 0; n <= REPETITIONS; n++) {
        sl_trace_launch launch = launch_number(0);
        launch.grid[0] = REPEATED_BLOCKS;
        launch.index = 10 * n;
        if (n == REPETITIONS)
            launch = *last;
        assert_int_equal(sl_trace_writer_begin(w, &launch, NULL, 0, &error), SL_OK);
        if (n) {
            assert_int_equal(sl_trace_writer_repeat(w, n == REPETITIONS ? original : 0, &error), SL_OK);
        } else {
            for (uint64_t block = 0; block < REPEATED_BLOCKS; block++) {
                make_block(&b, 0, block, 0, true);
                assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_OK);
            }
        }
        assert_int_equal(sl_trace_writer_end(w, NULL, &error), SL_OK);
    }
    assert_int_equal(sl_trace_writer_close(w, &error), SL_OK);
    free_block(&b);
}

static sl_trace_launch last_repetition(void)
{
    sl_trace_launch launch = launch_number(0);
    launch.grid[0] = REPEATED_BLOCKS;
    launch.index = 10 * REPETITIONS;
    return launch;
}

static void a_repetition_has_the_blocks_of_its_original(void **state)
{
    (void)state;
    const char *path = scratch_path("repetitions.slt");
    const sl_trace_launch last = last_repetition();
    for (int cut = 0; cut < 2; cut++) {
        sl_trace *trace;
        sl_error error, damage;
        write_repetitions(path, &last, 0);
        if (cut) { /* without the index, launches are read from their chunks */
            uint8_t *data;
            size_t size = read_file(path, &data);
            write_bytes(path, data, size - 1);
            free(data);
        }
        assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
        assert_int_equal(damage.status, cut ? SL_CORRUPT : SL_OK);
        assert_int_equal(sl_trace_launches(trace), REPETITIONS + 1);
        for (uint32_t n = 0; n <= REPETITIONS; n++) {
            const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
            sl_block_walker *walker;
            sl_block_view view;
            bool more = true;
            uint32_t blocks = 0;
            assert_int_equal(launch->repeats, n > 0);
            assert_int_equal(launch->original, 0);
            assert_int_equal(launch->index, 10 * n);
            assert_int_equal(launch->blocks_recorded, REPEATED_BLOCKS);
            assert_int_equal(sl_block_walker_create(trace, n, 0, UINT64_MAX, &walker, &error), SL_OK);
            for (; sl_block_walker_next(walker, &view, &more, &error) == SL_OK && more; blocks++)
                assert_int_equal(view.block, blocks);
            assert_int_equal(blocks, REPEATED_BLOCKS);
            sl_block_walker_destroy(walker);
        }
        assert_true(sl_trace_launch_bytes(trace, 1) < sl_trace_launch_bytes(trace, 0));
        sl_trace_close(trace);
    }
    unlink(path);
}

/* What a damaged or hostile file can say: of itself, a repetition, a launch of another shape, one that comes later. */
static void a_repetition_of_what_it_cannot_repeat_is_no_launch(void **state)
{
    (void)state;
    const char *path = scratch_path("unlike.slt");
    for (int wrong = 0; wrong < 6; wrong++) {
        sl_trace_launch last = last_repetition();
        last.grid[0] += wrong == 1;
        last.block[0] += wrong == 2;
        last.dynamic_shared_bytes = wrong == 3;
        last.shared_window += wrong == 4;
        last.index = wrong == 5 ? 0 : last.index;
        write_repetitions(path, &last, wrong == 0 ? REPETITIONS - 1 : 0);
        sl_trace *trace;
        sl_error error, damage;
        assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
        assert_int_equal(sl_trace_launches(trace), REPETITIONS);
        assert_int_equal(damage.status, SL_CORRUPT);
        assert_non_null(strstr(damage.text, "1 launch cannot be read because what is said of them is damaged"));
        sl_trace_close(trace);
    }
    unlink(path);
}

static void the_original_is_an_earlier_launch(void **state)
{
    (void)state;
    static const uint8_t number[] = {4};
    sl_bytes bytes = {.data = (uint8_t *)(uintptr_t)number, .count = 1};
    sl_reading r = sl_reading_of(&bytes);
    assert_int_equal(sl_read_original(&r, 4), 4); /* launch 3 */
    assert_int_equal(sl_read_original(&r, 4), 0); /* nothing more: before version 3.0 */
    assert_false(r.bad);
    r = sl_reading_of(&bytes);
    sl_read_original(&r, 3); /* of itself */
    assert_true(r.bad);
}

/* A file of version 2.1 is one of today, except that no launch repeats another one. */
static void traces_of_older_versions_are_read(void **state)
{
    (void)state;
    const char *path = scratch_path("older.slt");
    for (uint8_t major = 1; major <= SL_FORMAT_MAJOR + 1; major++) {
        uint8_t *data;
        sl_trace *trace;
        sl_error error;
        write_file(path);
        size_t size = read_file(path, &data), producer = sl_load32(data + 12);
        uint8_t covered[64];
        data[8] = major;
        memcpy(covered, data, 16);
        memcpy(covered + 16, data + SL_HEADER_BYTES, producer);
        sl_store32(data + 16, sl_crc32(covered, 16 + producer));
        write_bytes(path, data, size);
        free(data);
        if (major > SL_FORMAT_MAJOR) {
            assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_UNSUPPORTED);
            continue;
        }
        assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
        assert_int_equal(sl_trace_launches(trace), LAUNCHES);
        sl_trace_close(trace);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repetition_has_the_blocks_of_its_original),
        cmocka_unit_test(a_repetition_of_what_it_cannot_repeat_is_no_launch),
        cmocka_unit_test(the_original_is_an_earlier_launch),
        cmocka_unit_test(traces_of_older_versions_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
