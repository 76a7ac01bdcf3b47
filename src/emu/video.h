/* SPDX-License-Identifier: MIT */
/* How a video instruction is described in sl_op.aux: built by decode_video.c, read by exec_int.c. */
#ifndef SL_EMU_VIDEO_H
#define SL_EMU_VIDEO_H

typedef enum sl_video {
    SL_VIDEO_ADD,
    SL_VIDEO_SUB,
    SL_VIDEO_ABSDIFF,
    SL_VIDEO_MIN,
    SL_VIDEO_MAX,
    SL_VIDEO_AVERAGE,
    SL_VIDEO_SHL,
    SL_VIDEO_SHR,
    SL_VIDEO_SET,
    SL_VIDEO_MAD,
} sl_video;

typedef enum sl_video_compare {
    SL_VIDEO_EQ,
    SL_VIDEO_NE,
    SL_VIDEO_LT,
    SL_VIDEO_LE,
    SL_VIDEO_GT,
    SL_VIDEO_GE
} sl_video_compare;

/* What follows the operation: with c, or into a part of c. */
typedef enum sl_video_then { SL_VIDEO_ALONE, SL_VIDEO_THEN_ADD, SL_VIDEO_THEN_MIN, SL_VIDEO_THEN_MAX } sl_video_then;

enum {
    SL_VIDEO_OP_MASK = 15,
    SL_VIDEO_A_SIGNED = 1 << 4,
    SL_VIDEO_B_SIGNED = 1 << 5,
    SL_VIDEO_D_SIGNED = 1 << 6,
    SL_VIDEO_SAT = 1 << 7,
    SL_VIDEO_WRAP = 1 << 8,   /* shifts */
    SL_VIDEO_QUADS = 1 << 8,  /* four bytes; else two halves */
    SL_VIDEO_COMPARE_BIT = 9, /* three bits */
    SL_VIDEO_THEN_BIT = 12,   /* two bits */
    SL_VIDEO_A_PART_BIT = 14, /* four bits each: 0 the whole register, 1 to 4 a byte, 5 and 6 a half */
    SL_VIDEO_B_PART_BIT = 18,
    SL_VIDEO_D_PART_BIT = 22,
    SL_VIDEO_NEGATE_PRODUCT = 1 << 26, /* vmad */
    SL_VIDEO_NEGATE_C = 1 << 27,
    SL_VIDEO_PLUS_ONE = 1 << 28,
    SL_VIDEO_SHIFT_7 = 1 << 29,
    SL_VIDEO_SHIFT_15 = 1 << 30,
};

#endif
