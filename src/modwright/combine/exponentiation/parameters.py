# SPDX-License-Identifier: Apache-2.0
"""Exponentiation over a multiplier: registers, program and conditions.

The multiplier's own conditions make every product right; those here ensure that its results are operands, and that the
ways into and out of its domain are right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ...base.json import Constant
from ...contract import Composite, Field, Inequality, Part, Payload
from ...contract.roles import Modulus, NegInverse, Operand, Power, Result, Scalar
from ...engines.orup.interleaved import InterleavedParameters
from .plan.multiplier import ERROR, MODULUS, SCALED, Multiplier, as_base, as_power
from .plan.residues import Conversion
from .plan.turns import UNIT, Turns

RIGHT, LEFT, LADDER, WINDOW = "r2l", "l2r", "ladder", "window"
METHODS = (RIGHT, LEFT, LADDER, WINDOW)

DIGIT = 5
"""Bits of a digit of the exponent: of 1024 bits, 4, 5 and 6 take 1,292, 1,257 and 1,255 products with the
constants as operands, and 6 bits twice the table of 5."""
SHORTEST_DIGIT = 2
"""A table of two powers takes no product, and only a product detects a base out of range."""
LONGEST_LIMB = 80
"""Bits of a limb of the limb unit, and of a part of the registers that has a control of its own: on ECP5 a carry chain
of 80 bits between two registers takes 5.3 ns, about as long as multiplier blocks."""
FORMULA = "base^exponent"
"""The power, modulo M."""
HARDWARE, STREAM = "hardware", "stream"


@dataclass(frozen=True)
class ModexpParameters(Composite):
    """Every constant of one exponentiator.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    multiplier : Multiplier
    exponent_bits : int
        E, bits of the exponent.
    window : int
        Bits of a digit of the exponent; 1 but for "window".
    constants : str
        Source of R² modulo M: computed ("hardware") or an operand ("stream"); without meaning for a fixed modulus.
    turns : int
        Exponentiations whose products take a multiplier with slots in turn; 2 or 1.
    target : str
        Target of the converters' multiplier blocks, where the multiplier has residues.
    """

    method: str
    multiplier: Multiplier
    exponent_bits: int
    window: int = 1
    constants: str = HARDWARE
    turns: int = 1
    target: str = "generic"

    @property
    def modulus(self) -> int | None:
        """The fixed modulus, or None."""
        return self.multiplier.parameters.modulus

    @property
    def n(self) -> int:
        """Bits of M."""
        return self.multiplier.modulus_bits

    @property
    def guard(self) -> int:
        """K; 0 without a domain."""
        return self.multiplier.domain.guard if self.multiplier.domain else 0

    @property
    def inverse(self) -> int:
        """w, bits of -M^-1 mod 2^w, an operand next to M; 0 where the multiplier has no such operand."""
        return self.multiplier.domain.inverse if self.multiplier.domain else 0

    @property
    def scaled(self) -> int:
        """Exponent k of the operand 2^-k mod M: K, instead of M, or w, next to M; 0 where the multiplier has none."""
        return self.guard or (self.inverse if SCALED in self.multiplier.parameters.i.offsets else 0)

    @property
    def reductions(self) -> int:
        """Subtractions of M after which a product of an operand and a number below M is below M."""
        domain = self.multiplier.domain
        return 0 if domain is None else 1 if domain.guard else domain.domain.bit_length() - 1

    @property
    def from_right(self) -> bool:
        """Whether the exponent's least significant bit comes first."""
        return self.method == RIGHT

    @property
    def digits(self) -> int:
        """Digits of the exponent. With a window and a built-in modulus two at least: of a single one the power would be
        looked up, and the base need not be below the bound of results."""
        least = 2 if self.method == WINDOW and not self.multiplier.plain else 1
        return max(least, -(-self.exponent_bits // self.window))

    @property
    def exponent_places(self) -> int:
        """Bits of the exponent's register: whole digits."""
        return self.digits * self.window

    @property
    def ports(self) -> int:
        """Multipliers: the two products of the right-to-left method run side by side, or share one in turn."""
        return 2 if self.method == RIGHT and self.multiplier.schedule.burst == 1 else 1

    @property
    def lanes(self) -> int:
        """Exponentiations at a time on one multiplier, which interleaves two products or takes them in turn."""
        return max(self.turns, self.multiplier.schedule.burst) if self.method == WINDOW else 1

    @property
    def apart(self) -> int:
        """Cycles from an exponentiation to the next one on the same multiplier."""
        if self.in_turn:
            return self.in_turn.apart
        return self.multiplier.schedule.interval if self.turns > 1 else self.multiplier.schedule.burst_distance

    @property
    def paired(self) -> bool:
        """Whether the multiplier takes products in pairs whose distance is not a cycle."""
        return self.multiplier.schedule.burst_distance > 1

    @property
    def stride(self) -> int:
        """Distance in cycles of which products start multiples apart; those of the other lane lie between."""
        return self.multiplier.schedule.interval if self.paired else self.turns

    @property
    def alone(self) -> bool:
        """Whether a multiplier has one product of an exponentiation at a time, not both of a step in turn."""
        return self.method in (LEFT, WINDOW) or self.ports == 2

    @cached_property
    def in_turn(self) -> Turns | None:
        """Numbers of two exponentiations whose operands lie in registers and memories around a common row of blocks;
        None where each has registers and a limb unit of whole operands. Constants from the stream need few of
        these."""
        row = self.multiplier.parameters
        if self.turns == 1 or self.constants != STREAM or not isinstance(row, InterleavedParameters):
            return None
        turns = Turns(row, self.window)
        return turns if turns.fits else None

    # --- between plain numbers and residues

    @cached_property
    def conversion(self) -> Conversion | None:
        """Ways into residues and out of them, for a runtime modulus."""
        residues = self.multiplier.residues
        return Conversion(residues, self.n) if residues else None

    @property
    def around(self) -> tuple[int, int]:
        """Cycles before the first instruction and behind the last one."""
        return (self.conversion.entry_cycles, self.conversion.exit_cycles) if self.conversion else (0, 0)

    # --- limb unit

    @property
    def value_bits(self) -> int:
        """Bits of V: of 2V < 2M, of a result, or of V < 2^(K+1)·M."""
        return self.n + (self.guard + 1 if self.guard else max(1, self.reductions))

    @property
    def turn(self) -> int:
        """Cycles of a pass: a limb a cycle through three registers, of which the next pass begins behind two; behind
        all where limbs are in memories."""
        return self.limbs + (UNIT if self.in_turn else 2)

    @property
    def limbs(self) -> int:
        """Number of limbs, L: of V, and of the register of an operand, which goes to V and back."""
        if self.in_turn:
            return self.in_turn.limbs
        return -(-max(self.value_bits, self.multiplier.width) // LONGEST_LIMB)

    @property
    def limb(self) -> int:
        """B, bits of a limb."""
        if self.in_turn:
            return self.in_turn.limb
        return -(-max(self.value_bits, self.multiplier.width) // self.limbs)

    # --- constants of the domain

    @cached_property
    def squarings(self) -> int:
        """Number of Montgomery squares on the way to R² with the fewest cycles."""
        product, halving = self.multiplier.latency + 2, 3 * (self.turn + 1)

        def cycles(count: int) -> int:
            least = [-(-self.T >> place) for place in range(count + 1)]
            return least[-1] * self.turn + sum(product + halving * (number & 1) for number in least[:-1])

        return min(range(self.T.bit_length()), key=cycles)

    @property
    def T(self) -> int:
        """Exponent T: an operand of the multiplier represents its value times 2^-T."""
        assert self.multiplier.domain is not None
        return self.multiplier.domain.T

    # --- certificate

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multiplier, whose conditions make the products right."""
        return (("product", self.multiplier.parameters),)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Inequalities that make results operands, and the ways into the domain and out of it right."""
        converted = self.conversion.inequalities() if self.conversion else ()
        return (*self._operands(), *self._turns(), *(self._domain() if self.multiplier.domain else converted))

    def _turns(self) -> tuple[Inequality, ...]:
        """Inequalities by which products of two exponentiations never collide."""
        if self.in_turn:
            return self.in_turn.inequalities()
        if self.turns == 1 or self.paired:
            return ()
        period = self.multiplier.latency + 2
        return (
            Inequality(
                "turns",
                "2·Δ <= L + 2",
                2 * self.apart,
                "<=",
                period,
                "products of the second exponentiation come Δ cycles, the interval, after one of the first, and at "
                "least as long before the next; other distances are sums of these and of multiples of the slots",
                "two slots imply it: a product takes 12 cycles more than its two times I, and Δ is at most I + 2",
            ),
        )

    def _operands(self) -> tuple[Inequality, ...]:
        x, y, z = self.multiplier.x, self.multiplier.y, self.multiplier.z
        why = "a result is an operand again"
        table = "the table takes a product, which sees a base that is out of range"
        digit = Inequality("digit", "bits of a digit >= 2", self.window, ">=", SHORTEST_DIGIT, table)
        return (
            *((digit,) if self.method == WINDOW else ()),
            Inequality("result-width", "bits of z = bits of x", z.width, "=", x.width, why),
            Inequality("operand-width", "bits of y = bits of x", y.width, "=", x.width, why),
            *(self._ready() if self.alone else ()),
        )

    def _ready(self) -> tuple[Inequality, ...]:
        """Inequality by which a product is accepted in the cycle in which it is offered."""
        schedule = self.multiplier.schedule
        least = schedule.interval if schedule.constant_time else self.multiplier.least + schedule.burst
        if self.in_turn:
            why = "a product every turn, and the row holds one of each exponentiation"
            implied = "a turn is as long as a product, whose steps alone are longer than the interval"
            return (Inequality("ready", "π >= I", self.in_turn.period, ">=", least, why, implied),)
        if self.paired:
            why = "products of one exponentiation stand multiples of π apart, those of the other Δ behind"
            both = self.multiplier.latency + 2
            return (Inequality("ready", "π >= L + 2", self.stride, ">=", both, why, "pairs are never closer"),)
        why = "the next product comes two cycles after the result, so no product waits for the multiplier"
        stronger = "a multiplier takes an operation at the latest two cycles after the result of the one before it"
        return (Inequality("ready", "I <= L + 2", least, "<=", self.multiplier.least + 2, why, stronger),)

    def _domain(self) -> tuple[Inequality, ...]:
        """Inequalities of the ways into the domain and out of it, for M < 2^n."""
        m, K, T = 1 << self.n, self.guard, self.T
        limbs = Inequality("limbs", "bits of V <= L·B", self.value_bits, "<=", self.limbs * self.limb, "V fits")
        entry = Inequality(
            "entry",
            "bits of M <= bits of x",
            self.n,
            "<=",
            self.multiplier.width,
            "R² < M is an operand",
            "operands of a multiplier with a runtime modulus are never shorter than M, so no parameters can break it",
        )
        if not K:
            return (limbs, entry)
        # M~ = m·2^K - 1 with m < M: A·2^K / R + M~ < 2^K·(M - 1) + A·2^K / R, and K halvings add less than M
        top = ((m << (K + 1)) << K) >> T
        return (
            limbs,
            entry,
            Inequality(
                "leave",
                "A·2^K / R < 2^K",
                top,
                "<",
                1 << K,
                "V < 2M after K halvings: one subtraction is enough",
                "the multiplier's own result implies it: R >= 2^(n+K+2), and A < 2^(n+K+1)",
            ),
            Inequality(
                "back",
                "K + 1 <= bits of x",
                K + 1,
                "<=",
                self.multiplier.width,
                "2^K is an operand",
                "operands have n + K + 1 bits, so no parameters can break it",
            ),
        )

    # --- payloads

    @cached_property
    def base(self) -> Payload:
        """Fields of the base."""
        if self.multiplier.domain:
            return Payload((Field("base", self.n, role=Operand("base", limit=self.multiplier.limit)),))
        if self.multiplier.residues:
            return Payload((Field("base", self.n, role=Operand("base", limit=1 << self.n)),))
        return Payload(tuple(as_base(f) for f in self.multiplier.x.fields))

    @cached_property
    def i(self) -> Payload:
        """Base and exponent; with a runtime modulus M, and R² modulo M where the core does not compute it."""
        bits = self.exponent_bits
        exponent = Field("exponent", bits, role=Scalar("exponent"), more=f"any of {bits} bits")
        fields = [*self.base.fields, exponent]
        if self.multiplier.domain:
            fields.append(Field(MODULUS, self.n, role=Modulus()))
            if self.constants == STREAM:
                powers = {"square": 2 * self.T} | ({"unit": -self.scaled} if self.scaled else {})
                fields += [Field(name, self.n, role=Power(e)) for name, e in powers.items()]
                if self.inverse:
                    fields.append(Field("inverse", self.inverse, role=NegInverse(self.inverse)))
        if self.conversion:
            words = (MODULUS, *self.conversion.domain.words)
            fields += [*(self.multiplier.parameters.i[name] for name in words), self.conversion.square]
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The power."""
        error = replace(self.multiplier.error, name=ERROR)
        if self.multiplier.plain:
            return Payload((Field("z", self.n, role=Result("z", formula=FORMULA)), error))
        return Payload((*(as_power(f, FORMULA) for f in self.multiplier.z.fields), error))

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multiplier's."""
        own: dict[str, Constant] = {
            "method": self.method,
            "exponent_bits": self.exponent_bits,
            "window": self.window,
            "multipliers": self.ports,
            "lanes": self.lanes,
            "apart": self.apart,
            "multiplier": self.multiplier.core.name,
        }
        if self.multiplier.domain:
            own |= {"constants": self.constants, "squarings": self.squarings}
            own |= {"limb_bits": self.limb, "limbs": self.limbs}
        return own
