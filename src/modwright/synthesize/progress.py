# SPDX-License-Identifier: Apache-2.0
"""One line on standard error when a long step starts or advances; nothing for results that are already stored."""

from __future__ import annotations

import sys


def announce(text: str) -> None:
    """Write one line on standard error."""
    print(f"modwright: {text}", file=sys.stderr, flush=True)
