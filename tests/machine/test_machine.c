/* SPDX-License-Identifier: MIT */
/* Machine descriptions: the built-in ones, variants of them, settings, and what is wrong with wrong ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"
#include "support.h"

/* A description with nothing wrong; tests change a line of it. */
static const char small[] = "name: small\n"                  /* 1 */
                            "summary: a machine for tests\n" /* 2 */
                            "cores: 4\n"                     /* 3 */
                            "lanes: 32\n"                    /* 4 */
                            "core:\n"                        /* 5 */
                            "  threads: 64\n"                /* 6 */
                            "  warps: 2\n"                   /* 7 */
                            "  blocks: 2\n"                  /* 8 */
                            "levels:\n"                      /* 9 */
                            "  - name: L1\n"                 /* 10 */
                            "    size: 1K\n"                 /* 11 */
                            "    line: 64\n"                 /* 12 */
                            "    ways: 4\n"                  /* 13 */
                            "    cores_per_instance: 1\n"    /* 14 */
                            "  - name: L2\n"                 /* 15 */
                            "    size: 4K\n"                 /* 16 */
                            "    line: 64\n"                 /* 17 */
                            "    ways: 8\n"                  /* 18 */
                            "    cores_per_instance: all\n"  /* 19 */
                            "memory:\n"                      /* 20 */
                            "  latency_cycles: 100\n";       /* 21 */

/* `small` with its line `line` put in another's place; more lines than one are fine. The caller frees it. */
static char *with_line(int line, const char *text)
{
    const char *from = small;
    for (int i = 1; i < line; i++)
        from = strchr(from, '\n') + 1;
    char *whole;
    assert_true(asprintf(&whole, "%.*s%s\n%s", (int)(from - small), small, text, strchr(from, '\n') + 1) > 0);
    return whole;
}

static sl_status parse(const char *text, sl_machine *machine, sl_error *error)
{
    return sl_machine_parse("m.yaml", text, strlen(text), machine, error);
}

static void expect_error(const char *text, const char *message)
{
    sl_machine machine;
    sl_error error;
    char formatted[1400];
    assert_int_not_equal(parse(text, &machine, &error), SL_OK);
    assert_string_equal(sl_error_format(&error, formatted, sizeof formatted), message);
}

static void expect_error_with(int line, const char *text, const char *message)
{
    char *whole = with_line(line, text);
    expect_error(whole, message);
    free(whole);
}

static void load(const char *name, sl_machine *machine)
{
    sl_error error;
    if (sl_machine_load(name, machine, &error))
        fail_msg("%s:%u: %s", error.file, error.line, error.text);
}

/* ---- built-in machines ---- */

static void every_built_in_machine_loads_under_its_own_name(void **state)
{
    (void)state;
    sl_machine machine;
    assert_true(sl_machine_count() >= 9);
    for (size_t i = 0; i < sl_machine_count(); i++) {
        size_t bytes;
        load(sl_machine_name_at(i), &machine);
        assert_string_equal(machine.name, sl_machine_name_at(i));
        assert_true(machine.summary[0] && machine.trust[0] && machine.levels >= 2);
        assert_int_equal(sl_machine_text_at(i, &bytes)[bytes], 0);
    }
}

static void the_fermi_of_the_reuse_distance_paper_hashes_five_bits(void **state)
{
    (void)state;
    sl_machine machine;
    load("fermi-gtx470", &machine);
    const sl_level *l1 = &machine.level[0];
    assert_int_equal(l1->sets, 32);
    assert_int_equal(l1->ways, 4);
    assert_int_equal(l1->mshrs, 64);
    assert_int_equal(l1->mshrs_per_warp, 6);
    assert_int_equal(sl_level_set(l1, 0x7f), 0);
    assert_int_equal(sl_level_set(l1, 31 << 7), 31);
    assert_int_equal(sl_level_set(l1, 1 << 12), 0);  /* bit 12 is of no set */
    assert_int_equal(sl_level_set(l1, 1 << 13), 1);  /* bit 13 goes with bit 7 */
    assert_int_equal(sl_level_set(l1, 1 << 17), 8);  /* bit 17 with bit 10 */
    assert_int_equal(sl_level_set(l1, 1 << 19), 16); /* bit 19 with bit 11 */
    assert_int_equal(sl_level_set(l1, 1 << 13 | 1 << 7), 0);
}

