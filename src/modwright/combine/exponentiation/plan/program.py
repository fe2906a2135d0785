# SPDX-License-Identifier: Apache-2.0
"""Exponentiation as a program on three registers: the one source of states, cycles and values.

    A     the power so far
    B     the base; in the ladder the other power; with a window the value that was looked up
    V     value of the limb unit, which doubles, halves and subtracts modulo M; constants and the result pass through it

Algorithms 4, 5, 9 and 10 of Rezai and Keshavarzi (IEEE Trans. VLSI 23(9), 2015) with R = 2^T, as 2^n does not fit
multipliers that divide by 2^T; Montgomery ladder: Joye and Yen, CHES 2002; fixed window with a look-up that reads
the whole table: as in constant-time software.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..parameters import LADDER, LEFT, RIGHT, STREAM, WINDOW, ModexpParameters

A, B, V = "A", "B", "V"
ONE, BACK = "1", "2^K"
"""Constant operands. V·1 / R is R for V = R²; A·2^K / R, halved K times, is A / R: out of the domain."""
DOUBLE, HALVE, REDUCE = "double", "halve", "reduce"
"""Passes of the limb unit: V <- 2V, V/2 or V modulo M, for V < M, any V, and V < 2M."""


@dataclass(frozen=True)
class Multiply:
    """`to` <- x·y; left out, in one cycle, where `when_bit` and the exponent's next bit is 0."""

    x: str
    y: str
    to: str
    when_bit: bool = False
    look: bool = False
    """The look-up starts in the cycle in which the product is issued."""


@dataclass(frozen=True)
class Both:
    """Two products of the same registers; `second` only with a next bit of 1 where it says `when_bit`."""

    first: Multiply
    second: Multiply


@dataclass(frozen=True)
class Pass:
    """The limb unit does `operation` `count` times; on V = 1 where `fresh`."""

    operation: str
    count: int
    fresh: bool = False


@dataclass(frozen=True)
class Set:
    """One cycle: copies, table, exponent and counter.

    Parameters
    ----------
    copy : (str, str) or None
        `copy[0]` <- `copy[1]`; "m" <- V keeps 2^-k modulo M.
    store : bool
        The next place of the table <- A.
    count : int or None
        The loop counter.
    shift : int
        The exponent moves up by that number of bits.
    swap : bool
        A and B change places if the exponent's first bit is 1.
    """

    copy: tuple[str, str] | None = None
    store: bool = False
    count: int | None = None
    shift: int = 0
    swap: bool = False


@dataclass(frozen=True)
class Look:
    """One cycle: the look-up of the exponent's first digit starts."""


@dataclass(frozen=True)
class Wait:
    """Until the look-up has ended: B is the table's entry."""


@dataclass(frozen=True)
class Skip:
    """Leading zeros, a cycle each, up to a bit of 1; behind `end` when there is none."""

    end: str


@dataclass(frozen=True)
class Rest:
    """One cycle: behind `end` when no bit of 1 is left."""

    end: str


@dataclass(frozen=True)
class Loop:
    """One cycle: the exponent moves by `shift` bits, and the program goes on at `back` unless the counter ends.

    Parameters
    ----------
    back : str
        A label.
    shift : int
    store : bool
        The next place of the table <- A.
    swap : bool
        A and B change places if the bit that leaves differs from the next one.
    counted : bool
        False: always back.
    """

    back: str
    shift: int = 0
    store: bool = False
    swap: bool = False
    counted: bool = True


@dataclass(frozen=True)
class Label:
    """A place in the program, and the name of the part that begins there."""

    name: str
    part: str = ""


Instruction = Multiply | Both | Pass | Set | Look | Wait | Skip | Rest | Loop | Label
Program = tuple[Instruction, ...]

CONSTANTS, ENTER, TABLE, POWER, LEAVE = "constants", "into the domain", "table", "exponentiation", "out of the domain"
"""Parts of a program."""


def program_of(p: ModexpParameters) -> Program:
    """Write all instructions of an exponentiator."""
    bits = p.exponent_bits
    loop = {
        RIGHT: lambda: right_to_left(),
        LEFT: lambda: left_to_right(bits),
        LADDER: lambda: ladder(bits),
        WINDOW: lambda: fixed_window(bits, p.window),
    }[p.method]()
    domain = p.multiplier.domain
    if domain is None:
        return (*loop, Label("leave"))
    first = (
        given_constants()
        if p.constants == STREAM
        else constants(
            domain.T,
            p.squarings,
            halvings=p.guard or p.inverse,
            keep=p.scaled > 0,
            reduced=p.reduced_places,
            reductions=p.reductions,
        )
    )
    return (*first, *loop, *leave(p.guard, p.reductions))


