# SPDX-License-Identifier: Apache-2.0
"""Exponentiation as a program on three registers: the one source of control words, cycles and values.

    A     the power so far, in the right-to-left method that of the base; the first operand of every product
    B     the base; in the ladder the other power; with a window the value that was looked up; from the right the power
    V     value of the limb unit, which doubles, halves and subtracts modulo M; constants and the result pass through it

Algorithms 4, 5, 9 and 10 of Rezai and Keshavarzi (IEEE Trans. VLSI 23(9), 2015) with R = 2^T, as 2^n does not fit
multipliers that divide by 2^T; Montgomery ladder: Joye and Yen, CHES 2002; fixed window with a look-up that reads
the whole table: as in constant-time software.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..parameters import LADDER, LEFT, RIGHT, STREAM, WINDOW, ModexpParameters

A, B, V, M = "A", "B", "V", "m"
ONE, BACK = "1", "2^K"
"""Constant operands. A·1 / R is R for A = R²; A·2^K / R, halved K times, is A / R: out of the domain."""
DOUBLE, HALVE, REDUCE, KEEP, FRESH, LOAD = "double", "halve", "reduce", "keep", "fresh", "load"
"""Passes of the limb unit: V <- 2V, V/2 or V modulo M, for V < M, any V, and V < 2M; V <- V, 1 or A."""
FIRST_BIT, CHANGE = "first", "change"
"""Exchanges of the ladder: where the next bit is 1; where it differs from the one after it."""


@dataclass(frozen=True)
class Product:
    """Product `to` <- A·y; left out where `when_bit` is set and the exponent's next bit is 0.

    Parameters
    ----------
    y : str
        Second operand: A, B, ONE or BACK. With a B that is looked up, the product waits for the end of the look-up.
    to : str
        Destination, A or B.
    copy : bool
        A <- former B, in the same cycle; `to` is B.
    swap : str
        "", or the condition on which B's value goes to A, and the product to B; `to` is A.
    when_bit : bool
    look : bool
        Start the look-up of the exponent's first digit.
    """

    y: str
    to: str
    copy: bool = False
    swap: str = ""
    when_bit: bool = False
    look: bool = False


@dataclass(frozen=True)
class Both:
    """Two products of the same A; with `when_bit`, `second` only for a next bit of 1."""

    first: Product
    second: Product


@dataclass(frozen=True)
class Pass:
    """Passes of the limb unit: `operation`, `count` times; `to` ("A", "m" or "") takes V from it, limb by limb.

    With `gather`, the lowest bit of V is a bit of -M^-1. The last pass of a program clears V after an error.
    """

    operation: str
    count: int = 1
    to: str = ""
    gather: bool = False
    last: bool = False


@dataclass(frozen=True)
class Set:
    """Setting of table, exponent and counter, in two cycles.

    Parameters
    ----------
    copy : bool
        A <- B, after the end of a look-up.
    store : bool
        The next place of the table <- A.
    count : int or None
        The loop counter.
    shift : bool
        Shift the exponent by a digit.
    look : bool
        Start the look-up of the exponent's first digit.
    """

    copy: bool = False
    store: bool = False
    count: int | None = None
    shift: bool = False
    look: bool = False


@dataclass(frozen=True)
class Skip:
    """Skip of leading zeros, two cycles each, up to a bit of 1; continues at `end` without one."""

    end: str


@dataclass(frozen=True)
class Rest:
    """Test in four cycles: continues at `end` when no bit of 1 remains."""

    end: str


@dataclass(frozen=True)
class Loop:
    """End of a loop, in three cycles: the program continues at `back` unless the counter ends.

    Parameters
    ----------
    back : str
        A label.
    shift : bool
        Shift the exponent by a digit.
    store : bool
        The next place of the table <- A.
    counted : bool
        Whether the counter ends the loop; False: continue at `back` always.
    """

    back: str
    shift: bool = False
    store: bool = False
    counted: bool = True


@dataclass(frozen=True)
class Label:
    """A place in the program, and the name of the part that begins there."""

    name: str
    part: str = ""


@dataclass(frozen=True)
class End:
    """End of the program: the result is valid until it is taken."""


Instruction = Product | Both | Pass | Set | Skip | Rest | Loop | Label | End
Program = tuple[Instruction, ...]

CONSTANTS, ENTER, TABLE, POWER, LEAVE = "constants", "into the domain", "table", "exponentiation", "out of the domain"
"""Parts of a program."""


def program_of(p: ModexpParameters) -> Program:
    """Write all instructions of an exponentiator."""
    bits, domain = p.exponent_bits, p.multiplier.domain
    loop = {
        RIGHT: lambda: right_to_left(),
        LEFT: lambda: left_to_right(bits),
        LADDER: lambda: ladder(bits),
        WINDOW: lambda: fixed_window(p.digits, p.window),
    }[p.method]()
    if p.multiplier.residues:
        return (*enter(p.method), *loop, *leave_residues(p.method), End())
    if domain is None:
        return (*enter_fixed(p.method), *loop, Label("leave"), End())
    first = (
        [Label("constants", CONSTANTS), Pass(KEEP, to=A)]
        if p.constants == STREAM
        else constants(
            domain.T,
            p.squarings,
            halvings=p.guard or p.inverse,
            keep=p.scaled > 0,
        )
    )
    return (*first, *enter(p.method), *loop, *leave(p.method, p.guard, p.reductions), End())


def places_of(program: Program) -> dict[str, int]:
    """Find the index of each label."""
    return {instruction.name: at for at, instruction in enumerate(program) if isinstance(instruction, Label)}


def constants(T: int, squarings: int, *, halvings: int, keep: bool) -> list[Instruction]:
    """Compute A <- R² modulo M, from M alone.

    2^(T + s) for s = T / 2^`squarings`, rounded up, by doubling; a Montgomery square takes 2^(T + s) to 2^(T + 2s), and
    a halving makes it 2^(T + 2s - 1). Any result V of a product may be halved, as (V + M) / 2 is an
    operand again; 2V need not be. Before that, 1 is halved modulo M: k halvings give 2^-k mod M, which `keep` stores.
    Bit j of -M^-1 mod 2^k is whether halving j finds an odd value, as 1 + q·M = 2^k·(2^-k mod M).

    Parameters
    ----------
    T : int
        Exponent of R = 2^T.
    squarings : int
    halvings : int
        Number k of halvings; 0 where the multiplier needs neither constant.
    keep : bool
    """
    steps: list[Instruction] = [Label("constants", CONSTANTS)]
    if halvings:
        steps += [Pass(FRESH), Pass(HALVE, halvings, gather=True), *([Pass(KEEP, to=M)] if keep else [])]
    steps += [Pass(FRESH), Pass(DOUBLE, T + -(-T >> squarings)), Pass(KEEP, to=A)]
    for place in reversed(range(squarings)):
        steps.append(Product(A, A))
        if -(-T >> place) & 1:
            steps += [Pass(LOAD), Pass(HALVE), Pass(KEEP, to=A)]
    return steps


def enter(method: str) -> list[Instruction]:
    """Compute B <- the base in the domain, A <- 1 in the domain, from A = R²; exchanged from the right."""
    one = {RIGHT: Product(ONE, B, copy=True), LADDER: Product(ONE, A, swap=FIRST_BIT)}.get(method, Product(ONE, A))
    return [Label("enter", ENTER), Product(B, B), one]


def enter_fixed(method: str) -> list[Instruction]:
    """Begin from A = 1 and B = base, without a domain: 1·1 for the exchange alone."""
    one = {RIGHT: [Product(A, B, copy=True)], LADDER: [Product(A, A, swap=FIRST_BIT)]}.get(method)
    return [Label("enter", ENTER), *one] if one else []


def leave(method: str, guard: int, reductions: int) -> list[Instruction]:
    """Compute V <- the power out of the domain, below M after `reductions` subtractions."""
    back = [Product(BACK, A)]
    if method == RIGHT:  # the power is in B
        back = [Pass(FRESH), *([Pass(DOUBLE, guard)] if guard else []), Pass(KEEP, to=A), Product(B, A)]
    return [
        Label("leave", LEAVE),
        *back,
        Pass(LOAD),
        *([Pass(HALVE, guard)] if guard else []),
        *([Pass(REDUCE, reductions)] if reductions else []),
        Pass(KEEP, last=True),
    ]


def leave_residues(method: str) -> list[Instruction]:
    """A <- the power out of the domain, below 2M. It leaves from A, which has a product two cycles after its result is
    valid: behind a word that does nothing."""
    back = [Set(copy=True)] if method == RIGHT else []  # the power is in B
    return [Label("leave", LEAVE), *back, Product(BACK, A), Set()]


def left_to_right(bits: int) -> list[Instruction]:
    """Program of Algorithm 10, from the first bit of 1 on."""
    return [
        Label("power", POWER),
        Set(count=bits),
        Skip("leave"),
        Label("bit"),
        Product(A, A),
        Product(B, A, when_bit=True),
        Loop("bit", shift=True),
    ]


def right_to_left() -> list[Instruction]:
    """Program of Algorithm 9, to the last bit of 1; both products recode the same operand."""
    return [
        Label("power", POWER),
        Label("bit"),
        Rest("leave"),
        Both(Product(A, A), Product(B, B, when_bit=True)),
        Loop("bit", shift=True, counted=False),
    ]


def ladder(bits: int) -> list[Instruction]:
    """Program of the ladder: A = R_b and B = R_1-b for the next bit b, so that both products share an operand."""
    return [
        Label("power", POWER),
        Set(count=bits),
        Label("bit"),
        Both(Product(B, B), Product(A, A, swap=CHANGE)),
        Loop("bit", shift=True),
    ]


def fixed_window(digits: int, window: int) -> list[Instruction]:
    """Program of the window: 2^window powers in a table, then `window` squares and a product for each digit."""
    entries = 1 << window
    steps: list[Instruction] = [Label("table", TABLE), Set(store=True), Set(copy=True)]
    if entries > 2:
        steps += [Set(store=True, count=entries - 2), Label("entry"), Product(B, A), Loop("entry", store=True)]
    else:
        steps.append(Set(store=True))
    steps += [Label("power", POWER), Set(look=True), Set(copy=True, shift=True, count=max(1, digits - 1))]
    if digits > 1:
        steps += [
            Label("digit"),
            Product(A, A, look=True),
            *[Product(A, A)] * (window - 1),
            Product(B, A),
            Loop("digit", shift=True),
        ]
    return steps
