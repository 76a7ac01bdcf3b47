/* SPDX-License-Identifier: MIT */
/* The part of LLVM's C interface that Sluice calls: types, numbers and entry points, so that nothing of LLVM is needed
 * to build. All of it is there, unchanged, in LLVM 14 to 19; names are LLVM's without the prefix. */
#ifndef SL_TUNE_REWRITE_LLVM_API_H
#define SL_TUNE_REWRITE_LLVM_API_H

#include <stddef.h>
#include <stdint.h>

typedef int llvm_bool; /* of functions that can fail: 0 is success */
typedef struct llvm_context *llvm_context;
typedef struct llvm_module *llvm_module;
typedef struct llvm_type *llvm_type;
typedef struct llvm_value *llvm_value;
typedef struct llvm_block *llvm_block;
typedef struct llvm_builder *llvm_builder;
typedef struct llvm_buffer *llvm_buffer;
typedef struct llvm_attribute *llvm_attribute;
typedef struct llvm_metadata *llvm_metadata;
typedef struct llvm_di_builder *llvm_di_builder;
typedef struct llvm_target *llvm_target;
typedef struct llvm_machine *llvm_machine;
typedef struct llvm_layout *llvm_layout;
typedef struct llvm_pass_options *llvm_pass_options;
typedef struct llvm_diagnostic *llvm_diagnostic;
typedef void (*llvm_diagnostic_handler)(llvm_diagnostic, void *context);

enum {
    LLVM_CC_PTX_KERNEL = 71,
    LLVM_CC_AMDGPU_KERNEL = 91,

    LLVM_OP_INVOKE = 5,
    LLVM_OP_CALLBR = 67,
    LLVM_OP_ALLOCA = 26,
    LLVM_OP_LOAD = 27,
    LLVM_OP_STORE = 28,
    LLVM_OP_GEP = 29,
    LLVM_OP_INTTOPTR = 40,
    LLVM_OP_BITCAST = 41,
    LLVM_OP_ADDRSPACECAST = 60,
    LLVM_OP_PHI = 44,
    LLVM_OP_CALL = 45,
    LLVM_OP_SELECT = 46,
    LLVM_OP_EXTRACTVALUE = 53,
    LLVM_OP_FENCE = 55,
    LLVM_OP_FREEZE = 68,

    LLVM_TYPE_HALF = 1, /* then float and double */
    LLVM_TYPE_DOUBLE = 3,
    LLVM_TYPE_INTEGER = 8,
    LLVM_TYPE_STRUCT = 10,
    LLVM_TYPE_ARRAY = 11,
    LLVM_TYPE_POINTER = 12,
    LLVM_TYPE_VECTOR = 13,

    LLVM_FUNCTION_INDEX = -1, /* of attributes */

    LLVM_VERIFY_RETURN_STATUS = 2,
    LLVM_SEVERITY_ERROR = 0,

    LLVM_ASSEMBLY_FILE = 0,
    LLVM_CODEGEN_DEFAULT = 2,
    LLVM_RELOC_PIC = 2,
    LLVM_CODE_MODEL_DEFAULT = 0,

    LLVM_DWARF_C99 = 11,
    LLVM_DWARF_LINES_ONLY = 2,
    LLVM_MODULE_FLAG_WARNING = 1,
};

