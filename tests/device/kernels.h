/* SPDX-License-Identifier: MIT */
/* PTX that the tests of devices run. */
#ifndef SL_TESTS_DEVICE_KERNELS_H
#define SL_TESTS_DEVICE_KERNELS_H

/* fill_u32(out, value, n): out[i] = value + i; step(out): out[0] += bias; bias is a variable, 5 at first. */
static const char two_kernels[] = ".version 7.0\n"
                                  ".target sm_80\n"
                                  ".address_size 64\n"
                                  ".visible .global .align 4 .u32 bias = 5;\n"
                                  ".visible .entry fill_u32(.param .u64 out, .param .u32 value, .param .u32 n)\n"
                                  "{\n"
                                  "    .reg .pred %p<2>;\n"
                                  "    .reg .b32 %r<8>;\n"
                                  "    .reg .b64 %rd<4>;\n"
                                  "    ld.param.u64 %rd1, [out];\n"
                                  "    ld.param.u32 %r1, [value];\n"
                                  "    ld.param.u32 %r2, [n];\n"
                                  "    mov.u32 %r3, %ctaid.x;\n"
                                  "    mov.u32 %r4, %ntid.x;\n"
                                  "    mov.u32 %r5, %tid.x;\n"
                                  "    mad.lo.s32 %r6, %r3, %r4, %r5;\n"
                                  "    setp.ge.u32 %p1, %r6, %r2;\n"
                                  "    @%p1 bra DONE;\n"
                                  "    cvta.to.global.u64 %rd1, %rd1;\n"
                                  "    mul.wide.u32 %rd2, %r6, 4;\n"
                                  "    add.s64 %rd3, %rd1, %rd2;\n"
                                  "    add.s32 %r7, %r1, %r6;\n"
                                  "    st.global.u32 [%rd3], %r7;\n"
                                  "DONE:\n"
                                  "    ret;\n"
                                  "}\n"
                                  ".visible .entry step(.param .u64 out)\n"
                                  "{\n"
                                  "    .reg .b32 %r<4>;\n"
                                  "    .reg .b64 %rd<2>;\n"
                                  "    ld.param.u64 %rd1, [out];\n"
                                  "    cvta.to.global.u64 %rd1, %rd1;\n"
                                  "    ld.global.u32 %r1, [%rd1];\n"
                                  "    ld.global.u32 %r2, [bias];\n"
                                  "    add.s32 %r3, %r1, %r2;\n"
                                  "    st.global.u32 [%rd1], %r3;\n"
                                  "    ret;\n"
                                  "}\n";

#endif
