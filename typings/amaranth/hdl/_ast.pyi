# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterable

from amaranth.hdl import Signal

class Statement:
    """An assignment; it does nothing until it is added to a domain of a module. `amaranth.hdl` does not export it."""

    def _lhs_signals(self) -> Iterable[Signal]: ...