static void its_48_kb_variant_has_bit_12_in_front(void **state)
{
    (void)state;
    sl_machine small_l1, machine;
    load("fermi-gtx470", &small_l1);
    load("fermi-gtx470-48k", &machine);
    assert_int_equal(machine.level[0].size_bytes, 48 << 10);
    assert_int_equal(machine.level[0].sets, 64);
    assert_int_equal(machine.level[0].ways, 6);
    assert_int_equal(machine.core.shared_bytes, 16 << 10);
    assert_int_equal(sl_level_set(&machine.level[0], 1 << 12), 32);
    assert_int_equal(sl_level_set(&machine.level[0], 1 << 19), 16);
    assert_int_equal(machine.level[0].mshrs, small_l1.level[0].mshrs);
    assert_int_equal(machine.cores, small_l1.cores);
    assert_memory_equal(&machine.level[1], &small_l1.level[1], sizeof machine.level[1]);
}

static void machines_have_as_many_levels_as_they_need(void **state)
{
    (void)state;
    sl_machine machine;
    load("rx6900xt", &machine);
    assert_int_equal(machine.levels, 4);
    assert_int_equal(machine.level[3].size_bytes, 128 << 20);
    assert_string_equal(machine.level[0].name, "L0");
    assert_int_equal(machine.level[1].cores_per_instance, 10);
    assert_int_equal(machine.level[2].cores_per_instance, 80);
    load("gcn-apu", &machine);
    assert_int_equal(machine.levels, 3);
    assert_int_equal(machine.level[2].size_bytes, 4 << 20);
    load("hd7770-1m", &machine);
    assert_int_equal(machine.level[1].size_bytes, 1 << 20);
    assert_int_equal(machine.level[1].ways, 32);
    assert_int_equal(machine.level[1].banks, 2);
}

/* Sizes as NVIDIA and AMD publish them, and the measured bandwidth of an H200; GB/s of memory within half a percent,
 * because machines have bytes per cycle. */
static void gpus_have_the_sizes_of_their_data_sheets(void **state)
{
    (void)state;
    enum { KB = 1 << 10, MB = 1 << 20 };
    static const struct {
        const char *name;
        uint32_t cores, threads, unified_kb, l1_kb, line, sector; /* L1: without a carve-out */
        uint64_t l2;
        uint32_t clock_mhz, gb_per_second;
    } gpus[] = {
        {"t4", 40, 1024, 96, 64, 128, 32, 4 * MB, 1590, 320},
        {"a100", 108, 2048, 192, 184, 128, 32, 40 * MB, 1410, 2039},
        {"a10", 72, 1536, 128, 120, 128, 32, 6 * MB, 1695, 600},
        {"rtx3090", 82, 1536, 128, 120, 128, 32, 6 * MB, 1695, 936},
        {"rtx4090", 128, 1536, 128, 120, 128, 32, 72 * MB, 2520, 1008},
        {"l40s", 142, 1536, 128, 120, 128, 32, 96 * MB, 2520, 864},
        {"h100-sxm", 132, 2048, 256, 248, 128, 32, 50 * MB, 1980, 3350},
        {"h100-pcie", 114, 2048, 256, 248, 128, 32, 50 * MB, 1755, 2039},
        {"h200", 132, 2048, 256, 248, 128, 32, 60 * MB, 1980, 4534},
        {"b200", 148, 2048, 256, 248, 128, 32, 126 * MB, 1965, 8000},
        {"mi250x", 110, 2048, 0, 16, 64, 64, 8 * MB, 1700, 1638},
        {"mi300x", 304, 2048, 0, 32, 128, 128, 4 * MB, 2100, 5300},
    };
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        sl_machine m;
        load(gpus[i].name, &m);
        assert_int_equal(m.cores, gpus[i].cores);
        assert_int_equal(m.core.threads, gpus[i].threads);
        assert_int_equal(m.core.warps * m.lanes, gpus[i].threads);
        assert_int_equal(m.core.unified_bytes, gpus[i].unified_kb * KB);
        assert_int_equal(m.level[0].size_bytes, gpus[i].l1_kb * KB);
        assert_int_equal(m.level[0].line_bytes, gpus[i].line);
        assert_int_equal(m.level[0].sector_bytes, gpus[i].sector);
        assert_int_equal(m.level[1].size_bytes, gpus[i].l2);
        assert_int_equal(m.clock_mhz, gpus[i].clock_mhz);
        double gb = m.memory.bytes_per_cycle * (double)m.clock_mhz / 1000;
        assert_true(gb > 0.995 * gpus[i].gb_per_second && gb < 1.005 * gpus[i].gb_per_second);
    }
    sl_machine m;
    load("mi300x", &m);
    assert_int_equal(m.cores / m.level[1].cores_per_instance, 8); /* an L2 for each die */
    assert_int_equal(m.level[2].size_bytes, 256 * MB);
}

