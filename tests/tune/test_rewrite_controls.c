/* SPDX-License-Identifier: MIT */
/* Every mode on every load and store of all workloads that can take it: the parser takes what is written, and ptxas
 * does, where there is one. */
#include <sys/wait.h>
#include <unistd.h>

#include "ptx/ptx_test.h"
#include "tune/ptx_loads.h"
#include "tune/rewrite/ptx.h"
#include "workloads/workload.h"

enum { SM = 90 };

/* The n-th mode above 0 that a node can take; of fewer, they are repeated. 0: none. */
static uint8_t nth_mode(const sl_load *load, unsigned n)
{
    unsigned count = (unsigned)__builtin_popcount(load->modes & ~1u), at = 0;
    for (unsigned m = 1; count && m < SL_BYPASS_MODES; m++)
        if (load->modes >> m & 1 && at++ == n % count)
            return (uint8_t)m;
    return 0;
}

/* Variants of a kernel that together have every mode of every access. */
static char *variants_of(const sl_workload *w, const sl_ptx_module *module, const sl_ptx_func *kernel, uint32_t *seen,
                         size_t *length)
{
    sl_arena arena;
    sl_load_graph graph;
    sl_error error = {0};
    unsigned most = 0;
    char *out = NULL;
    sl_arena_init(&arena);
    assert_int_equal(sl_ptx_loads(module, kernel, SM, &arena, &graph, &error), SL_OK);
    for (uint32_t i = 0; i < graph.nodes; i++)
        if (graph.load[i].node != SL_NODE_KERNEL) {
            unsigned count = (unsigned)__builtin_popcount(graph.load[i].modes & ~1u);
            most = count > most ? count : most;
            *seen |= graph.load[i].modes;
        }
    const uint8_t **choice = sl_arena_array(&arena, const uint8_t *, most + 1);
    for (unsigned n = 0; n < most; n++) {
        uint8_t *mode = sl_arena_array(&arena, uint8_t, kernel->insts + 1);
        for (uint32_t i = 0; i < graph.nodes; i++)
            if (graph.load[i].node != SL_NODE_KERNEL)
                mode[graph.load[i].inst] = nth_mode(&graph.load[i], n + i); /* unlike their neighbours */
        choice[n] = mode;
    }
    if (most &&
        sl_ptx_variants(w->ptx, (size_t)(w->ptx_end - w->ptx), module, kernel, choice, most, SM, &out, length, &error))
        fail_msg("%s: %s", w->name, error.text);
    sl_arena_fini(&arena);
    return out;
}

static void assemble(const char *name, const char *text, size_t length)
{
    static const char ptxas[] = "/usr/local/cuda/bin/ptxas";
    char path[] = "/tmp/sluice-controls-XXXXXX", command[256];
    static bool said;
    if (access(ptxas, X_OK)) {
        if (!said)
            print_message("%s is not there: what is written is only parsed\n", ptxas);
        said = true;
        return;
    }
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, length), (ssize_t)length);
    close(file);
    snprintf(command, sizeof command, "%s -O0 -arch=sm_%d -o /dev/null %s", ptxas, SM, path);
    int code = system(command);
    unlink(path);
    if (code)
        fail_msg("ptxas does not take what was made of %s", name);
}

static void every_mode_of_every_access_of_all_workloads_is_taken(void **state)
{
    (void)state;
    uint32_t seen = 0;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        sl_ptx_module *module, *made;
        sl_error error = {0};
        assert_int_equal(sl_ptx_parse(w->ptx, (size_t)(w->ptx_end - w->ptx), w->name, &module, &error), SL_OK);
        for (uint32_t f = 0; f < module->funcs; f++) {
            size_t length = 0;
            const sl_ptx_func *kernel = module->func[f];
            char *out = kernel->entry && kernel->has_body ? variants_of(w, module, kernel, &seen, &length) : NULL;
            if (!out)
                continue;
            if (sl_ptx_parse(out, length, w->name, &made, &error))
                fail_msg("%s: %s", w->name, error.text);
            sl_ptx_free(made);
            assemble(w->name, out, length);
            free(out);
        }
        sl_ptx_free(module);
    }
    /* Of the modes of loads and stores only the read-only path has no case: every workload writes something. */
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (sl_controls[m].node != SL_NODE_KERNEL)
            assert_int_equal(seen >> m & 1, m != SL_BYPASS_NC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_of_every_access_of_all_workloads_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
