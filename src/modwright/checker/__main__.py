# SPDX-License-Identifier: Apache-2.0
"""`python -m modwright.checker LOG CORE.v [OPERATIONS]`."""

import sys

from .check import main

sys.exit(main(sys.argv[1:]))
