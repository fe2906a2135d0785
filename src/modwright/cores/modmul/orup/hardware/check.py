# SPDX-License-Identifier: Apache-2.0
"""Fields next to the result: m, the modulus and the error code; X, Y and m are compared a digit a cycle.

Registers, counted from the cycle of `load`; digit j of D is compared in cycle c + j, c >= 1:

    cycle        register that holds the value from this cycle on
    1            `own`: m; `held_modulus`: M
    3            `found`: a bit of M but the lowest is 1
    c + j + 1    `x_digit`, `y_digit`, `m_digit`: digit j of X, Y and m
    c + j + 2    `carry` of X and of Y: not below m, by the digits up to j; `nonzero`: one of these digits of m is not
                 0
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....engines.orup.ahead import BAD_MODULUS, OUT_OF_RANGE, OrupParameters

GROUP = 16
"""Bits of the modulus that are joined in front of a register: two levels of LUTs with 4 inputs."""


class OperandCheck(wiring.Component):
    """Comparison of floor(X / 2^(K+1)) and floor(Y / 2^(K+1)) with m.

    Attributes
    ----------
    load, load_modulus : in
        m and the modulus are at `m` and `modulus`; both in the same cycles.
    m, modulus : in, n bits
    compare : in
        A digit is compared, the lowest first; D cycles in all, from the second cycle after `load` on.
    x_digit, y_digit : in, k bits
        Digits of X and Y without their K + 1 lowest bits, while `compare`.
    held_m, held_modulus : out
        m and the modulus, from the cycle after the last digit on until the next `load`.
    error : out
        Error code; valid from a cycle later on.
    """

    def __init__(self, p: OrupParameters) -> None:
        self.p = p
        super().__init__(
            {
                "load": In(1),
                "load_modulus": In(1),
                "compare": In(1),
                "m": In(p.n),
                "modulus": In(p.n),
                "x_digit": In(p.k),
                "y_digit": In(p.k),
            }
            | {"held_m": Out(p.n), "held_modulus": Out(p.n), "error": Out(2)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        own = Signal(p.k * p.compared_digits)  # m, which is in its place again after D digits
        with m.If(self.load):
            m.d.sync += own.eq(self.m)
        with m.Elif(self.compare):
            m.d.sync += own.eq(Cat(own[p.k :], own[: p.k]))
        with m.If(self.load_modulus):
            m.d.sync += self.held_modulus.eq(self.modulus)
        digits = (self.x_digit, self.y_digit, own[: p.k])
        m.d.comb += [
            self.held_m.eq(own),
            self.error.eq(error_of(m, p, self.load, self.compare, digits, self.held_modulus)),
        ]
        return m


def error_of(
    m: Module, p: OrupParameters, load: Value, compare: Value, digits: tuple[Value, Value, Value], modulus: Value
) -> Value:
    """The code of the operands.

    Parameters
    ----------
    m : Module
        Module of the registers.
    p : OrupParameters
    load : Value
        Strobe before the first comparison.
    compare : Value
        The digits are compared, the lowest first; D cycles in all, from the first cycle after `load` on.
    digits : tuple of Value
        Digits of X and Y, both without their K + 1 lowest bits, and of m; k bits each.
    modulus : Value
        M, stable for three cycles and while digits are compared.

    Returns
    -------
    Value
        Valid from the second cycle after the last `compare` until the next `load`.
    """
    # the digits are compared in the next cycle: those of X are at the multipliers, and far from here
    x, y, of_m = (Signal(p.k, name=f"{name}_digit") for name in "xym")
    fresh, nonzero = Signal(), Signal()
    m.d.sync += [fresh.eq(compare), Cat(x, y, of_m).eq(Cat(*digits))]
    with m.If(load):
        m.d.sync += nonzero.eq(0)
    with m.Elif(fresh):
        m.d.sync += nonzero.eq(nonzero | of_m.any())
    x_high, y_high = (_not_below(m, load, fresh, digit, of_m) for digit in (x, y))
    bad = ~nonzero | ~modulus[0] | ~_above_one(m, modulus)
    return Mux(bad, BAD_MODULUS, Mux(x_high | y_high, OUT_OF_RANGE, 0))


def _not_below(m: Module, load: Value, fresh: Value, digit: Value, bound: Value) -> Signal:
    """Carry out of digit - bound, without which the operand is below its bound."""
    k = len(digit)
    difference, carry = Signal(k + 1), Signal()
    m.d.comb += difference.eq(digit + (~bound)[:k] + carry)
    with m.If(load):
        m.d.sync += carry.eq(1)
    with m.Elif(fresh):
        m.d.sync += carry.eq(difference[-1])
    return carry


def _above_one(m: Module, modulus: Value) -> Signal:
    """Whether a bit of the modulus but the lowest is 1; two cycles after the modulus is valid."""
    above = modulus[1:]
    groups = [above[at : at + GROUP] for at in range(0, len(above), GROUP)]
    some, found = Signal(len(groups)), Signal()
    m.d.sync += [some.eq(Cat(group.any() for group in groups)), found.eq(some.any())]
    return found
