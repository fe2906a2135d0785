# SPDX-License-Identifier: Apache-2.0
"""Constants of a cox-rower: n rowers that multiply, accumulate and reduce, a bus from row to rower, and the cox.

What is computed when is not part of it: that is a program (`program`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...rns import Base
from ...rns.extension import SUPER, Extension
from ...rtl.multiplier import Tiling
from ...rtl.pipeline import BLOCK, adder, place_registers
from .arithmetic import BusOperand, SumFold, SumReduction, row_sums


@dataclass(frozen=True)
class Engine:
    """One cox-rower; rower k has channel k of every base.

    Parameters
    ----------
    bases : tuple of Base
        Of one width and count; reductions name one by its index.
    extensions : tuple of Extension
        Extension e goes from base e to base 1 - e; hats are any w-bit representatives.
    factors : tuple of tuple of int
        Constants of single products: for each, its value in every rower.
    weights : tuple of tuple of tuple of int
        For each extension and rower, what the operand of each row is multiplied by.
    corrections : tuple of tuple of int
        For each extension and rower, what is added for each unit of h, < m.
    target : str
        What the multiplier blocks are written for.
    latency : int
        L, clocks from operands to the readable sum; at least 2.
    operands : int
        1 or 2: products take an operand of the stream and a factor, or two operands.
    initial : bool
        Whether a sum can start from one that was saved.
    """

    bases: tuple[Base, ...]
    extensions: tuple[Extension, ...]
    factors: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[tuple[int, ...], ...], ...]
    corrections: tuple[tuple[int, ...], ...]
    target: str
    latency: int
    operands: int
    initial: bool

    @property
    def width(self) -> int:
        """w."""
        return self.bases[0].width

    @property
    def rowers(self) -> int:
        """n."""
        return self.bases[0].count

    @property
    def columns(self) -> int:
        """c: 1 or 2."""
        return self.extensions[0].columns

    @property
    def rows(self) -> int:
        """r."""
        return self.extensions[0].rows

    @property
    def word(self) -> int:
        """Largest value of w bits."""
        return (1 << self.width) - 1

    # --- the bus

    def sources(self, extension: int) -> tuple[tuple[int, int], ...]:
        """u1 and u2 of every row."""
        u = self.bases[extension].u
        return tuple(zip(u[0::2], u[1::2], strict=True))

    def bus_operand(self, rower: int, extension: int) -> BusOperand:
        """How a rower makes an operand of a row of two hats."""
        return BusOperand(self.width, self.bases[1 - extension].u[rower], self.sources(extension))

    @cached_property
    def bus_folds(self) -> int:
        """Folds of the operand after the first sum."""
        every = [len(self.bus_operand(k, e).folds) for k in range(self.rowers) for e in range(len(self.extensions))]
        return max(every)

    @property
    def bus_clocks(self) -> int:
        """Clocks from the bus to the operand: none for KBE."""
        return 0 if self.columns == 1 else 1 + self.bus_folds

    def bus_bound(self, rower: int, extension: int) -> int:
        """Largest operand from the bus."""
        return self.word if self.columns == 1 else self.bus_operand(rower, extension).bound

    def largest_bus(self) -> tuple[int, int]:
        """Largest S (or hat) and V (or 0) on the bus."""
        if self.columns == 1:
            return self.word, 0
        every = [first + second for e in range(len(self.extensions)) for first, second in self.sources(e)]
        return 2 * self.word, self.word * max(every)

    @cached_property
    def operand_width(self) -> int:
        """Bits of the wider multiplier operand."""
        pairs = [(k, e) for k in range(self.rowers) for e in range(len(self.extensions))]
        return max(self.width, *(self.bus_bound(k, e).bit_length() for k, e in pairs))

    @property
    def cox_clocks(self) -> int:
        """Clocks between the bus and the cox's adder: one where super-residues are made for it."""
        return int(self.columns > 1 and self.extensions[0].fed == SUPER)

    # --- multiply-accumulate

    @property
    def tiling(self) -> Tiling:
        """The multiplier of a rower; its last two rows are added by the accumulator."""
        return Tiling(self.operand_width, self.width, self.target, open_rows=2)

    @property
    def registers(self) -> tuple[int, ...]:
        """Of the multiplier: L less the operand's register and the accumulator."""
        return place_registers([BLOCK, *self.tiling.delays], self.latency - 2, tail=adder(2 * self.width, 3))

    def sum_bound(self, rower: int, base: int) -> int:
        """Largest sum that is reduced modulo a base's modulus."""
        largest = self.word * self.word
        for e in range(len(self.extensions)):
            if 1 - e == base:
                total = self.bus_bound(rower, e) * sum(self.weights[e][rower])
                largest = max(largest, total + (self.word * self.word if self.initial else 0))
        return largest

    def reduction(self, rower: int, base: int) -> SumReduction:
        """The reduction of a rower modulo a base's modulus."""
        modulus = self.bases[base].moduli[rower]
        return SumReduction(SumFold(self.width, self.bases[base].u[rower], self.sum_bound(rower, base), modulus - 1))

    @cached_property
    def fold_clocks(self) -> int:
        """F, clocks of a reduction."""
        return max(self.reduction(k, s).stages for k in range(self.rowers) for s in range(len(self.bases)))

    # --- tables

    def constants(self, rower: int) -> list[int]:
        """Constant memory of a rower: factors, then the weights of each extension."""
        return [*(f[rower] for f in self.factors), *(w for e in self.weights for w in e[rower])]

    def weight_address(self, extension: int, row: int) -> int:
        """Where a weight stands in the constant memory."""
        return len(self.factors) + extension * self.rows + row

    def corrections_of(self, extension: int, rower: int) -> list[int]:
        """What is added for each h."""
        modulus = self.bases[1 - extension].moduli[rower]
        unit = self.corrections[extension][rower]
        return [h * unit % modulus for h in range(self.extensions[extension].largest_h + 1)]

    # --- in integers

    def reduce(self, base: int, values: Sequence[int], addends: Sequence[int] | None = None) -> tuple[int, ...]:
        """Every rower's reduction."""
        more = addends or [0] * self.rowers
        return tuple(self._reductions[base][k].apply(x, more[k]) for k, x in enumerate(values))

    @cached_property
    def _reductions(self) -> list[list[SumReduction]]:
        return [[self.reduction(k, s) for k in range(self.rowers)] for s in range(len(self.bases))]

    @cached_property
    def _bus(self) -> list[list[BusOperand]]:
        return [[self.bus_operand(k, e) for k in range(self.rowers)] for e in range(len(self.extensions))]

    def extend(self, extension: int, hats: tuple[int, ...], initial: Sequence[int] | None = None) -> tuple[int, ...]:
        """Hats of base e to what the rowers reduce to modulo base 1 - e; `initial` is where their sums start."""
        h = self.extensions[extension].estimate(hats)
        rows = row_sums(hats, self.bases[extension].u) if self.columns == 2 else []
        sums = list(initial or [0] * self.rowers)
        for k in range(self.rowers):
            weights = self.weights[extension][k]
            if self.columns == 1:
                operands: Sequence[int] = hats
            else:
                bus = self._bus[extension][k]
                operands = [bus.apply(total, v, self.bus_folds) for total, v in rows]
            sums[k] += sum(x * weight for x, weight in zip(operands, weights, strict=True))
        modulus = self.bases[1 - extension].moduli
        addends = [h * unit % m for unit, m in zip(self.corrections[extension], modulus, strict=True)]
        return self.reduce(1 - extension, sums, addends)
