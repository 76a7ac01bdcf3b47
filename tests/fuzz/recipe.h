/* SPDX-License-Identifier: MIT */
/* Kernels that nobody would write, made from the bytes of a fuzzer: each byte chooses an instruction of a table or its
 * operands: well-typed, or (where asked for) sometimes not: a register of another class, an element of a scalar. */
#ifndef SL_TESTS_FUZZ_RECIPE_H
#define SL_TESTS_FUZZ_RECIPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECIPE_TEXT = 64 << 10, RECIPE_STEPS = 48 };

/* #h #r #d #q #f #g #p: registers of 16, 32, 64, 128 bits, f32, f64, predicates. #i: a number. #n: a small one.
 * #a: an address of global memory; #s of shared memory; #l of local memory; #m: of any. #L: a label. #v: a value for
 * the device runtime: a register, a number, an address of any kind. */
#define RECIPE_CALL_2(name, a, b)                                                                                      \
    "{ .param .b64 a; .param .b64 b; .param .b64 c; st.param.b64 [a], " a "; st.param.b64 [b], " b "; call (c), " name \
    ", (a, b); ld.param.b64 #d, [c]; }"
#define RECIPE_CALL_4(name, a, b, c, d)                                                                                \
    "{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b64 e; st.param.b64 [a], " a                \
    "; st.param.b64 [b], " b "; st.param.b64 [c], " c "; st.param.b64 [d], " d "; call (e), " name                     \
    ", (a, b, c, d); ld.param.b64 #d, [e]; }"