static void a_variant_is_not_trusted_as_its_base_is(void **state)
{
    (void)state;
    static const char variant[] = "based_on: h200\nname: mine\nsummary: half of it\ncores: 66\n",
                      stated[] = "based_on: h200\nname: mine\nsummary: half of it\ntrust: a guess\ncores: 66\n";
    sl_machine machine;
    sl_error error;
    load("h200", &machine);
    assert_string_equal(machine.trust, "measured");
    assert_int_equal(parse(variant, &machine, &error), SL_OK);
    assert_string_equal(machine.trust, "");
    assert_int_equal(parse(stated, &machine, &error), SL_OK);
    assert_string_equal(machine.trust, "a guess");
}

static void what_a_description_leaves_out_is_derived(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    assert_int_equal(parse(small, &machine, &error), SL_OK);
    const sl_level *l1 = &machine.level[0];
    assert_int_equal(l1->sets, 4);
    assert_int_equal(l1->sector_bytes, 64);
    assert_int_equal(l1->fill_bytes, 64);
    assert_int_equal(l1->banks, 1);
    assert_string_equal(l1->replacement, "lru");
    assert_int_equal(machine.level[1].cores_per_instance, 4);
    assert_int_equal(machine.core.schedulers, 1);
    assert_int_equal(sl_level_set(l1, 5 * 64), 1);
}

static void a_mix_of_all_bits_uses_every_set(void **state)
{
    (void)state;
    const sl_level level = {.line_bytes = 128, .sets = 16, .index = SL_INDEX_MIX};
    uint32_t lines[16] = {0};
    for (uint64_t i = 0; i < 1024; i++) /* a stride that would hit one set of a plain index */
        lines[sl_level_set(&level, i << 22)]++;
    for (uint32_t set = 0; set < level.sets; set++)
        assert_in_range(lines[set], 32, 96);
}

/* Neighboring lines fill all sets alike, and a stride of as many lines as there are sets does not stay in one. */
static void a_rotated_index_is_even_for_neighbors_and_for_strides(void **state)
{
    (void)state;
    enum { SETS = 27, ROUNDS = 40 };
    const sl_level level = {.line_bytes = 128, .sets = SETS, .index = SL_INDEX_ROTATE};
    uint32_t neighbors[SETS] = {0}, strided[SETS] = {0}, used = 0;
    for (uint64_t i = 0; i < SETS * ROUNDS; i++) {
        neighbors[sl_level_set(&level, i * 128)]++;
        strided[sl_level_set(&level, i * 128 * SETS)]++;
    }
    for (uint32_t set = 0; set < SETS; set++) {
        assert_int_equal(neighbors[set], ROUNDS);
        used += strided[set] > 0;
    }
    assert_int_equal(used, SETS);
}

/* ---- wrong names ---- */

static void a_wrong_machine_is_told_the_nearest(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load("h20", &machine, &error), SL_NOT_FOUND);
    assert_string_equal(error.text, "unknown GPU model 'h20'; the nearest is 'h200'");
    assert_int_equal(sl_machine_load("absent/m.yaml", &machine, &error), SL_IO);
    assert_string_equal(error.text, "cannot read absent/m.yaml: No such file or directory");
}

static void a_wrong_key_is_told_the_nearest(void **state)
{
    (void)state;
    expect_error_with(13, "    wayz: 4", "m.yaml:13:5: a level has no key 'wayz'; did you mean 'ways'?");
    expect_error_with(3, "coers: 4", "m.yaml:3:1: a machine has no key 'coers'; did you mean 'cores'?");
    expect_error_with(9, "level:", "m.yaml:9:1: a machine has no key 'level'; did you mean 'levels'?");
    expect_error_with(3, "cores: 4\nmshrs: 3", "m.yaml:4:1: a machine has no key 'mshrs'; it is one of a level");
    expect_error_with(3, "cores: 4\nxyzzy: 3", "m.yaml:4:1: a machine has no key 'xyzzy'");
}

