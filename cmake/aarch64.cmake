# SPDX-License-Identifier: MIT
# Builds for 64-bit Arm with Debian's cross compiler, and runs what is built with qemu-user. AARCH64_ROOT is a folder with the
# libraries, which ./dev unpacks.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AARCH64_ROOT)
set(CMAKE_SYSROOT ${AARCH64_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${AARCH64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${AARCH64_ROOT}/usr/share/pkgconfig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${AARCH64_ROOT})
