#!/bin/sh
# SPDX-License-Identifier: MIT
# The tutorial and the README say what the program says.
. "${SLUICE_SOURCE:?}/tests/typed.sh"

type_again README.md
type_again docs/tutorial.md

done_testing
