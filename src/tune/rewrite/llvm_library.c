/* SPDX-License-Identifier: MIT */
/* Finding and loading LLVM. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/rewrite/llvm_code.h"

#define SL_LLVM_INSTALL "on Debian, apt install libllvm19 (14 to 19 will do)"

/* LLVM is not made to be unloaded, and two versions must not see each other's symbols. */
static void *load_file(const char *file)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Distributions name the library differently, and 18 changed the name. */
static void *load_version(uint32_t version)
{
    static const char *const names[] = {"libLLVM.so.%u.1", "libLLVM-%u.so.1", "libLLVM-%u.so"};
    char file[64];
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
        snprintf(file, sizeof file, names[i], version);
        library = load_file(file);
    }
    return library;
}

/* The version of a library that was named by its file: from what the file is called in the end. */
static uint32_t version_of(void *library)
{
    Dl_info info;
    void *symbol = dlsym(library, "LLVMContextCreate");
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname)
        return 0;
    char *path = realpath(info.dli_fname, NULL);
    const char *name = path ? strrchr(path, '/') : NULL;
    uint32_t version = 0;
    for (name = name ? name : ""; *name && !version; name++)
        if (isdigit((unsigned char)*name))
            version = (uint32_t)strtoul(name, NULL, 10);
    free(path);
    return version;
}

static sl_status resolve(sl_llvm *llvm, sl_error *error)
{
    /* POSIX wants function pointers read through an object pointer. */
#define SL_LLVM_RESOLVE(result, name, params)                                                                          \
    *(void **)&llvm->api.name = dlsym(llvm->library, "LLVM" #name);                                                    \
    if (!llvm->api.name)                                                                                               \
        return sl_fail(error, SL_UNSUPPORTED,                                                                          \
                       "this library has no LLVM" #name ": it is not LLVM %d to %d with the targets AMDGPU and "       \
                       "NVPTX",                                                                                        \
                       SL_LLVM_OLDEST, SL_LLVM_NEWEST);
    SL_LLVM_API_TABLE(SL_LLVM_RESOLVE)
#undef SL_LLVM_RESOLVE
    return SL_OK;
}

static void start_targets(const sl_llvm_api *api)
{
    api->InitializeAMDGPUTargetInfo();
    api->InitializeAMDGPUTarget();
    api->InitializeAMDGPUTargetMC();
    api->InitializeAMDGPUAsmPrinter();
    api->InitializeAMDGPUAsmParser(); /* for inline assembly */
    api->InitializeNVPTXTargetInfo();
    api->InitializeNVPTXTarget();
    api->InitializeNVPTXTargetMC();
    api->InitializeNVPTXAsmPrinter();
}

static sl_status find(const char *wanted, sl_llvm *llvm, sl_error *error)
{
    char *end = NULL;
    unsigned long version = wanted ? strtoul(wanted, &end, 10) : 0;
    if (wanted && (end == wanted || *end)) {
        llvm->library = load_file(wanted);
        if (!llvm->library) {
            const char *reason = dlerror();
            return sl_fail(error, SL_NOT_FOUND, "no LLVM in %s: %s", wanted, reason ? reason : "it cannot be loaded");
        }
        llvm->version = version_of(llvm->library);
        return SL_OK;
    }
    if (wanted && (version < SL_LLVM_OLDEST || version > SL_LLVM_NEWEST))
        return sl_fail(error, SL_INVALID, "LLVM %s is not one that Sluice knows: %d to %d, or the file of a library",
                       wanted, SL_LLVM_OLDEST, SL_LLVM_NEWEST);
    for (uint32_t v = SL_LLVM_NEWEST; v >= SL_LLVM_OLDEST && !llvm->library; v--)
        if (!wanted || v == version) {
            llvm->library = load_version(v);
            llvm->version = v;
        }
    if (llvm->library)
        return SL_OK;
    if (wanted)
        return sl_fail(error, SL_NOT_FOUND, "LLVM %lu is not installed: on Debian, apt install libllvm%lu", version,
                       version);
    return sl_fail(error, SL_NOT_FOUND, "LLVM IR needs LLVM, which is not installed: " SL_LLVM_INSTALL);
}

sl_status sl_llvm_open(const char *wanted, sl_llvm **llvm, sl_error *error)
{
    sl_llvm *self = calloc(1, sizeof *self);
    if (!self)
        return sl_fail_memory(error);
    sl_status status = find(wanted, self, error);
    if (!status)
        status = resolve(self, error);
    if (status) {
        sl_llvm_close(self);
        return status;
    }
    start_targets(&self->api);
    *llvm = self;
    return SL_OK;
}

void sl_llvm_close(sl_llvm *llvm)
{
    if (!llvm)
        return;
    if (llvm->library)
        dlclose(llvm->library);
    free(llvm);
}

uint32_t sl_llvm_version(const sl_llvm *llvm)
{
    return llvm->version;
}
