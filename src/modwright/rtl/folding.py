# SPDX-License-Identifier: Apache-2.0
"""Folding reduction in hardware: one function for a fold, one for the last conditional subtraction."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..rns.folding import Fold, signed_digits
from .pipeline import LOOKUP, adder


def fold(m: Module, step: Fold, x: Value, name: str, addend: Value | None = None, addend_bound: int = 0) -> Signal:
    """(x mod 2^w) + (x >> w)·u [+ addend]: shifts and adds, one term a signed digit of u.

    Parameters
    ----------
    step : Fold
        x ≤ step.bound.
    x : Value
        At least as wide as the bound.
    name : str
        Of the result signal.
    addend, addend_bound : Value, int
        A further summand and its largest value.

    Returns
    -------
    Signal
        In [0, step.result + addend_bound], just wide enough.
    """
    width = (step.result + addend_bound).bit_length()
    low = x[: step.width]
    high = x[step.width : max(step.bound.bit_length(), step.width)]
    total: Value = low
    for sign, power in signed_digits(step.u) if len(high) else ():
        term = Cat(Const(0, power), high)
        total = total + term if sign > 0 else total - term
    if addend is not None:
        total = total + addend
    result = Signal(max(width, 1), name=name)
    m.d.comb += result.eq(total)
    return result


def fold_delay(step: Fold, extra: int = 0) -> float:
    """Estimated delay of a fold in ns, for balancing."""
    return adder(step.width, 1 + len(signed_digits(step.u)) + extra)


def canonical(m: Module, width: int, u: int, x: Value, name: str) -> Signal:
    """x modulo 2^width - u for x < 2·(2^width - u): at most one subtraction, done as an addition of u.

    x ≥ 2^w - u exactly when x + u reaches bit w, and then x - (2^w - u) is x + u without that bit.
    """
    result = Signal(width, name=name)
    if u == 0:
        m.d.comb += result.eq(x)
        return result
    shifted = Signal(width + 2, name=f"{name}_shifted")
    m.d.comb += shifted.eq(x + u)
    m.d.comb += result.eq(Mux(shifted[width:].any(), shifted, x))
    return result


def canonical_delay(width: int) -> float:
    """Estimated delay of the conditional subtraction in ns, for balancing."""
    return adder(width) + LOOKUP


def modular_sum(m: Module, width: int, u: int, a: Value, b: Value, name: str) -> Signal:
    """a + b modulo 2^width - u for canonical a and b.

    The sum and the sum plus u are made side by side, so the delay is one carry chain and a choice: a + b ≥ 2^w - u
    exactly when a + b + u reaches bit w.
    """
    result = Signal(width, name=name)
    total = Signal(width + 1, name=f"{name}_total")
    shifted = Signal(width + 1, name=f"{name}_shifted")
    m.d.comb += [
        total.eq(a + b),
        shifted.eq(a + b + u),  # < 2·2^w - u
        result.eq(Mux(shifted[width], shifted, total)),
    ]
    return result
