# SPDX-License-Identifier: Apache-2.0
"""Constants of a cox-rower: n rowers that multiply, accumulate and reduce, a bus from row to rower, and the cox.

The order of operations is in `steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...plan.pipeline import BLOCK, adder, place_registers
from ...plan.tiling import Tiling
from ...rns import Base
from ...rns.extension import NONE, SUPER, Extension
from ...rns.redundant import REDUNDANT
from .arithmetic import BusOperand, SumFold, SumReduction, largest_limbs, row_limbs


@dataclass(frozen=True)
class CoxrowerEngine:
    """One cox-rower. Rower k has channel k of every base; with fewer rowers than channels p, it has k, k + p, ...

    A rower works for its channels in turn; a channel's turn is its slot.

    Parameters
    ----------
    bases : tuple of Base
        Bases of one width and count; reductions name one by its index.
    extensions : tuple of Extension
        Extension e goes from base e to base 1 - e; hats are any w-bit representatives.
    factors : tuple of tuple of int
        Constants of single products: for each, its value in every channel.
    weights : tuple of tuple of tuple of int
        For each extension and channel, the factor of the operand of each row.
    corrections : tuple of tuple of int
        For each extension and channel, the addend for each unit of h, < m.
    target : str
        Device family of the multiplier blocks.
    latency : int
        L, cycles from operands to the readable sum; at least 2, and 3 with `local`.
    operands : int
        Operands of the stream in a product, 1 or 2: an operand and a factor, or two operands.
    initial : bool
        Whether a sum can start from one that was saved.
    products : int
        κ, products of operands in a sum.
    rowers : int
        p; a multiple of c, at most n.
    sums_alongside : int
        Most products of two words in a sum, next to those of an extension or alone.
    file : int
        Number of results that a rower can store, to be operands again.
    carries : int
        Numbers that all rowers can have as a common operand in addition to 1: the stored parts of the fraction of the
        second extension.
    carry_bits : int
        Bits of such a number t = floor(2^carry_bits·fraction), 0 for a negative fraction, of the sum without σ above
        h.
    local : bool
        Whether rowers have copies of the control fields, the bus and h next to them, a register in front of the
        multiplier block, and one within the last fold.
    sums_of_kept : int
        Most products of two words in a sum of stored results, which is reduced modulo base 1.
    guest : bool
        Whether rowers also work for another unit: constants multiply an operand of the stream, too, and the common
        number comes from that unit instead of 1 and the carries. Stored results are then in a memory, and the
        fields for reading and for writing count them from 1.
    given : int
        Words that every rower gets with the operands and multiplies by as by constants: those of a runtime modulus.
    converts : bool
        Whether the first extension is exact, too, where its cox starts from the offset of the second one, and sums of
        n digits times constants are reduced modulo either base. Both extensions have f fraction bits then.
    signed : int
        Bits of a signed number, of which rowers take the representative of w bits modulo their modulus of base 1 as
        the factor of a stored result; 0 for none. Only with `guest`.
    blocks : bool
        Whether every rower has its constants and stored results in a block RAM, with 1 as the words of number 0 and 1,
        by which constants that all rowers have a multiple of take the place of the common number. Only with `local`.
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
    products: int
    rowers: int
    sums_alongside: int = 0
    file: int = 0
    carries: int = 0
    carry_bits: int = 0
    local: bool = False
    sums_of_kept: int = 0
    guest: bool = False
    given: int = 0
    converts: bool = False
    signed: int = 0
    blocks: bool = False

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.bases[0].width

    @cached_property
    def count(self) -> int:
        """Number of moduli of a base, n."""
        return self.bases[0].count

    @cached_property
    def slots(self) -> int:
        """Channels of a rower."""
        return -(-self.count // self.rowers)

    @cached_property
    def columns(self) -> int:
        """Columns of a base, c."""
        return self.extensions[0].columns

    @cached_property
    def rows(self) -> int:
        """Rows of a base, r."""
        return self.extensions[0].rows

    @property
    def word(self) -> int:
        """Largest value of w bits."""
        return (1 << self.width) - 1

    @property
    def held(self) -> int:
        """Number of operands, or pairs of them, that wait for their turn: all but the first."""
        return self.operands * self.products * self.slots - 1

    @property
    def parallel_file(self) -> bool:
        """Whether all stored results can be read at once."""
        return self.file > 0 and not self.guest

    @property
    def shares(self) -> bool:
        """Whether all rowers have a common number."""
        return self.file > 0 and not self.blocks

    @property
    def travel(self) -> int:
        """Registers between the shared part and a rower: operands arrive later, and words are issued earlier."""
        return int(self.local)

    @property
    def from_fold(self) -> bool:
        """Whether a result is read at the last stage of the reduction, and not at the register behind it."""
        return self.slots == 1 and not self.local

    @property
    def passes_through(self) -> bool:
        """Whether the first hat passes to the bus in the first cycle in which all are valid."""
        return self.columns == 1 and self.slots == 1

    def channels(self, rower: int) -> list[int]:
        """The channels of a rower by slot; beyond its last one, its first again, with unused results."""
        every = range(rower, rower + self.slots * self.rowers, self.rowers)
        return [channel if channel < self.count else rower for channel in every]

    # --- the bus

    def sources(self, extension: int) -> tuple[tuple[int, ...], ...]:
        """The u of every row."""
        u, c = self.bases[extension].u, self.columns
        return tuple(u[first : first + c] for first in range(0, self.count, c))

    def bus_operand(self, channel: int, extension: int) -> BusOperand:
        """Operand of a channel from the rows on the bus."""
        return BusOperand(self.width, self.bases[1 - extension].u[channel], self.sources(extension))

    @cached_property
    def bus_folds(self) -> tuple[int, ...]:
        """Folds of each stage of the operand, none for KBE."""
        counts: tuple[int, ...] = ()
        every = [self.bus_operand(k, e) for k in range(self.count) for e in range(len(self.extensions))]
        for stage in range(self.columns - 1):
            counts += (max(len(unit.stages(counts)[stage].folds) for unit in every),)
        return counts

    @property
    def bus_cycles(self) -> int:
        """Cycles from the bus to the operand: none for KBE, except that of the rower's copy."""
        return self.travel + sum(1 + folds for folds in self.bus_folds)

    def bus_bound(self, channel: int, extension: int) -> int:
        """Largest operand from the bus."""
        return self.word if self.columns == 1 else self.bus_operand(channel, extension).bound(self.bus_folds)

    def largest_limbs(self) -> tuple[int, ...]:
        """Largest value of each limb on the bus; for KBE only that of the hat."""
        if self.columns == 1:
            return self.word, 0
        every = [largest_limbs(self.width, self.sources(e)) for e in range(len(self.extensions))]
        return tuple(max(column) for column in zip(*every, strict=True))

    @cached_property
    def operand_width(self) -> int:
        """Bits of the wider multiplier operand."""
        pairs = [(k, e) for k in range(self.count) for e in range(len(self.extensions))]
        return max(self.width, *(self.bus_bound(k, e).bit_length() for k, e in pairs))

    @property
    def cox(self) -> Extension:
        """The extension that defines the sum of the cox: either, where both have a cox."""
        return next((e for e in self.extensions if e.fed != NONE), self.extensions[0])

    @property
    def cox_cycles(self) -> int:
        """Cycles between the bus and the cox's adder: one where super-residues are computed for it, or products."""
        return int((self.columns > 1 and self.cox.fed == SUPER) or self.cox.fed == REDUNDANT)

    # --- multiply-accumulate

    @property
    def tiling(self) -> Tiling:
        """The multiplier of a rower; its last two rows are added by the accumulator."""
        return Tiling(self.operand_width, self.width, self.target, open_rows=2)

    @property
    def registers(self) -> tuple[int, ...]:
        """Registers of the multiplier: L less the operand's registers and the accumulator."""
        inside = self.latency - 2 - self.travel
        return place_registers([BLOCK, *self.tiling.delays], inside, tail=adder(2 * self.width, 3))

    def sum_bound(self, channel: int, base: int) -> int:
        """Largest sum that is reduced modulo a base's modulus."""
        square = self.word * self.word
        digits = self.count if self.converts else 0
        largest = max(self.products, self.sums_alongside, base * self.sums_of_kept, digits) * square
        for e in range(len(self.extensions)):
            if 1 - e == base:
                total = self.bus_bound(channel, e) * sum(self.weights[e][channel])
                largest = max(largest, total + (self.sums_alongside + self.initial) * square)
        return largest

    def reduction(self, channel: int, base: int) -> SumReduction:
        """The reduction of a sum modulo a base's modulus."""
        modulus, u = self.bases[base].moduli[channel], self.bases[base].u[channel]
        return SumReduction(SumFold(self.width, u, self.sum_bound(channel, base), modulus - 1))

    @cached_property
    def folds(self) -> int:
        """Stages of a reduction."""
        return max(self.reduction(k, s).stages for k in range(self.count) for s in range(len(self.bases)))

    @property
    def fold_cycles(self) -> int:
        """F, cycles of a reduction: one for each stage, and with `local` two for the last one."""
        return self.folds + self.travel

    # --- choices of a rower: its moduli, base by base, each with its slots

    def choice(self, base: int, slot: int) -> int:
        """The index of a modulus of a rower."""
        return base * self.slots + slot

    def plans(self, rower: int) -> list[SumReduction]:
        """The reductions of a rower, by choice."""
        return [self.reduction(k, base) for base in range(len(self.bases)) for k in self.channels(rower)]

    @cached_property
    def choice_bits(self) -> int:
        """Bits of the index of a modulus of a rower."""
        return (len(self.bases) * self.slots - 1).bit_length()

    def bus_operands(self, rower: int) -> list[BusOperand]:
        """Operand plan of a rower: extension by extension, each with its slots."""
        return [self.bus_operand(k, e) for e in range(len(self.extensions)) for k in self.channels(rower)]

    def into(self, extension: int, slot: int) -> int:
        """The complement of the index of an operand plan: 1 for the one into base 1 where rowers have one slot."""
        return (1 << self.choice_bits) - 1 - (extension * self.slots + slot)

    # --- tables

    def constants(self, rower: int) -> list[int]:
        """Constant memory of a rower: for each slot, factors, then the weights of each extension."""
        return [
            value
            for k in self.channels(rower)
            for value in (*(f[k] for f in self.factors), *(w for e in self.weights for w in e[k]))
        ]

    def _slot_address(self, slot: int) -> int:
        return slot * (len(self.factors) + len(self.extensions) * self.rows)

    def factor_address(self, factor: int, slot: int) -> int:
        """Address of a factor in the constant memory."""
        return self._slot_address(slot) + factor

    def weight_address(self, extension: int, row: int, slot: int) -> int:
        """Address of a weight in the constant memory."""
        return self._slot_address(slot) + len(self.factors) + extension * self.rows + row

    def corrections_of(self, extension: int, channel: int) -> list[int]:
        """Addends of a channel for each h."""
        modulus = self.bases[1 - extension].moduli[channel]
        unit = self.corrections[extension][channel]
        started = self.extensions if self.converts else self.extensions[extension : extension + 1]
        return [h * unit % modulus for h in range(max(e.largest_h for e in started) + 1)]

    # --- in integers

    def reduce(self, base: int, values: Sequence[int], addends: Sequence[int] | None = None) -> tuple[int, ...]:
        """Every channel's reduction."""
        more = addends or [0] * self.count
        return tuple(self._reductions[base][k].apply(x, more[k]) for k, x in enumerate(values))

    @cached_property
    def _reductions(self) -> list[list[SumReduction]]:
        return [[self.reduction(k, s) for k in range(self.count)] for s in range(len(self.bases))]

    @cached_property
    def _bus(self) -> list[list[BusOperand]]:
        return [[self.bus_operand(k, e) for k in range(self.count)] for e in range(len(self.extensions))]

    def exactly(self, hats: tuple[int, ...]) -> int:
        """The h of the first extension where its cox starts from the offset of the second one."""
        first, second = self.extensions
        return sum(first.tops(hats), second.offset) >> first.f

    def extend(
        self, extension: int, hats: tuple[int, ...], initial: Sequence[int] | None = None, *, h: int | None = None
    ) -> tuple[int, ...]:
        """Extend hats of base e to the reduced sums of the channels modulo base 1 - e, which start from `initial`; h is
        the cox's where it is not given."""
        h = self.extensions[extension].estimate(hats) if h is None else h
        rows = row_limbs(hats, self.sources(extension)) if self.columns > 1 else []
        sums = list(initial or [0] * self.count)
        for k in range(self.count):
            weights = self.weights[extension][k]
            if self.columns == 1:
                operands: Sequence[int] = hats
            else:
                bus = self._bus[extension][k]
                operands = [bus.apply(limbs, self.bus_folds) for limbs in rows]
            sums[k] += sum(x * weight for x, weight in zip(operands, weights, strict=True))
        modulus = self.bases[1 - extension].moduli
        addends = [h * unit % m for unit, m in zip(self.corrections[extension], modulus, strict=True)]
        return self.reduce(1 - extension, sums, addends)
