# SPDX-License-Identifier: Apache-2.0
"""The common registers of two exponentiations in turn, around the row of blocks.

Registers of a turn, by its cycle τ; N digits of X, D of m in the first turn:

    cycle                register that holds the value from this cycle on
    0                    X: the result of the turn before; in the first turn the base
    1 + j, j < N         X, and in the first turn `own`: without their j lowest digits
    2                    Y and in the first turn m: in the memories of the slot
    5 + 4l               `parts`: limb l of X; `word` one cycle later
    D + 2                the code of the operands, in the first turn

and the next result is at the converter in cycle finished + CONVERSION of the operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....engines.orup.ahead import BAD_MODULUS, OUT_OF_RANGE
from .....engines.orup.hardware.converter import ParallelConverter
from .....engines.orup.hardware.loop import InterleavedLoop
from .....engines.orup.hardware.operands import SlotOperands
from .....engines.orup.hardware.ring import drive_steps
from .....rtl.copies import level_copy, pulse_copy
from .....rtl.turns import turns as turns_of
from ...parameters import ModexpParameters
from ...plan.turns import PARTS, Turns
from ..operands import slices

GROUP = 18
"""Bits of a limb of M that are joined in front of a register."""
STRETCH = 8
"""Chunks of the row next to one copy of what controls all of them; of these a row of 512 bits has 32."""


class Row(wiring.Component):
    """Registers X, Y, m and M, and the row.

    Attributes
    ----------
    base, square, unit, m : in
        Operands of an exponentiation, which X, Y, m and M follow while one may come in.
    valid, opens, again, closes : in
        Outputs of `TurnsAdmission`: the registers follow from the cycle after `opens` to the first with `valid`, and
        from that after `again` to that of `closes`.
    issue, enters, first, same, one, lands, holds, compared : in
        Outputs of `Lane`, of either; but for the last one a cycle later, from registers.
    y_moves, y_stops, m_moves, m_stops : in
        Y, or M, moves by a limb from the cycle after the one to that of the other; from registers.
    moves_m, starts_m : in
        M is read by limbs, or its first limb.
    from_y : in
        `word` takes the lowest limb of Y.
    limb : in
        A limb that enters Y or M at the top in the next cycle.
    limb_m, word : out
        The lowest limb of M; a limb of X, or of Y after `from_y`.
    y, held_m : out
        Y and M, between their moves.
    error : out
        Code of the operands of the first turn.
    """

    def __init__(self, p: ModexpParameters, turns: Turns) -> None:
        self.p, self.turns, self.row = p, turns, turns.row
        strobes = (
            "valid",
            "opens",
            "again",
            "closes",
            "issue",
            "enters",
            "first",
            "same",
            "one",
            "lands",
            "holds",
            "compared",
        )
        strobes += ("y_moves", "y_stops", "m_moves", "m_stops", "moves_m", "starts_m", "from_y")
        limb, whole = turns.limb, turns.limb * turns.limbs
        super().__init__(
            {name: In(1) for name in strobes}
            | {name: In(p.n) for name in ("base", "square", "unit", "m")}
            | {"limb": In(limb), "limb_m": Out(limb), "word": Out(limb), "y": Out(whole), "held_m": Out(whole)}
            | {"error": Out(2)}
        )

    def elaborate(self, platform: object) -> Module:
        m, row = Module(), self.row
        limb = Signal(self.turns.limb, name="entering")
        m.d.sync += limb.eq(self.limb)
        self._moved(m, "y", self.y, self.square, limb)
        self._moved(m, "m", self.held_m, self.m, limb)
        m.d.comb += self.limb_m.eq(self.held_m[: self.turns.limb])
        m.submodules.converter = converter = ParallelConverter(row, both=True)
        m.submodules.loop = loop = InterleavedLoop(row, STRETCH)
        m.d.comb += [converter.word.eq(loop.word), converter.carries.eq(loop.carries)]
        x, own = self._digits(m, converter.z)
        self._words(m, x)
        self._product(m, x, own, loop)
        self._check(m, x, own)
        return m

    # --- registers

    def _moved(self, m: Module, name: str, register: Value, given: Value, limb: Value) -> None:
        """Register that moves by a limb, in slices with controls of their own."""
        moves, stops = getattr(self, f"{name}_moves"), getattr(self, f"{name}_stops")
        after = Cat(register, limb)[len(limb) :]
        for number, part in enumerate(slices(len(register))):
            load = self._loading(m, f"{name}_{number}")
            stop = (load & self.valid) | self.closes | stops
            enable = level_copy(m, self.opens | self.again | moves, stop, f"{name}_enable_{number}", init=1)
            with m.If(enable):
                m.d.sync += register[part].eq(Mux(load, Cat(given, Const(0, len(register)))[part], after[part]))

    def _digits(self, m: Module, z: Value) -> tuple[Value, Value]:
        """Registers of X and of m, which move by a digit in every cycle but after `holds`."""
        row, k = self.row, self.row.k
        x, own = Signal(row.operand_bits, name="x"), Signal(row.n, name="own")
        for number, part in enumerate(slices(len(x))):
            load = self._loading(m, f"x_{number}")
            land = pulse_copy(m, self.lands, f"x_lands_{number}")
            hold = self._holding(m, load, f"x_{number}")
            given = Cat(self.base, Const(0, len(x)))[part]
            with m.If(~hold):
                m.d.sync += x[part].eq(Mux(land, z[part], Mux(load, given, (x >> k)[part])))
        for number, part in enumerate(slices(len(own))):
            load = self._loading(m, f"own_{number}")
            hold = self._holding(m, load, f"own_{number}")
            with m.If(~hold):
                m.d.sync += own[part].eq(Mux(load, self.unit[part], (own >> k)[part]))
        return x, own

    def _loading(self, m: Module, name: str) -> Value:
        """Whether a slice follows its operand: the copy itself says whether `valid` is that of the first operation."""
        return level_copy(m, self.opens | self.again, self.valid | self.closes, f"{name}_load", init=1)

    def _holding(self, m: Module, load: Value, name: str) -> Value:
        """Whether a slice stays: in the cycle after its operand came, and in the first one of a turn."""
        hold = Signal(name=f"{name}_hold")
        m.d.sync += hold.eq(self.holds | (load & self.valid))
        return hold

    def _words(self, m: Module, x: Value) -> None:
        """Limbs of four digits of X."""
        k = self.row.k
        parts = Signal(PARTS * k, name="parts")
        m.d.sync += [
            parts.eq(Cat(parts[k:], x[:k])),
            self.word.eq(Mux(self.from_y, self.y[: self.turns.limb], parts)),
        ]

    # --- the product

    def _product(self, m: Module, x: Value, own: Value, loop: InterleavedLoop) -> None:
        """The memories of the slots, with the second operand chosen in front of them, and the steps."""
        row = self.row
        entered, one, lowest = Signal(name="entered"), Signal(name="one_now"), Signal(name="lowest")
        digit, put = Signal(range(row.N), name="digit"), Signal(row.slots, name="put")
        slot = turns_of(m, row.slots, 0, "slot")
        last = digit == row.N - 1
        m.d.sync += [entered.eq(self.issue), digit.eq(digit + 1), lowest.eq(self.one)]
        with m.If(self.issue):
            m.d.sync += [digit.eq(0), put.eq(1 << slot), one.eq(self.one)]
        with m.Elif(last):
            m.d.sync += [put.eq(0), one.eq(0)]
        m.submodules.operands = operands = SlotOperands(row, held=True, copies=loop.copies)
        for part in slices(row.operand_bits):
            same = pulse_copy(m, self.same, f"same_{part.start}")
            m.d.comb += operands.y[part].eq(Mux(same, x[part], self.y[part]))
        m.d.comb += [
            operands.start.eq(self.enters),
            operands.start_m.eq(self.first),
            operands.m.eq(own),
            operands.put.eq(put),
            operands.put_place.eq(digit),
            operands.x_digit.eq(Mux(one, lowest, x[: row.k])),
        ]
        drive_steps(m, row, self.issue, entered, operands, loop)

    # --- the operands' code

    def _check(self, m: Module, x: Value, own: Value) -> None:
        """X is compared with m, a digit a cycle, and M is at least 3 and odd."""
        row = self.row
        compare, fresh = Signal(name="compare"), Signal(name="fresh")
        above = x[row.K + 1 :][: row.k]
        digit, of_m = Signal(row.k, name="x_digit"), Signal(row.k, name="m_digit")
        difference, carry, nonzero = Signal(row.k + 1), Signal(name="not_below"), Signal(name="nonzero")
        m.d.sync += [
            compare.eq(self.first | (compare & ~self.compared)),
            fresh.eq(compare),
            digit.eq(above),
            of_m.eq(own[: row.k]),
        ]
        m.d.comb += difference.eq(digit + ~of_m + carry)
        with m.If(self.first):
            m.d.sync += [carry.eq(1), nonzero.eq(0)]
        with m.Elif(fresh):
            m.d.sync += [carry.eq(difference[-1]), nonzero.eq(nonzero | of_m.any())]
        bad = ~nonzero | self._bad_modulus(m)
        m.d.comb += self.error.eq(Mux(bad, BAD_MODULUS, Mux(carry, OUT_OF_RANGE, 0)))

    def _bad_modulus(self, m: Module) -> Value:
        """Whether M is even or 1."""
        limb = Cat(self.limb_m[0] & ~self.starts_m, self.limb_m[1:])
        odd, above = Signal(name="odd"), Signal(name="above_one")
        moving, starts = Signal(), Signal()
        groups = [limb[low : low + GROUP] for low in range(0, len(limb), GROUP)]
        some = Signal(len(groups), name="some")
        m.d.sync += [moving.eq(self.moves_m), starts.eq(self.starts_m)]
        m.d.sync += some.eq(Cat(group.any() for group in groups))
        with m.If(self.starts_m):
            m.d.sync += odd.eq(self.limb_m[0])
        with m.If(moving):
            m.d.sync += above.eq((above & ~starts) | some.any())
        return ~odd | ~above


def either(lanes: Sequence[wiring.Component], name: str) -> Value:
    """OR of an output of the lanes."""
    value: Value = Const(0, 1)
    for lane in lanes:
        value = value | getattr(lane, name)
    return value
