/* SPDX-License-Identifier: MIT */
/* Trace files: what is written is read back, in parallel too; damage is reported and what is whole stays readable. */
#include "file_maker.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

/* What was written, made once. */
static block_streams parts_of[LAUNCHES][12][2];

static int make_expected(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < LAUNCHES; n++)
        for (uint64_t block = 0; block < grid_of[n]; block++)
            for (uint32_t part = 0; part < 2; part++)
                make_block(&parts_of[n][block][part], n, block, part, false);
    return 0;
}

static int free_expected(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < LAUNCHES; n++)
        for (uint64_t block = 0; block < grid_of[n]; block++)
            for (uint32_t part = 0; part < 2; part++)
                free_block(&parts_of[n][block][part]);
    return 0;
}

/* Compares what a walker gives with what was written; returns the number of parts. */
static size_t check_part(const sl_block_view *view, uint32_t launch)
{
    assert_true(launch < LAUNCHES && view->block < grid_of[launch] && view->part < 2);
    const block_streams *b = &parts_of[launch][view->block][view->part];
    assert_int_equal(view->warps, WARPS);
    assert_int_equal(view->last, view->part == (view->block % 10 == 3));
    for (uint32_t w = 0; w < WARPS; w++) {
        assert_int_equal(view->warp[w].warp, w);
        assert_int_equal(view->warp[w].control_bytes, b->view[w].control_bytes);
        assert_int_equal(view->warp[w].memory_bytes, b->view[w].memory_bytes);
        assert_memory_equal(view->warp[w].control, b->view[w].control, b->view[w].control_bytes);
        assert_memory_equal(view->warp[w].memory, b->view[w].memory, b->view[w].memory_bytes);
    }
    return 1;
}

static size_t walk(const sl_trace *trace, uint32_t launch, uint64_t first, uint64_t end)
{
    sl_block_walker *walker;
    sl_block_view view;
    sl_error error;
    size_t parts = 0;
    bool more = true;
    uint64_t expected = first;
    assert_int_equal(sl_block_walker_create(trace, launch, first, end, &walker, &error), SL_OK);
    for (;;) {
        assert_int_equal(sl_block_walker_next(walker, &view, &more, &error), SL_OK);
        if (!more)
            break;
        assert_true(view.block >= expected && view.block < end);
        expected = view.block;
        parts += check_part(&view, (uint32_t)sl_trace_launch_at(trace, launch)->index);
    }
    sl_block_walker_destroy(walker);
    return parts;
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    const char *path = scratch_path("whole.slt");
    write_file(path);
    sl_trace *trace;
    sl_error error, damage;
    assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
    assert_int_equal(damage.status, SL_OK);
    assert_string_equal(sl_trace_producer(trace), "a test");
    assert_int_equal(sl_trace_kernels(trace), 1);
    assert_int_equal(sl_trace_launches(trace), LAUNCHES);
    maker_kernel maker;
    make_kernel(&maker);
    const sl_trace_kernel *k = sl_trace_kernel_at(trace, 0);
    assert_string_equal(k->symbol, "_Z1kPf");
    assert_string_equal(k->name, "k");
    assert_int_equal(k->insts, MAKER_INSTS);
    assert_memory_equal(k->inst, maker.inst, sizeof maker.inst);
    assert_memory_equal(k->bb, maker.bb, sizeof maker.bb);
    assert_int_equal(k->mem_slots, MAKER_SLOTS);
    assert_memory_equal(k->mem_inst, maker.mem_inst, sizeof maker.mem_inst);
    assert_string_equal(k->strings + k->inst[0].opcode, "ld.global.f32");
    assert_int_equal(k->regs_per_thread, 24);
    assert_int_equal(k->static_shared_bytes, 1024);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
        sl_trace_launch expected = launch_number(n);
        expected.blocks_recorded = grid_of[n];
        expected.failed = n == 2;
        assert_memory_equal(launch->grid, expected.grid, sizeof expected.grid);
        assert_memory_equal(launch->cluster, expected.cluster, sizeof expected.cluster);
        assert_int_equal(launch->shared_window, expected.shared_window);
        assert_int_equal(launch->blocks_recorded, grid_of[n]);
        assert_int_equal(launch->stream, n);
        assert_int_equal(launch->has_preferred_shared, n == 1);
        assert_int_equal(launch->preferred_shared, n == 1 ? 50 : 0);
        assert_int_equal(launch->has_parent, n == 1);
        assert_int_equal(launch->parent, 0);
        for (int i = 0; i < SL_LABELS; i++)
            if (expected.label[i])
                assert_string_equal(launch->label[i], expected.label[i]);
            else
                assert_null(launch->label[i]);
        assert_int_equal(launch->failed, n == 2);
        if (n == 2)
            assert_string_equal(launch->failure, "an illegal read");
        else
            assert_null(launch->failure);
        assert_true(sl_trace_launch_bytes(trace, n) > 0);
        const sl_trace_range *range = NULL;
        assert_int_equal(sl_trace_ranges(trace, n, &range), n == 1 ? 0 : 3);
        if (n != 1) {
            assert_string_equal(range[0].label, "A");
            assert_null(range[1].label);
            assert_int_equal(range[2].bytes, n);
        }
        assert_int_equal(walk(trace, n, 0, UINT64_MAX), grid_of[n] + (grid_of[n] + 6) / 10);
        assert_int_equal(walk(trace, n, 2, 5), 4);
    }
    sl_trace_close(trace);
    unlink(path);
}

