# SPDX-License-Identifier: Apache-2.0
"""The decision on a pass, from residues of V and U modulo small numbers.

Registers, counted from the cycle of `keep`; c cuts, 0 or 1:

    cycle     register that holds the value from this cycle on
    1         `V3_twos`, `V3_threes`, or those of V1; after an exchange, those of U have the former ones of V
    c + 1     with a cut, `sum_twos`, `sum_threes`: residues of V3 + s·U3
    2c + 1    with a cut, `number`: of D; `decide` is set in this cycle
    2c + 2    `divisor`, `divides`, `subtract`, `swap`, `role`, `balance`: the decision
    2c + 2    `shift`, `coefficient`, for V1: κ·(D - 1 - s), and that plus f, of the previous decision
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.pipeline import delayed
from ...plus_minus import RESIDUES_V1, RESIDUES_V3, Rules
from .rower import lookup


class Decision(wiring.Component):
    """Decision on the next pass from small residues, and f for V1 a few cycles later.

    Parameters
    ----------
    p : Rules
    offsets : sequence of int
        For each divisor what is added to both coefficients; nothing where there are none.

    Attributes
    ----------
    start : in
        Strobe: an operation begins.
    decide : in
        Strobe: the next pass is decided; the decision can be read from the next cycle on.
    keep : in
        Number whose small residues are at `twos` and `threes`.
    divisor : out
        Index of D.
    divides, subtract : out
        Flags s = 0, and s = -1.
    swap : out
        Whether U takes the place of V in this pass.
    role : out
        Index of the register of V.
    shift, coefficient : out, signed
        Coefficients κ·(D - 1 - s), and that plus f; each with the offset of D.
    """

    def __init__(self, p: Rules, offsets: Sequence[int] = ()) -> None:
        self.p = p
        self.offsets = offsets or (0,) * len(p.kind.divisors)
        coefficient = signed((p.coefficient + max(self.offsets)).bit_length() + 1)
        self.three = 3**p.kind.threes
        super().__init__(
            {
                "start": In(1),
                "decide": In(1),
                "keep": In(2),
                "twos": In(p.kind.twos),
                "threes": In(max(1, (self.three - 1).bit_length())),
                "divisor": Out(max(1, (len(p.kind.divisors) - 1).bit_length())),
                "divides": Out(1),
                "subtract": Out(1),
                "swap": Out(1),
                "role": Out(1),
                "shift": Out(coefficient),
                "coefficient": Out(coefficient),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        kind = p.kind
        kept = {
            name: (Signal(kind.twos, name=f"{name}_twos"), Signal(len(self.threes), name=f"{name}_threes"))
            for name in ("V3", "U3", "V1", "U1")
        }
        before = Signal(name="swapped")  # whether U took V's place in the pass before
        self._keep(m, kept, before)
        (v2, v3), (u2, u3) = kept["V3"], kept["U3"]
        divides = Signal(name="divides_now")
        plus = Signal(name="plus")
        if kind.threes:
            m.d.comb += [divides.eq(~v2[0] | self._divisible(v3)), plus.eq(self._divisible(self._added(v3, u3)))]
        else:
            m.d.comb += [divides.eq(~v2[0]), plus.eq((v2 + u2)[:2] == 0)]
        twos, threes = Signal(kind.twos, name="sum_twos"), Signal(len(self.threes), name="sum_threes")
        m.d.comb += [
            twos.eq(Mux(divides, v2, Mux(plus, v2 + u2, v2 - u2))),
            threes.eq(Mux(divides, v3, Mux(plus, self._added(v3, u3), self._added(v3, self._negated(u3))))),
        ]
        cuts = p.cuts  # behind the sums, and behind the number
        number: Value = self._number(m, delayed(m, twos, cuts, "sum_twos"), delayed(m, threes, cuts, "sum_threes"))
        number = delayed(m, number, cuts, "number")
        divides, plus = delayed(m, divides, 2 * cuts, "divides"), delayed(m, plus, 2 * cuts, "plus")
        gains = [kind.gain(d) for d in kind.divisors]
        gain = lookup(gains, max(gains).bit_length(), number)
        balance = Signal(signed(p.most_balance.bit_length() + 1))
        swap = Signal(name="swap_now")
        m.d.comb += swap.eq(~divides & (balance > 0))
        with m.If(self.start):
            m.d.sync += [balance.eq(0), self.swap.eq(0), self.role.eq(0), before.eq(0)]
        with m.Elif(self.decide):
            m.d.sync += [
                balance.eq(self._after(m, balance, swap, gain, divides)),
                self.divisor.eq(number),
                self.divides.eq(divides),
                self.subtract.eq(~divides & ~plus),
                self.swap.eq(swap),
                before.eq(self.swap),
                self.role.eq(self.role ^ self.swap),
            ]
        self._factor(m, *kept["V1"], *kept["U1"])
        return m

    def _after(self, m: Module, balance: Value, swap: Value, gain: Value, divides: Value) -> Value:
        """The balance after a pass."""
        del m
        return Mux(swap, -balance, balance) + gain - Mux(divides, 0, 2)

    def _keep(self, m: Module, kept: dict[str, tuple[Signal, Signal]], before: Value) -> None:
        """Store new residues of V; those of U are V's former ones where U took its place.

        Those of V3 come before the next decision, those of V1 after it.
        """
        P, fresh = self.p.modulus, (self.twos, self.threes)
        with m.If(self.start):
            for name, value in (("U3", P), ("V1", 1), ("U1", 0)):
                for register, small in zip(kept[name], (2**self.p.kind.twos, self.three), strict=True):
                    m.d.sync += register.eq(value % small)
        for code, v, u, swapped in ((RESIDUES_V3, "V3", "U3", self.swap), (RESIDUES_V1, "V1", "U1", before)):
            with m.If(self.keep == code):
                m.d.sync += [register.eq(new) for register, new in zip(kept[v], fresh, strict=True)]
                with m.If(swapped):
                    m.d.sync += [register.eq(old) for register, old in zip(kept[u], kept[v], strict=True)]

    def _divisible(self, value: Value) -> Value:
        """Whether 3 divides a residue."""
        return lookup([int(v % 3 == 0) for v in range(self.three)], 1, value)

    def _added(self, x: Value, y: Value) -> Value:
        """Sum x + y modulo 3^b."""
        bits = len(self.threes)
        total = Value.cast(x + y)
        return lookup([v % self.three for v in range(2 * self.three - 1)], bits, total)

    def _negated(self, x: Value) -> Value:
        return lookup([-v % self.three for v in range(self.three)], len(self.threes), x)

    def _number(self, m: Module, twos: Value, threes: Value) -> Signal:
        """Index of the largest divisor of the number with both residues."""
        kind = self.p.kind
        number = Signal(len(self.divisor), name="number")
        table = []
        for three in range(1 << len(threes)):
            for two in range(1 << kind.twos):
                b = next((b for b in range(kind.threes, 0, -1) if three % 3**b == 0 and three < self.three), 0)
                a = next((a for a in range(kind.twos, 0, -1) if two % 2**a == 0), 0)
                table.append(kind.divisors.index(2**a * 3**b) if a + b else 0)
        m.d.comb += number.eq(lookup(table, len(number), Cat(twos, threes)))
        return number

    def _factor(self, m: Module, v2: Value, v3: Value, u2: Value, u3: Value) -> None:
        """Compute f, and both coefficients."""
        p, kind = self.p, self.p.kind
        twos, threes = Signal(kind.twos, name="V1_sum_twos"), Signal(len(self.threes), name="V1_sum_threes")
        minus2, minus3 = Mux(self.divides, v2, v2 - u2), self._added(v3, self._negated(u3))
        plus = ~self.divides & ~self.subtract
        m.d.comb += [
            twos.eq(Mux(plus, v2 + u2, minus2)),
            threes.eq(Mux(self.divides, v3, Mux(plus, self._added(v3, u3), minus3))),
        ]
        cuts = p.cuts
        twos, threes = delayed(m, twos, cuts, "V1_sum_twos"), delayed(m, threes, cuts, "V1_sum_threes")
        f = self._multiple(m, twos, threes)
        divided = zip(kind.divisors, self.offsets, strict=True)
        shifts = [p.kappa * (d - 1 - s) + offset for d, offset in divided for s in (0, 1, -1)]
        sign = Mux(self.divides, 0, Mux(self.subtract, 2, 1))
        number = Signal(max(1, (len(shifts) - 1).bit_length()), name="shift_number")
        m.d.comb += number.eq((self.divisor << 1) + self.divisor + sign)
        shift = lookup(shifts, max(1, max(shifts).bit_length()), number)
        m.d.sync += [self.shift.eq(shift), self.coefficient.eq(f + delayed(m, shift, cuts, "shift_held"))]

    def _multiple(self, m: Module, twos: Value, threes: Value) -> Value:
        """The f of a sum by the Chinese remainder theorem: a part from the residue modulo 2^a, one from that modulo
        3^b."""
        kind, cuts = self.p.kind, self.p.cuts
        largest = max(kind.divisors)
        width = (2 * largest).bit_length()
        total = Signal(width, name="f_total")
        by_twos = self._parts(2**kind.twos, lambda d: d & -d)
        by_threes = self._parts(1 << len(self.threes), lambda d: d // (d & -d), self.three)
        m.d.comb += total.eq(
            lookup(by_twos, width, Cat(twos, self.divisor)) + lookup(by_threes, width, Cat(threes, self.divisor))
        )
        total = delayed(m, total, cuts, "f_total")
        # these are stable during a pass, and separate registers where paths are cut
        divisor = delayed(m, lookup(kind.divisors, width, self.divisor), cuts, "divisor_value")
        half = delayed(m, lookup([d // 2 for d in kind.divisors], width, self.divisor), cuts, "half")
        f = Signal(signed(width + 1), name="f")
        m.d.comb += f.eq(total - Mux(total > half, divisor, 0) - Mux(total > half + divisor, divisor, 0))
        return f

    def _parts(self, size: int, own: Callable[[int], int], limit: int | None = None) -> list[int]:
        """By divisor and residue, the part of f that is right modulo `own` of the divisor and 0 modulo the rest."""
        table = []
        for d in self.p.kind.divisors:
            mine = own(d)
            rest = d // mine
            unit = rest * pow(rest, -1, mine) if mine > 1 else 0
            for y in range(size):
                f = -y * pow(self.p.modulus, -1, mine) % mine if mine > 1 and (limit is None or y < limit) else 0
                table.append(f * unit % d)
        return table
