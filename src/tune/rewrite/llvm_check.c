/* SPDX-License-Identifier: MIT */
/* Finds the instruction and the cache bits of each load in the assembly for AMD GPUs.
 *
 * In the assembly, `.loc FILE LINE` stands before an instruction whose line differs from the one before, and each load
 * has a distinct line. Two things blur that. Loads that follow each other are put into clauses, which have but the
 * line of their first; the others of a clause are compared as a set with the loads that have no line left, by width and
 * bits. And an instruction without a line (a scalar load of an argument) continues under the line before. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tune/rewrite/llvm_code.h"

enum { BOTH_MARKS = SL_AMDGCN_VOLATILE | SL_AMDGCN_NONTEMPORAL, MARKS };

/* What the marks become, by generation: volatile, nontemporal, both. Seen with LLVM 14 and 19. The first prefix that
 * fits counts. */
static const struct {
    const char *cpu, *bits[MARKS];
} GENERATIONS[] = {
    {"gfx12", {"", "SCOPE_SYS", "TH_LOAD_NT", "TH_LOAD_NT SCOPE_SYS"}},
    {"gfx11", {"", "glc dlc", "dlc slc", "glc dlc"}},
    {"gfx10", {"", "glc dlc", "slc", "glc dlc"}},
    {"gfx94", {"", "sc0 sc1", "nt", "sc0 sc1"}},
    {"gfx95", {"", "sc0 sc1", "nt", "sc0 sc1"}},
    {"gfx", {"", "glc", "glc slc", "glc"}}, /* 6 to 9: what bypasses L2 bypasses L1 too */
};

/* In the order in which they are shown. */
static const char *const BITS[] = {"glc", "dlc", "slc", "sc0", "sc1", "nt", "TH_LOAD_NT", "SCOPE_SYS"};
enum { BIT_COUNT = sizeof BITS / sizeof *BITS };

static const char *bits_of_marks(const char *cpu, unsigned marks)
{
    for (size_t i = 0; i < sizeof GENERATIONS / sizeof *GENERATIONS; i++)
        if (!strncmp(cpu, GENERATIONS[i].cpu, strlen(GENERATIONS[i].cpu)))
            return GENERATIONS[i].bits[marks];
    return "";
}

const char *sl_llvm_fate_text(sl_llvm_fate fate)
{
    static const char *const text[SL_FATES] = {
        [SL_FATE_AS_ASKED] = "is as requested",
        [SL_FATE_HIDDEN] = "bypasses the first levels only: volatile hides nontemporal",
        [SL_FATE_SCALAR] = "is a scalar load, which goes through the scalar cache: its mode has no effect",
        [SL_FATE_MERGED] = "was merged with other loads, or removed",
        [SL_FATE_BITS] = "has other cache bits than its mode requires",
        [SL_FATE_CHANGED] = "was not selected, but its cache bits changed",
    };
    return text[fate];
}

/* A load instruction of the assembly. */
typedef struct machine_load {
    uint32_t line; /* that it stands under, as the number of a load */
    uint32_t bytes, bits;
    bool scalar, taken;
    char name[48];
} machine_load;

typedef struct assembly {
    SL_ARRAY(machine_load) loads;
} assembly;

/* What became of one load of the IR. */
typedef struct found_load {
    uint32_t instructions, bits;
    bool scalar;
    char instruction[48];
} found_load;

static uint32_t read_bits(const char *at, size_t length)
{
    uint32_t bits = 0;
    while (length) {
        size_t gap = strspn(at, " \t,:");
        gap = gap < length ? gap : length;
        at += gap, length -= gap;
        size_t word = 0;
        while (word < length && (isalnum((unsigned char)at[word]) || at[word] == '_'))
            word++;
        for (int i = 0; i < BIT_COUNT; i++)
            if (word == strlen(BITS[i]) && !memcmp(at, BITS[i], word))
                bits |= 1u << i;
        word = word ? word : length > 0; /* brackets and the like */
        at += word, length -= word;
    }
    return bits;
}