/* Rows of accesses, five at a time. */
typedef struct rows {
    sl_access_reader *reader;
    sl_access_rows rows;
    size_t next, next_address;
    uint64_t block[5], mask[5], addr[5 * 32];
    uint32_t warp[5], slot[5], width[5];
} rows;

static void next_row(rows *r, uint64_t block, uint32_t warp, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
    sl_error error;
    size_t addresses = r->rows.addresses;
    if (r->next == r->rows.count) {
        assert_int_equal(sl_access_reader_next(r->reader, &r->rows, &error), SL_OK);
        assert_true(r->rows.count > 0);
        assert_int_equal(r->next_address, addresses);
        r->next = r->next_address = 0;
    }
    assert_int_equal(r->block[r->next], block);
    assert_int_equal(r->warp[r->next], warp);
    assert_int_equal(r->slot[r->next], slot);
    assert_int_equal(r->width[r->next], 4);
    assert_int_equal(r->mask[r->next], mask);
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1)
            assert_int_equal(r->addr[r->next_address++], addr[i]);
    r->next++;
}

/* The slots 0 and 2 of blocks 2, 3 (in two parts) and 4, as run_warp makes them. */
static void accesses_come_as_rows_of_a_table(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {2, 0}, none[] = {MAKER_SLOTS};
    const char *path = scratch_path("rows.slt");
    write_file(path);
    sl_trace *trace;
    sl_error error;
    rows r = {0};
    r.rows = (sl_access_rows){5, 0, 0, r.block, r.warp, r.slot, r.width, r.mask, r.addr};
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_access_reader_create(trace, 9, 0, 1, NULL, 0, &r.reader, &error), SL_NOT_FOUND);
    assert_int_equal(sl_access_reader_create(trace, 0, 0, 1, none, 1, &r.reader, &error), SL_NOT_FOUND);
    assert_null(r.reader);
    assert_int_equal(sl_access_reader_create(trace, 0, 2, 5, wanted, 2, &r.reader, &error), SL_OK);
    for (uint64_t block = 2; block < 5; block++)
        for (uint32_t part = 0; part <= (block == 3); part++)
            for (uint32_t warp = 0; warp < WARPS; warp++) {
                uint64_t seed = block * 1009 + warp * 11 + part, addr[32];
                uint32_t steps = 2 + (uint32_t)(next_random(&seed) % 6);
                for (uint32_t k = 0; k < steps; k++) {
                    uint64_t mask = k % 3 == 2 ? next_random(&seed) & UINT32_MAX : UINT32_MAX;
                    for (uint32_t slot = 0; slot < 3; slot++) {
                        addresses_of(slot, block, warp, k, &seed, addr);
                        if (slot != 1)
                            next_row(&r, block, warp, slot, mask, addr);
                    }
                }
            }
    assert_int_equal(r.next, r.rows.count);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_access_reader_next(r.reader, &r.rows, &error), SL_OK);
        assert_int_equal(r.rows.count, 0);
    }
    sl_access_reader_destroy(r.reader);
    sl_trace_close(trace);
    unlink(path);
}

