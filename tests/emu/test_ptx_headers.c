/* SPDX-License-Identifier: MIT */
/* Every instruction that libcu++'s cuda::ptx wraps (where CUDA is installed) is executed or refused by name: its inline
 * assembly, with registers for operands, goes through the parser and the decoder. So do instructions that ptxas takes
 * for sm_100a, of a list; tests/cli/ptxas.sh asks ptxas. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/emu.h"
#include "support.h"

#define HEADERS "/usr/local/cuda/include/cccl/cuda/__ptx/instructions/generated"
enum { MAX_OPERANDS = 300, TEXT_BYTES = 16384 };

typedef struct form {
    char code[TEXT_BYTES];      /* the template, as written in the strings */
    char operand[MAX_OPERANDS]; /* letters of constraints: r, l, f … */
    int operands;
} form;

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Strings side by side, with their escapes, into `to`. */
static const char *take_strings(const char *at, char *to, size_t size)
{
    size_t used = 0;
    for (at = skip_space(at); *at == '"'; at = skip_space(at + 1))
        for (at++; *at && *at != '"'; at++) {
            char c = *at;
            if (c == '\\')
                c = *++at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
            if (used + 1 < size)
                to[used++] = c;
        }
    to[used] = 0;
    return at;
}

static const char *skip_brackets(const char *at)
{
    int depth = 0;
    do {
        depth += (*at == '(') - (*at == ')');
        at++;
    } while (depth && *at);
    return at;
}

/* What follows `asm (`. */
static const char *take_form(const char *at, form *f)
{
    int colons = 0;
    f->operands = 0;
    at = take_strings(at, f->code, sizeof f->code);
    while (*at && *at != ')') {
        if (*at == ':') {
            colons++;
            at++;
        } else if (*at == '"') {
            char constraint[32];
            at = take_strings(at, constraint, sizeof constraint);
            size_t length = strlen(constraint);
            if (colons < 3 && *at == '(' && length && f->operands < MAX_OPERANDS) {
                f->operand[f->operands++] = constraint[length - 1];
                at = skip_brackets(at);
            }
        } else {
            at++;
        }
    }
    return at;
}

static void append(char *text, size_t *used, const char *more)
{
    size_t length = strlen(more);
    assert_true(*used + length < 2 * (size_t)TEXT_BYTES);
    memcpy(text + *used, more, length + 1);
    *used += length;
}

/* A kernel that has the instruction, with a register for each operand. */
static void write_kernel(const form *f, char *text)
{
    size_t used = 0;
    append(
        text, &used,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b16 %oh<300>;\n"
        ".reg .b32 %or<300>;\n.reg .b64 %ol<300>;\n.reg .f32 %of<300>;\n.reg .f64 %od<300>;\n.reg .b128 %oq<300>;\n");
    for (const char *at = f->code; *at; at++) {
        char piece[16] = {*at};
        if (at[0] == '%' && at[1] == '%') {
            at++;
        } else if (at[0] == '%' && isdigit((unsigned char)at[1])) {
            char *end;
            long number = strtol(at + 1, &end, 10);
            assert_true(number < f->operands);
            if (f->operand[number] == 'n')
                snprintf(piece, sizeof piece, "0");
            else
                snprintf(piece, sizeof piece, "%%o%c%ld", f->operand[number], number);
            at = end - 1;
        }
        append(text, &used, piece);
    }
    append(text, &used, "\nret;\n}\n");
}

typedef struct tally {
    sl_emu *emu;
    unsigned executed, refused, wrong;
    char first[1024];
} tally;

/* "the emulator does not execute INSTRUCTION in k: …", of one that the template has. */
static bool names_instruction(const sl_error *error, const form *f)
{
    static const char BEFORE[] = "the emulator does not execute ";
    const char *at = strstr(error->text, BEFORE);
    char name[256];
    if (!at)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + sizeof BEFORE - 1, " "), at + sizeof BEFORE - 1);
    return *name && strstr(f->code, name);
}