static const char *const templates[] = {
    "add.u32 #r, #r, #r",
    "add.s64 #d, #d, #i",
    "add.u16 #h, #h, #h",
    "sub.u32 #r, #r, #i",
    "mul.lo.u32 #r, #r, #r",
    "mul.wide.u32 #d, #r, #n",
    "mul.hi.s64 #d, #d, #d",
    "mad.lo.s32 #r, #r, #r, #r",
    "mad.wide.s16 #r, #h, #h, #r",
    "div.s32 #r, #r, #r",
    "rem.u64 #d, #d, #d",
    "min.s16 #h, #h, #h",
    "abs.s32 #r, #r",
    "neg.s64 #d, #d",
    "and.b32 #r, #r, #i",
    "or.pred #p, #p, #p",
    "xor.b64 #d, #d, #d",
    "not.b16 #h, #h",
    "shl.b32 #r, #r, #r",
    "shr.s64 #d, #d, #r",
    "shf.l.wrap.b32 #r, #r, #r, #r",
    "bfe.u32 #r, #r, #r, #r",
    "bfi.b64 #d, #d, #d, #r, #r",
    "bfind.s64 #r, #d",
    "brev.b32 #r, #r",
    "popc.b64 #r, #d",
    "clz.b32 #r, #r",
    "fns.b32 #r, #r, #r, #r",
    "lop3.b32 #r, #r, #r, #r, 0x96",
    "prmt.b32 #r, #r, #r, #r",
    "sad.u64 #d, #d, #d, #d",
    "dp4a.u32.s32 #r, #r, #r, #r",
    "dp2a.lo.s32.u32 #r, #r, #r, #r",
    "add.cc.u32 #r, #r, #r",
    "addc.u64 #d, #d, #d",
    "selp.b32 #r, #r, #r, #p",
    "slct.b64.s32 #d, #d, #d, #r",
    "setp.lt.s32 #p, #r, #i",
    "setp.ne.and.f64 #p, #g, #g, #p",
    "set.gt.u32.f32 #r, #f, #f",
    "mov.b32 #r, #i",
    "mov.b64 #d, #d",
    "mov.b64 #d, {#r, #r}",
    "mov.b32 {#h, #h}, #r",
    "mov.b128 #q, {#d, #d}",
    "mov.b128 {#d, #d}, #q",
    "mov.b128 #q, #q",
    "mov.u32 #r, %tid.x",
    "mov.u64 #d, %clock64",
    "mov.u32 #r, %laneid",
    "mov.v4.u32 %v0, %v1",
    "mov.b32 #r, %v0.y",
    "cvt.u64.u32 #d, #r",
    "cvt.s16.s64 #h, #d",
    "cvt.rni.s32.f32 #r, #f",
    "cvt.rn.f64.u64 #g, #d",
    "cvt.rz.f32.f64 #f, #g",
    "cvt.rn.f16.f32 #h, #f",
    "cvt.sat.u8.s32 #r, #r",
    "cvt.pack.sat.u8.s32.b32 #r, #r, #r, #r",
    "cvt.rn.f16x2.f32 #r, #f, #f",
    "add.rn.f32 #f, #f, #f",
    "fma.rz.f64 #g, #g, #g, #g",
    "div.rp.f32 #f, #f, #f",
    "sqrt.rn.f64 #g, #g",
    "rcp.approx.ftz.f32 #f, #f",
    "ex2.approx.f32 #f, #f",
    "add.f16x2 #r, #r, #r",
    "fma.rn.bf16 #h, #h, #h, #h",
    "max.NaN.f16 #h, #h, #h",
    "ld.global.u32 #r, #a",
    "ld.global.cg.u8 #h, #a",
    "ld.global.s16 #r, #a",
    "ld.global.f64 #g, #a",
    "ld.global.v2.u64 {#d, #d}, #a",
    "ld.global.v4.f32 {#f, #f, #f, #f}, #a",
    "ld.global.v4.u32 %v0, #a",
    "ld.global.v8.u32 {#r, #r, #r, #r, #r, #r, #r, #r}, #a",
    "ld.global.b128 #q, #a",
    "ld.shared.u32 #r, #s",
    "ld.local.u64 #d, #l",
    "ld.u32 #r, #m",
    "ld.param.u32 #r, [p2]",
    "ld.const.u32 #r, [table+8]",
    "st.global.u32 #a, #r",
    "st.global.v2.f64 #a, {#g, #g}",
    "st.global.v4.u16 #a, {#h, #h, #h, #h}",
    "st.global.b128 #a, #q",
    "st.shared.u8 #s, #r",
    "st.local.u64 #l, #d",
    "st.u64 #m, #d",
    "atom.global.add.u32 #r, #a, #r",
    "atom.shared.cas.b64 #d, #s, #d, #d",
    "atom.global.exch.b128 #q, #a, #q",
    "atom.global.cas.b128 #q, #a, #q, #q",
    "atom.global.cas.b16 #h, #a, #h, #h",
    "atom.add.f64 #g, #m, #g",
    "atom.global.inc.u32 #r, #a, #r",
    "red.global.max.s32 #a, #r",
    "red.shared.add.f16x2 #s, #r",
    "cp.async.ca.shared.global #s, #a, 16, #r",
    "cp.async.ca.shared.global #s, #a, 4",
    "cp.async.wait_all",
    "prefetch.global.L2 #a",
    "shfl.sync.idx.b32 #r|#p, #r, #r, #r, -1",
    "shfl.sync.up.b32 #r, #r, 1, 0, -1",
    "vote.sync.ballot.b32 #r, #p, -1",
    "match.any.sync.b64 #r, #d, -1",
    "match.all.sync.b32 #r|#p, #r, -1",
    "redux.sync.add.u32 #r, #r, -1",
    "elect.sync #r|#p, -1",
    "activemask.b32 #r",
    "bar.sync 0",
    "bar.warp.sync -1",
    "bar.red.popc.u32 #r, 0, #p",
    "barrier.sync #n, 64",
    "isspacep.shared #p, #d",
    "cvta.to.global.u64 #d, #d",
    "cvta.shared.u64 #d, #d",
    "cvta.local.u64 #d, #d",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {#f, #f, #f, #f}, {#r, #r, #r, #r}, {#r, #r}, {#f, #f, #f, #f}",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {#g, #g}, {#g}, {#g}, {#g, #g}",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {#r, #r, #r, #r}, {#r, #r, #r, #r}, {#r, #r}, {#r, #r, #r, #r}",
    "wmma.load.a.sync.aligned.row.m16n16k16.f16 {#r, #r, #r, #r, #r, #r, #r, #r}, #a, #r",
    "wmma.store.d.sync.aligned.row.m16n16k16.f32 #a, {#f, #f, #f, #f, #f, #f, #f, #f}, #r",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {#r, #r, #r, #r}, #s",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 #s, {#r, #r}",
    "movmatrix.sync.aligned.m8n8.trans.b16 #r, #r",
    "tex.2d.v4.f32.f32 {#f, #f, #f, #f}, [#d, {#f, #f}]",
    "bra #L",
    "@#p bra #L",
    "@!#p add.u32 #r, #r, 1",
    "brx.idx #r, targets",
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], #d; call (b), malloc, (a); ld.param.b64 #d, [b]; }",
    "{ .param .b64 a; st.param.b64 [a], #d; call free, (a); }",
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], #d; call (b), callee, (a); ld.param.b64 #d, [b]; }",
    "{ .param .b64 a; .param .b32 c; st.param.b64 [a], #d; call (c), vprintf, (a, a); }",
    "{ .param .b64 f; .param .b64 a; .param .b32 c; add.u64 #d, %fm, #n; st.param.b64 [f], %fm; st.param.b64 [a], %wd; "
    "call (c), vprintf, (f, a); }",
    "{ .param .b64 f; .param .b64 a; .param .b32 c; st.param.b64 [f], %fm; st.param.b64 [a], #d; "
    "call (c), vprintf, (f, a); }",
    "{ .param .b64 a; st.param.b64 [a], #d; call recurse, (a); }",
    "{ .param .b64 a; st.param.b64 [a], #n; call recurse, (a); }",
    "st.global.u64 [words+#n], #v",
    "st.global.u64 [params+#n], #v",
    "st.global.u64 [params+128], #v; st.global.u64 [params+136], #v; st.global.u64 [params+144], #v",
    "st.global.u64 [params+32], #v; st.global.u64 [params+40], #v; st.global.u64 [params+56], #v",
    "st.global.u64 [params+96], #v; st.global.u64 [params+104], #v; st.global.u64 [params+120], #v",
    RECIPE_CALL_2("__cudaCDP2Memcpy3DAsync", "%pm", "0"),
    RECIPE_CALL_2("__cudaCDP2Malloc", "#v", "#v"),
    RECIPE_CALL_2("__cudaCDP2FuncGetAttributes", "#v", "#v"),
    RECIPE_CALL_2("__cudaCDP2GetParameterBuffer", "#v", "#v"),
    RECIPE_CALL_2("__cudaCDP2LaunchDeviceV2", "#d", "#n"),
    RECIPE_CALL_4("__cudaCDP2MemcpyAsync", "#v", "#v", "#v", "#n"),
    RECIPE_CALL_4("__cudaCDP2MemsetAsync", "#v", "#v", "#v", "#n"),
    RECIPE_CALL_4("__cudaCDP2DeviceGetAttribute", "#v", "#n", "0", "0"),
    "{ .param .b64 a; .param .b32 c; st.param.b64 [a], #v; call (c), __cudaCDP2Free, (a); }",
    "{ .param .b64 a; .param .b64 c; st.param.b64 [a], #v; call (c), __cudaCDP2GetErrorString, (a); "
    "ld.param.b64 #d, [c]; }",
    "{ .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r; "
    "mov.u64 %d5, k; st.param.b64 [k], %d5; st.param.b32 [g], 1; st.param.b32 [g+4], #n; st.param.b32 [g+8], 1; "
    "st.param.b32 [b], #n; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], #n; "
    "call (r), __cudaCDP2GetParameterBufferV2, (k, g, b, s); ld.param.b64 %d5, [r]; } "
    "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %d5; st.param.b64 [s], #n; "
    "call (r), __cudaCDP2LaunchDeviceV2, (p, s); }",
    "createpolicy.fractional.L2::evict_first.b64 #d, 1.0",
    "trap",
    "ret",
    /* from here on ill-typed */
    "mov.b64 #d, #d.w",
    "ld.global.v4.u32 #r, #a",
    "st.param.u32 [p2], #r",
    "mma.sync.aligned.m16n8k#n.row.col.s32.s8.s8.s32 {#r, #r, #r, #r}, {#r, #r, #r, #r}, {#r, #r}, {#r, #r, #r, #r}",
    "ld.param.u64 #d, [p0+#i]",
    "ld.param.u32 #r, [p2+#n]",
    "ld.const.u32 #r, [table+#i]",
};
enum { TEMPLATES = sizeof templates / sizeof *templates, ILL_TYPED = 7 };

