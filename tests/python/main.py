# SPDX-License-Identifier: MIT
"""Runs the tests of the package for Python; tests/cli/python.sh sets what they need."""
import sys

import documents
import package
from tap import run

sys.exit(run(package.TESTS + documents.TESTS))
