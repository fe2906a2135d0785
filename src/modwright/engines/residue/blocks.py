# SPDX-License-Identifier: Apache-2.0
"""The block picture of a residue multiplier, with or without converters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...contract import Block
from .parameters import DIGIT, ConvertedParameters, M, multiplier_of


def make_blocks(p: M | ConvertedParameters[M], inner: Callable[[M], list[Block]]) -> list[Block]:
    """The block picture: the multiplier's boxes between those of the converters."""
    boxes = inner(multiplier_of(p))
    if not isinstance(p, ConvertedParameters):
        return boxes
    first = Block("to residues", "to residues", ("i",), "two cycles a digit", "logic")
    factor = f"{p.from_residues.factor_width} x {DIGIT} bits"
    out = Block("from residues", "from residues", ("accumulated",), factor, "multiplier")
    renamed = []
    for box in boxes:
        if box.name == "queue":
            out = replace(out, inputs=box.inputs)
            back = replace(first, inputs=("from residues",))
            renamed += [out] if p.binary else [out, back]
            box = replace(box, inputs=("from residues" if p.binary else "to residues",))
        elif p.binary and "i" in box.inputs:
            box = replace(box, inputs=tuple("to residues" if name == "i" else name for name in box.inputs))
        renamed.append(box)
        if box.name == "i" and p.binary:
            renamed.append(first)
    return renamed