static void the_same_trace_is_the_same_file(void **state)
{
    (void)state;
    char first[256], second[256];
    snprintf(first, sizeof first, "%s", scratch_path("one.slt"));
    snprintf(second, sizeof second, "%s", scratch_path("two.slt"));
    write_file(first);
    write_file(second);
    FILE *a = fopen(first, "rb"), *b = fopen(second, "rb");
    int x, y;
    do {
        x = fgetc(a);
        y = fgetc(b);
        assert_int_equal(x, y);
    } while (x != EOF);
    fclose(a);
    fclose(b);
    unlink(first);
    unlink(second);
}

static void *walk_everything(void *trace)
{
    for (uint32_t n = 0; n < LAUNCHES; n++)
        walk(trace, n, 0, UINT64_MAX);
    return NULL;
}

static void several_threads_walk_one_trace(void **state)
{
    (void)state;
    const char *path = scratch_path("threads.slt");
    write_file(path);
    sl_trace *trace;
    sl_error error;
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, walk_everything, trace), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    sl_trace_close(trace);
    unlink(path);
}

/* Walks what opens; every block that comes must be right. Returns the number of blocks that came whole. */
static uint64_t walk_tolerantly(const sl_trace *trace, unsigned *complaints)
{
    uint64_t blocks = 0;
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++) {
        sl_block_walker *walker;
        sl_block_view view;
        sl_error error;
        bool more = true;
        assert_int_equal(sl_block_walker_create(trace, n, 0, UINT64_MAX, &walker, &error), SL_OK);
        for (;;) {
            sl_status status = sl_block_walker_next(walker, &view, &more, &error);
            *complaints += status != SL_OK;
            if (status)
                continue;
            if (!more)
                break;
            check_part(&view, (uint32_t)sl_trace_launch_at(trace, n)->index);
            blocks += view.last;
        }
        sl_block_walker_destroy(walker);
    }
    return blocks;
}

static void a_file_cut_off_anywhere_is_noticed_and_its_whole_chunks_are_readable(void **state)
{
    (void)state;
    const char *path = scratch_path("cut.slt");
    write_file(path);
    uint8_t *data;
    size_t size = read_file(path, &data);
    uint64_t max = 0;
    for (size_t cut = 0; cut < size; cut += cut < 2000 || size - cut < 500 ? 1 : 37) {
        write_bytes(path, data, cut);
        sl_trace *trace;
        sl_error error, damage;
        sl_status status = sl_trace_open(path, &trace, &damage, &error);
        if (cut < SL_HEADER_BYTES + 6) {
            assert_int_not_equal(status, SL_OK);
            continue;
        }
        assert_int_equal(status, SL_OK);
        assert_int_equal(damage.status, SL_CORRUPT);
        unsigned complaints = 0;
        uint64_t blocks = walk_tolerantly(trace, &complaints);
        assert_int_equal(complaints, 0);
        for (uint32_t n = 0; n < sl_trace_launches(trace); n++) {
            assert_int_equal(sl_trace_launch_at(trace, n)->preferred_shared, n == 1 ? 50 : 0);
            assert_int_equal(sl_trace_launch_at(trace, n)->cluster[0], n == 2);
            assert_int_equal(sl_trace_launch_at(trace, n)->has_parent, n == 1);
        }
        assert_true(blocks >= max);
        max = blocks;
        sl_trace_close(trace);
    }
    assert_int_equal(max, grid_of[0] + grid_of[1] + grid_of[2]);
    free(data);
    unlink(path);
}

