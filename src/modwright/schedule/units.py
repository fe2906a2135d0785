# SPDX-License-Identifier: Apache-2.0
"""Kinds of the units that steps name: units that compute, that store, and that only pass values on."""

from __future__ import annotations

import re

MULTIPLIER, ADDER, COX, MEMORY, OTHER, REGISTER, CONTROL = (
    "multiplier", "adder", "cox", "memory port", "unit", "register", "control",
)  # fmt: skip
KINDS = (MULTIPLIER, ADDER, COX, MEMORY, OTHER, REGISTER, CONTROL)
"""Kinds, from those that papers count first to those that they do not count; a stage of a pipeline, which has several
in one, is listed with the multipliers."""

WORKING = KINDS[:5]
"""Kinds whose shares datasheets list; the others store, pass on, or control."""

COUNTED = KINDS[:4]
"""Kinds with a column in tables."""

UNITS: dict[str, tuple[str, ...]] = {
    MULTIPLIER: (
        "RNS multiplier", "blocks", "carry-save loop", "converter multiplier", "multiplier", "multipliers",
        "multiply-accumulate", "row of blocks", "rowers of A", "rowers of B", "stage", "κ multiplier",
    ),
    ADDER: (
        "accumulator", "adder", "border", "carries", "carry-save sum", "cofactors", "conversion adder",
        "conversion fold", "converter", "converter accumulator", "divsteps", "inversion", "limb adder", "limbs",
        "division", "low bits", "pair", "reduction", "scalar", "small residues", "subtractor", "subtractors", "term",
        "α adder", "κ accumulator", "κ in channels",
    ),
    COX: ("cox accumulator",),
    MEMORY: (
        "coefficients", "memories of Y and m", "memory", "memory of X", "port of stored results", "read port",
        "registers", "table", "write",
        "write port", "α table",
    ),
    REGISTER: (
        "S", "binary", "bus", "carry", "correction", "cox", "digits", "stored digit",
        "gathered results", "held hats", "kept results",
        "kept results moved",
        "operand registers", "operands", "queue", "redundant residue",
        "register of X", "register of Y", "residue registers", "residues",
        "result", "result register", "result registers", "rows", "saved sums", "tag register", "word",
        "first words of P", "words of P", "words of P, advance", "words of P, again", "words of P, settle",
        "κ register", "ξ registers",
    ),
    CONTROL: (
        "check", "coefficient", "comparators", "decision", "engine", "flags", "gather", "ladder", "mask", "program",
        "recoder", "save", "shift", "sign",
    ),
}  # fmt: skip
"""Every unit that a step may name, by its kind: a name without the part in front and without the number behind it."""

_KIND = {name: kind for kind, names in UNITS.items() for name in names}
_NUMBER = re.compile(r" \d+$")


def kind_of(unit: str) -> str:
    """The kind of a unit, one of `KINDS`; `OTHER` for a name that `UNITS` lacks.

    Parameters
    ----------
    unit : str
        Resource of a step, such as "multiply: multiply-accumulate" or "multiplier 2".
    """
    return _KIND.get(_NUMBER.sub("", unit.rpartition(": ")[2]), OTHER)
