/* SPDX-License-Identifier: MIT */
/* Importing foreign traces: every form their lines take, and errors that name the line. */
#include "trace_maker.h"

#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/accelsim.h"
#include "trace/codec.h"
#include "trace/import.h"
#include "trace/recorder.h"

/* ---- files ---- */

static char folder[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sluice-test-import-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static const char *write_text(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static const char *write_xz(const char *name, const char *text)
{
    static char path[256];
    static uint8_t packed[1 << 16];
    size_t bytes = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, strlen(text), packed,
                                             &bytes, sizeof packed),
                     LZMA_OK);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(packed, 1, bytes, f), bytes);
    fclose(f);
    return path;
}

/* ---- what a sink sees, written down ---- */

typedef struct notes {
    char text[1 << 16];
    const sl_trace_kernel *kernel;
    sl_trace_launch launch;
    uint64_t limit;
} notes;

static void __attribute__((format(printf, 2, 3))) note(notes *n, const char *format, ...)
{
    size_t used = strlen(n->text);
    va_list args;
    va_start(args, format);
    vsnprintf(n->text + used, sizeof n->text - used, format, args);
    va_end(args);
}

static sl_status note_begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                            const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *limit, sl_error *error)
{
    (void)error;
    notes *n = context;
    n->kernel = kernel;
    n->launch = *launch;
    *wanted = true;
    *limit = n->limit ? n->limit : UINT64_MAX;
    note(n, "%s grid %u,%u,%u block %u,%u,%u\n", kernel->name, launch->grid[0], launch->grid[1], launch->grid[2],
         launch->block[0], launch->block[1], launch->block[2]);
    for (size_t i = 0; i < ranges; i++)
        note(n, "%s: %llx+%llu\n", range[i].label, (unsigned long long)range[i].base,
             (unsigned long long)range[i].bytes);
    return SL_OK;
}

static void note_access(notes *n, sl_access *a)
{
    const sl_inst *inst = &n->kernel->inst[a->inst];
    sl_access_expand(a, 32);
    note(n, "   %s %u:", n->kernel->strings + inst->opcode, inst->width);
    for (uint32_t i = 0; i < 32; i++)
        if (a->mask >> i & 1)
            note(n, " %llx", (unsigned long long)a->addr[i]);
    note(n, "\n");
}

static sl_status note_block(void *context, const sl_block_view *block, sl_error *error)
{
    notes *n = context;
    sl_predictor scratch[64];
    note(n, "block %llu%s\n", (unsigned long long)block->block, block->last ? "" : " (part)");
    for (uint32_t w = 0; w < block->warps; w++) {
        sl_warp_cursor c;
        bool more;
        note(n, " warp %u\n", block->warp[w].warp);
        sl_warp_cursor_init(&c, n->kernel, 32, &block->warp[w], scratch);
        while (!sl_warp_cursor_step(&c, &more, error) && more) {
            const sl_trace_bb *bb = &n->kernel->bb[c.bb];
            note(n, "  %llx:", (unsigned long long)c.mask);
            for (uint32_t i = bb->first; i < bb->first + bb->count; i++)
                note(n, " %x", n->kernel->inst[i].pc);
            note(n, "\n");
            while (!sl_warp_cursor_access(&c, &more, error) && more)
                note_access(n, &c.access);
        }
    }
    return SL_OK;
}

static sl_status note_end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    (void)error;
    notes *n = context;
    note(n, "%llu warp instructions, %llu thread instructions%s\n", (unsigned long long)stats->warp_insts,
         (unsigned long long)stats->thread_insts, failure ? ", failed" : "");
    return SL_OK;
}

static sl_launch_sink sink_of(notes *n)
{
    return (sl_launch_sink){.context = n, .begin = note_begin, .block = note_block, .end = note_end};
}

