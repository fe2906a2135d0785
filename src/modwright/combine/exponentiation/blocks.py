# SPDX-License-Identifier: Apache-2.0
"""The block picture of an exponentiator."""

from __future__ import annotations

from ...contract import Block
from .parameters import RIGHT, WINDOW, ModexpParameters


def blocks(p: ModexpParameters) -> list[Block]:
    """Boxes of one exponentiator, lanes drawn once."""
    inner = p.multiplier
    name = inner.core.name.partition("/")[2]
    ports = [f"multiplier {k}" for k in range(p.ports)]
    boxes = [Block("i", "i: base, exponent", (), f"{p.i.width} bits", "port")]
    sources = ["i", *ports]
    if inner.domain:
        limbs = f"{p.limbs} limb{'s' * (p.limbs > 1)} of {p.limb} bits"
        boxes.append(Block("limbs", "limb unit: V, M", ("i", *ports), limbs))
        sources.append("limbs")
    if p.method == WINDOW:
        boxes.append(Block("table", "table", ("registers",), f"{1 << p.window} powers of the base", "memory"))
        sources.append("table")
    boxes.append(Block("registers", "A, B", tuple(sources), f"{inner.width} bits each", "memory"))
    order = "from the right" if p.method == RIGHT else "from the left"
    boxes.append(Block("control", "program, exponent", ("i",), f"{p.exponent_bits} bits {order}", "control"))
    operands = ("registers", *(["limbs"] if inner.domain else []), "control")
    boxes += [Block(port, name, operands, f"{inner.latency} cycles", "multiplier") for port in ports]
    last = ("limbs" if inner.domain else "registers", "control")
    return [*boxes, Block("o", "o: z, error", last, f"{p.o.width} bits", "port")]
