/* SPDX-License-Identifier: MIT */
/* What the emulator tells of a launch while it runs. */
#include "emu/harness.h"

typedef struct heard {
    char phase[32];
    uint32_t calls;
    uint64_t last, total;
} heard;

static void note(void *context, const char *what, uint64_t done, uint64_t total)
{
    heard *h = context;
    if (!done && !total) {
        *h = (heard){0};
        snprintf(h->phase, sizeof h->phase, "%s", what);
        return;
    }
    assert_string_equal(what, "blocks");
    assert_true(done >= h->last && done <= total);
    h->calls++;
    h->last = done;
    h->total = total;
}

static void launch(uint32_t threads, const char *body, uint32_t blocks, sl_status expected, heard *h)
{
    const sl_progress progress = {note, h};
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = threads, .progress = &progress});
    rig_load(r, body);
    uint32_t *out = rig_buffer(r, (size_t)blocks * 32 * 4);
    assert_int_equal(TRY(r, blocks, 32, P(out), 0, 0), expected);
    rig_close(r);
}

#define STORES PTX("st.global.u32 [%d2], %r1;\nret;\n")

static void a_launch_tells_how_many_of_its_blocks_have_ended(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        heard h = {0};
        launch(threads, STORES, 3, SL_OK, &h);
        assert_string_equal(h.phase, "kernel k");
        assert_int_equal(h.calls, 4); /* each block, and the end */
        assert_int_equal(h.last, 3);
        assert_int_equal(h.total, 3);
        launch(threads, STORES, 2500, SL_OK, &h);
        assert_in_range(h.calls, 400, 501); /* however many blocks there are */
        assert_int_equal(h.last, 2500);
    }
}

/* Whoever shows progress clears it then. */
static void a_launch_that_failed_has_ended_as_well(void **state)
{
    (void)state;
    heard h = {0};
    launch(1, PTX("trap;\n"), 5, SL_FAULT, &h);
    assert_int_equal(h.last, 5);
    assert_int_equal(h.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(a_launch_tells_how_many_of_its_blocks_have_ended),
        IT(a_launch_that_failed_has_ended_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