static void import_gives(const char *path, const char *expected)
{
    static notes n;
    memset(&n, 0, sizeof n);
    sl_launch_sink sink = sink_of(&n);
    sl_error error = {0};
    sl_trace_format format;
    assert_int_equal(sl_trace_detect(path, &format, &error), SL_OK);
    assert_int_not_equal(format, SL_FORMAT_UNKNOWN);
    sl_status status = format == SL_FORMAT_THREADS ? sl_import_threads(path, &sink, NULL, &error)
                                                   : sl_import_accelsim(path, &sink, NULL, &error);
    if (status)
        fail_msg("%s:%u: %s", error.file, error.line, error.text);
    assert_string_equal(n.text, expected);
}

static void import_fails(const char *path, uint32_t line, const char *words)
{
    static notes n;
    memset(&n, 0, sizeof n);
    sl_launch_sink sink = sink_of(&n);
    sl_error error = {0};
    sl_trace_format format;
    assert_int_equal(sl_trace_detect(path, &format, &error), SL_OK);
    sl_status status = format == SL_FORMAT_THREADS ? sl_import_threads(path, &sink, NULL, &error)
                                                   : sl_import_accelsim(path, &sink, NULL, &error);
    assert_int_not_equal(status, SL_OK);
    assert_int_equal(error.line, line);
    if (!strstr(error.text, words))
        fail_msg("'%s' does not say '%s'", error.text, words);
}

/* ---- Accel-Sim ---- */

#define HEADER                                                                                                         \
    "-kernel name = _Z3addPfS_\n-kernel id = 1\n-grid dim = (2,2,1)\n-block dim = (40,1,1)\n-shmem = 128\n"            \
    "-nregs = 18\n-binary version = 70\n-cuda stream id = 3\n-shmem base_addr = 0x00007f4000000000\n"                  \
    "-local mem base_addr = 0x00007f4002000000\n-nvbit version = 1.5.5\n"
#define V4 "-accelsim tracer version = 4\n-enable lineinfo = 0\n\n#traces format = [line_num] PC mask ...\n\n"

static const char plain[] = HEADER V4 "#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 0\ninsts = 5\n"
                                      "0000 ffffffff 1 R1 IMAD.MOV.U32 1 R255 0 \n"
                                      "0010 ffffffff 1 R2 S2R 0 0 0\n"
                                      "0020 ffffffff 1 R4 LDG.E.64.SYS 1 R4 8 1 0x1000 8 0\n"
                                      "0030 0000000f 1 R6 LDG.E 1 R4 4 0 0x10 0x20 0x18 0xff0 0\n"
                                      "0040 ffffffff 0 EXIT 0 0 0\n"
                                      "\nwarp = 1\ninsts = 5\n"
                                      "0000 000000ff 1 R1 IMAD.MOV.U32 1 R255 0 \n"
                                      "0010 000000ff 1 R2 S2R 0 0 0\n"
                                      "0020 000000ff 1 R4 LDG.E.64.SYS 1 R4 8 2 0x2000 8 8 -16 8 100 0 1 0\n"
                                      "0030 00000001 1 R6 LDG.E 1 R4 4 2 0x30\n"
                                      "0040 000000ff 0 EXIT 0 0 0\n"
                                      "\n#END_TB\n\n";

static const char plain_notes[] =
    "add grid 2,2,1 block 40,1,1\n"
    "block 1\n"
    " warp 0\n"
    "  ffffffff: 0 10 20\n"
    "   LDG.E.64.SYS 8: 1000 1008 1010 1018 1020 1028 1030 1038 1040 1048 1050 1058 1060 1068 1070 1078 1080 1088 1090 "
    "1098 10a0 10a8 10b0 10b8 10c0 10c8 10d0 10d8 10e0 10e8 10f0 10f8\n"
    "  f: 30\n"
    "   LDG.E 4: 10 20 18 ff0\n"
    "  ffffffff: 40\n"
    " warp 1\n"
    "  ff: 0 10 20\n"
    "   LDG.E.64.SYS 8: 2000 2008 2010 2000 2008 206c 206c 206d\n"
    "  1: 30\n"
    "   LDG.E 4: 30\n"
    "  ff: 40\n"
    "10 warp instructions, 165 thread instructions\n";

static void all_address_modes_are_read(void **state)
{
    (void)state;
    import_gives(write_text("kernel-1.traceg", plain), plain_notes);
}

