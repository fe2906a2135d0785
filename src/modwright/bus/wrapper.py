# SPDX-License-Identifier: Apache-2.0
"""Base of the wrappers of all buses: registers of a core, an interrupt, and whether a core is idle."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.lib import wiring
from amaranth.lib.wiring import Member, Out

from .block import NamedBlock, RegisterBlock
from .registers import RegisterMap


class Wrapper(wiring.Component):
    """Registers of a core behind a bus; ports of the protocol, `irq` and `idle`.

    Parameters
    ----------
    registers : RegisterMap
    block : RegisterBlock or NamedBlock
        The registers in hardware, or their module by its name.
    ports : mapping
        Ports of the protocol.
    """

    def __init__(self, registers: RegisterMap, block: RegisterBlock | NamedBlock, ports: Mapping[str, Member]) -> None:
        self.map, self.block = registers, block
        super().__init__({**ports, "irq": Out(1), "idle": Out(1)})
