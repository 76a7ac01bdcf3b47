#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the cubins of this folder with ptxas (13.0 made those that are checked in).
set -e
cd "$(dirname "$0")"
for sm in 90 80; do
    ptxas -arch=sm_$sm -O3 kernels.ptx -o kernels_$sm.cubin
done