static void any_flipped_bit_is_noticed_and_no_block_comes_wrong(void **state)
{
    (void)state;
    const char *path = scratch_path("flip.slt");
    write_file(path);
    uint8_t *data;
    size_t size = read_file(path, &data);
    for (size_t at = 0; at < size; at += 1 + at % 5) {
        data[at] ^= (uint8_t)(1u << at % 8);
        write_bytes(path, data, size);
        sl_trace *trace;
        sl_error error, damage;
        unsigned complaints = 0;
        if (sl_trace_open(path, &trace, &damage, &error) == SL_OK) {
            uint64_t blocks = walk_tolerantly(trace, &complaints);
            bool missing = blocks < grid_of[0] + grid_of[1] + grid_of[2];
            assert_true(!missing || complaints || damage.status == SL_CORRUPT);
            sl_trace_close(trace);
        }
        data[at] ^= (uint8_t)(1u << at % 8);
    }
    free(data);
    unlink(path);
}

static void damage_names_the_launch_and_its_blocks(void **state)
{
    (void)state;
    const char *path = scratch_path("named.slt");
    write_file(path);
    sl_trace *trace;
    sl_error error, damage;
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    uint64_t launch_bytes = sl_trace_launch_bytes(trace, 0);
    sl_trace_close(trace);
    uint8_t *data;
    size_t size = read_file(path, &data);
    /* Kernel and ranges come first: the launch's first chunk ends less than 1000 bytes after its size. */
    memset(data + launch_bytes / 2 + 400, 0x55, 16);
    write_bytes(path, data, size);
    assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
    sl_block_walker *walker;
    sl_block_view view;
    bool more;
    assert_int_equal(sl_block_walker_create(trace, 0, 0, UINT64_MAX, &walker, &error), SL_OK);
    assert_int_equal(sl_block_walker_next(walker, &view, &more, &error), SL_CORRUPT);
    assert_non_null(strstr(error.text, "blocks 0 to 11 of launch 0 (k)"));
    assert_int_equal(sl_block_walker_next(walker, &view, &more, &error), SL_OK);
    assert_false(more);
    sl_block_walker_destroy(walker);
    sl_trace_close(trace);
    write_bytes(path, data, size - 40);
    assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
    assert_non_null(strstr(damage.text, "cut off at byte"));
    sl_trace_close(trace);
    free(data);
    unlink(path);
}

static void a_file_cut_off_while_it_is_read_gives_an_error(void **state)
{
    (void)state;
    const char *path = scratch_path("shrinking.slt");
    write_file(path);
    sl_trace *trace;
    sl_error error;
    sl_block_walker *walker;
    sl_block_view view;
    bool more;
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(truncate(path, 64), 0);
    assert_int_equal(sl_block_walker_create(trace, 0, 0, UINT64_MAX, &walker, &error), SL_OK);
    assert_int_equal(sl_block_walker_next(walker, &view, &more, &error), SL_CORRUPT);
    sl_block_walker_destroy(walker);
    sl_trace_close(trace);
    unlink(path);
}

static void a_file_that_is_no_trace_says_so(void **state)
{
    (void)state;
    const char *path = scratch_path("text.slt");
    write_bytes(path, (const uint8_t *)"this is a text file and nothing else", 36);
    sl_trace *trace;
    sl_error error;
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "not a Sluice trace"));
    unlink(path);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_IO);
    write_file(path);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "\x09", 1, 8), 1);
    close(fd);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "9."));
    unlink(path);
}

static void an_abandoned_or_unfinished_trace_leaves_no_file(void **state)
{
    (void)state;
    const char *path = scratch_path("gone.slt");
    sl_trace_writer *w;
    sl_error error;
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    sl_trace_writer_abandon(w);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(sl_new_file_rescue(path, getpid()));
    assert_int_equal(sl_trace_writer_create("/nowhere/at/all.slt", "a test", 3, &w, &error), SL_IO);
}

