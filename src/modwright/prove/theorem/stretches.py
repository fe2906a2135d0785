# SPDX-License-Identifier: Apache-2.0
"""Knowledge about a stretch of cycles before it is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .ternary import Word


@dataclass(frozen=True)
class Context:
    """The known state at the start of a stretch of cycles, valid for any history and any other inputs.

    Parameters
    ----------
    registers : mapping of int to Word
        Known bits of registers.
    inputs : mapping of str to Word
        Handshakes in the first cycle.
    forced : mapping of int to Word
        Bits of sources in the first cycle that define the stretch.
    """

    registers: Mapping[int, Word]
    inputs: Mapping[str, Word]
    forced: Mapping[int, Word]


@dataclass(frozen=True)
class Resting:
    """A register that holds a number in all cycles of an operation but some.

    Parameters
    ----------
    number : int
    first, end : int
        Bounds of the cycles in which it may hold another value: `first` to `end` - 1.
    """

    number: int
    first: int
    end: int
