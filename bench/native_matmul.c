/* SPDX-License-Identifier: MIT */
#include "native_matmul.h"

void native_matmul(const float *a, const float *b, float *c, unsigned n)
{
    for (unsigned row = 0; row < n; row++)
        for (unsigned column = 0; column < n; column++) {
            float sum = 0;
            for (unsigned k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}
