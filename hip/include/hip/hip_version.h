/* SPDX-License-Identifier: MIT */
/* The version of HIP whose names these headers have. */
#ifndef SLUICE_HIP_VERSION_H
#define SLUICE_HIP_VERSION_H

#define HIP_VERSION_MAJOR   6
#define HIP_VERSION_MINOR   3
#define HIP_VERSION_PATCH   0
#define HIP_VERSION_GITHASH "sluice"
#define HIP_VERSION         (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#endif
