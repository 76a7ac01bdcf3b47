/* SPDX-License-Identifier: MIT */
/* A stand-in for ptxas: takes its command line, checks that every kernel of the PTX can run here, and writes a fat
 * binary with the PTX where ptxas writes machine code. Triton loads what TRITON_PTXAS_PATH wrote with cuModuleLoadData,
 * which takes fat binaries, too.
 *
 * Options that choose how ptxas optimizes or what it prints are accepted and have no effect. As ptxas does, it ends
 * with 255 when the PTX is wrong. */
#include "cli/command.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/new_file.h"
#include "base/suggest.h"
#include "emu/emu.h"
#include "ptx/fatbin.h"

enum { EXIT_BAD_PTX = 255, EXIT_BAD_USAGE = 2, EXIT_FAILED = 1 };

typedef struct ptxas {
    const char *input, *output, *arch, *fmad;
    bool verbose, version, help;
    uint32_t sm;
    char suffix;
} ptxas;

typedef enum role { IGNORED, FLAG, TEXT } role;
/* As ptxas spells them: both names with one or two dashes, values behind '=' or in the next argument. */
static const struct {
    const char *name, *letter;
    bool value;
    role role;
    size_t at;
} OPTIONS[] = {
    {"output-file", "o", true, TEXT, offsetof(ptxas, output)},
    {"gpu-name", "arch", true, TEXT, offsetof(ptxas, arch)},
    {"fmad", "fmad", true, TEXT, offsetof(ptxas, fmad)},
    {"verbose", "v", false, FLAG, offsetof(ptxas, verbose)},
    {"version", "V", false, FLAG, offsetof(ptxas, version)},
    {"help", "h", false, FLAG, offsetof(ptxas, help)},
    {"opt-level", "O", true, IGNORED, 0},
    {"generate-line-info", "lineinfo", false, IGNORED, 0},
    {"device-debug", "g", false, IGNORED, 0},
    {"suppress-debug-info", "suppress-debug-info", false, IGNORED, 0},
    {"compile-only", "c", false, IGNORED, 0},
    {"preserve-relocs", "preserve-relocs", false, IGNORED, 0},
    {"disable-optimizer-constants", "disable-optimizer-consts", false, IGNORED, 0},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", true, IGNORED, 0},
    {"machine", "m", true, IGNORED, 0},
    {"maxrregcount", "maxrregcount", true, IGNORED, 0},
    {"warn-on-spills", "warn-spills", false, IGNORED, 0},
    {"warn-on-local-memory-usage", "warn-lmem-usage", false, IGNORED, 0},
    {"warn-on-double-precision-use", "warn-double-usage", false, IGNORED, 0},
    {"disable-warnings", "w", false, IGNORED, 0},
    {"warning-as-error", "Werror", false, IGNORED, 0},
    {"dont-merge-basicblocks", "no-bb-merge", false, IGNORED, 0},
    {"return-at-end", "ret-end", false, IGNORED, 0},
    {"def-load-cache", "dlcm", true, IGNORED, 0},
    {"def-store-cache", "dscm", true, IGNORED, 0},
    {"split-compile", "split-compile", true, IGNORED, 0},
};
enum { OPTIONS_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

bool sl_ptxas_is(const char *program)
{
    const char *slash = strrchr(program, '/');
    return !strcmp(slash ? slash + 1 : program, "sluice-ptxas");
}

/* ---- the command line ---- */

static bool is_named(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && !strncmp(text, name, length);
}

/* The option that `text`, without its dashes, names; *value is what is attached to it. -1: none. */
static int find_option(const char *text, const char **value)
{
    size_t length = strcspn(text, "=");
    *value = text[length] ? text + length + 1 : NULL;
    for (int i = 0; i < OPTIONS_COUNT; i++)
        if (is_named(text, length, OPTIONS[i].name) || is_named(text, length, OPTIONS[i].letter))
            return i;
    for (int i = 0; i < OPTIONS_COUNT; i++) /* -O3, -m64 */
        if (OPTIONS[i].value && !OPTIONS[i].letter[1] && *text == *OPTIONS[i].letter && isdigit(text[1])) {
            *value = text + 1;
            return i;
        }
    return -1;
}

static int usage_error(const char *format, const char *what)
{
    fputs("sluice-ptxas: ", stderr);
    fprintf(stderr, format, what);
    fputs("\n'sluice-ptxas --help' lists its options.\n", stderr);
    return EXIT_BAD_USAGE;
}

static int read_option(ptxas *p, char **argv, int *i)
{
    const char *value, *text = argv[*i] + strspn(argv[*i], "-");
    int option = find_option(text, &value);
    if (option < 0) {
        const char *names[OPTIONS_COUNT];
        char near[64], name[64];
        for (int n = 0; n < OPTIONS_COUNT; n++)
            names[n] = OPTIONS[n].name;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
        fprintf(stderr, "sluice-ptxas: unknown option '%s'%s\n", argv[*i],
                sl_did_you_mean(name, names, OPTIONS_COUNT, "--", near, sizeof near));
        return EXIT_BAD_USAGE;
    }
    if (OPTIONS[option].value && !value && !(value = argv[++*i]))
        return usage_error("'%s' has no value", argv[*i - 1]);
    if (OPTIONS[option].role == FLAG)
        *(bool *)((char *)p + OPTIONS[option].at) = true;
    else if (OPTIONS[option].role == TEXT)
        *(const char **)((char *)p + OPTIONS[option].at) = value;
    return 0;
}

/* sm_90a, or compute_90a. */
static bool read_arch(ptxas *p)
{
    const char *at = strchr(p->arch, '_');
    char *end = NULL;
    unsigned long sm = at && isdigit(at[1]) ? strtoul(at + 1, &end, 10) : 0;
    if (!end || sm < 20 || sm > 999 || (*end && ((*end != 'a' && *end != 'f') || end[1])))
        return false;
    p->sm = (uint32_t)sm;
    p->suffix = *end;
    return true;
}

static int read_arguments(ptxas *p, char **argv)
{
    for (int i = 1; argv[i]; i++) {
        int code = 0;
        if (argv[i][0] == '-' && argv[i][1])
            code = read_option(p, argv, &i);
        else if (p->input)
            code = usage_error("one PTX file is taken; '%s' is a second", argv[i]);
        else
            p->input = argv[i];
        if (code)
            return code;
    }
    if (p->version || p->help)
        return 0;
    if (!p->input)
        return usage_error("a PTX file is missing%s", "");
    if (!read_arch(p))
        return usage_error("'%s' is no GPU architecture (sm_90a)", p->arch);
    return 0;
}

/* ---- checking ---- */

/* Functions of the device runtime, which the CUDA libraries provide when a program runs. */
static int find_extern(void *context, const char *name)
{
    (void)context;
    return strncmp(name, "cuda", 4) ? -1 : 0;
}

static sl_status check_target(const ptxas *p, const sl_ptx_module *module, sl_error *error)
{
    const char *suffix = module->target + strcspn(module->target, ",af");
    char specific = *suffix == ',' ? 0 : *suffix;
    if (module->sm > p->sm || (specific && (specific != p->suffix || module->sm != p->sm)))
        return sl_fail(error, SL_UNSUPPORTED, "%s: its target is %.*s, which does not run on %s", p->input,
                       (int)strcspn(module->target, ","), module->target, p->arch);
    return SL_OK;
}

static sl_status check_kernels(const ptxas *p, sl_emu *emu, const sl_ptx_module *module, sl_error *error)
{
    sl_emu_program *program = NULL;
    sl_status status = sl_emu_load(emu, &module, 1, &program, error);
    for (uint32_t i = 0; !status && i < module->funcs; i++) {
        sl_emu_kernel *kernel;
        if (!module->func[i]->entry || !module->func[i]->has_body)
            continue;
        if (p->verbose)
            fprintf(stderr, "ptxas info    : Compiling entry function '%s' for '%s'\n", module->func[i]->name, p->arch);
        status = sl_emu_kernel_get(program, module->func[i]->name, &kernel, error);
    }
    if (program)
        sl_emu_unload(emu, program);
    return status;
}

static sl_status check(const ptxas *p, const char *text, size_t length, sl_ptx_module **module, sl_error *error)
{
    sl_emu *emu = NULL;
    sl_status status = sl_ptx_parse(text, length, p->input, module, error);
    if (!status)
        status = check_target(p, *module, error);
    if (!status)
        status = sl_emu_create(&(sl_emu_config){.extern_find = find_extern}, &emu, error);
    if (!status) {
        status = check_kernels(p, emu, *module, error);
        sl_emu_destroy(emu);
    }
    return status;
}

/* ---- writing ---- */

static sl_status write_container(const ptxas *p, const char *text, size_t length, const sl_ptx_module *module,
                                 sl_error *error)
{
    sl_fatbin_entry entry = {.kind = SL_FATBIN_PTX,
                             .suffix = p->suffix,
                             .sm = p->sm,
                             .version_major = (uint16_t)module->version_major,
                             .version_minor = (uint16_t)module->version_minor,
                             .data = (const uint8_t *)text,
                             .bytes = length};
    char *data = NULL;
    size_t bytes = 0;
    sl_new_file made;
    FILE *file;
    sl_status status = sl_fatbin_make(&entry, 1, SL_FATBIN_VERSION, &data, &bytes, error);
    if (!status)
        status = sl_new_file_print(p->output, &made, &file, error);
    if (!status) {
        fwrite(data, 1, bytes, file);
        status = sl_new_file_finish(&made, file, error);
    }
    free(data);
    return status;
}

static int assemble(const ptxas *p)
{
    char *text = NULL, message[1024];
    size_t length = 0;
    sl_error error = {0};
    sl_ptx_module *module = NULL;
    sl_status status = sl_file_read(p->input, &text, &length, &error);
    int code = status ? EXIT_FAILED : EXIT_BAD_PTX;
    if (!status)
        status = check(p, text, length, &module, &error);
    if (!status) {
        code = EXIT_FAILED;
        if (p->fmad && !strcmp(p->fmad, "false"))
            fprintf(stderr, "sluice-ptxas: warning: --fmad=false has no effect: products and sums without a rounding "
                            "modifier (mul.f32, not mul.rn.f32) are still fused\n");
        status = write_container(p, text, length, module, &error);
    }
    sl_ptx_free(module);
    free(text);
    if (!status)
        return 0;
    fprintf(stderr, "sluice-ptxas: error: %s\n", sl_error_format(&error, message, sizeof message));
    return code;
}

static void print_help(void)
{
    puts("sluice-ptxas: check PTX for the emulator, in place of ptxas\n\n"
         "Usage: sluice-ptxas [options] FILE.ptx [-o FILE]\n\n"
         "Take ptxas's command line, check that every kernel can run on the emulator, and write a fat binary with\n"
         "the PTX, which CUDA programs under 'sluice run' load like machine code. Options of ptxas that only change\n"
         "its machine code or messages have no effect.\n\n"
         "Options:\n"
         "  -o, --output-file FILE   Write to FILE (default: elf.o)\n"
         "  -arch, --gpu-name GPU    Compile for this architecture (default: sm_90)\n"
         "  -v, --verbose            Name the kernels\n"
         "  -V, --version            Print the version, and the release of ptxas it stands in for\n"
         "  -h, --help               Print this help\n\n"
         "Examples:\n"
         "  TRITON_PTXAS_PATH=$(command -v sluice-ptxas) sluice run -- python3 kernels.py\n"
         "      Run Triton kernels without a GPU\n"
         "  sluice-ptxas --gpu-name=sm_90a kernel.ptx -o kernel.cubin\n"
         "      Check a PTX file, and wrap it for cuModuleLoadData");
}

int sl_ptxas_main(int argc, char **argv)
{
    ptxas p = {.output = "elf.o", .arch = "sm_90"};
    (void)argc;
    int code = read_arguments(&p, argv);
    if (code)
        return code;
    if (p.help)
        print_help();
    else if (p.version) /* Triton looks for "release 13.0" and chooses the PTX version by it */
        puts("sluice-ptxas: PTX for Sluice's emulator, in place of ptxas\n"
             "Sluice " SLUICE_VERSION ", for Cuda compilation tools, release 13.0");
    else
        code = assemble(&p);
    return code;
}
