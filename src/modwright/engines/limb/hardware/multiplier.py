# SPDX-License-Identifier: Apache-2.0
"""The units: Montgomery products on limbs, for use next to other hardware.

All kinds of operation start alike, and follow their schedules: operands are read in cycles 1 to
`interval` after the start and must be stable then; `done` is set in cycle `latency` - 1, and z is valid in that cycle
only. Another operation, of any kind, may start `interval` cycles after the start or later.

Registers by cycle, for a product of several columns; I is the interval, d the cycles from a factor to the product:

    cycle        step                  register that holds the value from this cycle on
    1            operands              those of the caller: x, y, m, q, mu, unchanged until cycle I
    I + 1        modulus and error     those of the caller for the result
    I + d + 2    result                result queue; z, in the accumulator, is valid in the cycle before

In cycles 1 to I the player's `word` is active; `action`, d cycles behind it, goes with the product.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....plan.pipeline import BLOCK, adder, place_registers
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from ..operands import A_MINUS, B_MINUS, A, B, field_of
from ..parameters import UnitParameters
from ..units import R64, SUM
from .columns import ColumnAccumulator
from .scanner import ScanAccumulator
from .selector import Selector, limbs_of


class LimbMultiplier(wiring.Component):
    """One unit.

    Parameters
    ----------
    p : UnitParameters
    schedules : mapping of str to Schedule
        Schedules of its kinds of operation, of `p.unit.kinds`, in the order of their numbers.

    Attributes
    ----------
    start : in
        Strobe: an operation starts.
    kind : in
        Number of the operation's kind, with `start`.
    x, y, x2, y2 : in, `p.operand_bits` bits each
        Operands; y = x for a square; x2 and y2 exist with `SUM` only.
    m : in, n bits
        Odd modulus from 3 on.
    q : in, w bits
        Constant -m^-1 mod 2^w.
    mu : in, n bits
        Constant 2^-w mod m; for units that fold only.
    done : out
        Pulse: z is valid.
    z : out, `p.result_bits` bits
        Result (x·y + x2·y2) / 2^T modulo m, below `p.multiple(kind)`·m.
    """

    def __init__(self, p: UnitParameters, schedules: Mapping[str, Schedule]) -> None:
        self.p, self.kinds, self.schedules = p, tuple(schedules), tuple(schedules.values())
        second = ("x2", "y2") if SUM in schedules else ()
        self.operands = ["x", "y", *second, "m", *(("mu",) if p.unit.folds else ())]
        self.player = Player(*(schedule.microcode for schedule in self.schedules), overlap=False)
        self.accumulator = (ScanAccumulator if p.unit is R64 else ColumnAccumulator)(p, self.player.layout)
        super().__init__(
            {"start": In(1), "kind": In(len(self.player.kind)), "q": In(p.w)}
            | {name: In(p.n if name in {"m", "mu"} else p.operand_bits) for name in self.operands}
            | {"done": Out(1), "z": Out(p.result_bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.player = player = self.player
        m.submodules.accumulator = accumulator = self.accumulator
        multipliers = [self._multiplier(m, lane) for lane in range(p.macs)]
        banks = {name: limbs_of(getattr(self, name), p) for name in self.operands}
        selector = Selector(
            p, self.schedules, player.word, banks | {"q": [self.q], "t": accumulator.t}, accumulator.leaving
        )
        factors = [
            (selector.factor(m, A, A_MINUS, lane), selector.factor(m, B, B_MINUS, lane)) for lane in range(p.macs)
        ]
        action = delayed(m, player.word.as_value(), p.delay, "action")
        negatives = [
            delayed(m, a_sign ^ b_sign, p.delay, field_of("negative", lane))
            for lane, ((_, a_sign), (_, b_sign)) in enumerate(factors)
        ]
        products = [
            (
                multiplier.a[0].eq(a),
                multiplier.b[0].eq(b),
                getattr(accumulator, field_of("product", lane)).eq(multiplier.p),
                getattr(accumulator, field_of("negative", lane)).eq(negatives[lane]),
            )
            for lane, (multiplier, ((a, _), (b, _))) in enumerate(zip(multipliers, factors, strict=True))
        ]
        m.d.comb += [
            player.start.eq(self.start),
            player.kind.eq(self.kind),
            products,
            accumulator.action.eq(action),
            self.z.eq(accumulator.z),
            self.done.eq(self._done(m, data.View(player.layout, action).done)),
        ]
        if p.unit is not R64:
            (a, _), _ = factors[0]
            m.d.comb += [accumulator.quotient.eq(player.word.quotient != 0), accumulator.limb.eq(a)]
        return m

    def _multiplier(self, m: Module, lane: int) -> TiledMultiplier:
        """Make the multiplier `lane`."""
        p = self.p
        # behind it: a sum of the accumulator, all products and, with Karatsuba's method, U and V
        addends = 1 + p.macs + (2 if p.signed else 0)
        places = place_registers([BLOCK, *p.tiling.delays], p.registers, tail=adder(p.accumulator, addends))
        m.submodules[field_of("multiplier", lane)] = multiplier = TiledMultiplier(p.tiling, places)
        return multiplier

    def _done(self, m: Module, last: Value) -> Signal:
        """Pulse in the first cycle with the last sum in its register, a cycle after the last product left."""
        done = Signal()
        m.d.comb += done.eq(delayed(m, last, 2 if self.p.unit is R64 else 1, "last"))
        return done
