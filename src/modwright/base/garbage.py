# SPDX-License-Identifier: Apache-2.0
"""Searches for garbage, which are rare where most of what is made lives as long as the work."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def few_collections(objects: int) -> Generator[None]:
    """Look for garbage after so many objects have been made, not after Python's 700, until the context ends.

    Parameters
    ----------
    objects : int
        Objects that are made before the first search; where it is looked for less often already, that stays.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(objects, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
