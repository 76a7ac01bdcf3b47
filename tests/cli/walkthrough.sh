#!/bin/sh
# SPDX-License-Identifier: MIT
# The walk through Sluice says what the program says.
. "${SLUICE_SOURCE:?}/tests/typed.sh"

type_again docs/walkthrough.md

done_testing