def places_of(program: Program) -> dict[str, int]:
    """Find the index of each label."""
    return {one.name: at for at, one in enumerate(program) if isinstance(one, Label)}


def constants(
    T: int, squarings: int, *, halvings: int, keep: bool, reduced: Collection[int], reductions: int
) -> list[Instruction]:
    """A <- R, V <- R² modulo M, from M alone.

    2^(T + s) for the leading bits s of T by doubling; a Montgomery square takes 2^(T + s) to 2^(T + 2s), and a doubling
    adds 1. Before that, 1 is halved modulo M: k halvings give 2^-k mod M, which `keep` keeps. Bit j of -M^-1 mod 2^k is
    whether halving j finds an odd value, as 1 + q·M = 2^k·(2^-k mod M).

    Parameters
    ----------
    T : int
        R = 2^T.
    squarings : int
        s is T without as many bits.
    halvings : int
        k; 0 where the multiplier needs none of both.
    keep : bool
    reduced : collection of int
        Bits of T whose square is brought below M.
    reductions : int
        Passes for that.
    """
    steps: list[Instruction] = [Label("constants", CONSTANTS)]
    if halvings:
        steps += [Pass(HALVE, halvings, fresh=True), *([Set(("m", V))] if keep else [])]
    steps += [Pass(DOUBLE, T, fresh=True), Set((A, V)), Pass(DOUBLE, T >> squarings)]
    for place in reversed(range(squarings)):
        steps += [Multiply(V, V, V), *([Pass(REDUCE, reductions)] if reductions and place in reduced else [])]
        if T >> place & 1:
            steps.append(Pass(DOUBLE, 1))
    return [*steps, Label("enter", ENTER), Multiply(V, B, B)]


def given_constants() -> list[Instruction]:
    """The same with V = R² from the stream."""
    return [Label("enter", ENTER), Multiply(ONE, V, A), Multiply(V, B, B)]


def leave(guard: int, reductions: int) -> list[Instruction]:
    """V <- A out of the domain, below M after as many subtractions."""
    steps: list[Instruction] = [Label("leave", LEAVE), Multiply(BACK, A, V)]
    if guard:
        steps.append(Pass(HALVE, guard))
    if reductions:
        steps.append(Pass(REDUCE, reductions))
    return steps


def left_to_right(bits: int) -> list[Instruction]:
    """Algorithm 10, from the first bit of 1 on."""
    return [
        Label("power", POWER),
        Set(count=bits),
        Skip("leave"),
        Label("bit"),
        Multiply(A, A, A),
        Multiply(A, B, A, when_bit=True),
        Loop("bit", shift=1),
    ]


def right_to_left() -> list[Instruction]:
    """Algorithm 9, to the last bit of 1; both products recode the same operand."""
    return [
        Label("power", POWER),
        Label("bit"),
        Rest("leave"),
        Both(Multiply(B, B, B), Multiply(B, A, A, when_bit=True)),
        Loop("bit", shift=1, counted=False),
    ]


def ladder(bits: int) -> list[Instruction]:
    """A = R_b and B = R_1-b for the next bit b, so that both products have one operand in common."""
    return [
        Label("power", POWER),
        Set(count=bits, swap=True),
        Label("bit"),
        Both(Multiply(A, B, B), Multiply(A, A, A)),
        Loop("bit", shift=1, swap=True),
    ]


def fixed_window(bits: int, window: int) -> list[Instruction]:
    """2^window powers in a table, then `window` squares and a product for each digit."""
    digits = -(-bits // window)
    entries = 1 << window
    steps: list[Instruction] = [Label("table", TABLE), Set(store=True), Set((A, B)), Set(store=True, count=entries - 2)]
    if entries > 2:
        steps += [Label("entry"), Multiply(A, B, A), Loop("entry", store=True)]
    steps += [Label("power", POWER), Look(), Wait(), Set((A, B), shift=window, count=digits - 1)]
    if digits > 1:
        steps += [
            Label("digit"),
            Multiply(A, A, A, look=True),
            *[Multiply(A, A, A)] * (window - 1),
            Wait(),
            Multiply(A, B, A),
            Loop("digit", shift=window),
        ]
    return steps