static void a_key_is_there_once(void **state)
{
    (void)state;
    expect_error_with(13, "    ways: 4\n    ways: 2", "m.yaml:14:5: 'ways' is given twice, first in line 13");
    expect_error_with(20, "core: {}\nmemory:", "m.yaml:20:1: 'core' is given twice");
}

static void a_required_key_is_missed(void **state)
{
    (void)state;
    expect_error_with(13, "", "m.yaml:10:5: the level lacks 'ways': associativity: lines per set");
    expect_error_with(3, "", "m.yaml:1:1: the machine lacks 'cores': streaming multiprocessors (SMs) or compute units");
    expect_error("name: x\nsummary: y\ncores: 1\nlanes: 32\n", "m.yaml:1:1: the machine lacks 'core'");
    expect_error("", "m.yaml:1:1: the file is empty; a machine description is expected");
}

/* ---- wrong values ---- */

static void a_value_has_the_type_of_its_key(void **state)
{
    (void)state;
    expect_error_with(3, "cores: many", "m.yaml:3:8: 'cores' takes a number, not 'many'");
    expect_error_with(3, "cores: 4K", "m.yaml:3:8: 'cores' takes a number, not '4K'");
    expect_error_with(3, "cores: -4", "m.yaml:3:8: 'cores' takes a number, not '-4'");
    expect_error_with(3, "cores: [4]", "m.yaml:3:8: 'cores' takes a single value");
    expect_error_with(11, "    size: 1k",
                      "m.yaml:11:11: 'size' takes a number of bytes such as 128, 16K or 1M, not '1k'");
    expect_error_with(14, "    cores_per_instance: some",
                      "m.yaml:14:25: 'cores_per_instance' takes a number or 'all', not 'some'");
    expect_error_with(
        13, "    ways: 4\n    write: throgh",
        "m.yaml:14:12: 'write' is allocate, through, evict or back, not 'throgh'; did you mean 'through'?");
    expect_error_with(8, "  blocks: 2\n  carve_outs: 8K", "m.yaml:9:15: 'carve_outs' takes a list");
    expect_error_with(13, "    ways: 4\n    set_bits: [7, 8]",
                      "m.yaml:14:16: 'set_bits' is a list of lists of address bits, such as [[7, 13], [8, 14]]");
    expect_error("{name: n, summary: s, cores: 1, lanes: 32,\n core: {threads: 1, warps: 1, blocks: 1},\n"
                 " memory: {latency_cycles: 1}, levels: 2}",
                 "m.yaml:3:39: 'levels' is a list of cache levels, from the cores outwards");
    expect_error("[1, 2]", "m.yaml:1:1: a machine is described by keys and values");
}

static void a_value_is_within_its_range(void **state)
{
    (void)state;
    expect_error_with(3, "cores: 0", "m.yaml:3:8: 'cores' is from 1 to 65536, not 0");
    expect_error_with(3, "cores: 99999999999999999999999",
                      "m.yaml:3:8: 'cores' takes a number, not '99999999999999999999999'");
    expect_error_with(4, "lanes: 48", "m.yaml:4:1: a warp has 32 or 64 lanes, not 48");
    expect_error_with(1, "name: a-name-that-is-longer-than-a-name-may-be",
                      "m.yaml:1:7: 'name' takes at most 31 characters");
}

static void text_that_is_not_yaml_is_told_where(void **state)
{
    (void)state;
    expect_error("name: [a\ncores: 1", "m.yaml:2:6: this is not YAML: did not find expected ',' or ']'");
    expect_error("name: x\ncores: \xff\n", "m.yaml:2:8: this is not YAML: invalid leading UTF-8 octet");
    char *two;
    assert_true(asprintf(&two, "%s---\nname: other\n", small) > 0);
    expect_error(two, "m.yaml:23:1: a file holds one document, but here begins another");
    free(two);
}

/* ---- impossible machines ---- */

