# SPDX-License-Identifier: Apache-2.0
"""Widths, digit counts and bounds of Montgomery multiplication modulo an operand M, digit by digit.

A core computes z = (X·Y + Q·M) / R with R = 2^T and Q = -X·Y·M^-1 (mod R), a few bits of X in a cycle:

    S <- (S + d·Y + q·M) / 2^k        with d the next digit of X and q such that the division is exact.

In domain 1 operands and result are below M; in domain 2 below 2M, which saves the last subtraction (Walter, Electronics
Letters 35(21), 1999). All bounds here are in units of M and hold for every M < 2^n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import NO_CHANNEL, Certificate, Field, Inequality, Obligations, Payload, first_certified
from ....contract.request import Request
from ....contract.roles import Modulus, Montgomery, Multiple, Operand, Result
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, error_field, width_of
from .plan import LONGEST, Cell

WIDEST = 8192
"""Bits of the widest modulus, n."""
NIBBLE = 4
"""Bits in which VLM3's recoder is supplied: at least the 3 that a digit can use up."""
SHORTEST_LIMB, LONGEST_LIMB = 32, 160
"""Range of the default bits of a limb: a carry chain of 160 bits takes about as long as the digit loop on ECP5."""
MOST_SHIFTS = 8
"""Number of values of T that are tried: with T = n + 7, X·Y/R is below M/32, and almost only Q/R remains."""
FEW_LIMBS = 7
"""Default number of limbs: a multiplexer of 8 inputs chooses one, and 10 cycles in domain 2 are not digits."""


