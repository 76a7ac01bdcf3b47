/* SPDX-License-Identifier: MIT */
/* What LLVM IR says of kernels, from the metadata that clang attaches to their definitions:
 *
 *   define … void @name(…) … !kernel_arg_addr_space !3 !kernel_arg_type !5 … !reqd_work_group_size !9 {
 *   !3 = !{i32 1, i32 0}
 *   !5 = !{!"float*", !"int"} */
#include "opencl/opencl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 4096, MAX_NODES = 1 << 22 };

/* Where the text of each numbered node begins, behind "= "; NULL: there is none. */
typedef SL_ARRAY(const char *) nodes;

static bool find_nodes(const char *ir, nodes *found)
{
    for (const char *line = ir; line; line = strchr(line, '\n'), line += line != NULL) {
        char *end;
        if (line[0] != '!' || !isdigit((unsigned char)line[1]))
            continue;
        unsigned long number = strtoul(line + 1, &end, 10);
        if (number >= MAX_NODES || strncmp(end, " = ", 3) != 0)
            continue;
        while (found->count <= number)
            if (!sl_array_push(found, NULL))
                return false;
        found->items[number] = end + 3;
    }
    return true;
}

/* The node that a definition names with `key`, or NULL. The definition is one line. */
static const char *node_of(const nodes *all, const char *line, const char *end, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = line; (at = memmem(at, (size_t)(end - at), key, length)); at++) {
        const char *number = at + length;
        if (number[0] != ' ' || number[1] != '!')
            continue;
        unsigned long index = strtoul(number + 2, NULL, 10);
        return index < all->count ? all->items[index] : NULL;
    }
    return NULL;
}

/* The next number of a node "!{i32 1, i32 0}"; false: there is none. */
static bool next_number(const char **at, long long *value)
{
    const char *s = *at;
    while (*s && *s != '\n' && strncmp(s, "i32 ", 4) != 0)
        s++;
    if (*s != 'i')
        return false;
    char *end;
    *value = strtoll(s + 4, &end, 10);
    *at = end;
    return true;
}

/* The next text of a node "!{!"a", !"b"}", malloc'ed; NULL: there is none. */
static char *next_text(const char **at)
{
    const char *s = *at;
    while (*s && *s != '\n' && strncmp(s, "!\"", 2) != 0)
        s++;
    if (*s != '!')
        return NULL;
    s += 2;
    size_t length = strcspn(s, "\"\n");
    *at = s + length + (s[length] == '"');
    return strndup(s, length);
}

static void numbers3(const char *node, size_t value[3])
{
    long long number;
    for (int k = 0; node && k < 3 && next_number(&node, &number); k++)
        value[k] = number > 0 ? (size_t)number : 0;
}

static sl_cl_arg_kind kind_of(long long space, const char *type)
{
    size_t length = strlen(type);
    if (!strncmp(type, "image", 5) && length > 2 && !strcmp(type + length - 2, "_t"))
        return SL_CL_ARG_IMAGE;
    if (!strcmp(type, "sampler_t"))
        return SL_CL_ARG_SAMPLER;
    return space == 1   ? SL_CL_ARG_GLOBAL
           : space == 2 ? SL_CL_ARG_CONSTANT
           : space == 3 ? SL_CL_ARG_LOCAL
           : space == 0 ? SL_CL_ARG_VALUE
                        : SL_CL_ARG_OTHER;
}