static void xz_is_read_like_plain_text(void **state)
{
    (void)state;
    import_gives(write_xz("kernel-2.traceg.xz", plain), plain_notes);
}

static void a_list_of_kernels_is_followed(void **state)
{
    (void)state;
    char expected[4096];
    write_text("kernel-1.traceg", plain);
    write_xz("kernel-3.traceg.xz", plain);
    const char *list = write_text("kernelslist.g", "MemcpyHtoD,0x00001000,4096\nsomething else\nMemcpyHtoD,0x2000,16\n"
                                                   "kernel-1.traceg\nMemcpyHtoD,0x00001000,8192\nkernel-3.traceg\n");
    const char *body = strchr(plain_notes, '\n') + 1;
    snprintf(expected, sizeof expected,
             "add grid 2,2,1 block 40,1,1\ncopy 1: 1000+4096\ncopy 2: 2000+16\n%s"
             "add grid 2,2,1 block 40,1,1\ncopy 1: 1000+8192\ncopy 2: 2000+16\n%s",
             body, body);
    import_gives(list, expected);
    import_gives(folder, expected);
}

static void older_and_newer_tracers_are_understood(void **state)
{
    (void)state;
    static const char expected[] = "add grid 2,2,1 block 40,1,1\nblock 0\n warp 0\n  3: 0\n   STG.E 4: 40 50\n"
                                   "1 warp instructions, 2 thread instructions\n";
    static const char block[] = "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n";
    char text[2048];
    snprintf(text, sizeof text,
             HEADER "-accelsim tracer version = 2\n%s0 0 0 0 0000 00000003 0 STG.E 2 R1 R2 4 1 0x40 16\n#END_TB\n",
             block);
    import_gives(write_text("v2.traceg", text), expected);
    snprintf(text, sizeof text,
             HEADER "#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC mask\n"
                    "%s0 0 0 0 0000 00000003 0 STG.E 2 R1 R2 4 1 0x40 16\n#END_TB\n",
             block);
    import_gives(write_text("v0.traceg", text), expected);
    snprintf(text, sizeof text,
             HEADER
             "-accelsim tracer version = 5\n-enable lineinfo = 1\n%s17 0000 00000003 0 STG.E 2 R1 R2 4 1 0x40 16 -4\n"
             "#END_TB\n",
             block);
    import_gives(write_text("v5.traceg", text), expected);
}

static void basic_blocks_are_what_always_ran_together(void **state)
{
    (void)state;
    /* a loop 10..20 that runs twice, left by a predicated 30; 0 leads into it */
    import_gives(
        write_text("loop.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 8\n"
                                            "0000 ffffffff 0 NOP 0 0 0\n0008 ffffffff 0 NOP 0 0 0\n"
                                            "0010 ffffffff 0 IADD3 0 0 0\n0020 ffffffff 0 BRA 0 0 0\n"
                                            "0010 ffffffff 0 IADD3 0 0 0\n0020 ffffffff 0 BRA 0 0 0\n"
                                            "0030 0000ffff 0 MOV 0 0 0\n0040 ffffffff 0 EXIT 0 0 0\n#END_TB\n"),
        "add grid 2,2,1 block 40,1,1\nblock 0\n warp 0\n  ffffffff: 0 8\n  ffffffff: 10 20\n  ffffffff: 10 20\n"
        "  ffff: 30\n  ffffffff: 40\n8 warp instructions, 240 thread instructions\n");
}

