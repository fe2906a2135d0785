# SPDX-License-Identifier: Apache-2.0
"""The block picture of a point multiplier."""

from __future__ import annotations

from ....contract import Block
from ....engines.ladder.blocks import arithmetic_blocks
from ....engines.ladder.words import WORDS
from ....engines.word.divsteps import PACE
from ....schedule import Schedule
from .parameters import EcpmParameters
from .parameters.residues import ResidueLadderParameters
from .parameters.row import RowLadderParameters
from .parameters.word import WordLadderParameters
from .plan.row.microcode import WORDS as ROW_WORDS
from .plan.word.microcode import WORDS as LIMB_WORDS


def blocks(p: EcpmParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core."""
    names = ", ".join(field.name for field in p.i.fields)
    code, scalar = schedule.microcode, "k + j·q', with bit N" if p.lifts_scalar else "(k - 2^N) mod q"
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("position",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", scalar, ("i",), f"{p.order_bits} bits"),
        Block("position", "bit, flags", ("scalar", "port"), "what the state stands for", "control"),
        *arithmetic_blocks(p, WORDS),
        Block("o", "o: x, y, infinity, error", ("factors 0", "position"), "affine", "port"),
    ]


def row_blocks(p: RowLadderParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core over a row multiplier."""
    names = ", ".join(field.name for field in p.i.fields)
    code, row = schedule.microcode, p.row
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("position",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "k + j·q', with bit N", ("i",), f"{p.order_bits + 1} bits, one a cycle"),
        Block("position", "bit, flags", ("scalar", "comparison"), "what the state stands for", "control"),
        Block(
            "words", "words", ("i", "converter", "divsteps", "program"), f"{ROW_WORDS} of {p.word_bits} bits", "memory"
        ),
        Block("row", "row multiplier", ("words",), f"{row.blocks} blocks, {row.slots} products in turn", "multiplier"),
        Block("adder", "sums over chunks", ("words",), f"{row.chunks} chunks of {row.w} bits; + 4·M~"),
        Block("converter", "to binary", ("row", "adder"), f"{row.limbs} limbs of {row.limb} bits at once"),
        Block("comparison", "0 or M~", ("words",), f"{p.word_bits} bits in three cycles"),
        Block("divsteps", "divsteps", ("words",), f"{row.K} bits of f and g, one step a cycle; the matrix"),
        Block("o", "o: x, y, infinity, error", ("words", "position"), "affine", "port"),
    ]


def word_blocks(p: WordLadderParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core on limbs."""
    names = ", ".join(field.name for field in p.i.fields)
    code, words = schedule.microcode, p.words
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("position",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "k + j·q', with bit N", ("i",), f"{p.order_bits + 1} bits, one a cycle"),
        Block("position", "bit, flags", ("scalar", "adder"), "what the state stands for", "control"),
        Block(
            "words",
            "words",
            ("i", "columns", "adder", "divsteps", "program"),
            f"{LIMB_WORDS} of {words.s} limbs",
            "memory",
        ),
        Block("columns", "columns", ("words",), f"{words.blocks} blocks, limbs of {words.w} bits", "multiplier"),
        Block("adder", "sums, tests", ("words",), f"a limb a cycle, {words.w} bits"),
        Block("divsteps", "divsteps", ("words",), f"{p.K} bits of f and g, a step in {PACE} cycles; the matrix"),
        Block("o", "o: x, y, infinity, error", ("adder", "position"), "affine", "port"),
    ]


def residue_blocks(p: ResidueLadderParameters, schedule: Schedule) -> list[Block]:
    """Boxes of one core in residues."""
    names = ", ".join(field.name for field in p.i.fields)
    code, field = schedule.microcode, p.rowers
    rowers = f"{field.n} of {field.width} bits, {field.lanes} hats a cycle"
    return [
        Block("i", f"i: {names}", (), f"{p.i.width} bits", "port"),
        Block("program", "program", ("position",), f"{len(code.words)} words of {code.layout.bits} bits", "control"),
        Block("scalar", "k + j·q', with bit N", ("i",), f"{p.order_bits + 1} bits, one a cycle"),
        Block("position", "bit, flags", ("scalar", "comparison"), "what the state stands for", "control"),
        Block("digits", "digits", ("i",), f"{field.digits} of {field.width} bits; compared with P"),
        Block("A", "rowers of A", ("program", "digits", "cox B"), rowers, "multiplier"),
        Block("cox A", "bus and cox of A", ("A",), f"h of {field.first.top_bits} bits of each hat"),
        Block("B", "rowers of B", ("program", "digits", "cox A"), rowers, "multiplier"),
        Block("cox B", "bus and cox of B", ("B",), f"h of {field.second.top_bits} bits of each hat"),
        Block("comparison", "0 or P", ("B",), "all hats in three cycles"),
        Block("converter", "to binary", ("B",), f"digits of {field.conversion.digit} bits", "multiplier"),
        Block("o", "o: x, y, infinity, error", ("converter", "position"), "affine", "port"),
    ]