/* Bytes per lane, from the end of the name: _dwordx4, _b128, _ushort, _u8 … */
static uint32_t bytes_of(const char *name)
{
    static const struct {
        const char *word;
        uint32_t bytes;
    } words[] = {{"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4},
                 {"b512", 64},     {"b256", 32},    {"b128", 16},    {"b96", 12},     {"b64", 8},     {"b32", 4},
                 {"short", 2},     {"16", 2},       {"byte", 1},     {"8", 1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i].word))
            return words[i].bytes;
    return 0;
}

static bool note_instruction(assembly *self, uint32_t line, const char *at, size_t length)
{
    machine_load load = {.line = line};
    size_t name = 0;
    while (name < length && !isspace((unsigned char)at[name]))
        name++;
    const char *kind = memmem(at, name, "_load_", 6);
    if (!kind)
        return true;
    const char *comment = memchr(at, ';', length);
    snprintf(load.name, sizeof load.name, "%.*s", (int)name, at);
    load.scalar = !memcmp(at, "s_", 2);
    load.bytes = bytes_of(load.name + (kind - at) + 6);
    load.bits = read_bits(at + name, (comment ? (size_t)(comment - at) : length) - name);
    return sl_array_push(&self->loads, load);
}

static bool scan(const char *text, uint32_t count, assembly *self)
{
    uint32_t line = 0;
    for (const char *at = text, *stop; *at; at = *stop ? stop + 1 : stop) {
        stop = at + strcspn(at, "\n");
        unsigned file, number;
        if (sscanf(at, "\t.loc\t%u %u", &file, &number) == 2)
            line = number;
        else if (*at == '\t' && isalpha((unsigned char)at[1]) && line >= SL_LLVM_FIRST_LINE &&
                 line - SL_LLVM_FIRST_LINE < count &&
                 !note_instruction(self, line - SL_LLVM_FIRST_LINE, at + 1, (size_t)(stop - at - 1)))
            return false;
    }
    return true;
}

static void claim(machine_load *from, found_load *load)
{
    if (!load->instructions++) {
        memcpy(load->instruction, from->name, sizeof load->instruction);
        load->scalar = from->scalar;
    }
    load->bits |= from->bits;
    from->taken = true;
}

/* The first vector load under its line belongs to a load, or the first scalar one; wide loads have several parts. */
static void claim_matches(assembly *self, const sl_load *loads, uint32_t count, found_load *found)
{
    for (int scalar = 0; scalar < 2; scalar++)
        for (size_t i = 0; i < self->loads.count; i++) {
            machine_load *first = &self->loads.items[i];
            found_load *load = &found[first->line];
            if (first->line >= count || first->scalar != scalar || load->instructions)
                continue;
            uint32_t bytes = first->bytes;
            claim(first, load);
            for (machine_load *next = first + 1;
                 bytes < loads[first->line].width && next < self->loads.items + self->loads.count &&
                 next->line == first->line;
                 next++)
                if (next->bits == first->bits && next->scalar == first->scalar) {
                    bytes += next->bytes;
                    claim(next, load);
                }
        }
}

/* An instruction of the same function that is not matched yet, preferably with these cache bits. */
static machine_load *find_spare(assembly *self, const sl_load *loads, const sl_load *load, uint32_t wanted)
{
    machine_load *best = NULL;
    int best_score = -1;
    for (size_t i = 0; i < self->loads.count; i++) {
        machine_load *at = &self->loads.items[i];
        if (at->taken || strcmp(loads[at->line].function, load->function) ||
            !(at->scalar || at->bytes == load->width || load->width > 16))
            continue;
        int score = 4 * (!at->scalar && at->bits == wanted) + 2 * !at->scalar + (at->bytes == load->width);
        if (score > best_score)
            best = at, best_score = score;
    }
    return best;
}