static void instructions_without_active_lanes_count(void **state)
{
    (void)state;
    import_gives(write_text("off.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                                                    "0000 00000001 1 R1 LDG.E 1 R2 4 1 0x40 0 0\n"
                                                    "0000 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 0\n#END_TB\n"),
                 "add grid 2,2,1 block 40,1,1\nblock 0\n warp 0\n  1: 0\n   LDG.E 4: 40\n  0: 0\n   LDG.E 4:\n"
                 "2 warp instructions, 1 thread instructions\n");
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    enum { FIRST = 20 }; /* of the warp's instructions */
    static const struct {
        const char *inst, *words;
    } cases[] = {
        {"zzzz ffffffff 0 EXIT 0 0 0", "a PC and a mask"},
        {"0000 1ffffffff 0 EXIT 0 0 0", "a PC and a mask"},
        {"0000 ffffffff x EXIT 0 0 0", "destination"},
        {"0000 ffffffff 2 R1", "destination"},
        {"0000 ffffffff 0", "opcode"},
        {"0000 ffffffff 0 EXIT", "source"},
        {"0000 ffffffff 0 EXIT 0", "width"},
        {"0000 ffffffff 0 LDG.E 0 4 3 0x10 0", "mode"},
        {"0000 ffffffff 0 LDG.E 0 4 1 0x10", "addresses"},
        {"0000 ffffffff 0 LDG.E 0 4 0 0x10 0x20", "addresses"},
        {"0000 ffffffff 0 EXIT 0 0 0 0", "unexpected text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n%s\n#END_TB\n",
                 cases[i].inst);
        import_fails(write_text("bad.traceg", text), FIRST + 1, cases[i].words);
    }
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 2,0,0\n"), FIRST - 2,
                 "outside the grid");
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2\n"), FIRST - 1, "warp");
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\nwarp = 1\n"), FIRST,
                 "insts");
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 0\nwarp = 0\n"),
                 FIRST + 1, "duplicate");
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"), FIRST,
                 "ends within a warp");
    import_fails(write_text("bad.traceg", HEADER V4 "#BEGIN_TB\nthread block = 0,0,0\n"), FIRST - 2, "within a thread");
    import_fails(write_text("bad.traceg", "-kernel name = k\n-grid dim = (0,1,1)\n"), 2, "value");
    import_fails(write_text("bad.traceg", "-kernel name = k\n-block dim = (1024,1024,4096)\n"), 2, "value");
    import_fails(write_text("bad.traceg", "-kernel name = k\n"), 0, "missing");
    import_fails(write_text("kernelslist.g", "kernel-99.traceg\n"), 0, "kernel-99.traceg");
    import_fails(write_text("kernelslist.g", "MemcpyHtoD,zz\n"), 1, "copy");
}

static void cut_off_xz_is_noticed(void **state)
{
    (void)state;
    const char *path = write_xz("cut.traceg.xz", plain);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 12), 0);
    import_fails(path, 0, "cut off");
}