@dataclass(frozen=True)
class CarrySaveParameters:
    """Every constant of one multiplier.

    Parameters
    ----------
    cell : Cell
    n : int
        Bits of the widest modulus.
    domain : int
        1 or 2: operands and result are below domain·M.
    T : int
        Exponent of R = 2^T.
    limb : int
        Bits of a limb, in which operands are compared and the result is converted to binary.
    interleave : int
        Products that share the digit loop, each in every second cycle if there are 2.
    example : int or None
        Modulus for edge cases; the hardware does not depend on it.
    ahead : bool
        Whether q is computed a cycle before its rows are added, for one product at a time.
    target : str
        Device family of the copies of control, where q is computed ahead.
    """

    cell: Cell
    n: int
    domain: int
    T: int
    limb: int
    interleave: int = 1
    example: int | None = None
    ahead: bool = False
    target: str = "generic"

    @property
    def modulus(self) -> None:
        """None: the modulus is an operand."""
        return None

    @property
    def operand_bits(self) -> int:
        """Bits of X, Y and the result."""
        return self.n + self.domain - 1

    @cached_property
    def most_digits(self) -> int:
        """Largest J; for VLM3 that of the worst X, with non-zero digits of two places and one at the end."""
        return self.T // 2 + 1 if self.cell.variable else self.T // self.cell.bits

    @cached_property
    def least_digits(self) -> int:
        """Least J; for VLM3 that of the best X, such as 0."""
        return -(-self.T // self.cell.bits)

    @cached_property
    def limbs(self) -> int:
        """L, limbs of S, of its difference to M with a sign, and of X as far as the recoder reads it."""
        return -(-span(self.cell, self.n, self.T) // self.limb)

    @property
    def offset(self) -> int:
        """Multiple of M that makes the last S non-negative: 1 where q can be negative."""
        return int(self.cell.quotients[0] < 0)

    # --- bounds of S, in units of M

    @cached_property
    def sum_bounds(self) -> tuple[Fraction, Fraction]:
        """Least and largest S between two digits: the fixed points of S <- (S + d·Y + q·M) / 2^k.

        VLM3's digits are canonical: a non-zero digit that follows a non-zero one has a zero in front, so that the worst
        is ±1 in every second place.
        """
        (d0, d1), (q0, q1) = ((-2, 2), (0, 3)) if self.cell.variable else (self.cell.digits, self.cell.quotients)
        scale = 3 if self.cell.variable else (1 << self.cell.bits) - 1
        return Fraction(d0 * self.domain + q0, scale), Fraction(d1 * self.domain + q1, scale)

    @cached_property
    def before_shift(self) -> tuple[Fraction, Fraction]:
        """Least and largest S + d·Y + q·M."""
        (s0, s1), (d0, d1), (q0, q1) = self.sum_bounds, self.cell.digits, self.cell.quotients
        return s0 + d0 * self.domain + q0, s1 + d1 * self.domain + q1

    @cached_property
    def width(self) -> int:
        """W, bits of the carry-save words before the shift.

        Signed words: after the two top bits of the carry word went into the sum word, -2^(W-2) <= S + d·Y + q·M <
        2^(W-1) determines the sum among those that are equal modulo 2^W.
        """
        low, high = self.before_shift
        if not self.cell.signed:
            return self.n + _log2(high)
        return self.n + max(_log2(-low) + 2, _log2(high) + 1)

    @property
    def sum_width(self) -> int:
        """Bits of the sum word between two digits; two's complement where S is signed."""
        return self.width - self.cell.shift

    @property
    def carry_width(self) -> int:
        """Bits of the carry word between two digits; unsigned."""
        return self.width - self.cell.shift - (2 if self.cell.signed else 0)

    @cached_property
    def last_quotient(self) -> tuple[Fraction, Fraction]:
        """Bounds of Q/R."""
        scale = (1 << self.cell.bits) - 1
        q0, q1 = self.cell.quotients
        return Fraction(q0, scale), Fraction(q1, scale)

    @cached_property
    def last_product(self) -> Fraction:
        """Bound of X·Y/R, as M < 2^n."""
        return Fraction(self.domain**2 << self.n, 1 << self.T)

    # --- certificate

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        return Certificate((*self._steps(), *self._widths(), *self._result(), *self._operands()))

    def _steps(self) -> tuple[Inequality, ...]:
        """Inequalities by which S stays within its bounds."""
        if self.cell.variable:
            return self._variable_steps()
        (low, high), (d0, d1), (q0, q1) = self.sum_bounds, self.cell.digits, self.cell.quotients
        radix, why = 1 << self.cell.bits, "every digit keeps S within its bounds"
        b = self.domain
        return (
            Inequality("step-high", "(S1 + d1·B + q1) / 2^k <= S1", (high + d1 * b + q1) / radix, "<=", high, why),
            Inequality("step-low", "(S0 + d0·B + q0) / 2^k >= S0", (low + d0 * b + q0) / radix, ">=", low, why),
        )

    def _variable_steps(self) -> tuple[Inequality, ...]:
        """These inequalities for each kind of digit; a non-zero digit of a single place follows only zeros."""
        (low, high), b = self.sum_bounds, self.domain
        rows = []
        for a in range(LONGEST):
            before = ((low / 8, (high + 7) / 8), "three zeros") if a == 0 else ((low, high), "any digit")
            (s0, s1), after = before
            size, why = 1 << a, f"digit ±1 behind {a} zeros, after {after}"
            rows += [
                Inequality(
                    f"step-high-{a}", "(S + 2^a·B + q1) / 2^(a+1) <= S1", _step(s1, size * b, a, True), "<=", high, why
                ),
                Inequality(
                    f"step-low-{a}", "(S - 2^a·B) / 2^(a+1) >= S0", _step(s0, -size * b, a, False), ">=", low, why
                ),
                Inequality(
                    f"zero-{a}",
                    "(S1 + q1) / 2^(a+1) <= S1",
                    _step(high, 0, a, True),
                    "<=",
                    high,
                    f"{a + 1} zeros",
                ),
            ]
        return tuple(rows)

    def _widths(self) -> tuple[Inequality, ...]:
        """Inequalities by which no carry-save word is too short."""
        low, high = self.before_shift
        guard, why = self.width - self.n, "else S + d·Y + q·M is not told from a sum that differs by 2^W"
        if not self.cell.signed:
            return (Inequality("width", "V1·2^n <= 2^W", high, "<=", 1 << guard, why),)
        return (
            Inequality("width-high", "V1·2^n <= 2^(W-1)", high, "<=", 1 << (guard - 1), why),
            Inequality("width-low", "-V0·2^n <= 2^(W-2)", -low, "<=", 1 << (guard - 2), why),
        )

    def _result(self) -> tuple[Inequality, ...]:
        """Inequalities by which the result lies in the domain, after at most one subtraction or addition of M."""
        (q0, q1), product = self.last_quotient, self.last_product
        high = product + q1
        if self.domain == 2:
            return (
                Inequality(
                    "result-low", "Q0/R + c >= 0", q0 + self.offset, ">=", 0, "the result is S + c·M, c = 0 or 1"
                ),
                Inequality("result-high", "X·Y/(R·M) + Q1/R + c <= 2", high + self.offset, "<=", 2, "and chains"),
            )
        return (
            Inequality("result-low", "Q0/R >= -c", q0, ">=", -self.offset, "one M is added, or subtracted if c = 0"),
            Inequality("result-high", "X·Y/(R·M) + Q1/R <= 2 - c", high, "<=", 2 - self.offset, "the other end"),
        )

    def _operands(self) -> tuple[Inequality, ...]:
        """Inequalities by which all of X is read and compared."""
        room = self.T - int(self.cell.digits[0] < 0)
        return (
            Inequality(
                "digits",
                "bits of X <= T - s",
                self.operand_bits,
                "<=",
                room,
                "s = 1: signed digits carry into one more",
            ),
            Inequality(
                "limbs",
                "max(n + 2, T + v) <= L·B",
                span(self.cell, self.n, self.T),
                "<=",
                self.limbs * self.limb,
                "the sign of S ± M, and the bit that a variable digit looks ahead, v = 1",
            ),
        )

    # --- payloads

    @property
    def bound(self) -> str:
        """Bound of operands and result, in words."""
        return "M" if self.domain == 1 else "2M"

    @cached_property
    def i(self) -> Payload:
        """X, Y in the Montgomery domain, and M."""
        more = f"else error {OUT_OF_RANGE}"
        roles = (Operand(name, Montgomery(self.T), Multiple(self.domain)) for name in "xy")
        operands = (Field(r.name, self.operand_bits, role=r, more=more) for r in roles)
        m = Field("m", self.n, role=Modulus(), more=f"else error {BAD_MODULUS}")
        return Payload((*operands, m))

    @cached_property
    def o(self) -> Payload:
        """The product, and its modulus."""
        role = Result("z", Montgomery(self.T), Multiple(self.domain), "x·y")
        z = Field("z", self.operand_bits, role=role)
        m = Field("m", self.n, role=Modulus(), more="as it came in")
        return Payload((z, m, error_field("M is even or below 3", f"an operand is not below {self.bound}")))

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "cell": self.cell.name,
            "bits": self.n,
            "domain": self.domain,
            "montgomery_exponent": self.T,
            "digit_bits": self.cell.bits,
            "digit_range": self.cell.digits,
            "quotient_range": self.cell.quotients,
            "least_digits": self.least_digits,
            "most_digits": self.most_digits,
            "sum_bounds": tuple(map(str, self.sum_bounds)),
            "unshifted_bounds": tuple(map(str, self.before_shift)),
            "accumulator_bits": self.width,
            "sum_bits": self.sum_width,
            "carry_bits": self.carry_width,
            "limb_bits": self.limb,
            "limbs": self.limbs,
            "interleave": self.interleave,
            "ahead": self.ahead,
        }


def span(cell: Cell, n: int, T: int) -> int:
    """Bits that the limbs hold: S ± M with its sign, and X as far as a recoder reads it."""
    return max(n + 2, T + cell.variable)


def _log2(value: Fraction) -> int:
    """The least g with value <= 2^g."""
    return max(0, (-(-value.numerator // value.denominator) - 1).bit_length())


def _step(s: Fraction, y: int, a: int, largest: bool) -> Fraction:
    """Next S, (s + y + q) / 2^(a+1), for the largest or least q of a digit of a + 1 places, in units of M."""
    size = 2 << a
    return (s + y + (size - 1 if largest else 0)) / size


def derive(request: Request, cell: Cell) -> CarrySaveParameters:
    """Parameters with the least T, and with the requested limb or few limbs.

    Raises
    ------
    UsageError
        When the request has neither a modulus nor `bits`.
    ParameterError
        For a modulus that is wider than `bits`, and when no T that is tried satisfies the certificate.
    """
    n = width_of(request, 1024)
    domain = request.options["domain"]
    T = _least_T(request, cell, n, domain)
    example = None if request.modulus is None else request.modulus.value
    interleave, ahead = request.options["interleave"], request.options["ahead"]
    if ahead and not cell.carry_save:
        raise ParameterError(
            f"{request.core}: q cannot be computed ahead",
            rule="S in carry-save form where ahead",
            left=0,
            right=1,
            hint="ahead=false; q is the lowest bit of one sum here",
        )
    if ahead and interleave == 2:
        raise ParameterError(
            f"{request.core}: q cannot be computed ahead",
            rule="interleave = 1 where ahead",
            left=interleave,
            right=1,
            hint="two products in turn have a register for q anyway",
        )
    return CarrySaveParameters(
        cell, n, domain, T, _limb(request, cell, n, T), interleave, example, ahead, request.target
    )


def _least_T(request: Request, cell: Cell, n: int, domain: int) -> int:
    """The least T, a multiple of the shift and at least n, with which the certificate holds."""
    unit = NIBBLE if cell.variable else cell.bits
    first = -(-n // cell.shift) * cell.shift
    tried = range(first, first + MOST_SHIFTS * cell.shift, cell.shift)

    def refused(problem: Inequality) -> ParameterError:
        message = (
            f"{request.core} for {n} bits: no T of {first} to {tried[-1]} satisfies {problem.name} ({problem.why})"
        )
        return problem.refusal(message, "another core")

    return first_certified((CarrySaveParameters(cell, n, domain, T, unit) for T in tried), refused).T


def _limb(request: Request, cell: Cell, n: int, T: int) -> int:
    """Bits of a limb: the requested ones, else enough for `FEW_LIMBS`, within limits; rounded up to whole digits."""
    unit = NIBBLE if cell.variable else cell.bits
    requested = request.options["limb"]
    if requested is None:
        requested = min(max(-(-span(cell, n, T) // FEW_LIMBS), SHORTEST_LIMB), LONGEST_LIMB)
    return -(-requested // unit) * unit
