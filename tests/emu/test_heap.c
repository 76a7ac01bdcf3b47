/* SPDX-License-Identifier: MIT */
/* Device memory: the same addresses whoever else has some, each heap with bytes of its own. */
#include "support.h"

#include <string.h>

#include "emu/heap.h"

static sl_error error;

static sl_heap *open_heap(bool host_addresses)
{
    sl_heap *heap = NULL;
    if (sl_heap_create(false, host_addresses, &heap, &error))
        fail_msg("%s", error.text);
    return heap;
}

static uint64_t allocate(sl_heap *heap, uint64_t bytes)
{
    uint64_t addr = 0;
    assert_int_equal(sl_heap_alloc(heap, bytes, SL_ALLOC_DEVICE, NULL, &addr, &error), SL_OK);
    return addr;
}

static void heaps_side_by_side_hand_out_the_same_addresses_for_bytes_of_their_own(void **state)
{
    (void)state;
    enum { HEAPS = 32 };
    static const uint64_t sizes[] = {1, 1000, 3 << 20, 0, 64 << 20, 512};
    sl_heap *heap[HEAPS];
    uint64_t first[sizeof sizes / sizeof *sizes];
    for (int i = 0; i < HEAPS; i++) {
        heap[i] = open_heap(false);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            uint64_t addr = allocate(heap[i], sizes[k]);
            if (i == 0)
                first[k] = addr;
            assert_int_equal(addr, first[k]);
        }
        memset(sl_heap_host(heap[i], first[1]), i, 1000);
    }
    for (int i = 0; i < HEAPS; i++) {
        const uint8_t *bytes = sl_heap_host(heap[i], first[1]);
        assert_ptr_equal(bytes, (void *)(uintptr_t)(first[1] + sl_heap_shift(heap[i])));
        for (int k = 0; k < 1000; k++)
            assert_int_equal(bytes[k], i);
        sl_heap_destroy(heap[i]);
    }
}

static void addresses_can_be_those_of_the_host(void **state)
{
    (void)state;
    sl_heap *one = open_heap(true), *two = open_heap(true), *apart = open_heap(false);
    uint64_t a = allocate(one, 100), b = allocate(two, 100), c = allocate(apart, 100);
    memset((void *)(uintptr_t)a, 1, 100);
    memset((void *)(uintptr_t)b, 2, 100);
    memset(sl_heap_host(apart, c), 3, 100);
    assert_int_not_equal(a, b);
    assert_ptr_equal(sl_heap_host(one, a), (void *)(uintptr_t)a);
    assert_ptr_equal(sl_heap_host(two, b), (void *)(uintptr_t)b);
    assert_int_equal(*(uint8_t *)(uintptr_t)a, 1);
    assert_int_equal(*(uint8_t *)(uintptr_t)b, 2);
    sl_heap_destroy(one);
    sl_heap_destroy(two);
    sl_heap_destroy(apart);
}

static void host_memory_can_be_registered_only_where_addresses_are_the_hosts(void **state)
{
    (void)state;
    static char memory[64];
    sl_heap *unified = open_heap(true), *apart = open_heap(false);
    assert_int_equal(sl_heap_register(unified, memory, sizeof memory, &error), SL_OK);
    assert_true(sl_heap_contains(unified, (uintptr_t)memory, sizeof memory));
    assert_int_equal(sl_heap_register(apart, memory, sizeof memory, &error), SL_INVALID);
    sl_heap_destroy(unified);
    sl_heap_destroy(apart);
}

static void reserved_addresses_are_an_allocation_only_while_something_is_placed_there(void **state)
{
    (void)state;
    const uint64_t page = 2 << 20;
    sl_heap *heap = open_heap(true), *apart = open_heap(false);
    uint64_t range, after;
    assert_int_equal(sl_heap_reserve(heap, 2 * page, 4 * page, &range, &error), SL_OK);
    assert_int_equal(range % (4 * page), 0);
    assert_int_equal(sl_heap_alloc(heap, 64, SL_ALLOC_DEVICE, NULL, &after, &error), SL_OK);
    assert_true(after >= range + 2 * page);
    assert_null(sl_heap_find(heap, range));
    assert_int_equal(sl_heap_place(heap, range + page, page, "mapped", &error), SL_OK);
    assert_false(sl_heap_contains(heap, range, 4));
    assert_true(sl_heap_contains(heap, range + page, page));
    sl_heap_withdraw(heap, range + page);
    assert_int_equal(sl_heap_place(heap, range, 2 * page, "mapped", &error), SL_OK);
    assert_true(sl_heap_contains(heap, range + page - 8, 16));
    sl_heap_withdraw(heap, range);
    assert_null(sl_heap_find(heap, range + page));
    assert_int_equal(sl_heap_live_bytes(heap), 64);
    assert_int_equal(sl_heap_reserve(apart, page, 0, &range, &error), SL_NO_MEMORY);
    sl_heap_destroy(heap);
    sl_heap_destroy(apart);
}

/* Copies of two allocations of a GPU, 5 GB apart, at the addresses that they have there. */
static void memory_of_another_device_has_its_addresses(void **state)
{
    (void)state;
    const uint64_t first = 0x7f1234000200, second = first + 5 * (UINT64_C(1) << 30), bytes = 4096;
    sl_heap *heap;
    if (sl_heap_create_around(first, second + bytes - first, &heap, &error) ||
        sl_heap_place(heap, first, bytes, NULL, &error) || sl_heap_place(heap, second, bytes, NULL, &error))
        fail_msg("%s", error.text);
    memset(sl_heap_host(heap, first), 1, bytes);
    memset(sl_heap_host(heap, second), 2, bytes);
    assert_true(sl_heap_contains(heap, first, bytes) && sl_heap_contains(heap, second, bytes));
    assert_false(sl_heap_contains(heap, first + bytes, 1));
    uint64_t other = allocate(heap, bytes);
    assert_true(other >= second + bytes);
    memset(sl_heap_host(heap, other), 3, bytes);
    assert_int_equal(*(uint8_t *)sl_heap_host(heap, second + bytes - 1), 2);
    sl_heap_destroy(heap);
    assert_int_equal(sl_heap_create_around(4096, UINT64_C(1) << 46, &heap, &error), SL_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_side_by_side_hand_out_the_same_addresses_for_bytes_of_their_own),
        cmocka_unit_test(addresses_can_be_those_of_the_host),
        cmocka_unit_test(host_memory_can_be_registered_only_where_addresses_are_the_hosts),
        cmocka_unit_test(reserved_addresses_are_an_allocation_only_while_something_is_placed_there),
        cmocka_unit_test(memory_of_another_device_has_its_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