/* Result, name, parameters. */
// clang-format off
#define SL_LLVM_API_TABLE(F)                                                                                           \
    /* Contexts, modules, text */                                                                                      \
    F(llvm_context, ContextCreate,              (void))                                                                \
    F(void,         ContextDispose,             (llvm_context))                                                        \
    F(void,         ContextSetDiagnosticHandler, (llvm_context, llvm_diagnostic_handler, void *))                      \
    F(char *,       GetDiagInfoDescription,     (llvm_diagnostic))                                                     \
    F(int,          GetDiagInfoSeverity,        (llvm_diagnostic))                                                     \
    F(void,         DisposeMessage,             (char *))                                                              \
    F(llvm_buffer,  CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *name))                   \
    F(void,         DisposeMemoryBuffer,        (llvm_buffer))                                                         \
    F(const char *, GetBufferStart,             (llvm_buffer))                                                         \
    F(size_t,       GetBufferSize,              (llvm_buffer))                                                         \
    F(llvm_bool,    ParseIRInContext,           (llvm_context, llvm_buffer, llvm_module *, char **message))            \
    F(llvm_bool,    VerifyModule,               (llvm_module, int action, char **message))                             \
    F(llvm_module,  CloneModule,                (llvm_module))                                                         \
    F(void,         DisposeModule,              (llvm_module))                                                         \
    F(char *,       PrintModuleToString,        (llvm_module))                                                         \
    F(llvm_buffer,  WriteBitcodeToMemoryBuffer, (llvm_module))                                                         \
    F(void,         SetModuleIdentifier,        (llvm_module, const char *, size_t))                                   \
    F(const char *, GetSourceFileName,          (llvm_module, size_t *))                                               \
    F(void,         SetSourceFileName,          (llvm_module, const char *, size_t))                                   \
    F(const char *, GetTarget,                  (llvm_module))                                                         \
    F(llvm_value,   GetFirstGlobal,             (llvm_module))                                                         \
    F(void,         SetTarget,                  (llvm_module, const char *triple))                                     \
    F(void,         SetDataLayout,              (llvm_module, const char *))                                           \
    F(llvm_bool,    StripModuleDebugInfo,       (llvm_module))                                                         \
    F(void,         AddModuleFlag,              (llvm_module, int behavior, const char *, size_t, llvm_metadata))     \
    /* Functions, blocks, instructions */                                                                              \
    F(llvm_value,   GetFirstFunction,           (llvm_module))                                                         \
    F(llvm_value,   GetNextFunction,            (llvm_value))                                                          \
    F(llvm_value,   GetNamedFunction,           (llvm_module, const char *))                                           \
    F(llvm_value,   AddFunction,                (llvm_module, const char *, llvm_type))                                \
    F(void,         DeleteFunction,             (llvm_value))                                                          \
    F(llvm_value,   GetNamedGlobal,             (llvm_module, const char *))                                           \
    F(void,         DeleteGlobal,               (llvm_value))                                                          \
    F(llvm_bool,    IsDeclaration,              (llvm_value))                                                          \
    F(unsigned,     GetFunctionCallConv,        (llvm_value))                                                          \
    F(void,         SetFunctionCallConv,        (llvm_value, unsigned))                                                \
    F(void,         SetVisibility,              (llvm_value, int))                                                     \
    F(unsigned,     CountParams,                (llvm_value))                                                          \
    F(llvm_value,   GetParam,                   (llvm_value, unsigned))                                                \
    F(llvm_value,   GetParamParent,             (llvm_value))                                                          \
    F(llvm_block,   GetFirstBasicBlock,         (llvm_value))                                                          \
    F(llvm_block,   GetNextBasicBlock,          (llvm_block))                                                          \
    F(llvm_value,   GetFirstInstruction,        (llvm_block))                                                          \
    F(llvm_value,   GetNextInstruction,         (llvm_value))                                                          \
    F(llvm_value,   GetPreviousInstruction,     (llvm_value))                                                          \
    F(llvm_block,   GetPreviousBasicBlock,      (llvm_block))                                                          \
    F(llvm_block,   GetInstructionParent,       (llvm_value))                                                          \
    F(unsigned,     GetNumIndices,              (llvm_value))                                                          \
    F(const unsigned *, GetIndices,             (llvm_value))                                                          \
    F(int,          GetInstructionOpcode,       (llvm_value))                                                          \
    F(int,          GetConstOpcode,             (llvm_value))                                                          \
    F(void,         InstructionEraseFromParent, (llvm_value))                                                          \
    F(const char *, GetValueName2,              (llvm_value, size_t *))                                                \
    F(char *,       PrintValueToString,         (llvm_value))                                                          \
    F(llvm_type,    TypeOf,                     (llvm_value))                                                          \
    F(int,          GetNumOperands,             (llvm_value))                                                          \
    F(llvm_value,   GetOperand,                 (llvm_value, unsigned))                                                \
    F(void,         SetOperand,                 (llvm_value, unsigned, llvm_value))                                    \
    F(llvm_value,   GetCalledValue,             (llvm_value))                                                          \
    F(unsigned,     GetNumArgOperands,          (llvm_value))                                                          \
    F(llvm_value,   IsAArgument,                (llvm_value))                                                          \
    F(llvm_value,   IsAConstantInt,             (llvm_value))                                                          \
    F(llvm_value,   IsAConstantExpr,            (llvm_value))                                                          \
    F(llvm_value,   IsAFunction,                (llvm_value))                                                          \
    F(llvm_value,   IsAInlineAsm,               (llvm_value))                                                          \
    F(llvm_value,   IsAGlobalVariable,          (llvm_value))                                                          \
    F(llvm_value,   IsAInstruction,             (llvm_value))                                                          \
    F(int64_t,      ConstIntGetSExtValue,       (llvm_value))                                                          \
    F(unsigned,     CountIncoming,              (llvm_value))                                                          \
    F(llvm_value,   GetIncomingValue,           (llvm_value, unsigned))                                                \
    F(llvm_bool,    GetVolatile,                (llvm_value))                                                          \
    F(void,         SetVolatile,                (llvm_value, llvm_bool))                                               \
    F(int,          GetOrdering,                (llvm_value))                                                          \
    F(unsigned,     GetAlignment,               (llvm_value))                                                          \
    F(void,         SetAlignment,               (llvm_value, unsigned))                                                \
    F(void,         ReplaceAllUsesWith,         (llvm_value, llvm_value))                                              \
    F(void,         SetValueName2,              (llvm_value, const char *, size_t))                                    \
    F(void *,       GetFirstUse,                (llvm_value))                                                          \
    F(void *,       GetNextUse,                 (void *use))                                                           \
    F(llvm_value,   GetUser,                    (void *use))                                                           \
    /* Types */                                                                                                        \
    F(int,          GetTypeKind,                (llvm_type))                                                           \
    F(unsigned,     GetPointerAddressSpace,     (llvm_type))                                                           \
    F(char *,       PrintTypeToString,          (llvm_type))                                                           \
    F(llvm_type,    GlobalGetValueType,         (llvm_value))                                                          \
    F(llvm_type,    GetGEPSourceElementType,    (llvm_value))                                                          \
    F(unsigned long long, OffsetOfElement,      (llvm_layout, llvm_type, unsigned))                                    \
    F(unsigned long long, ABISizeOfType,        (llvm_layout, llvm_type))                                              \
    F(llvm_type,    GetElementType,             (llvm_type))                                                           \
    F(llvm_type,    StructGetTypeAtIndex,       (llvm_type, unsigned))                                                 \
    F(llvm_type,    GetAllocatedType,           (llvm_value))                                                          \
    F(llvm_type,    GetReturnType,              (llvm_type))                                                           \
    F(llvm_type,    IntTypeInContext,           (llvm_context, unsigned bits))                                         \
    F(unsigned,     GetIntTypeWidth,            (llvm_type))                                                           \
    F(llvm_type,    FunctionType,               (llvm_type, llvm_type *, unsigned, llvm_bool))                         \
    F(llvm_value,   ConstInt,                   (llvm_type, unsigned long long, llvm_bool))                            \
    F(llvm_type,    VectorType,                 (llvm_type, unsigned))                                                 \
    F(unsigned,     GetVectorSize,              (llvm_type))                                                           \
    F(llvm_type,    VoidTypeInContext,          (llvm_context))                                                        \
    F(llvm_type,    StructTypeInContext,        (llvm_context, llvm_type *, unsigned, llvm_bool packed))               \
    F(llvm_value,   GetUndef,                   (llvm_type))                                                           \
    F(llvm_value,   GetInlineAsm,               (llvm_type, const char *, size_t, const char *, size_t, llvm_bool effects,\
        llvm_bool align, int dialect, llvm_bool can_throw))                                                            \
    /* Attributes and metadata */                                                                                      \
    F(llvm_attribute, GetStringAttributeAtIndex, (llvm_value, int, const char *, unsigned))                            \
    F(const char *, GetStringAttributeValue,    (llvm_attribute, unsigned *))                                          \
    F(void,         RemoveStringAttributeAtIndex, (llvm_value, int, const char *, unsigned))                           \
    F(llvm_attribute, CreateStringAttribute,    (llvm_context, const char *, unsigned, const char *, unsigned))        \
    F(void,         AddAttributeAtIndex,        (llvm_value, int, llvm_attribute))                                     \
    F(unsigned,     GetEnumAttributeKindForName, (const char *, size_t))                                               \
    F(llvm_attribute, GetEnumAttributeAtIndex,  (llvm_value, int, unsigned))                                           \
    F(unsigned,     GetMDKindIDInContext,       (llvm_context, const char *, unsigned))                                \
    F(llvm_value,   GetMetadata,                (llvm_value, unsigned))                                                \
    F(void,         SetMetadata,                (llvm_value, unsigned, llvm_value))                                    \
    F(llvm_value,   MDNodeInContext,            (llvm_context, llvm_value *, unsigned))                                \
    F(unsigned,     GetMDNodeNumOperands,       (llvm_value))                                                          \
    F(void,         GetMDNodeOperands,          (llvm_value, llvm_value *))                                            \
    F(unsigned,     GetNamedMetadataNumOperands,(llvm_module, const char *))                                           \
    F(void,         GetNamedMetadataOperands,   (llvm_module, const char *, llvm_value *))                             \
    F(const char *, GetMDString,                (llvm_value, unsigned *))                                              \
    F(llvm_value,   MetadataAsValue,            (llvm_context, llvm_metadata))                                         \
    F(llvm_metadata, ValueAsMetadata,           (llvm_value))                                                          \
    F(unsigned,     GetDebugLocLine,            (llvm_value))                                                          \
    F(const char *, GetDebugLocFilename,        (llvm_value, unsigned *))                                              \
    F(llvm_metadata, GetModuleFlag,             (llvm_module, const char *, size_t))                                     \
    F(llvm_di_builder, CreateDIBuilder,         (llvm_module))                                                         \
    F(void,         DisposeDIBuilder,           (llvm_di_builder))                                                     \
    F(void,         DIBuilderFinalize,          (llvm_di_builder))                                                     \
    F(llvm_metadata, DIBuilderCreateFile,       (llvm_di_builder, const char *, size_t, const char *, size_t))         \
    F(llvm_metadata, DIBuilderCreateCompileUnit, (llvm_di_builder, int language, llvm_metadata file, const char *,     \
        size_t, llvm_bool optimized, const char *, size_t, unsigned, const char *, size_t, int emission, unsigned,     \
        llvm_bool, llvm_bool, const char *, size_t, const char *, size_t))                                             \
    F(llvm_metadata, DIBuilderCreateSubroutineType, (llvm_di_builder, llvm_metadata, llvm_metadata *, unsigned, int))  \
    F(llvm_metadata, DIBuilderCreateFunction,   (llvm_di_builder, llvm_metadata scope, const char *, size_t,           \
        const char *, size_t, llvm_metadata file, unsigned line, llvm_metadata type, llvm_bool local,                  \
        llvm_bool definition, unsigned scope_line, int flags, llvm_bool optimized))                                    \
    F(llvm_metadata, DIBuilderCreateDebugLocation, (llvm_context, unsigned, unsigned, llvm_metadata, llvm_metadata))   \
    F(void,         InstructionSetDebugLoc,     (llvm_value, llvm_metadata))                                           \
    F(void,         SetSubprogram,              (llvm_value, llvm_metadata))                                           \
    /* Building */                                                                                                     \
    F(llvm_builder, CreateBuilderInContext,     (llvm_context))                                                        \
    F(void,         DisposeBuilder,             (llvm_builder))                                                        \
    F(void,         PositionBuilderBefore,      (llvm_builder, llvm_value))                                            \
    F(llvm_value,   BuildAlloca,                (llvm_builder, llvm_type, const char *))                               \
    F(llvm_value,   BuildAddrSpaceCast,         (llvm_builder, llvm_value, llvm_type, const char *))                   \
    F(llvm_value,   BuildCall2,                 (llvm_builder, llvm_type, llvm_value, llvm_value *, unsigned,          \
        const char *))                                                                                                 \
    F(llvm_value,   BuildShl,                   (llvm_builder, llvm_value, llvm_value, const char *))                  \
    F(llvm_value,   BuildOr,                    (llvm_builder, llvm_value, llvm_value, const char *))                  \
    F(llvm_value,   BuildBitCast,               (llvm_builder, llvm_value, llvm_type, const char *))                   \
    F(llvm_value,   BuildMul,                   (llvm_builder, llvm_value, llvm_value, const char *))                  \
    F(llvm_value,   BuildIntCast2,              (llvm_builder, llvm_value, llvm_type, llvm_bool, const char *))        \
    F(llvm_value,   BuildPtrToInt,              (llvm_builder, llvm_value, llvm_type, const char *))                   \
    F(llvm_value,   BuildExtractValue,          (llvm_builder, llvm_value, unsigned, const char *))                    \
    F(llvm_value,   BuildExtractElement,        (llvm_builder, llvm_value, llvm_value, const char *))                  \
    F(llvm_value,   BuildInsertElement,         (llvm_builder, llvm_value, llvm_value, llvm_value, const char *))      \
    /* Targets and passes */                                                                                           \
    F(llvm_bool,    GetTargetFromTriple,        (const char *, llvm_target *, char **message))                         \
    F(llvm_machine, CreateTargetMachine,        (llvm_target, const char *triple, const char *cpu,                     \
        const char *features, int level, int reloc, int model))                                                        \
    F(void,         DisposeTargetMachine,       (llvm_machine))                                                        \
    F(llvm_layout,  CreateTargetDataLayout,     (llvm_machine))                                                        \
    F(char *,       CopyStringRepOfTargetData,  (llvm_layout))                                                         \
    F(void,         DisposeTargetData,          (llvm_layout))                                                         \
    F(llvm_bool,    TargetMachineEmitToMemoryBuffer, (llvm_machine, llvm_module, int kind, char **message,             \
        llvm_buffer *))                                                                                                \
    F(llvm_pass_options, CreatePassBuilderOptions, (void))                                                             \
    F(void,         DisposePassBuilderOptions,  (llvm_pass_options))                                                   \
    F(void *,       RunPasses,                  (llvm_module, const char *passes, llvm_machine, llvm_pass_options))    \
    F(char *,       GetErrorMessage,            (void *error))                                                         \
    F(void,         DisposeErrorMessage,        (char *))                                                              \
    F(unsigned long long, StoreSizeOfType,      (llvm_layout, llvm_type))                                              \
    F(void,         InitializeAMDGPUTargetInfo, (void))                                                                \
    F(void,         InitializeAMDGPUTarget,     (void))                                                                \
    F(void,         InitializeAMDGPUTargetMC,   (void))                                                                \
    F(void,         InitializeAMDGPUAsmPrinter, (void))                                                                \
    F(void,         InitializeAMDGPUAsmParser,  (void))                                                                \
    F(void,         InitializeNVPTXTargetInfo,  (void))                                                                \
    F(void,         InitializeNVPTXTarget,      (void))                                                                \
    F(void,         InitializeNVPTXTargetMC,    (void))                                                                \
    F(void,         InitializeNVPTXAsmPrinter,  (void))
// clang-format on

#define SL_LLVM_MEMBER(result, name, params) result(*name) params;
typedef struct sl_llvm_api {
    SL_LLVM_API_TABLE(SL_LLVM_MEMBER)
} sl_llvm_api;
#undef SL_LLVM_MEMBER

#endif
