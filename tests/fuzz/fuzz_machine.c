/* SPDX-License-Identifier: MIT */
/* Any bytes: a description is accepted or refused with a place and a reason. What is accepted stays as it is when it is
 * checked again, puts every address into one of its sets, and takes blocks with every carve-out it chooses. */
#include <stdlib.h>
#include <string.h>

#include "machine/occupancy.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

static void use(const sl_machine *machine)
{
    sl_error error;
    sl_trace_kernel kernel = {.name = "k", .regs_per_thread = 40, .static_shared_bytes = 3000};
    sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .lanes = machine->lanes};
    for (launch.block[0] = 32; launch.block[0] <= 1024; launch.block[0] *= 2) {
        sl_occupancy occupancy;
        sl_machine resized = *machine;
        if (sl_occupancy_of(machine, &kernel, &launch, &occupancy, &error) == SL_OK) {
            CHECK(occupancy.blocks && occupancy.blocks <= machine->core.blocks);
            CHECK(occupancy.warps <= machine->core.warps);
            CHECK(sl_machine_resize_first(&resized, occupancy.l1_bytes, &error) == SL_OK);
            CHECK(sl_machine_check(&resized, &error) == SL_OK || machine->core.unified_bytes);
        }
    }
    for (uint32_t i = 0; i < machine->levels; i++)
        for (uint64_t address = 1; address; address = address * 2 + (address < 1u << 20))
            CHECK(sl_level_set(&machine->level[i], address) < machine->level[i].sets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sl_machine machine, again;
    sl_error error = {0};
    if (sl_machine_parse("fuzz", (const char *)data, size, &machine, &error) != SL_OK) {
        CHECK(error.text[0] && (error.status == SL_NO_MEMORY || (error.line && error.column)));
        return 0;
    }
    again = machine;
    CHECK(sl_machine_check(&again, &error) == SL_OK);
    CHECK(!memcmp(&again, &machine, sizeof machine));
    use(&machine);
    return 0;
}