static void a_size_is_whole_sets(void **state)
{
    (void)state;
    expect_error_with(11, "    size: 1000",
                      "m.yaml:11:5: 1000 bytes are not a whole number of sets of 4 lines of 64 bytes; these sizes fit: "
                      "768, 1K");
    expect_error_with(13, "    ways: 4\n    sets: 8",
                      "m.yaml:14:5: 8 sets of 4 ways of 64 bytes are 2048 bytes, but the size is 1024 (4 sets)");
}

static void lines_divide_into_sectors_and_fills(void **state)
{
    (void)state;
    expect_error_with(12, "    line: 96", "m.yaml:12:5: a line of 96 bytes: it must be a power of two");
    expect_error_with(12, "    line: 64\n    sector: 48",
                      "m.yaml:13:5: sectors of 48 bytes do not divide a line of 64");
    expect_error_with(12, "    line: 64\n    fill: 128", "m.yaml:13:5: a fill of 128 bytes is more than a line of 64");
    expect_error_with(12, "    line: 64\n    fill: 16\n    sector: 32",
                      "m.yaml:13:5: a fill of 16 bytes is not a whole part of a line of 64 with sectors of 32");
    expect_error_with(12, "    line: 128", "m.yaml:17:5: a fill of L1, 128 bytes, is more than a line of 64");
}

static void a_hash_is_as_wide_as_the_sets(void **state)
{
    (void)state;
    expect_error_with(13, "    ways: 4\n    index: bits\n    set_bits: [[6], [7], [8]]",
                      "m.yaml:15:5: 3 bits choose among 8 sets, but there are 4");
    expect_error_with(13, "    ways: 4\n    index: bits\n    set_bits: [[6, 8], [5, 7]]",
                      "m.yaml:15:5: bit 1 of the set depends on address bit 5, which is within a line of 64");
    expect_error_with(13, "    ways: 4\n    index: bits\n    set_bits: [[6, 8], [6, 8]]",
                      "m.yaml:15:5: a set bit is a function of the others: some sets would never be used");
    expect_error_with(13, "    ways: 4\n    index: bits\n    set_bits: [[6, 6], [7]]",
                      "m.yaml:15:20: address bit 6 is given twice");
    expect_error_with(13, "    ways: 4\n    index: bits", "m.yaml:14:5: 'index: bits' needs 'set_bits'");
    expect_error_with(13, "    ways: 4\n    set_bits: [[6], [7]]", "m.yaml:14:5: 'set_bits' are for 'index: bits'");
}

static void limits_on_mshrs_need_mshrs(void **state)
{
    (void)state;
    expect_error_with(13, "    ways: 4\n    mshrs: 0\n    mshrs_per_warp: 6",
                      "m.yaml:15:5: this limits MSHRs, but 'mshrs' is 0 or absent, which means no limit");
    expect_error_with(13, "    ways: 4\n    mshr_merges: 8",
                      "m.yaml:14:5: this limits MSHRs, but 'mshrs' is 0 or absent, which means no limit");
    expect_error_with(13, "    ways: 4\n    mshrs: 4\n    mshrs_per_warp: 6",
                      "m.yaml:15:5: a warp cannot have 6 of 4 MSHRs");
}

static void replacement_is_a_policy_with_its_parameters(void **state)
{
    (void)state;
    char *whole = with_line(13, "    ways: 4\n    replacement: drrip(bits=3, leaders=4, selector_bits=8)");
    sl_machine machine;
    sl_error error;
    assert_int_equal(parse(whole, &machine, &error), SL_OK);
    assert_string_equal(machine.level[0].replacement, "drrip(bits=3, leaders=4, selector_bits=8)");
    free(whole);
    expect_error_with(13, "    ways: 4\n    replacement: fiffo",
                      "m.yaml:14:5: no policy is called 'fiffo'; the nearest is 'fifo'");
    expect_error_with(18, "    ways: 8\n    replacement: srrip(bits=0)",
                      "m.yaml:19:5: policy 'srrip': 'bits' is from 1 to 8, not 0");
}

