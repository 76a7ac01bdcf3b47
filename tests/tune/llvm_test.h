/* SPDX-License-Identifier: MIT */
/* What the tests of LLVM IR share: each runs with LLVM 14 and with LLVM 19, and is skipped where that is not installed.
 * Versions have a process each, as in real life. Code is written with typed pointers, which all versions read. */
#ifndef SL_TESTS_LLVM_TEST_H
#define SL_TESTS_LLVM_TEST_H

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tune/rewrite/llvm.h"

#define AMD  "target triple = \"amdgcn-amd-amdhsa\"\n"
#define TID  "declare i32 @llvm.amdgcn.workitem.id.x()\n"
#define HEAD AMD TID

static sl_error error;

static const char *version; /* of LLVM: "14" */

/* Opened for the test that runs; closed by close_code. */
static sl_llvm *llvm;
static sl_llvm_code *code;

static inline void need_llvm(void)
{
    if (sl_llvm_open(version, &llvm, &error)) {
        print_message("LLVM %s is not installed: skipped\n", version);
        skip();
    }
    assert_int_equal(sl_llvm_version(llvm), atoi(version));
}

static inline sl_status try_code(const char *text, const sl_llvm_options *options)
{
    static const sl_llvm_options plain;
    return sl_llvm_read(llvm, text, strlen(text), "test.ll", options ? options : &plain, &code, &error);
}

static inline void close_code(void)
{
    sl_llvm_free(code);
    sl_llvm_close(llvm);
    code = NULL;
    llvm = NULL;
}

static inline void read_code_as(const char *text, const sl_llvm_options *options)
{
    need_llvm();
    if (try_code(text, options))
        fail_msg("%s:%u: %s", error.file, error.line, error.text);
}

static inline void read_code(const char *text)
{
    read_code_as(text, NULL);
}

static inline const sl_load *load_at(uint32_t index)
{
    assert_in_range(index, 0, sl_llvm_graph(code)->loads - 1);
    return &sl_llvm_graph(code)->load[index];
}

/* Not inlined: gcc 12 takes what it returns for a pointer to its own variable. */
__attribute__((noinline, unused)) static char *text_of(void)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sl_llvm_write(code, false, &text, &length, &error), SL_OK);
    assert_int_equal(strlen(text), length);
    return text;
}

static inline void annotate(const uint8_t *mode)
{
    if (sl_llvm_annotate(code, mode, &error))
        fail_msg("%s", error.text);
}

/* The exit code of a program whose tests are these. */
static inline int run_with_each_llvm(const struct CMUnitTest *tests, size_t count)
{
    static const char *const versions[] = {"14", "19"};
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        char name[16];
        version = versions[i];
        snprintf(name, sizeof name, "LLVM %s", version);
        fflush(NULL);
        pid_t child = fork();
        if (!child)
            exit(_cmocka_run_group_tests(name, tests, count, NULL, NULL) != 0);
        int status = -1;
        failed |= child < 0 || waitpid(child, &status, 0) != child || status;
    }
    return failed;
}
#define RUN_WITH_EACH_LLVM(tests) run_with_each_llvm(tests, sizeof tests / sizeof *tests)

#endif