static void sass_opcodes_say_what_they_do(void **state)
{
    (void)state;
    static const struct {
        const char *opcode;
        uint8_t op_class, space, access, cache_op;
        uint16_t width;
    } cases[] = {
        {"LDG.E.SYS", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_LOAD, SL_CACHE_DEFAULT, 4},
        {"LDG.E.128.CONSTANT.SYS", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_LOAD, SL_CACHE_NC, 16},
        {"LDG.E.64.STRONG.GPU", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_LOAD, SL_CACHE_VOLATILE, 8},
        {"LDG.E.STRONG.CTA", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_LOAD, SL_CACHE_DEFAULT, 4},
        {"LD.E.U8", SL_CLASS_MEMORY, SL_MEM_GENERIC, SL_ACCESS_LOAD, SL_CACHE_DEFAULT, 1},
        {"STS.U16", SL_CLASS_MEMORY, SL_MEM_SHARED, SL_ACCESS_STORE, SL_CACHE_DEFAULT, 2},
        {"STL.S16", SL_CLASS_MEMORY, SL_MEM_LOCAL, SL_ACCESS_STORE, SL_CACHE_DEFAULT, 2},
        {"ATOMG.E.ADD.F64.RN.STRONG.GPU", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_ATOMIC, SL_CACHE_VOLATILE, 8},
        {"ATOMS.ADD", SL_CLASS_MEMORY, SL_MEM_SHARED, SL_ACCESS_ATOMIC, SL_CACHE_DEFAULT, 4},
        {"RED.E.ADD", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_REDUCTION, SL_CACHE_DEFAULT, 4},
        {"LDGSTS.E.BYPASS.128", SL_CLASS_MEMORY, SL_MEM_GLOBAL, SL_ACCESS_ASYNC_COPY, SL_CACHE_L1_NO_ALLOCATE, 16},
        {"FFMA", SL_CLASS_F32, SL_MEM_NONE, SL_ACCESS_NONE, SL_CACHE_DEFAULT, 0},
        {"IMAD.WIDE.U32", SL_CLASS_INT_MUL, SL_MEM_NONE, SL_ACCESS_NONE, SL_CACHE_DEFAULT, 0},
        {"BAR.SYNC", SL_CLASS_BARRIER, SL_MEM_NONE, SL_ACCESS_NONE, SL_CACHE_DEFAULT, 0},
        {"WHATEVER.9", SL_CLASS_OTHER, SL_MEM_NONE, SL_ACCESS_NONE, SL_CACHE_DEFAULT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sl_inst inst;
        sl_sass_describe(cases[i].opcode, false, &inst);
        assert_int_equal(inst.op_class, cases[i].op_class);
        assert_int_equal(inst.space, cases[i].space);
        assert_int_equal(inst.access, cases[i].access);
        assert_int_equal(inst.cache_op, cases[i].cache_op);
        assert_int_equal(inst.width, cases[i].width);
    }
    sl_inst inst;
    sl_sass_describe("STX.64", true, &inst);
    assert_int_equal(inst.space, SL_MEM_GENERIC);
    assert_int_equal(inst.access, SL_ACCESS_STORE);
    assert_int_equal(inst.width, 8);
}

/* ---- thread traces ---- */

static void threads_join_into_warps_in_any_order(void **state)
{
    (void)state;
    static const char expected[] = "mm grid 2,1,1 block 2,1,1\n"
                                   "block 0\n warp 0\n  3: 0\n   load.4 4: 100 104\n  1: 1\n   store.8 8: 200\n"
                                   "block 1\n warp 0\n  2: 0\n   load.4 4: 108\n"
                                   "3 warp instructions, 4 thread instructions\n";
    import_gives(write_text("mm.trc", "blocksize: 2 1 1\n0 0 256 4\n1 0 260 4\n0 1 512 8\n3 0 264 4\n"), expected);
    import_gives(write_text("mm.trc", "blocksize: 2 1 1\n0 0 256 4\n0 1 512 8\n1 0 260 4\n3 0 264 4\n"), expected);
}

static void accesses_of_different_kinds_take_turns(void **state)
{
    (void)state;
    import_gives(
        write_text("div.trc", "blocksize: 4 1 1\n0 0 256 4\n1 1 260 4\n2 0 264 4\n3 1 268 4\n"),
        "div grid 1,1,1 block 4,1,1\nblock 0\n warp 0\n  5: 0\n   load.4 4: 100 108\n  a: 1\n   store.4 4: 104 10c\n"
        "2 warp instructions, 4 thread instructions\n");
}

static void blocks_without_accesses_are_there(void **state)
{
    (void)state;
    import_gives(write_text("gap.trc", "blocksize: 2 2 1\n\n9 0 4096 1\n"),
                 "gap grid 3,1,1 block 2,2,1\nblock 2\n warp 0\n  2: 0\n   load.1 1: 1000\nblock 0\nblock 1\n"
                 "1 warp instructions, 1 thread instructions\n");
}

static void bad_thread_lines_are_named(void **state)
{
    (void)state;
    import_fails(write_text("bad.trc", "blocksize: 2 0 1\n"), 1, "at least one thread");
    import_fails(write_text("bad.trc", "blocksize: 2 1\n"), 1, "blocksize");
    import_fails(write_text("bad.trc", "blocksize: 2 1 1\n0 0 16 4\n0 2 16 4\n"), 3, "direction");
    import_fails(write_text("bad.trc", "blocksize: 2 1 1\n0 0 16 4 9\n"), 2, "an access is");
    import_fails(write_text("bad.trc", "blocksize: 2 1 1\n0 0 99999999999999999999 4\n"), 2, "an access is");
    import_fails(write_text("bad.trc", "blocksize: 2 1 1\n0 0 16 0\n"), 2, "an access is");
    import_fails(write_text("bad.trc", "blocksize: 2 1 1\n"), 0, "no access");
}

static void formats_are_told_apart(void **state)
{
    (void)state;
    sl_trace_format format;
    sl_error error;
    assert_int_equal(sl_trace_detect(write_text("x", "hello\n"), &format, &error), SL_OK);
    assert_int_equal(format, SL_FORMAT_UNKNOWN);
    assert_int_equal(sl_trace_detect(write_text("x", ""), &format, &error), SL_OK);
    assert_int_equal(format, SL_FORMAT_UNKNOWN);
    assert_int_equal(sl_trace_detect("/nowhere/at/all", &format, &error), SL_IO);
    sl_trace_writer *w;
    char path[256];
    snprintf(path, sizeof path, "%s/empty.slt", folder);
    assert_int_equal(sl_trace_writer_create(path, "x", 0, &w, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(w, &error), SL_OK);
    assert_int_equal(sl_trace_detect(path, &format, &error), SL_OK);
    assert_int_equal(format, SL_FORMAT_SLUICE);
}

static void a_long_block_comes_in_parts(void **state)
{
    (void)state;
    enum { ACCESSES = 40000 };
    char path[256];
    snprintf(path, sizeof path, "%s/long.traceg", folder);
    FILE *f = fopen(path, "w");
    uint64_t seed = 5;
    fprintf(f, "%s%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n", HEADER, V4, ACCESSES);
    for (int k = 0; k < ACCESSES; k++) {
        fprintf(f, "0000 ffffffff 1 R1 LDG.E 1 R2 4 0");
        for (int i = 0; i < 32; i++)
            fprintf(f, " 0x%llx", (unsigned long long)(next_random(&seed) & 0xfffffc));
        fprintf(f, " 0\n");
    }
    fprintf(f, "#END_TB\n");
    fclose(f);
    char trace[256];
    snprintf(trace, sizeof trace, "%s/long.slt", folder);
    sl_recorder *recorder;
    sl_error error;
    assert_int_equal(sl_recorder_create(&(sl_recorder_config){.trace_path = trace}, &recorder, &error), SL_OK);
    assert_int_equal(sl_import_accelsim(path, sl_recorder_sink(recorder), NULL, &error), SL_OK);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    sl_trace *t;
    assert_int_equal(sl_trace_open(trace, &t, NULL, &error), SL_OK);
    sl_block_walker *walker;
    sl_block_view view;
    bool more;
    uint32_t parts = 0;
    uint64_t accesses = 0;
    assert_int_equal(sl_block_walker_create(t, 0, 0, 1, &walker, &error), SL_OK);
    while (!sl_block_walker_next(walker, &view, &more, &error) && more) {
        sl_predictor scratch[1];
        sl_warp_cursor c;
        assert_int_equal(view.part, parts++);
        assert_int_equal(view.warps, 1);
        sl_warp_cursor_init(&c, sl_trace_kernel_at(t, 0), 32, &view.warp[0], scratch);
        while (!sl_warp_cursor_step(&c, &more, &error) && more)
            accesses++;
    }
    assert_true(parts > 1 && view.last);
    assert_int_equal(accesses, ACCESSES);
    sl_block_walker_destroy(walker);
    sl_trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_address_modes_are_read),
        cmocka_unit_test(xz_is_read_like_plain_text),
        cmocka_unit_test(a_list_of_kernels_is_followed),
        cmocka_unit_test(older_and_newer_tracers_are_understood),
        cmocka_unit_test(basic_blocks_are_what_always_ran_together),
        cmocka_unit_test(instructions_without_active_lanes_count),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(cut_off_xz_is_noticed),
        cmocka_unit_test(sass_opcodes_say_what_they_do),
        cmocka_unit_test(threads_join_into_warps_in_any_order),
        cmocka_unit_test(accesses_of_different_kinds_take_turns),
        cmocka_unit_test(blocks_without_accesses_are_there),
        cmocka_unit_test(bad_thread_lines_are_named),
        cmocka_unit_test(formats_are_told_apart),
        cmocka_unit_test(a_long_block_comes_in_parts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
