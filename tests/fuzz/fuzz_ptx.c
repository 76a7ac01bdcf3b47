/* SPDX-License-Identifier: MIT */
/* Any bytes: the parser accepts or refuses them with a place and a reason. What it accepts prints as text that parses
 * to a module that prints the same, and has basic blocks and address origins. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/base_array.h"
#include "ptx/cfg.h"
#include "ptx/module.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

static void analyse(const sl_ptx_module *module)
{
    sl_error error;
    for (uint32_t i = 0; i < module->funcs; i++) {
        const sl_ptx_func *func = module->func[i];
        sl_arena arena;
        sl_cfg cfg;
        sl_base *bases;
        sl_arena_init(&arena);
        if (sl_cfg_build(module, func, &arena, &cfg, &error) == SL_OK)
            for (uint32_t b = 0; b < cfg.blocks; b++) {
                CHECK(cfg.block[b].succs && cfg.block[b].count);
                for (uint32_t k = 0; k < cfg.block[b].joins; k++)
                    CHECK(cfg.block[b].join[k] >= 0 && cfg.block[b].join[k] < (int32_t)cfg.blocks);
            }
        CHECK(sl_base_arrays(func, &arena, &bases, &error) == SL_OK);
        sl_arena_fini(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sl_ptx_module *module, *again;
    sl_error error = {0};
    char *text, *second;
    size_t length, second_length;
    if (sl_ptx_parse((const char *)data, size, "fuzz", &module, &error) != SL_OK) {
        CHECK(error.text[0] && (error.status != SL_SYNTAX || (error.line && error.column)));
        return 0;
    }
    analyse(module);
    CHECK(sl_ptx_print(module, &text, &length, &error) == SL_OK);
    CHECK(sl_ptx_parse(text, length, "printed", &again, &error) == SL_OK);
    CHECK(sl_ptx_print(again, &second, &second_length, &error) == SL_OK);
    CHECK(length == second_length && !memcmp(text, second, length));
    free(text);
    free(second);
    sl_ptx_free(module);
    sl_ptx_free(again);
    return 0;
}
