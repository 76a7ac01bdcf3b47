/* SPDX-License-Identifier: MIT */
/* Models a synthetic trace: generates the accesses of the warps of a kernel, writes them as a trace, and models the
 * caches of a GPU for it.
 *
 * The kernel adds up an n by n matrix of floats, a warp at a time, in one of two orders: along its rows, where the
 * lanes of a warp read neighbors, or down its columns, where each lane reads another row.
 *
 *   cc custom_trace.c $(pkg-config --cflags --libs sluice) -o custom_trace
 *   ./custom_trace [MACHINE] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sluice/sluice.h>

enum { LANES = 32, WARPS = 4, SIZE = 512 }; /* a block of 128 threads takes 128 rows or columns */
static const uint64_t MATRIX = 0x10000000;

/* ---- the kernel ---- */

/* One basic block with one instruction: a load of 4 bytes from the array "matrix". Names are positions in `strings`. */
static const char strings[] = "\0ld.global.f32\0matrix";
static const sl_inst insts[] = {{.op_class = SL_CLASS_MEMORY,
                                 .space = SL_MEM_GLOBAL,
                                 .access = SL_ACCESS_LOAD,
                                 .width = 4,
                                 .opcode = 1,
                                 .array = 15}};
static const sl_trace_bb blocks[] = {{.first = 0, .count = 1}};
static const uint32_t memory_insts[] = {0};

static sl_trace_kernel make_kernel(const char *name)
{
    return (sl_trace_kernel){.symbol = name,
                             .name = name,
                             .insts = 1,
                             .inst = insts,
                             .bbs = 1,
                             .bb = blocks,
                             .mem_slots = 1,
                             .mem_inst = memory_insts,
                             .strings = strings,
                             .strings_bytes = sizeof strings};
}

/* ---- what its warps do ---- */

/* Warp `warp` of block `block` has 32 rows (or columns), one for each lane, and goes along them step by step. */
static void record_warp(sl_warp_stream *stream, uint64_t block, uint32_t warp, int by_rows)
{
    const uint64_t first = (block * WARPS + warp) * LANES;
    for (uint64_t step = 0; step < SIZE; step++) {
        uint64_t address[LANES];
        for (uint64_t lane = 0; lane < LANES; lane++)
            address[lane] = MATRIX + 4 * (by_rows ? step * SIZE + first + lane : (first + lane) * SIZE + step);
        sl_warp_stream_step(stream, 0, UINT32_MAX);            /* enters the basic block with all lanes … */
        sl_warp_stream_access(stream, 0, UINT32_MAX, address); /* … whose load goes there */
    }
}

static sl_status record_block(sl_trace_writer *writer, uint64_t block, int by_rows, sl_error *error)
{
    sl_warp_stream *stream[WARPS] = {NULL};
    sl_warp_view view[WARPS];
    sl_status status = SL_OK;
    for (uint32_t w = 0; w < WARPS && !status; w++) {
        status = sl_warp_stream_create(1, LANES, &stream[w], error);
        if (status)
            break;
        record_warp(stream[w], block, w, by_rows);
        status = sl_warp_stream_end(stream[w], w, &view[w], error);
    }
    if (!status)
        status = sl_trace_writer_block(writer, &(sl_block_view){block, 0, true, WARPS, view}, error);
    for (uint32_t w = 0; w < WARPS; w++)
        sl_warp_stream_destroy(stream[w]);
    return status;
}

static sl_status record_launch(sl_trace_writer *writer, const char *name, int by_rows, sl_error *error)
{
    const sl_trace_kernel kernel = make_kernel(name);
    sl_trace_launch launch = {.grid = {SIZE / (WARPS * LANES), 1, 1}, .block = {WARPS * LANES, 1, 1}, .lanes = LANES};
    const sl_trace_range matrix = {MATRIX, 4 * SIZE * SIZE, "matrix"};
    launch.blocks_recorded = sl_launch_blocks(&launch);
    sl_status status = sl_trace_writer_kernel(writer, &kernel, &launch.kernel, error);
    if (!status)
        status = sl_trace_writer_begin(writer, &launch, &matrix, 1, error);
    for (uint64_t block = 0; block < launch.blocks_recorded && !status; block++)
        status = record_block(writer, block, by_rows, error);
    return status ? status : sl_trace_writer_end(writer, NULL, error);
}

static sl_status record(const char *path, sl_error *error)
{
    sl_trace_writer *writer;
    sl_status status = sl_trace_writer_create(path, "custom_trace", 3, &writer, error);
    if (status)
        return status;
    status = record_launch(writer, "by_rows", 1, error);
    if (!status)
        status = record_launch(writer, "by_columns", 0, error);
    if (!status)
        return sl_trace_writer_close(writer, error);
    sl_trace_writer_abandon(writer);
    return status;
}

/* ---- what the caches make of it ---- */

static sl_status model_launch(const sl_machine *machine, const sl_trace *trace, uint32_t launch, sl_error *error)
{
    static const char *const names[] = {"ld_sectors", "ld_sector_hits", "l2_read_sectors", "dram_read_sectors"};
    sl_model_result *result;
    sl_status status = sl_model_launch(machine, trace, launch, NULL, NULL, &result, error);
    if (status)
        return status;
    printf("%-12s", sl_trace_kernel_at(trace, sl_trace_launch_at(trace, launch)->kernel)->name);
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++) {
        uint64_t value;
        status = sl_counts_value(sl_model_total(result), names[i], &value, error);
        if (!status)
            printf("  %s %" PRIu64, names[i], value);
    }
    putchar('\n');
    sl_model_result_destroy(result);
    return status;
}

static sl_status model(const char *path, const char *name, sl_error *error)
{
    sl_machine *machine = NULL;
    sl_trace *trace = NULL;
    sl_status status = sl_machine_create(name, NULL, 0, NULL, &machine, error);
    if (!status)
        status = sl_trace_open(path, &trace, NULL, error);
    for (uint32_t n = 0; !status && n < sl_trace_launches(trace); n++)
        status = model_launch(machine, trace, n, error);
    if (trace)
        sl_trace_close(trace);
    sl_machine_destroy(machine);
    return status;
}

int main(int argc, char **argv)
{
    char path[64], text[1400];
    sl_error error = {0};
    snprintf(path, sizeof path, "custom_trace.%d.slt", (int)getpid());
    sl_status status = record(path, &error);
    if (!status)
        status = model(path, argc > 1 ? argv[1] : "fermi-gtx470", &error);
    if (status)
        fprintf(stderr, "custom_trace: %s\n", sl_error_format(&error, text, sizeof text));
    unlink(path);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
