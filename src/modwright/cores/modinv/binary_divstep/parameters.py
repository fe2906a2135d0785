# SPDX-License-Identifier: Apache-2.0
"""Constants of the binary inverter: width, number of divsteps, and divsteps a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import NO_CHANNEL, Certificate, Field, Inequality, Obligations, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, Multiple, Operand, Result
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, SMALLEST, width_of
from ....engines.divsteps import PROVED, steps_for

SLICE_BITS = 64
"""Bits of n for each slice, where the request has no number of slices: a chain of 64 bits and its ends take
about as long as the choices in front of it and the routes between them."""

LEAST_SLICE = 3
"""Least bits of a slice."""
SMALLEST_MODULUS = 3
"""Least M."""

NOT_INVERTIBLE = 3
"""Error code: the operand is 0 modulo M, or has a factor in common with it."""

ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, NOT_INVERTIBLE: Errors.NO_INVERSE}
EXAMPLE = 256


def parts(width: int, count: int) -> tuple[tuple[int, int], ...]:
    """First bit and bit behind the last one of `count` slices of a number, as equal as whole bits allow."""
    return tuple((j * width // count, (j + 1) * width // count) for j in range(count))


@dataclass(frozen=True)
class BinaryInversionParameters:
    """Every constant of one inverter.

    Parameters
    ----------
    modulus : int or None
        M, odd, where it is fixed.
    n : int
        Bits of M, or of the widest M.
    per_cycle : int
        Divsteps in one cycle; 1 with more than one slice.
    slices : int
        Slices of f, g, d and e, each with a carry chain of its own, a cycle behind the one below.
    """

    modulus: int | None
    n: int
    per_cycle: int
    slices: int

    @cached_property
    def needed(self) -> int:
        """Number of divsteps that suffice."""
        return steps_for(self.n)

    @property
    def cycles(self) -> int:
        """Cycles with divsteps; those after the last needed one change nothing, as g = 0."""
        return -(-self.needed // self.per_cycle)

    @property
    def steps(self) -> int:
        """Number of divsteps that the hardware takes."""
        return self.cycles * self.per_cycle

    # --- d and e modulo M

    @property
    def stale(self) -> int:
        """Age s, in steps, of the sign of e by which M is added or subtracted: it comes from the top slice."""
        return self.slices if self.slices > 1 else 0

    @property
    def reach(self) -> int:
        """Ratio B / M for the bound B of |d| and |e|, which divsteps keep: 2^(s + 1) - 1.

        A wrong sign was right within the last s steps, so that e has moved from 0 by sums of at most B + M since.
        """
        return (2 << self.stale) - 1

    @cached_property
    def halving_cycles(self) -> int:
        """Cycles at the end, in which e takes ±d and is then halved until |e| < M."""
        count = 1
        while -(-(1 + self.halvings_from(self.start_reach(count))) // self.per_cycle) > count:
            count += 1
        return count

    def start_reach(self, cycles: int) -> Fraction:
        """Ratio B / M with room for the first e, which is 2^halvings where M is an operand, and at least 3."""
        first = Fraction(1 << (cycles * self.per_cycle), SMALLEST_MODULUS) if self.modulus is None else Fraction(1)
        return max(Fraction(self.reach), first)

    def halvings_from(self, bound: Fraction) -> int:
        """Halvings after which |e| <= M, from |e| <= bound·M.

        In the first s of them the sign is an earlier one, and the bound (|e| + M)/2; then |e|/2 or M.
        """
        for _ in range(self.stale):
            bound = (bound + 1) / 2
        count = self.stale
        while bound > 1:
            bound, count = bound / 2, count + 1
        return count

    @property
    def halvings(self) -> int:
        """Halvings of e at the end, for which the first e compensates."""
        return self.halving_cycles * self.per_cycle

    @property
    def initial(self) -> int:
        """First e: 2^halvings, modulo M where M is fixed."""
        return 1 << self.halvings if self.modulus is None else pow(2, self.halvings, self.modulus)

    @property
    def largest_cofactor(self) -> int:
        """Largest |d| or |e|."""
        return max(self.reach * self.largest, self.initial)

    # --- registers

    @property
    def largest(self) -> int:
        """Largest M."""
        return (1 << self.n) - 1 if self.modulus is None else self.modulus

    @property
    def counter_bits(self) -> int:
        """Bits of D with its sign: |D| never exceeds the number of steps.

        Steps after those, in which g = 0, may let it wrap around, as they change nothing else.
        """
        return self.steps.bit_length() + 1

    @property
    def value_bits(self) -> int:
        """Bits of f and g, each with its sign, and of an operand without one."""
        return self.n + 1

    @property
    def pair_bits(self) -> int:
        """Bits of g ± f with its sign."""
        return self.n + 2

    @property
    def border_bits(self) -> int:
        """Bits of an operand or a result, ± M, with a sign."""
        return self.n + 2

    @property
    def cofactor_bits(self) -> int:
        """Bits of d and e, each with its sign."""
        return self.largest_cofactor.bit_length() + 1

    @property
    def pair_slices(self) -> tuple[tuple[int, int], ...]:
        """Bits of each slice of f and g."""
        return parts(self.value_bits, self.slices)

    @property
    def border_slices(self) -> tuple[tuple[int, int], ...]:
        """Bits of each slice of operand and result; none reaches above those of d and e."""
        return parts(self.border_bits, self.slices)

    @property
    def cofactor_slices(self) -> tuple[tuple[int, int], ...]:
        """Bits of each slice of d and e."""
        return parts(self.cofactor_bits, self.slices)

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
            Inequality("odd", "M mod 2 = 1", self.largest & 1, "=", 1, "f is odd in every state"),
        )

    def _ranges(self) -> tuple[Inequality, ...]:
        """Ranges of registers and sums, with their signs."""
        M, B = self.largest, self.largest_cofactor
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
                "|f|, |g| <= M: (g ± f)/2 never leaves the range",
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
                "B < 2^(b-1), b bits of d and e, B = max((2^(s+1) - 1)·M, first e)",
                B,
                "<",
                1 << (self.cofactor_bits - 1),
                "|d|, |e| <= B: a wrong sign was right within s steps, each of which adds at most (B + M)/2",
            ),
            Inequality(
                "range-sum",
                "2·B < 2^b, b bits of d and e",
                2 * B,
                "<",
                1 << self.cofactor_bits,
                "|e ± d ± M| <= 2·B in one bit more than d and e have, as its half is within B again",
                "twice `range-d`",
            ),
            Inequality(
                "halvings",
                "halvings of ±d >= those after which |e| <= M",
                self.halvings,
                ">=",
                1 + self.halvings_from(self.start_reach(self.halving_cycles)),
                "e is brought from [-B, B] to ]-M, M[, where one sum with M ends; it is not a multiple of M",
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
        return Payload(
            (
                Field("z", self.n, bound=self.modulus or 0, role=Result("z", formula="1/a")),
                Field("error", 2, role=ErrorCode(ERRORS)),
            )
        )

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "bits": self.n,
            "divsteps": self.steps,
            "divsteps_per_cycle": self.per_cycle,
            "slices": self.slices,
        }


def derive(request: Request) -> BinaryInversionParameters:
    """Parameters for a fixed modulus, which is odd."""
    value = request.fixed_modulus()
    n = value.bit_length()
    return BinaryInversionParameters(value, n, request.options["steps"], _slices(request, n))


def derive_run_time(request: Request) -> BinaryInversionParameters:
    """Parameters for a runtime modulus."""
    n = max(width_of(request, EXAMPLE), SMALLEST)
    return BinaryInversionParameters(None, n, request.options["steps"], _slices(request, n))


def _slices(request: Request, n: int) -> int:
    """Slices: those of the request, else by the width, and one where a cycle has several divsteps."""
    requested, steps = request.options["slices"], request.options["steps"]
    if requested is None:
        return 1 if steps > 1 else max(1, round(n / SLICE_BITS))
    if requested > 1 and steps > 1:
        raise ParameterError(
            f"{request.core}: several divsteps in a cycle need whole numbers",
            rule="slices = 1 where steps > 1",
            left=requested,
            right=1,
            hint="steps=1, or slices=1",
        )
    if requested > 1 and (n + 1) // requested < LEAST_SLICE:
        raise ParameterError(
            f"{request.core}: slices are too short",
            rule=f"(n + 1) / slices >= {LEAST_SLICE}",
            left=Fraction(n + 1, requested),
            right=LEAST_SLICE,
            hint="fewer slices",
        )
    return requested
