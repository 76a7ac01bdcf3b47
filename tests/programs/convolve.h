/* SPDX-License-Identifier: MIT */
/* What the two files of the program `convolve` know of each other. */
#pragma once

const int RADIUS = 4;

/* Sets the taps of the filter (they live in constant memory of convolve_kernel.cu). */
void set_taps(const float *taps);
/* Filters n floats from `in` to `out`, both on the device. */
void convolve(const float *in, float *out, int n);
/* The device's copy of the taps, read back. */
void get_taps(float *taps);
