# SPDX-License-Identifier: Apache-2.0
"""The block picture of the multiplier."""

from __future__ import annotations

from ....contract import Block
from ....engines.orup.ahead import OrupParameters
from ....engines.orup.interleaved import InterleavedParameters


def blocks(p: OrupParameters) -> list[Block]:
    """Boxes of one multiplier."""
    operands = f"{2 * p.operand_bits + 2 * p.n} bits"
    of_y, of_m = len(p.word_tiling.tiles), len(p.modulus_tiling.tiles)
    carries = f"{p.chunks} chunks of {p.w} bits, carries between"
    return [
        Block("i", "i: x, y, m, modulus", (), operands, "port"),
        Block("digits", "digits of X", ("i",), f"{p.k} bits a cycle, R = 2^{p.T}", "control"),
        Block("y_tiles", "b·Y", ("i", "digits"), f"{of_y} tiles of {p.w} x {p.k}", "multiplier"),
        Block("m_tiles", "q·m", ("i", "loop"), f"{of_m} tiles of {p.w} x {p.k}; q is {p.d} digits late", "multiplier"),
        Block("loop", "S", ("y_tiles", "m_tiles", "loop"), carries),
        Block("check", "comparators", ("i", "digits"), f"X, Y < 2^{p.K + 1}·m; the modulus odd, at least 3"),
        Block("convert", "to binary", ("loop", "check"), f"limb adder, {p.limb} bits"),
        Block("o", "o: z, m, modulus, error", ("convert", "check"), f"z < 2^{p.K + 1}·m", "port"),
    ]


def interleaved_blocks(p: InterleavedParameters) -> list[Block]:
    """Boxes of one multiplier with operations in turn."""
    operands = f"{2 * p.operand_bits + 2 * p.n} bits"
    of_y, of_m = len(p.word_tiling.tiles), len(p.modulus_tiling.tiles)
    carries = f"{p.chunks} chunks of {p.w} bits, carries between; {p.slots} cycles a step"
    return [
        Block("i", "i: x, y, m, modulus", (), operands, "port"),
        Block("slots", "operands of each slot", ("i",), f"{p.slots} slots; R = 2^{p.T}", "memory"),
        Block("y_tiles", "b·Y", ("slots",), f"{of_y} tiles of {p.w} x {p.k}", "multiplier"),
        Block("m_tiles", "q·m", ("slots", "loop"), f"{of_m} tiles of {p.w} x {p.k}", "multiplier"),
        Block("loop", "S", ("y_tiles", "m_tiles", "loop"), carries),
        Block("check", "comparators", ("i",), f"X, Y < 2^{p.K + 1}·m; the modulus odd, at least 3"),
        Block("convert", "to binary", ("loop", "check"), f"{p.limbs} limbs of {p.limb} bits at once"),
        Block("queue", "results, m, modulus", ("convert", "check"), "in order", "memory"),
        Block("o", "o: z, m, modulus, error", ("queue",), f"z < 2^{p.K + 1}·m", "port"),
    ]