static const char DEVICE_RUNTIME[] =
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 k, .param .align 4 .b8 g[12], "
    ".param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBuffer (.param .b64 a, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2Memcpy3DAsync (.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2Malloc (.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2Free (.param .b64 p);\n"
    ".extern .func (.param .b32 r) __cudaCDP2FuncGetAttributes (.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync (.param .b64 d, .param .b64 s, .param .b64 n, .param .b64 "
    "t);\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync (.param .b64 d, .param .b64 s, .param .b64 n, .param .b64 "
    "t);\n"
    ".extern .func (.param .b32 r) __cudaCDP2DeviceGetAttribute (.param .b64 d, .param .b64 s, .param .b64 n, "
    ".param .b64 t);\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetErrorString (.param .b64 e);\n";

typedef struct recipe {
    const uint8_t *data;
    size_t size, at;
    bool ill_typed;      /* sometimes */
    bool device_runtime; /* there is one */
    uint64_t host;       /* an address of the host's memory, where kernels know it */
    char text[RECIPE_TEXT];
    size_t used;
} recipe;

static uint8_t next(recipe *r)
{
    return r->at < r->size ? r->data[r->at++] : 0;
}

static void put(recipe *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int made = vsnprintf(r->text + r->used, sizeof r->text - r->used, format, args);
    va_end(args);
    r->used += made > 0 && (size_t)made < sizeof r->text - r->used ? (size_t)made : 0;
}

