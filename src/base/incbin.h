/* SPDX-License-Identifier: MIT */
/* Files that are taken into the program as they lie in the source tree: SL_INCBIN("name", PATH), at file scope, makes
 * the symbols name and name_end, with a zero byte behind the end, to be declared as `extern const char name[]`. The
 * directives are those of ELF assemblers. */
#ifndef SL_BASE_INCBIN_H
#define SL_BASE_INCBIN_H

#define SL_INCBIN(name, path)                                                                                          \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global " name "\n"                                                                                       \
            ".hidden " name "\n" name ":\n"                                                                            \
            ".incbin \"" path "\"\n"                                                                                   \
            ".global " name "_end\n"                                                                                   \
            ".hidden " name "_end\n" name "_end:\n"                                                                    \
            ".byte 0\n"                                                                                                \
            ".popsection\n");

#endif
