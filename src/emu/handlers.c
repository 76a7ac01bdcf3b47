/* SPDX-License-Identifier: MIT */
/* Which set of handlers runs: the best that this CPU can, or the one asked for. */
#include <string.h>

#include "emu/code.h"
#include "emu/emu.h"

#ifdef SL_EXEC_PORTABLE
#define SL_SETS(M) M(portable)
#else
#define SL_SETS(M) M(v3) M(v2)
#endif

#define SL_DECLARE(isa)                                                                                                \
    const sl_handler_set *sl_exec_set_##isa##_32(void);                                                                \
    const sl_handler_set *sl_exec_set_##isa##_64(void);
SL_SETS(SL_DECLARE)

static bool runs_here(const char *isa)
{
#ifndef SL_EXEC_PORTABLE
    if (!strcmp(isa, "v3"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#else
    (void)isa;
    return true;
#endif
}

const sl_handler_set *sl_handlers_choose(const char *isa, uint64_t lanes)
{
    bool any = !isa || !strcmp(isa, "best");
#define SL_TRY(name)                                                                                                   \
    if ((any || !strcmp(isa, #name)) && runs_here(#name))                                                              \
        return lanes == 64 ? sl_exec_set_##name##_64() : sl_exec_set_##name##_32();
    SL_SETS(SL_TRY)
    return NULL;
}

const char *sl_emu_isa_at(size_t index)
{
#define SL_NAME(name) #name,
    static const char *const names[] = {SL_SETS(SL_NAME)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (runs_here(names[i]) && !index--)
            return names[i];
    return NULL;
}
