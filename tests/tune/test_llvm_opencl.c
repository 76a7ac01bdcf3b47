/* SPDX-License-Identifier: MIT */
/* OpenCL kernels, compiled by clang for AMD's GPUs and for NVIDIA's: what a plan sees in the LLVM IR of the one are the
 * groups of loads that it sees in the PTX of the other. Skipped where clang 19 or libclc are missing, or clang cannot
 * compile for amdgcn. */
#include "tune/llvm_test.h"
#include "tune/ptx_loads.h"

#define CLANG      "/usr/bin/clang-19"
#define LIBCLC_AMD "/usr/lib/clc/amdgcn--amdhsa.bc"
#define LIBCLC_NV  "/usr/lib/clc/nvptx64--nvidiacl.bc"
#define SAME                                                                                                           \
    " -x cl -cl-std=CL1.2 -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize -gline-tables-only -gdwarf-2 -w -S "
#define LIBRARY(bc) " -Xclang -mlink-builtin-bitcode -Xclang " bc " "

static const char SOURCE[] =
    "__kernel void rows(__global const int *row, __global const int *col, __global const float *val,\n"
    "                   __global const float *x, __global float *y, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    float sum = 0;\n"
    "    for (int k = row[i]; k < row[i + 1]; k++)\n"
    "        sum += val[k] * x[col[k]];\n"
    "    y[i] = sum;\n"
    "}\n"
    "__kernel void points(__global const float *in, __global float *out, int w)\n"
    "{\n"
    "    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;\n"
    "    float c = in[y * w + x];\n"
    "    float s = in[y * w + x - 1] + in[y * w + x + 1];\n"
    "    s += in[(y - 1) * w + x];\n"
    "    s += in[(y + 1) * w + x];\n"
    "    out[y * w + x] = c + 0.1f * (s - 4 * c);\n"
    "}\n"
    "__kernel void tiles(__global const float *a, __global const float *b, __global float *c, int n)\n"
    "{\n"
    "    __local float s[64];\n"
    "    int l = get_local_id(0), g = get_global_id(0);\n"
    "    s[l] = a[g];\n"
    "    float before = b[g];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    float after = a[g + n] * b[g + n];\n"
    "    c[g] = s[63 - l] * before + after;\n"
    "}\n";

/* "rows param_0: 8" for each group of loads, with its lines, sorted. AMD's back end joins loads of neighboring words,
 * and loads that were moved may have no line. */
static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void write_groups(const sl_load_graph *graph, char *text, size_t size)
{
    enum { MAX_GROUPS = 32 };
    char group[MAX_GROUPS][200];
    uint32_t count = 0;
    for (uint32_t g = 0; g < graph->groups; g++) {
        const sl_load_group *of = &graph->group[g];
        if (of->load[0] >= graph->loads)
            continue;
        assert_true(count < MAX_GROUPS);
        const sl_load *first = &graph->load[of->load[0]];
        size_t at =
            (size_t)snprintf(group[count], sizeof *group, "%s %s:", first->function, first->array ? first->array : "?");
        uint32_t line = 0;
        for (uint32_t n = 0; n < of->loads; n++) { /* by lines, ascending */
            uint32_t next = UINT32_MAX;
            for (uint32_t i = 0; i < of->loads; i++) {
                uint32_t here = graph->load[of->load[i]].source_line;
                if (here > line && here < next)
                    next = here;
            }
            if (next == UINT32_MAX)
                break;
            at += (size_t)snprintf(group[count] + at, sizeof *group - at, " %u", next);
            line = next;
        }
        count++;
    }
    qsort(group, count, sizeof *group, by_text);
    *text = 0;
    for (uint32_t g = 0; g < count; g++)
        snprintf(text + strlen(text), size - strlen(text), "%s\n", group[g]);
}

static char *compiled(const char *command)
{
    char *text = calloc(1, 1 << 20);
    FILE *file = popen(command, "r");
    assert_non_null(text);
    assert_non_null(file);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    assert_int_equal(pclose(file), 0);
    assert_true(length > 0 && length < (1 << 20) - 1);
    return text;
}

static void need_clang(void)
{
    if (access(CLANG, X_OK) || access(LIBCLC_AMD, R_OK) || access(LIBCLC_NV, R_OK) ||
        system(CLANG " --print-targets | grep -q '^ *amdgcn '")) {
        print_message("no clang 19 with libclc that compiles for amdgcn: skipped\n");
        skip();
    }
}

static void ir_of_amd_has_the_groups_of_ptx(void **state)
{
    (void)state;
    static const char expected[] = "points param_0: 15 16 17 18\n"
                                   "rows param_0: 8\n"
                                   "rows param_1: 9\n"
                                   "rows param_2: 9\n"
                                   "rows param_3: 9\n"
                                   "tiles param_0: 25\n"
                                   "tiles param_0: 28\n"
                                   "tiles param_1: 26\n"
                                   "tiles param_1: 28\n";
    char path[] = "/tmp/sluice-test-XXXXXX", command[1024], of_ir[2000], of_ptx[2000];
    need_clang();
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, SOURCE, sizeof SOURCE - 1), sizeof SOURCE - 1);
    close(file);
    snprintf(command, sizeof command,
             CLANG SAME LIBRARY(LIBCLC_AMD) "-target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -emit-llvm -o - %s",
             path);
    char *ir = compiled(command);
    snprintf(command, sizeof command,
             CLANG SAME LIBRARY(LIBCLC_NV) "-target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_75 -o - %s",
             path);
    char *ptx = compiled(command);
    unlink(path);

    version = "19";
    read_code(ir);
    write_groups(sl_llvm_graph(code), of_ir, sizeof of_ir);
    close_code();

    sl_ptx_module *module;
    sl_arena arena;
    sl_load_graph graph;
    assert_int_equal(sl_ptx_parse(ptx, strlen(ptx), "k.ptx", &module, &error), SL_OK);
    sl_arena_init(&arena);
    assert_int_equal(sl_ptx_loads(module, NULL, 0, &arena, &graph, &error), SL_OK);
    write_groups(&graph, of_ptx, sizeof of_ptx);
    sl_arena_fini(&arena);
    sl_ptx_free(module);
    free(ir);
    free(ptx);
    assert_string_equal(of_ir, of_ptx);
    assert_string_equal(of_ptx, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ir_of_amd_has_the_groups_of_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