static void instances_share_out_the_cores(void **state)
{
    (void)state;
    expect_error_with(19, "    cores_per_instance: 3",
                      "m.yaml:19:5: 4 cores cannot be divided among instances for 3 cores each");
    expect_error_with(14,
                      "    cores_per_instance: 4\n  - {name: L1b, size: 1K, line: 64, ways: 4, cores_per_instance: 2}",
                      "m.yaml:15:46: an instance for 2 cores cannot serve whole instances of L1, for 4 each");
    expect_error_with(15, "  - name: L1", "m.yaml:15:5: there are two levels 'L1'");
    expect_error_with(18, "    ways: 8\n    banks: 3",
                      "m.yaml:19:5: 8 sets do not spread evenly over 3 banks; these "
                      "sizes fit: 3K, 4608");
    expect_error_with(7, "  warps: 1", "m.yaml:7:3: 1 warps of 32 lanes do not match the 64 threads of a core");
}

static void some_cores_can_be_a_small_gpc_but_not_all(void **state)
{
    (void)state;
    expect_error_with(8, "  blocks: 2\n  small_gpc_cores: 4000",
                      "m.yaml:9:3: a small GPC of 4000 cores, but there are 4 cores in all");
    expect_error_with(8, "  blocks: 2\n  small_gpc_cores: 1",
                      "m.yaml:9:3: 'small_gpc_cores' needs 'small_gpc_interval', the blocks scheduled to other cores "
                      "between its waves");
}

static void carve_outs_are_parts_of_what_is_unified(void **state)
{
    (void)state;
    expect_error_with(8, "  blocks: 2\n  carve_outs: [0]",
                      "m.yaml:9:3: 'carve_outs' are parts of 'unified', which is absent");
    expect_error_with(8, "  blocks: 2\n  unified: 1K",
                      "m.yaml:9:3: 'unified' needs 'carve_outs', the possible sizes of shared memory in it");
    expect_error_with(8, "  blocks: 2\n  unified: 1K\n  carve_outs: [0, 512, 256]",
                      "m.yaml:10:3: carve-outs ascend, but 256 follows 512");
    expect_error_with(8, "  blocks: 2\n  unified: 1K\n  carve_outs: [0, 1K]",
                      "m.yaml:10:3: a carve-out of 1024 bytes takes all of the 1024 unified bytes");
    expect_error_with(8, "  blocks: 2\n  unified: 1K\n  carve_outs: [0, 100]",
                      "m.yaml:10:3: a carve-out of 100 bytes leaves 924 for L1, which is not a whole number of sets "
                      "(256 bytes each)");
    expect_error_with(
        8, "  blocks: 2\n  unified: 2K\n  carve_outs: [0, 512]",
        "m.yaml:13:5: L1 has 1024 bytes, but 2048 of the unified part are left for L1 by the smallest carve-out");
    expect_error_with(8, "  blocks: 2\n  unified: 1K\n  carve_outs: [0, 512]\n  carve_out_needs: [0]",
                      "m.yaml:11:3: 1 needs for 2 carve-outs");
}

/* ---- variants ---- */

static void a_variant_holds_only_what_is_different(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    static const char text[] = "based_on: h200\nname: mine\nsummary: an H200 with half the cores\ncores: 66\n"
                               "levels:\n  - {name: L2, size: 30M}\n";
    assert_int_equal(parse(text, &machine, &error), SL_OK);
    assert_string_equal(machine.name, "mine");
    assert_int_equal(machine.cores, 66);
    assert_int_equal(machine.level[1].sets, 15360);
    assert_int_equal(machine.level[1].cores_per_instance, 66); /* 'all' of the machine it has become */
    assert_int_equal(machine.level[1].fill_bytes, 64);
    assert_int_equal(machine.core.carve_outs, 10);
    for (size_t i = strlen(machine.name); i < sizeof machine.name; i++)
        assert_int_equal(machine.name[i], 0);
}

static void a_variant_is_checked_as_a_whole(void **state)
{
    (void)state;
    expect_error("based_on: h200\nname: m\nsummary: s\nlevels:\n  - name: L2\n    ways: 7\n",
                 "m.yaml:5:5: 62914560 bytes are not a whole number of sets of 7 lines of 128 bytes; these sizes fit: "
                 "61404K, 61488K");
    expect_error("based_on: hd7770\nname: m\nsummary: s\ncore:\n  warps: 20\n  threads: 2000\n",
                 "m.yaml:5:3: 20 warps of 64 lanes do not match the 2000 threads of a core");
    expect_error("based_on: h200\nname: m\nsummary: s\nlevels:\n  - name: L3\n    ways: 8\n",
                 "m.yaml:5:5: the machine this one is based on has no level 'L3'; did you mean 'L1'?");
    expect_error("based_on: h20\nname: m\nsummary: s\n", "m.yaml:1:11: unknown GPU model 'h20'; the nearest is 'h200'");
}