static sl_status decode(const tally *t, const char *text, sl_error *error)
{
    sl_ptx_module *module = NULL;
    sl_emu_program *program = NULL;
    sl_emu_kernel *kernel;
    sl_status status = sl_ptx_parse(text, strlen(text), "form.ptx", &module, error);
    if (!status)
        status = sl_emu_load(t->emu, (const sl_ptx_module *const *)&module, 1, &program, error);
    if (!status)
        status = sl_emu_kernel_get(program, "k", &kernel, error);
    sl_emu_unload(t->emu, program);
    sl_ptx_free(module);
    return status;
}

static void try_form(tally *t, const form *f)
{
    char text[2 * TEXT_BYTES];
    sl_error error = {0};
    write_kernel(f, text);
    sl_status status = decode(t, text, &error);
    if (!status) {
        t->executed++;
    } else if (status == SL_UNSUPPORTED && names_instruction(&error, f)) {
        t->refused++;
    } else if (!t->wrong++) {
        snprintf(t->first, sizeof t->first, "%s\n%s", error.text, text + 220);
    }
}

static void try_header(tally *t, const char *path)
{
    static form f;
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 4 << 20);
    assert_non_null(file);
    assert_non_null(text);
    size_t bytes = fread(text, 1, (4 << 20) - 1, file);
    text[bytes] = 0;
    fclose(file);
    for (const char *at = text; (at = strstr(at, "asm")); at++) {
        const char *open = skip_space(at + 3);
        if (!strncmp(open, "volatile", 8))
            open = skip_space(open + 8);
        if (*open != '(' || isalnum((unsigned char)at[-1]) || at[-1] == '_')
            continue;
        at = take_form(open + 1, &f);
        try_form(t, &f);
    }
    free(text);
}

static void every_form_is_executed_or_refused_by_name(void **state)
{
    (void)state;
    tally t = {0};
    sl_error error;
    DIR *folder = opendir(HEADERS);
    if (!folder)
        skip();
    const sl_emu_config config = {.settings = {.lanes = 32, .threads = 1}};
    assert_int_equal(sl_emu_create(&config, &t.emu, &error), SL_OK);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        if (!strstr(entry->d_name, ".h"))
            continue;
        snprintf(path, sizeof path, HEADERS "/%s", entry->d_name);
        try_header(&t, path);
    }
    closedir(folder);
    sl_emu_destroy(t.emu);
    print_message("%u forms are executed, %u refused by name\n", t.executed, t.refused);
    if (t.wrong)
        fail_msg("%u forms are neither executed nor refused by name; the first: %s", t.wrong, t.first);
    assert_true(t.executed > 500);
}

static void what_ptxas_takes_for_blackwell_is_executed_or_refused_as_listed(void **state)
{
    (void)state;
    tally t = {0};
    static form f;
    static char line[TEXT_BYTES];
    sl_error error;
    FILE *file = fopen(SL_TEST_DATA "/ptx/sm_100a.txt", "r");
    assert_non_null(file);
    const sl_emu_config config = {.settings = {.lanes = 32, .threads = 1}};
    assert_int_equal(sl_emu_create(&config, &t.emu, &error), SL_OK);
    while (fgets(line, sizeof line, file)) {
        char kernel[2 * TEXT_BYTES];
        if (*line == '#')
            continue;
        snprintf(f.code, sizeof f.code, "%s", line + 2);
        snprintf(kernel, sizeof kernel,
                 ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p<8>;\n"
                 ".reg .b16 %%h<16>;\n.reg .b32 %%r<64>, %%s<128>;\n.reg .f32 %%f<32>;\n.reg .f64 %%g<32>;\n"
                 ".reg .b64 %%d<32>;\n.reg .b128 %%q<4>;\n%s\nret;\n}\n",
                 f.code);
        sl_status status = decode(&t, kernel, &error);
        if (*line == '+' ? status != SL_OK : status != SL_UNSUPPORTED || !names_instruction(&error, &f))
            fail_msg("%s: %s", line, status ? error.text : "executed");
        t.executed += !status;
    }
    assert_true(t.executed > 500);
    fclose(file);
    sl_emu_destroy(t.emu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_executed_or_refused_by_name),
        cmocka_unit_test(what_ptxas_takes_for_blackwell_is_executed_or_refused_as_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