/* A regular kernel: every address is a function of block plus warp plus iteration. */
static void a_regular_kernel_costs_next_to_nothing_per_access(void **state)
{
    (void)state;
    enum { BLOCKS = 4000, STEPS = 3 };
    const char *path = scratch_path("regular.slt");
    maker_kernel maker;
    make_kernel(&maker);
    sl_trace_writer *w;
    sl_error error;
    uint32_t index;
    uint64_t addr[SL_MAX_LANES];
    block_streams b = {0};
    sl_trace_launch launch = {.grid = {BLOCKS / 40, 40, 1}, .block = {96, 1, 1}, .lanes = 32};
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(w, &launch, NULL, 0, &error), SL_OK);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            sl_warp_stream *s = &b.stream[warp];
            assert_true(block ? sl_warp_stream_reset(s, MAKER_SLOTS, 32) : sl_warp_stream_init(s, MAKER_SLOTS, 32));
            for (uint32_t k = 0; k < STEPS; k++) {
                sl_warp_stream_step(s, 0, UINT32_MAX);
                for (uint32_t slot = 0; slot < 3; slot++) {
                    for (uint32_t i = 0; i < 32; i++)
                        addr[i] = 0x700000000000 + slot * 0x1000000 + block % 100 * 512 + block / 100 * 70000 +
                                  warp * (slot + 1) * 2048 + k * 16 + i * 4;
                    sl_warp_stream_access(s, slot, UINT32_MAX, addr);
                }
            }
            sl_warp_stream_flush(s);
            b.view[warp] = (sl_warp_view){warp, s->control.data, s->memory.data, s->control.count, s->memory.count};
        }
        b.block = (sl_block_view){.block = block, .last = true, .warps = WARPS, .warp = b.view};
        assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_OK);
    }
    assert_int_equal(sl_trace_writer_end(w, false, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(w, &error), SL_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    double each = (double)info.st_size / (BLOCKS * WARPS * STEPS * 3);
    if (each > 0.05)
        fail_msg("%.3f bytes per access", each);
    free_block(&b);
    unlink(path);
}

/* out[i] = table[index[i]]: an index load, a gather from 2^24 items, a store; every warp does each once. */
static void a_random_gather_costs_its_random_bits(void **state)
{
    (void)state;
    enum { BLOCKS = 2000 };
    const char *path = scratch_path("gather.slt");
    maker_kernel maker;
    make_kernel(&maker);
    sl_trace_writer *w;
    sl_error error;
    uint32_t index;
    uint64_t addr[SL_MAX_LANES], seed = 8;
    block_streams b = {0};
    sl_trace_launch launch = {.grid = {BLOCKS, 1, 1}, .block = {96, 1, 1}, .lanes = 32};
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(w, &launch, NULL, 0, &error), SL_OK);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            sl_warp_stream *s = &b.stream[warp];
            assert_true(block ? sl_warp_stream_reset(s, MAKER_SLOTS, 32) : sl_warp_stream_init(s, MAKER_SLOTS, 32));
            sl_warp_stream_step(s, 0, UINT32_MAX);
            for (uint32_t slot = 0; slot < 3; slot++) {
                for (uint32_t i = 0; i < 32; i++)
                    addr[i] = 0x700000000200 + slot * 0x10000000 +
                              (slot == 1 ? next_random(&seed) >> 40 : (block * WARPS + warp) * 32 + i) * 4;
                sl_warp_stream_access(s, slot, UINT32_MAX, addr);
            }
            sl_warp_stream_flush(s);
            b.view[warp] = (sl_warp_view){warp, s->control.data, s->memory.data, s->control.count, s->memory.count};
        }
        b.block = (sl_block_view){.block = block, .last = true, .warps = WARPS, .warp = b.view};
        assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_OK);
    }
    assert_int_equal(sl_trace_writer_end(w, false, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(w, &error), SL_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    double each = (double)info.st_size / (BLOCKS * WARPS * 3);
    if (each < 32 || each > 33)
        fail_msg("%.3f bytes per access; 32 are random", each);
    free_block(&b);
    unlink(path);
}

static void kernels_keep_their_machine_code_and_older_files_have_none(void **state)
{
    (void)state;
    static const uint8_t code[16] = {0x4d, 0x79};
    static const uint32_t jump[MAKER_BBS] = {0, 1, 0, 5, 2};
    maker_kernel m;
    make_kernel(&m);
    m.kernel.jump = jump;
    m.inst[m.kernel.mem_inst[0]].uniform = 1;
    m.kernel.machine_sm = 90;
    m.kernel.machine_bytes = sizeof code;
    m.kernel.machine_code = code;
    static const sl_trace_call calls[2] = {{0, 7, 0}, {0, 9, 1}};
    m.kernel.calls = 2;
    m.kernel.call = calls;
    sl_bytes bytes = {0};
    sl_arena arena;
    sl_arena_init(&arena);
    assert_true(sl_write_kernel(&bytes, &m.kernel));
    sl_reading r = sl_reading_of(&bytes);
    const sl_trace_kernel *k = sl_read_kernel(&r, &arena);
    assert_false(r.bad);
    assert_memory_equal(k->jump, jump, sizeof jump);
    assert_int_equal(k->machine_sm, 90);
    assert_int_equal(k->machine_bytes, sizeof code);
    assert_memory_equal(k->machine_code, code, sizeof code);
    assert_int_equal(k->calls, 2);
    assert_memory_equal(k->call, calls, sizeof calls);
    assert_int_equal(k->inst[k->mem_inst[0]].uniform, 1);
    bytes.count -= m.kernel.mem_slots; /* version 3.2 ends before the uniform loads */
    r = sl_reading_of(&bytes);
    k = sl_read_kernel(&r, &arena);
    assert_false(r.bad);
    assert_int_equal(k->calls, 2);
    assert_int_equal(k->inst[k->mem_inst[0]].uniform, 0);
    bytes.count -= 1 + 3 * 2 + m.kernel.insts; /* version 3.0 ends before the inlined calls */
    r = sl_reading_of(&bytes);
    k = sl_read_kernel(&r, &arena);
    assert_false(r.bad);
    assert_int_equal(k->calls, 0);
    assert_memory_equal(k->jump, jump, sizeof jump);
    bytes.count -= MAKER_BBS + 2 + sizeof code; /* version 2.0 ends before the branches */
    r = sl_reading_of(&bytes);
    k = sl_read_kernel(&r, &arena);
    assert_false(r.bad);
    assert_null(k->jump);
    assert_int_equal(k->machine_sm, 0);
    bytes.count += MAKER_BBS + 1; /* what is cut off is damage */
    r = sl_reading_of(&bytes);
    sl_read_kernel(&r, &arena);
    assert_true(r.bad);
    sl_arena_fini(&arena);
    free(bytes.data);
}

static void bad_input_to_the_writer_is_refused(void **state)
{
    (void)state;
    const char *path = scratch_path("bad.slt");
    maker_kernel maker;
    make_kernel(&maker);
    sl_trace_writer *w;
    sl_error error;
    uint32_t index;
    block_streams b = {0};
    sl_trace_launch launch = launch_number(1);
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(w, &launch, NULL, 0, &error), SL_INVALID);
    maker.inst[3].mem_slot = 7;
    assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_INVALID);
    make_kernel(&maker);
    assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_OK);
    make_block(&b, 1, 7, 0, true);
    assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_INVALID);
    assert_int_equal(sl_trace_writer_begin(w, &launch, NULL, 0, &error), SL_OK);
    assert_int_equal(sl_trace_writer_repeat(w, 0, &error), SL_INVALID);
    assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_INVALID); /* outside the grid */
    assert_int_equal(sl_trace_writer_close(w, &error), SL_INVALID);
    free_block(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(accesses_come_as_rows_of_a_table),
        cmocka_unit_test(the_same_trace_is_the_same_file),
        cmocka_unit_test(several_threads_walk_one_trace),
        cmocka_unit_test(a_file_cut_off_anywhere_is_noticed_and_its_whole_chunks_are_readable),
        cmocka_unit_test(any_flipped_bit_is_noticed_and_no_block_comes_wrong),
        cmocka_unit_test(damage_names_the_launch_and_its_blocks),
        cmocka_unit_test(a_file_cut_off_while_it_is_read_gives_an_error),
        cmocka_unit_test(a_file_that_is_no_trace_says_so),
        cmocka_unit_test(an_abandoned_or_unfinished_trace_leaves_no_file),
        cmocka_unit_test(a_regular_kernel_costs_next_to_nothing_per_access),
        cmocka_unit_test(a_random_gather_costs_its_random_bits),
        cmocka_unit_test(kernels_keep_their_machine_code_and_older_files_have_none),
        cmocka_unit_test(bad_input_to_the_writer_is_refused),
    };
    return cmocka_run_group_tests(tests, make_expected, free_expected);
}
