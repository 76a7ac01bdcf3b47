/* SPDX-License-Identifier: MIT */
/* Kernels that nobody would write, run on the emulator: they end within their budget, or are refused, or fault; nothing
 * else. Input that begins with a '.' or '/' is PTX text. Any other is a recipe: its first bytes choose the launch, and
 * whether allocations fail. Every kernel of the module is launched. */
#include <time.h>

#include "emu/emu.h"
#include "recipe.h"

/* SLACK: limits are looked at every 4096 iterations of a loop. */
enum { BUFFER_BYTES = 4096, MAX_KERNELS = 4, MAX_INSTRUCTIONS = 3000, MAX_SECONDS = 10, SLACK = 4096 * 256 };

/* ---- memory that runs out ---- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static long until_failure = -1; /* allocations; -1: none fails */

static bool fails(void)
{
    return until_failure >= 0 && __atomic_fetch_sub(&until_failure, 1, __ATOMIC_RELAXED) == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

/* ---- running ---- */

static size_t printed;

static void count_text(void *context, const char *text, size_t length)
{
    (void)context;
    printed += length;
    (void)text;
}

static void ignore_stray(void *context, const sl_error *first, uint64_t accesses)
{
    (void)context, (void)first, (void)accesses;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_kernels(sl_emu *emu, const sl_ptx_module *module, const uint8_t *head)
{
    uint8_t params[4096] = {0};
    uint64_t buffer[2] = {0};
    sl_emu_program *program = NULL;
    sl_error error = {0};
    uint32_t kernels = 0;
    for (int i = 0; i < 2; i++)
        if (sl_heap_alloc(sl_emu_heap(emu), BUFFER_BYTES, SL_ALLOC_DEVICE, NULL, &buffer[i], &error))
            return;
    sl_heap_mark_written(sl_emu_heap(emu), buffer[0], BUFFER_BYTES);
    memcpy(params, buffer, sizeof buffer);
    params[16] = head[1];
    if (sl_emu_load(emu, &module, 1, &program, &error))
        return;
    for (uint32_t i = 0; i < module->funcs && kernels < MAX_KERNELS; i++) {
        sl_emu_kernel *kernel = NULL;
        const sl_ptx_func *func = module->func[i];
        if (!func->entry || sl_emu_kernel_get(program, func->name, &kernel, &error) ||
            func->param_bytes > sizeof params)
            continue;
        sl_emu_launch launch = {.grid = {1 + head[1] % 3, 1, 1},
                                .block = {1 + head[2] % 70, 1 + head[2] / 128, 1},
                                .dynamic_shared_bytes = head[3] * 16u,
                                .params = params,
                                .param_bytes = func->param_bytes,
                                .cooperative = head[1] & 128};
        sl_launch_stats stats = {0};
        double before = cpu_seconds();
        printed = 0;
        sl_emu_run(emu, kernel, &launch, &stats, &error);
        /* An overrun of the budget is a finding. */
        if (stats.warp_insts > MAX_INSTRUCTIONS + SLACK || printed > SL_PRINTF_BYTES ||
            cpu_seconds() - before > MAX_SECONDS)
            abort();
        kernels++;
    }
    sl_emu_unload(emu, program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t head[5] = {0, 1, 33, 4, 0};
    sl_ptx_module *module = NULL;
    sl_error error = {0};
    sl_emu *emu = NULL;
    recipe *r = calloc(1, sizeof *r);
    bool text = size && (data[0] == '.' || data[0] == '/');
    if (!r)
        return 0;
    *r = (recipe){.data = data, .size = size};
    for (int i = 0; i < 5 && !text; i++)
        head[i] = next(r);
    r->ill_typed = head[0] & 16;
    if (!text)
        write_kernel(r);
    sl_status status = text ? sl_ptx_parse((const char *)data, size, "fuzz", &module, &error)
                            : sl_ptx_parse(r->text, r->used, "recipe", &module, &error);
    const sl_emu_config config = {.settings = {.lanes = head[0] & 1 ? 64 : 32,
                                               .threads = head[0] & 2 ? 2 : 1,
                                               .check = head[0] & 4 ? SL_CHECK_UNINIT : SL_CHECK_GPU,
                                               .isa = head[0] & 8 ? sl_emu_isa_at(1) : NULL,
                                               .max_instructions = MAX_INSTRUCTIONS},
                                  .print = count_text,
                                  .stray = head[0] & 64 ? ignore_stray : NULL};
    until_failure = head[0] & 32 ? head[4] * 4 : -1;
    if (!status && !sl_emu_create(&config, &emu, &error))
        run_kernels(emu, module, head);
    until_failure = -1;
    sl_emu_destroy(emu);
    sl_ptx_free(module);
    free(r);
    return 0;
}
