# SPDX-License-Identifier: Apache-2.0
"""One line on standard error when a long step starts or moves on; nothing for what the store already has."""

from __future__ import annotations

import sys


def announce(text: str) -> None:
    """Write one line for the one who waits."""
    print(f"modwright: {text}", file=sys.stderr, flush=True)
