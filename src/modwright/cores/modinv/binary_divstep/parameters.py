# SPDX-License-Identifier: Apache-2.0
"""Constants of the binary inverter: width, number of divsteps, and how many a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import NO_CHANNEL, Certificate, Field, Inequality, Obligations, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, Multiple, Operand, Result
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, SMALLEST, width_of
from ....engines.divsteps import PROVED, steps_for

NOT_INVERTIBLE = 3
"""Error code: the operand is 0 modulo M, or has a factor in common with it."""

ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, NOT_INVERTIBLE: Errors.NO_INVERSE}
EXAMPLE = 256


@dataclass(frozen=True)
class BinaryInversionParameters:
    """Every constant of one inverter.

    Parameters
    ----------
    modulus : int or None
        M, odd, where it is built in.
    n : int
        Bits of M, or of the widest M.
    per_cycle : int
        Divsteps in one cycle.
    """

    modulus: int | None
    n: int
    per_cycle: int

    @cached_property
    def needed(self) -> int:
        """Divsteps that are enough."""
        return steps_for(self.n)

    @property
    def cycles(self) -> int:
        """Cycles with divsteps; those after the last needed one change nothing, as g = 0."""
        return -(-self.needed // self.per_cycle)

    @property
    def steps(self) -> int:
        """Divsteps that are taken."""
        return self.cycles * self.per_cycle

    # --- registers

    @property
    def largest(self) -> int:
        """Largest M."""
        return (1 << self.n) - 1 if self.modulus is None else self.modulus

    @property
    def counter_bits(self) -> int:
        """Bits of D with its sign: |D| never exceeds the number of steps."""
        return self.steps.bit_length() + 1

    @property
    def cycle_bits(self) -> int:
        """Bits of the counter of cycles with divsteps."""
        return self.cycles.bit_length()

    @property
    def value_bits(self) -> int:
        """Bits of f, g, d and e, each with its sign, and of an operand without one."""
        return self.n + 1

    @property
    def pair_bits(self) -> int:
        """Bits of g ± f with its sign."""
        return self.n + 2

    @property
    def triple_bits(self) -> int:
        """Bits of e ± d ± M with its sign."""
        return self.n + 3

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make every result right."""
        return Certificate((*self._steps(), *self._ranges()))

    def _steps(self) -> tuple[Inequality, ...]:
        """Enough divsteps, and the counters of them."""
        return (
            Inequality(
                "steps",
                "divsteps taken >= bound(n)",
                self.steps,
                ">=",
                self.needed,
                f"else g != 0 and f is not the gcd; {PROVED}",
            ),
            Inequality(
                "counter",
                "divsteps taken < 2^(bits of D - 1)",
                self.steps,
                "<",
                1 << (self.counter_bits - 1),
                "|D| grows by one in a step at most; its sign decides whether f and g change places",
            ),
            Inequality(
                "cycles",
                "cycles with divsteps - 1 < 2^(bits of their counter)",
                self.cycles - 1,
                "<",
                1 << self.cycle_bits,
                "the counter starts from it, and ends the divsteps at 0",
            ),
            Inequality("odd", "M mod 2 = 1", self.largest & 1, "=", 1, "f is odd in every state"),
        )

    def _ranges(self) -> tuple[Inequality, ...]:
        """Ranges of registers and sums, with their signs."""
        M = self.largest
        return (
            Inequality(
                "operand",
                "2·M - 1 < 2^b, b bits of a",
                2 * M - 1,
                "<",
                1 << self.value_bits,
                "a < 2·M is taken, and one subtraction of M brings it below M",
            ),
            Inequality(
                "range-f",
                "largest M < 2^(b-1), b bits of f and g",
                M,
                "<",
                1 << (self.value_bits - 1),
                "|f|, |g| <= M: (g ± f)/2 never leaves the range; |d|, |e| < M neither",
            ),
            Inequality(
                "range-g",
                "2·M < 2^(b-1), b bits of g ± f",
                2 * M,
                "<",
                1 << (self.pair_bits - 1),
                "|g ± f| <= 2·M before it is halved",
                "for every a modulo every odd M below 700, no |g ± f| that is halved reached M: one bit fewer would do",
            ),
            Inequality(
                "range-d",
                "3·M - 3 < 2^(b-1), b bits of e ± d ± M",
                3 * M - 3,
                "<",
                1 << (self.triple_bits - 1),
                "|e ± d ± M| <= 3·(M - 1), and its half is in ]-M, M[ again",
                "M is added to a negative e and subtracted from another: |e ± d ± M| < 2·M, and one bit fewer would do",
            ),
        )

    @cached_property
    def i(self) -> Payload:
        """The operand, and the modulus where it is one."""
        bound = 0 if self.modulus is None else 2 * self.modulus
        a = Field("a", self.n + 1, bound=bound, role=Operand("a", limit=Multiple(2)))
        if self.modulus is not None:
            return Payload((a,))
        return Payload((a, Field("m", self.n, role=Modulus())))

    @cached_property
    def o(self) -> Payload:
        """The inverse."""
        note = "a^-1 modulo M, below M; 0 with an error"
        return Payload(
            (
                Field("z", self.n, bound=self.modulus or 0, note=note, role=Result("z")),
                Field("error", 2, role=ErrorCode(ERRORS)),
            )
        )

    def obligations(self) -> Obligations:
        """None: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {"M": self.modulus, "n": self.n, "divsteps": self.steps, "per_clock": self.per_cycle}


def derive(request: Request) -> BinaryInversionParameters:
    """Parameters for a modulus that is built in, which is odd as every one is."""
    assert request.modulus is not None
    value = request.modulus.value
    return BinaryInversionParameters(value, value.bit_length(), request.options["steps"])


def derive_run_time(request: Request) -> BinaryInversionParameters:
    """Parameters for moduli that come with the operands."""
    return BinaryInversionParameters(None, max(width_of(request, EXAMPLE), SMALLEST), request.options["steps"])