static bool attribute(const char *text, const sl_load_graph *graph, const uint32_t *wanted, found_load *found)
{
    assembly self = {0};
    bool fine = scan(text, graph->loads, &self);
    if (fine)
        claim_matches(&self, graph->load, graph->loads, found);
    for (uint32_t i = 0; fine && i < graph->loads; i++) {
        machine_load *spare = found[i].instructions ? NULL : find_spare(&self, graph->load, &graph->load[i], wanted[i]);
        if (spare)
            claim(spare, &found[i]);
    }
    sl_array_free(&self.loads);
    return fine;
}

static void bits_text(uint32_t bits, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < BIT_COUNT; i++)
        if (bits >> i & 1)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? " " : "", BITS[i]);
}

static sl_llvm_fate judge(const found_load *before, const found_load *after, unsigned mode, uint32_t wanted,
                          uint32_t l2)
{
    if (!after->instructions)
        return mode || before->instructions ? SL_FATE_MERGED : SL_FATE_AS_ASKED;
    if (!mode)
        return after->bits == before->bits ? SL_FATE_AS_ASKED : SL_FATE_CHANGED;
    if (after->scalar)
        return SL_FATE_SCALAR;
    if (after->bits != wanted)
        return SL_FATE_BITS;
    return sl_controls[mode].amdgcn == BOTH_MARKS && (after->bits & l2) != l2 ? SL_FATE_HIDDEN : SL_FATE_AS_ASKED;
}

static void conclude(const sl_llvm_code *code, const uint32_t *wanted, const found_load *before,
                     const found_load *after, sl_llvm_check *check)
{
    for (uint32_t i = 0; i < code->graph.loads; i++) {
        const char *l2 = bits_of_marks(sl_llvm_cpu(code, i), SL_AMDGCN_NONTEMPORAL);
        uint32_t should = code->mode[i] ? wanted[i] : before[i].bits;
        check[i] = (sl_llvm_check){.instructions = after[i].instructions, .scalar = after[i].scalar};
        check[i].fate = judge(&before[i], &after[i], code->mode[i], should, read_bits(l2, strlen(l2)));
        memcpy(check[i].instruction, after[i].instruction, sizeof check[i].instruction);
        bits_text(should, check[i].wanted, sizeof check[i].wanted);
        bits_text(after[i].bits, check[i].got, sizeof check[i].got);
    }
}

/* The assembly of the module as it would be without marks, and as it is. */
static sl_status compile_both(sl_llvm_code *code, char **before, char **after, sl_error *error)
{
    size_t length;
    uint8_t *mode = calloc(2 * (size_t)code->graph.loads + 1, 1);
    if (!mode)
        return sl_fail_memory(error);
    memcpy(mode, code->mode, code->graph.loads);
    sl_status status = sl_llvm_emit(code, after, &length, error);
    if (!status)
        status = sl_llvm_annotate(code, mode + code->graph.loads, error);
    if (!status)
        status = sl_llvm_emit(code, before, &length, error);
    if (!status)
        status = sl_llvm_annotate(code, mode, error);
    free(mode);
    return status;
}

sl_status sl_llvm_check_code(sl_llvm_code *code, sl_llvm_check *check, sl_error *error)
{
    uint32_t count = code->graph.loads;
    char *before = NULL, *after = NULL;
    found_load *was = calloc(2 * (size_t)count + 1, sizeof *was);
    uint32_t *wanted = calloc((size_t)count + 1, sizeof *wanted), *none = calloc((size_t)count + 1, sizeof *none);
    sl_status status = was && wanted && none ? compile_both(code, &before, &after, error) : sl_fail_memory(error);
    for (uint32_t i = 0; i < count && !status; i++) {
        const char *bits = bits_of_marks(sl_llvm_cpu(code, i), sl_controls[code->mode[i]].amdgcn);
        wanted[i] = read_bits(bits, strlen(bits));
    }
    if (!status &&
        (!attribute(before, &code->graph, none, was) || !attribute(after, &code->graph, wanted, was + count)))
        status = sl_fail_memory(error);
    if (!status)
        conclude(code, wanted, was, was + count, check);
    free(before);
    free(after);
    free(was);
    free(wanted);
    free(none);
    return status;
}
