/* SPDX-License-Identifier: MIT */
#include "hipcub/hipcub.hpp"