static void a_variant_needs_no_name(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    assert_int_equal(parse("based_on: h200\n", &machine, &error), SL_OK);
    assert_string_equal(machine.name, "m");
    assert_string_equal(machine.summary, "variant of h200");
    assert_int_equal(machine.cores, 132);
}

static sl_machine load_set(const char *name, const char *setting)
{
    sl_machine machine;
    sl_error error = {0};
    if (sl_machine_load_with(name, &setting, 1, &machine, &error))
        fail_msg("%s", error.text);
    return machine;
}

static void what_is_not_set_follows_what_is(void **state)
{
    (void)state;
    sl_machine m = load_set("h200", "cores=1");
    assert_int_equal(m.core.small_gpc_cores, 0);
    assert_int_equal(m.level[0].coalesce_requests, 1);
    assert_int_equal(m.level[1].cores_per_instance, 1);
    m = load_set("h200", "cores=66");
    assert_int_equal(m.core.small_gpc_cores, 8);
    m = load_set("rx6900xt", "cores=64"); /* 10 cores share an L1 */
    assert_int_equal(m.level[1].cores_per_instance, 8);
    m = load_set("rx6900xt", "cores=4");
    assert_int_equal(m.level[1].cores_per_instance, 4);
    m = load_set("h200", "L1.size=64K");
    assert_int_equal(m.level[0].size_bytes, 65536);
    assert_int_equal(m.core.unified_bytes, 0);
    assert_int_equal(m.core.shared_bytes, 228 * 1024);
    m = load_set("h200", "core.unified=128K");
    assert_int_equal(m.level[0].size_bytes, 120 * 1024);
    assert_int_equal(m.core.shared_bytes, 100 * 1024);
    m = load_set("h200", "core.warps=32");
    assert_int_equal(m.core.threads, 1024);
    m = load_set("fermi-gtx470", "L1.size=64K"); /* its set bits are followed by plain ones */
    assert_int_equal(m.level[0].sets, 128);
    m = load_set("fermi-gtx470", "L1.ways=8");
    assert_int_equal(m.level[0].sets, 16);
    m = load_set("fermi-gtx470", "L1.line=64");
    assert_int_equal(m.level[0].sector_bytes, 64);
}

static void variants_of_variants_end(void **state)
{
    (void)state;
    char path[] = "/tmp/sluice-machine-XXXXXX", file[64];
    sl_machine machine;
    sl_error error;
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/m.yaml", path);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("based_on: m.yaml\nname: m\nsummary: s\n", f); /* found next to the file that names it */
    fclose(f);
    assert_int_equal(sl_machine_load(file, &machine, &error), SL_SYNTAX);
    assert_string_equal(error.text, "machines are based on each other, or on more than 8 others");
    assert_string_equal(error.file, file);
    unlink(file);
    rmdir(path);
}

/* ---- settings ---- */

static void settings_change_keys_and_what_follows_from_them(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    const char *const settings[] = {"L1.size=64K",   "L1.index=modulo",  "cores=7",
                                    "core.warps=24", "core.threads=768", "memory.latency_cycles=400"};
    assert_int_equal(sl_machine_load_with("fermi-gtx470", settings, 6, &machine, &error), SL_OK);
    assert_int_equal(machine.level[0].sets, 128);
    assert_int_equal(machine.level[1].cores_per_instance, 7);
    assert_int_equal(machine.core.warps, 24);
    assert_int_equal(machine.memory.latency_cycles, 400);
    const char *line = "L1.line=64";
    assert_int_equal(sl_machine_load_with("hd7770", &line, 1, &machine, &error), SL_OK);
    assert_int_equal(machine.level[0].sector_bytes, 64);
}

static void expect_bad_setting(const char *setting, const char *message)
{
    sl_machine machine;
    sl_error error;
    assert_int_not_equal(sl_machine_load_with("fermi-gtx470", &setting, 1, &machine, &error), SL_OK);
    assert_string_equal(error.text, message);
}