static void put_register(recipe *r, char class)
{
    uint8_t byte = next(r);
    static const char classes[] = "hrdqfgp";
    if (byte > 240 && r->ill_typed)
        class = classes[byte % 7];
    put(r, "%%%c%u", class, byte % 6);
    if (byte > 250 && r->ill_typed)
        put(r, ".%c", "xyzw"[byte % 4]);
}

static void put_number(recipe *r)
{
    uint8_t byte = next(r);
    static const char *const far[] = {"-1",         "0x7fffffff", "0x80000000",         "4294967288",
                                      "2147483647", "-4",         "0xffffffffffffffff", "1.5"};
    if (byte >= 224)
        put(r, "%s", far[byte % 8]);
    else
        put(r, "%d", (int)byte - 16);
}

static void put_address(recipe *r, char space)
{
    uint8_t byte = next(r);
    if (byte > 232) {
        put(r, "[%%d%u+", byte % 6);
        put_number(r);
        put(r, "]");
        return;
    }
    unsigned offset = byte % 8 * (byte & 16 ? 32 : 8);
    switch (space) {
    case 's':
        put(r, byte & 32 ? "[shared_data+%u]" : "[%%rs+%u]", offset);
        break;
    case 'l':
        put(r, "[local_data+%u]", offset);
        break;
    default:
        put(r, "[%%a%u+%u]", byte / 64 % 3, offset);
        break;
    }
}

static void put_value(recipe *r)
{
    static const char *const values[] = {"%a0", "%a1", "%a2", "%pm", "%fm", "%wd", "%hp", "%pp", "%d5"};
    uint8_t byte = next(r);
    if (byte < 180)
        put(r, "%s", values[byte % (sizeof values / sizeof *values)]);
    else
        put(r, "%llu", byte < 220 ? byte % 64 * 8ull : 1ull << (byte - 220) * 2 % 64);
}

/* A format of printf: conversions that are right, and others that are not. */
static void put_format(recipe *r)
{
    static const char *const pieces[] = {"%",    "d",  "s",      "f",           "c",     "p",    "x",   "lld",   "*",
                                         ".",    "-",  "+",      "#",           "0",     " ",    "h",   "j",     "4096",
                                         "4097", "1",  "17",     "99999999999", "%s",    "%.3s", "%*d", "%5.2f", "%%",
                                         "A",    "\n", "%4096s", "%.*f",        "%*.*s", "%1$d", "%n"};
    uint32_t count = next(r) % 24;
    put(r, ".global .align 8 .b8 formats[256] = {");
    for (uint32_t i = 0; i < count; i++)
        for (const char *c = pieces[next(r) % (sizeof pieces / sizeof *pieces)]; *c; c++)
            put(r, "%d, ", *c);
    put(r, "0};\n");
}