static cl_kernel_arg_access_qualifier access_of(const char *text)
{
    return !strcmp(text, "read_only")    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
           : !strcmp(text, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
           : !strcmp(text, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                         : CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_type_qualifier qualifier_of(const char *text)
{
    return (strstr(text, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
           (strstr(text, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
           (strstr(text, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
           (strstr(text, "pipe") ? CL_KERNEL_ARG_TYPE_PIPE : 0);
}

static bool add_args(const nodes *all, const char *line, const char *end, sl_cl_kernel_facts *k)
{
    const char *space = node_of(all, line, end, "!kernel_arg_addr_space"),
               *access = node_of(all, line, end, "!kernel_arg_access_qual"),
               *type = node_of(all, line, end, "!kernel_arg_type"),
               *base = node_of(all, line, end, "!kernel_arg_base_type"),
               *qualifier = node_of(all, line, end, "!kernel_arg_type_qual"),
               *name = node_of(all, line, end, "!kernel_arg_name");
    long long number;
    while (space && next_number(&space, &number) && k->args.count < MAX_ARGS) {
        sl_cl_arg arg = {.type = type ? next_text(&type) : NULL, .name = name ? next_text(&name) : NULL};
        char *base_type = base ? next_text(&base) : NULL, *accesses = access ? next_text(&access) : NULL,
             *qualifiers = qualifier ? next_text(&qualifier) : NULL;
        arg.kind = kind_of(number, base_type ? base_type : "");
        arg.access = access_of(accesses ? accesses : "");
        arg.qualifier = qualifier_of(qualifiers ? qualifiers : "");
        if (arg.qualifier & CL_KERNEL_ARG_TYPE_PIPE)
            arg.kind = SL_CL_ARG_OTHER;
        free(base_type);
        free(accesses);
        free(qualifiers);
        if (!sl_array_push(&k->args, arg)) {
            free(arg.type);
            free(arg.name);
            return false;
        }
    }
    return true;
}

static char *attributes_of(const sl_cl_kernel_facts *k)
{
    sl_buffer text = {0};
    bool whole = sl_buffer_append(&text, "", 0);
    if (k->required[0])
        whole = whole && sl_buffer_format(&text, "reqd_work_group_size(%zu,%zu,%zu)", k->required[0], k->required[1],
                                          k->required[2]);
    if (k->hint[0])
        whole = whole && sl_buffer_format(&text, "%swork_group_size_hint(%zu,%zu,%zu)", text.count ? " " : "",
                                          k->hint[0], k->hint[1], k->hint[2]);
    if (!whole)
        sl_buffer_free(&text);
    return text.data;
}

static bool add_kernel(const nodes *all, const char *line, const char *end, sl_cl_kernels *kernels)
{
    sl_cl_kernel_facts k = {.described = true};
    const char *at = memchr(line, '@', (size_t)(end - line));
    if (!at)
        return true;
    at += 1 + (at[1] == '"');
    k.name = strndup(at, strcspn(at, "\"("));
    numbers3(node_of(all, line, end, "!reqd_work_group_size"), k.required);
    numbers3(node_of(all, line, end, "!work_group_size_hint"), k.hint);
    k.attributes = attributes_of(&k);
    bool whole = add_args(all, line, end, &k) && k.name && k.attributes;
    if (sl_array_push(kernels, k))
        return whole;
    sl_cl_kernels one = {.items = &k, .count = 1};
    sl_cl_kernel_facts_fini(one.items);
    return false;
}

bool sl_cl_kernels_of_ir(const char *ir, sl_cl_kernels *kernels)
{
    nodes all = {0};
    bool whole = find_nodes(ir, &all);
    for (const char *line = ir; whole && line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, "define ", 7) != 0)
            continue;
        const char *end = line + strcspn(line, "\n");
        if (memmem(line, (size_t)(end - line), "!kernel_arg_addr_space", strlen("!kernel_arg_addr_space")))
            whole = add_kernel(&all, line, end, kernels);
    }
    sl_array_free(&all);
    return whole;
}

void sl_cl_kernel_facts_fini(sl_cl_kernel_facts *k)
{
    for (size_t i = 0; i < k->args.count; i++) {
        free(k->args.items[i].type);
        free(k->args.items[i].name);
    }
    sl_array_free(&k->args);
    free(k->name);
    free(k->attributes);
}

void sl_cl_kernels_fini(sl_cl_kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        sl_cl_kernel_facts_fini(&kernels->items[i]);
    sl_array_free(kernels);
}

/* ---- binaries ---- */

static const char MARK[] = "// Sluice: LLVM IR of this program", UNOPTIMIZED[] = ", not to be optimized";

void sl_cl_code_fini(sl_cl_code *code)
{
    free(code->ir);
    for (int i = 0; i < SL_CL_VARIANTS; i++)
        free(code->ptx[i]);
    *code = (sl_cl_code){0};
}

bool sl_cl_binary_write(const sl_cl_code *code, sl_buffer *to)
{
    const char *ptx = code->ptx[SL_CL_PLAIN];
    bool whole = !ptx || sl_buffer_append(to, ptx, strlen(ptx));
    if (!code->ir)
        return whole;
    whole = whole && sl_buffer_format(to, "\n%s%s\n", MARK, code->unoptimized ? UNOPTIMIZED : "");
    for (const char *line = code->ir; whole && *line;) {
        size_t length = strcspn(line, "\n");
        whole = sl_buffer_append(to, "//", 2) && sl_buffer_append(to, line, length) && sl_buffer_append(to, "\n", 1);
        line += length + (line[length] == '\n');
    }
    return whole;
}

cl_int sl_cl_binary_read(const char *binary, size_t bytes, sl_cl_code *code)
{
    char *text = bytes ? malloc(bytes + 1) : NULL;
    sl_buffer ir = {0};
    if (!text)
        return bytes ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_VALUE;
    memcpy(text, binary, bytes);
    text[bytes] = 0;
    char *mark = strlen(text) == bytes ? strstr(text, MARK) : NULL;
    bool whole = true;
    if (mark) {
        char *line = mark + strcspn(mark, "\n");
        code->unoptimized = !strncmp(mark + strlen(MARK), UNOPTIMIZED, strlen(UNOPTIMIZED));
        for (; whole && *line && !strncmp(line + 1, "//", 2);) {
            line += 3;
            size_t length = strcspn(line, "\n");
            whole = sl_buffer_append(&ir, line, length) && sl_buffer_append(&ir, "\n", 1);
            line += length;
        }
        *mark = 0;
    }
    code->ir = ir.data;
    code->ir_bytes = ir.count;
    if (strstr(text, ".version"))
        code->ptx[SL_CL_PLAIN] = text;
    else
        free(text);
    if (!whole)
        sl_cl_code_fini(code);
    return !whole ? CL_OUT_OF_HOST_MEMORY : code->ir || code->ptx[SL_CL_PLAIN] ? CL_SUCCESS : CL_INVALID_BINARY;
}