static void a_wrong_setting_is_told_what_is_wrong(void **state)
{
    (void)state;
    expect_bad_setting("L1", "'L1' is not a machine setting; write KEY=VALUE, as cores=8 or L1.size=32K");
    expect_bad_setting("L3.ways=8", "fermi-gtx470 has no level 'L3'; did you mean 'L1'?");
    expect_bad_setting("L1.wayz=8", "a level has no key 'wayz'; did you mean 'ways'?");
    expect_bad_setting("warps=8", "a machine has no key 'warps'; it is one of a core");
    expect_bad_setting("L1.ways=0", "'ways' is from 1 to 65536, not 0");
    expect_bad_setting("L1.set_bits=[[7]]", "'set_bits' takes a list");
    expect_bad_setting("L1.replacement=random(seed=3)",
                       "fermi-gtx470, L1, replacement: policy 'random' has no parameters, so not 'seed' either");
    expect_bad_setting("L1.size=100K",
                       "fermi-gtx470, L1, size: 200 sets cannot be chosen by bits; these sizes fit: 64K, 128K");
}

static void the_first_level_can_be_resized_by_sets_or_by_ways(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    load("h200", &machine);
    assert_int_equal(sl_machine_resize_first(&machine, 20 << 10, &error), SL_OK);
    assert_int_equal(machine.level[0].sets, 20);
    assert_int_equal(machine.level[0].ways, 8);
    assert_int_equal(sl_machine_resize_first(&machine, 1000, &error), SL_INVALID);
    assert_string_equal(error.text, "h200, L1: 1000 bytes are not a whole number of sets (1024 bytes each)");
    load("fermi-gtx470", &machine); /* its sets are given by bits */
    assert_int_equal(sl_machine_resize_first(&machine, 8 << 10, &error), SL_OK);
    assert_int_equal(machine.level[0].sets, 32);
    assert_int_equal(machine.level[0].ways, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_machine_loads_under_its_own_name),
        cmocka_unit_test(the_fermi_of_the_reuse_distance_paper_hashes_five_bits),
        cmocka_unit_test(its_48_kb_variant_has_bit_12_in_front),
        cmocka_unit_test(machines_have_as_many_levels_as_they_need),
        cmocka_unit_test(gpus_have_the_sizes_of_their_data_sheets),
        cmocka_unit_test(a_variant_is_not_trusted_as_its_base_is),
        cmocka_unit_test(what_a_description_leaves_out_is_derived),
        cmocka_unit_test(a_mix_of_all_bits_uses_every_set),
        cmocka_unit_test(a_rotated_index_is_even_for_neighbors_and_for_strides),
        cmocka_unit_test(a_wrong_machine_is_told_the_nearest),
        cmocka_unit_test(a_wrong_key_is_told_the_nearest),
        cmocka_unit_test(a_key_is_there_once),
        cmocka_unit_test(a_required_key_is_missed),
        cmocka_unit_test(a_value_has_the_type_of_its_key),
        cmocka_unit_test(a_value_is_within_its_range),
        cmocka_unit_test(text_that_is_not_yaml_is_told_where),
        cmocka_unit_test(a_size_is_whole_sets),
        cmocka_unit_test(lines_divide_into_sectors_and_fills),
        cmocka_unit_test(a_hash_is_as_wide_as_the_sets),
        cmocka_unit_test(limits_on_mshrs_need_mshrs),
        cmocka_unit_test(replacement_is_a_policy_with_its_parameters),
        cmocka_unit_test(instances_share_out_the_cores),
        cmocka_unit_test(some_cores_can_be_a_small_gpc_but_not_all),
        cmocka_unit_test(carve_outs_are_parts_of_what_is_unified),
        cmocka_unit_test(a_variant_holds_only_what_is_different),
        cmocka_unit_test(a_variant_is_checked_as_a_whole),
        cmocka_unit_test(a_variant_needs_no_name),
        cmocka_unit_test(what_is_not_set_follows_what_is),
        cmocka_unit_test(variants_of_variants_end),
        cmocka_unit_test(settings_change_keys_and_what_follows_from_them),
        cmocka_unit_test(a_wrong_setting_is_told_what_is_wrong),
        cmocka_unit_test(the_first_level_can_be_resized_by_sets_or_by_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
