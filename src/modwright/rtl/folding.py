# SPDX-License-Identifier: Apache-2.0
"""Folding reduction in hardware: folds, and the last conditional subtraction, in pieces that registers can part.

A fold is a sum of few terms, with one carry chain, or of a product and what is added to it. A last step that has to
choose computes both candidates in parallel, each with its chain, and the choice is a piece of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..plan.pipeline import LOOKUP, adder
from ..rns.folding import Fold, FoldPlan, signed_digits
from .pipeline import delayed

Apply = Callable[[Module, Value, str], Value]
"""(module, value, name) to the value behind a stretch of logic."""


def fold(m: Module, step: Fold, x: Value, name: str, addend: Value | None = None, addend_bound: int = 0) -> Signal:
    """(x mod 2^w) + (x >> w)·u [+ addend]: shifts and adds, one term a signed digit of u.

    Parameters
    ----------
    step : Fold
        x ≤ step.bound.
    x : Value
        At least as wide as the bound.
    name : str
        Name of the result signal.
    addend, addend_bound : Value, int
        A further summand and its largest value.

    Returns
    -------
    Signal
        In [0, step.result + addend_bound], just wide enough.
    """
    width = (step.result + addend_bound).bit_length()
    total: Value = x[: step.width]
    high = x[step.width : max(step.bound.bit_length(), step.width)]
    if len(high):
        total = total + times(high, step.u)
    if addend is not None:
        total = total + addend
    result = Signal(max(width, 1), name=name)
    m.d.comb += result.eq(total)
    return result


def times(value: Value, u: int) -> Value:
    """value·u for a constant u ≥ 0: shifts and adds, one term a signed digit."""
    total: Value = Const(0)
    for sign, power in signed_digits(u):
        term = Cat(Const(0, power), value)
        total = total + term if sign > 0 else total - term
    return total


def canonical(m: Module, width: int, u: int, x: Value, name: str) -> Signal:
    """x modulo 2^width - u for x < 2·(2^width - u): at most one subtraction, done as an addition of u.

    x ≥ 2^w - u exactly when x + u reaches bit w, and then x - (2^w - u) is x + u without that bit.
    """
    result = Signal(width, name=name)
    shifted = Signal(width + 1, name=f"{name}_shifted")  # < 2·2^w - u
    m.d.comb += [shifted.eq(x + u), result.eq(Mux(shifted[width], shifted, x))]
    return result


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


# --- stages, and the pieces of which they are made


@dataclass(frozen=True)
class Piece:
    """A stretch of logic behind which a register may be placed.

    Parameters
    ----------
    delay : float
        Estimated, in ns.
    apply : callable
        (module, value, name) to the piece's value; between two pieces of a stage, several numbers in one value.
    """

    delay: float
    apply: Apply


@dataclass(frozen=True)
class Stage:
    """A step of a reduction, whose value is one number.

    Parameters
    ----------
    pieces : tuple of Piece
        At least one.
    """

    pieces: tuple[Piece, ...]

    def apply(self, m: Module, value: Value, name: str) -> Value:
        """All pieces, without a register in between."""
        for number, piece in enumerate(self.pieces):
            value = piece.apply(m, value, f"{name}_{number}")
        return value


def pieces_of(stages: Sequence[Stage]) -> list[Piece]:
    """The pieces of all stages, in order."""
    return [piece for stage in stages for piece in stage.pieces]


def pipelined(m: Module, pieces: Sequence[Piece], registers: Sequence[int], value: Value, name: str) -> Value:
    """The pieces in a row, `registers[k]` registers behind piece k."""
    for number, (piece, count) in enumerate(zip(pieces, registers, strict=True)):
        value = delayed(m, piece.apply(m, value, f"{name}_{number}"), count, f"{name}_held_{number}")
    return value


def folding(step: Fold, addend: Value | None = None, addend_bound: int = 0) -> Stage:
    """A fold as `fold` makes it; where there are more terms than one carry chain takes, (x >> w)·u comes first.

    `addend` is read in the cycle of the first piece. The order of the sums is that of the lemma about the fold
    (`prove.reduction`).
    """
    width = max(1, (step.result + addend_bound).bit_length())
    digits, more = _digits(step), int(addend is not None)

    def whole(m: Module, x: Value, name: str) -> Value:
        return fold(m, step, x, name, addend, addend_bound)

    def rest(m: Module, parts: Value, name: str) -> Value:
        low, product, late = parts[: step.width], parts[step.width : step.width + width], parts[step.width + width :]
        return _kept(m, low + product + late if more else low + product, width, name)

    def product(m: Module, x: Value, name: str) -> Value:
        parts = [x[: step.width], _product(m, step, x, width, name)]
        return Cat(*parts, *([] if addend is None else [addend]))

    if 1 + digits + more <= OPERANDS:
        return Stage((Piece(adder(width, 1 + digits + more), whole),))
    return Stage((Piece(adder(width, digits), product), Piece(adder(width, 2 + more), rest)))


def reduction(plan: FoldPlan, *, canonical_result: bool) -> list[Stage]:
    """The stages of a plan: x ≤ plan.bound to its representative `plan.apply(x)`, or to `plan.canonical(x)`."""
    folds = list(plan.folds)
    end: list[Stage] = []
    if not folds:
        return [_subtraction(plan)] if canonical_result and plan.bound >= plan.modulus else []
    limit = 2 * plan.modulus if canonical_result else (2 << plan.width) - plan.u
    before = [n for n, step in enumerate(folds) if step.result < limit]
    if before and before[0] < len(folds) - (0 if canonical_result else 1):
        last = folds[before[0]]
        folds = folds[: before[0]]
        end = [_ending(last, canonical_result)]
    elif canonical_result:
        end = [_subtraction(plan)]
    return [*(folding(step) for step in folds), *end]


def _ending(step: Fold, canonical_result: bool) -> Stage:
    """A fold y ≤ 2^(w+1) - u - 1 of x, and the steps that still have to follow, with one carry chain and a choice.

    y and y + u are made side by side. For a canonical result (y < 2·(2^w - u)), y + u is right when it reaches bit w;
    for any representative, when y does: then a fold of y would add u to its low bits.
    """
    width = (step.result + step.u).bit_length()
    digits = _digits(step)

    def whole(m: Module, x: Value, name: str) -> Value:
        y = fold(m, step, x, f"{name}_folded")
        return Cat(_kept(m, y, width, name), fold(m, step, x, f"{name}_shifted", Const(step.u), step.u))

    def product(m: Module, x: Value, name: str) -> Value:
        return Cat(x[: step.width], _product(m, step, x, width, name))

    def rest(m: Module, parts: Value, name: str) -> Value:
        y = parts[: step.width] + parts[step.width :]
        return Cat(_kept(m, y, width, f"{name}_folded"), _kept(m, y + step.u, width, f"{name}_shifted"))

    def choose(m: Module, candidates: Value, name: str) -> Value:
        y, shifted = candidates[:width], candidates[width:]
        result = Signal(step.width, name=name)
        carry = (shifted if canonical_result else y)[step.width :]
        m.d.comb += result.eq(Mux(carry.any(), shifted, y) if len(carry) else y)
        return result

    choice = Piece(2 * LOOKUP, choose)
    if 1 + digits <= OPERANDS:
        return Stage((Piece(adder(width, 2 + digits), whole), choice))
    return Stage((Piece(adder(width, digits), product), Piece(adder(width, 3), rest), choice))


def _subtraction(plan: FoldPlan) -> Stage:
    """`canonical`, with the choice as a piece of its own."""
    w, u = plan.width, plan.u

    def add(m: Module, x: Value, name: str) -> Value:
        shifted = Signal(w + 1, name=f"{name}_shifted")
        m.d.comb += shifted.eq(x + u)
        return Cat(shifted, x)

    def choose(m: Module, both: Value, name: str) -> Value:
        result = Signal(w, name=name)
        m.d.comb += result.eq(Mux(both[w], both[:w], both[w + 1 :]))
        return result

    return Stage((Piece(adder(w), add), Piece(2 * LOOKUP, choose)))


OPERANDS = 3
"""Terms of a sum with one carry-save level in front of its carry chain."""


def _digits(step: Fold) -> int:
    """Signed digits of u; none where nothing is above bit w."""
    return len(signed_digits(step.u)) if step.bound >> step.width else 0


def _product(m: Module, step: Fold, x: Value, width: int, name: str) -> Signal:
    """(x >> w)·u modulo 2^width."""
    return _kept(m, times(x[step.width : step.bound.bit_length()], step.u), width, f"{name}_product")


def _kept(m: Module, value: Value, width: int, name: str) -> Signal:
    """The value modulo 2^width, as a signal."""
    result = Signal(width, name=name)
    m.d.comb += result.eq(value)
    return result
