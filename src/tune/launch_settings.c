/* SPDX-License-Identifier: MIT */
#include "tune/launch_settings.h"

/* So much shared memory that an SM holds only so many blocks: the smallest part of L1 that holds that many with as much
 * more as leaves no room for another. */
static void hold_fewer(sl_device_launch *launch, uint32_t blocks, const sl_gpu_limits *limits, uint32_t static_shared)
{
    static const uint32_t sizes[] = {8, 16, 32, 64, 100, 132, 164, 196, 228}; /* KB; drivers take the next larger */
    enum { GRAIN = 128 };
    uint32_t most = limits->shared_per_sm, reserved = limits->reserved_shared_per_block;
    uint32_t need = static_shared + launch->dynamic_shared_bytes + reserved;
    for (size_t i = 0; blocks && i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t size = sizes[i] << 10, each = size / blocks / GRAIN * GRAIN;
        if (size > most || each < need + GRAIN || each - reserved - static_shared > limits->shared_per_block_optin)
            continue;
        launch->dynamic_shared_bytes = each - reserved - static_shared;
        launch->settings.shared_percent_plus = 1 + (uint32_t)((uint64_t)size * 100 / most);
        return;
    }
}

void sl_launch_set(sl_device_launch *launch, unsigned mode, const sl_gpu_limits *limits, const sl_residency *residency,
                   const sl_device_range *window)
{
    const sl_control *control = &sl_controls[mode];
    switch (control->setting) {
    case SL_SETTING_BLOCKS:
        hold_fewer(launch, residency->blocks >> control->log2_fewer_blocks, limits, residency->static_shared_bytes);
        break;
    case SL_SETTING_CARVE_OUT:
        launch->settings.shared_percent_plus = 1u + control->shared_percent;
        break;
    case SL_SETTING_WINDOW:
        launch->settings.window = window ? window->addr : 0;
        launch->settings.window_bytes = window ? window->bytes : 0;
        break;
    default:
        break;
    }
}
