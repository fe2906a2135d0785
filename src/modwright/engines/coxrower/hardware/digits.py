# SPDX-License-Identifier: Apache-2.0
"""The digit on its way from a rower to the bus, made canonical: before the bus's register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value

from ....rns import Base
from ....rtl.pipeline import delayed
from ..engine import CoxrowerEngine
from .rower import Rower


@dataclass(frozen=True)
class Digit:
    """A digit.

    Parameters
    ----------
    code : Value
        The number of the digit from 1, 0 for none, in the cycle of `value`.
    value : Value
        The canonical residue of the digit's rower.
    limit : Value
        The number of `limits` in the digit's place.
    """

    code: Value
    value: Value
    limit: Value


def digit_of(
    m: Module,
    engine: CoxrowerEngine,
    base: Base,
    rowers: Sequence[Rower],
    code: Value,
    number: Value,
    limits: Sequence[int] = (),
) -> Digit:
    """The digit that a control word names.

    Parameters
    ----------
    m : Module
    engine : CoxrowerEngine
    base : Base
        The base whose moduli the digits belong to, one for each rower.
    rowers : sequence of Rower
    code : Value
        The number of the digit from 1, 0 for none, `engine.travel` cycles before the digit is valid.
    number : Value
        Index of the rower, in the same cycle.
    limits : sequence of int, optional
        A number for each digit.
    """
    travel, width = engine.travel, engine.width
    result = delayed(m, Array([rower.r for rower in rowers])[number], travel, "digit_result")
    u = delayed(m, Array(Const(u, width) for u in base.u)[number], travel, "digit_u")
    limit: Value = Const(0, width)
    if limits:
        limit = delayed(m, Array(Const(value, width) for value in limits)[number], travel, "digit_limit")
    code = delayed(m, code, travel, "digit_code_later")
    above = Signal(width + 1)
    m.d.comb += above.eq(result + u)
    return Digit(code, Mux(above[width], above[:width], result), limit)