static void put_step(recipe *r, uint32_t steps)
{
    const char *text = templates[next(r) % (r->ill_typed ? TEMPLATES : TEMPLATES - ILL_TYPED)];
    if (!r->device_runtime && strstr(text, "__cudaCDP2"))
        text = "ret";
    bool block = *text == '{';
    for (; *text; text++) {
        if (*text != '#') {
            put(r, "%c", *text);
            continue;
        }
        switch (*++text) {
        case 'i':
            put_number(r);
            break;
        case 'n':
            put(r, "%u", next(r) % 33);
            break;
        case 'a':
        case 's':
        case 'l':
        case 'm':
            put_address(r, *text);
            break;
        case 'v':
            put_value(r);
            break;
        case 'L':
            put(r, "L%u", next(r) % (steps + 1));
            break;
        default:
            put_register(r, *text);
            break;
        }
    }
    put(r, block ? "\n" : ";\n");
}

static void write_kernel(recipe *r)
{
    uint32_t steps = 1 + next(r) % RECIPE_STEPS;
    put(r, ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 p);\n"
           ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
           ".const .align 8 .b8 table[64];\n.global .align 8 .b8 params[256];\n");
    put_format(r);
    if (r->device_runtime)
        put(r, "%s", DEVICE_RUNTIME);
    put(r,
        ".global .align 8 .u64 words[32] = {generic(formats), generic(formats), 4096, 5, generic(formats)};\n"
        ".func recurse (.param .b64 x)\n{ .reg .b64 %%d<2>; .reg .pred %%p; ld.param.b64 %%d0, [x];\n"
        "setp.eq.u64 %%p, %%d0, 0; @%%p ret; sub.u64 %%d1, %%d0, 1;\n"
        "{ .param .b64 y; st.param.b64 [y], %%d1; call recurse, (y); }\n"
        "{ .param .b64 y; st.param.b64 [y], %%d1; call recurse, (y); } ret; }\n"
        ".func (.param .b64 r) callee (.param .b64 x)\n{ .reg .b64 %%d<2>; ld.param.b64 %%d0, [x];\n"
        "add.u64 %%d1, %%d0, 8; st.param.b64 [r], %%d1; ret; }\n"
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 p2)\n{\n"
        ".reg .b16 %%h<6>; .reg .b32 %%r<6>; .reg .b64 %%d<6>; .reg .b128 %%q<6>; .reg .f32 %%f<6>; .reg .f64 "
        "%%g<6>;\n"
        ".reg .pred %%p<6>; .reg .v4 .u32 %%v<2>; .reg .b64 %%a<3>, %%pm, %%fm, %%wd, %%hp, %%pp; .reg .b32 %%rs;\n"
        ".shared .align 16 .b8 shared_data[1024]; .local .align 16 .b8 local_data[256];\n"
        "targets: .branchtargets L0, L1;\n"
        "ld.param.u64 %%a0, [p0]; ld.param.u64 %%a1, [p1]; mov.u32 %%rs, shared_data; mov.u64 %%hp, %llu;\n"
        "mov.u64 %%pm, params; cvta.global.u64 %%pm, %%pm; mov.u64 %%fm, formats; cvta.global.u64 %%fm, %%fm;\n"
        "mov.u64 %%wd, words; cvta.global.u64 %%wd, %%wd; mov.u64 %%pp, p0; cvta.param.u64 %%pp, %%pp;\n"
        "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d0, %%r0, 32; add.u64 %%a2, %%a0, %%d0;\n",
        (unsigned long long)r->host);
    for (uint32_t i = 0; i < steps; i++) {
        put(r, "L%u: ", i);
        put_step(r, steps);
    }
    put(r, "L%u: ret;\n}\n", steps);
}

#endif
