# SPDX-License-Identifier: Apache-2.0
"""Digits, bounds and the certificate of a multiplier of x-coordinates modulo a fixed p = 2^n - c."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....catalog import Curve, curves
from ....contract import Certificate, Field, Inequality, Payload
from ....contract.fixed_modulus import prime_of
from ....contract.obligation import NO_CHANNEL, Obligations
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Result, Scalar
from .plan.fold import MOST_TERMS, delay_of, terms_of
from .plan.inversion import exponent_of

ZERO = 1
ERRORS = {ZERO: Errors.ZERO}
"""Error codes of the result."""

BYTE = 8
CLAMP_BITS = 2
"""Bits of `clamp`: cofactors 4 and 8, and 0 for none."""
BLOCK = 18
"""Bits of an operand of a multiplier block."""
GUARD = 2
"""Bits of an operand above a digit: a digit, one more of the same size, and the bias of two of them."""
BIAS = 2
"""Multiple of 2^(N·w) - f that keeps differences from being negative."""
LEAST, MOST_BITS = 17, 521
"""Least prime, and bits of the widest: with fewer than 5 bits, decoding k by a cofactor of 8 leaves no bit."""
LEAST_DIGITS = 2
"""Fewest digits of a number: what is above one goes to another."""
MOST_PASSES = 4
"""Most passes that take carries out of the columns."""
OTHER = "xmul/montgomery-ladder takes any prime, at run time"


@dataclass(frozen=True)
class PseudoMersenneParameters:
    """Every constant of one multiplier of x-coordinates.

    Parameters
    ----------
    n, c : int
        p = 2^n - c.
    w : int
        Bits of a digit.
    count : int
        N, digits of a number.
    rows : int
        Digits of the second factor that work in a cycle.
    passes : int
        Passes that take carries out of the columns of a product.
    target : str
        Device family.
    example : Curve or None
        The curve of the request; the hardware does not depend on it.
    """

    n: int
    c: int
    w: int
    count: int
    rows: int
    passes: int
    target: str
    example: Curve | None = field(default=None, kw_only=True)

    @property
    def modulus(self) -> int:
        """The prime p."""
        return (1 << self.n) - self.c

    @property
    def operand_bits(self) -> int:
        """Bits of k and u in the payload: whole bytes."""
        return -(-self.n // BYTE) * BYTE

    @property
    def v(self) -> int:
        """Bits of a digit of an operand of the multiplier."""
        return self.w + GUARD

    @property
    def factor(self) -> int:
        """f, to which 2^(N·w) is congruent."""
        return self.c << (self.count * self.w - self.n)

    @property
    def top_bits(self) -> int:
        """Bits of p in its highest digit."""
        return self.n - (self.count - 1) * self.w

    @property
    def delay(self) -> int:
        """Cycles by which digit 0 is later than the others."""
        return delay_of(self.factor)

    # --- bounds: the largest numbers, for operands of v bits

    @property
    def largest_operand(self) -> int:
        """Largest digit of an operand."""
        return (1 << self.v) - 1

    @property
    def largest_digit(self) -> int:
        """Largest digit of w bits."""
        return (1 << self.w) - 1

    @property
    def high(self) -> int:
        """Largest part above w bits of a product of two digits."""
        return self.largest_operand**2 >> self.w

    @property
    def rotated(self) -> int:
        """Largest part above w bits of f times a digit: what digit 1 gets as one leaves at the top."""
        return self.factor * self.largest_operand >> self.w

    @cached_property
    def columns(self) -> tuple[int, int]:
        """Largest sum of a product in column 0 and in another one."""
        low = self.largest_digit
        return self.count * (low + self.factor * self.high), self.count * (low + self.high)

    @cached_property
    def digits(self) -> tuple[tuple[int, int, int], ...]:
        """Largest digits 0, 1 and others behind each pass."""
        first, other = self.columns
        above, found = (first >> self.w, other >> self.w, other >> self.w), list[tuple[int, int, int]]()
        for _ in range(self.passes):
            low = self.largest_digit
            top = above[min(self.count - 1, 2)]
            found.append((low + self.factor * top, low + above[0], low + max(above[1:])))
            above = (found[-1][0] >> self.w, found[-1][1] >> self.w, found[-1][2] >> self.w)
        return tuple(found)

    @property
    def result(self) -> tuple[int, int, int]:
        """Largest digits 0, 1 and others of a product."""
        return self.digits[-1]

    @property
    def bias(self) -> tuple[int, ...]:
        """Digits of a multiple of p that is added to a difference: 2·(2^(N·w) - f), none below those of a product."""
        low = BIAS * ((1 << self.w) - self.factor)
        return (low, *([BIAS * self.largest_digit] * (self.count - 1)))

    @property
    def largest_difference(self) -> int:
        """Largest digit of a difference with its bias, or of a sum; digit 0 with what it gets as digit 1."""
        zero, one, other = self.result
        low = max(self.bias[0], zero) + zero + self.rotated
        return max(low, *(digit + max(digit, self.bias[1]) for digit in (one, other)))

    @property
    def most_above(self) -> int:
        """Largest part above n bits of a product."""
        value = sum(self.result[min(k, 2)] << k * self.w for k in range(self.count))
        return value >> self.n

    @property
    def carry_bits(self) -> int:
        """Bits of a carry of the exact reduction, with a sign."""
        return (max(self.c * (self.most_above + 1), max(self.result) >> self.w) + 1).bit_length() + 1

    # --- certificate

    @cached_property
    def certificate(self) -> Certificate:
        """Ranges of the digits and of what is left for the exact reduction; the power that is the inverse."""
        zero, one, other = self.result
        p, above = self.modulus, self.most_above
        return Certificate(
            (
                Inequality(
                    "factor",
                    "powers of two whose signed sum is f <= 4",
                    len(terms_of(self.factor)),
                    "<=",
                    MOST_TERMS,
                    "two levels of sums of two add the multiple of a digit that leaves at the top",
                    "more terms would take longer, and the result would be as right",
                ),
                Inequality(
                    "bias",
                    "largest digit 0 of a product <= 2·(2^w - f)",
                    zero,
                    "<=",
                    self.bias[0],
                    "digit 0 of a difference is not negative",
                ),
                Inequality(
                    "bias-above",
                    "largest other digit of a product <= 2·(2^w - 1)",
                    max(one, other),
                    "<=",
                    BIAS * self.largest_digit,
                    "no other digit of a difference is negative",
                ),
                Inequality(
                    "operand",
                    "largest digit of a sum or a difference, and what is added to it in a fold < 2^v",
                    self.largest_difference,
                    "<",
                    1 << self.v,
                    "digits of operands fit v bits while they move",
                ),
                Inequality(
                    "above",
                    "c·(E + 2) <= 2^n",
                    self.c * (above + 2),
                    "<=",
                    1 << self.n,
                    "with E the part above n bits, the n bits and c·E are below 2p: one subtraction is exact",
                    "c·E is a small multiple of f, and f is below 2^(w-1) by `bias`",
                ),
                Inequality(
                    "inverse",
                    "exponent = p - 2",
                    exponent_of(self.n, self.c),
                    "=",
                    p - 2,
                    "the power by squares and products is the inverse, as p is a prime",
                    "the steps follow from n and c, for all of which they make p - 2",
                ),
            )
        )

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve over the field, a scalar and an x-coordinate."""
        n, bits = self.n, self.operand_bits
        clamp = f"c > 0: the c lowest bits of k are 0, bit {n - 1} is 1; 0: k as it is"
        a24 = "(A + 2) / 4, neither 0 nor 1 modulo p; modulo p"
        return Payload(
            (
                Field("a24", self.v, role=Scalar("a24"), more=a24),
                Field("clamp", CLAMP_BITS, role=Scalar("clamp"), more=clamp),
                Field("k", bits, role=Scalar("k"), more=f"the scalar; its {n} lowest bits count"),
                Field("u", bits, role=Scalar("u"), more=f"its {n} lowest bits count, modulo p"),
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The multiple's x-coordinate."""
        causes = {ZERO: "u of a point of small order"}
        return Payload(
            (
                Field("z", self.n, bound=self.modulus, role=Result("z")),
                Field("error", 1, role=ErrorCode(ERRORS, causes)),
            )
        )

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "bits": self.n,
            "prime_offset": self.c,
            "lazy_digit_bits": self.w,
            "operand_digits": self.count,
            "block_rows": self.rows,
            "fold_factor": self.factor,
            "carry_passes": self.passes,
            "target": self.target,
        }


def derive(request: Request) -> PseudoMersenneParameters:
    """Parameters for a Montgomery curve, or for a prime.

    Raises
    ------
    UsageError
        Without a prime, and for a curve of another form.
    ParameterError
        For a modulus that is not a prime, too narrow or too wide, or not 2^n - c with a small c, and for a curve whose
        constant is too wide.
    """
    curve = _curve_of(request)
    p = prime_of(request, LEAST, OTHER)
    n = p.bit_length()
    c = (1 << n) - p
    what = f"{request.core} modulo 2^{n} - {c:#x}"
    widest = Inequality("bits", f"bits of p <= {MOST_BITS}", n, "<=", MOST_BITS)
    if not widest.holds:
        raise widest.refusal(f"{request.core} modulo a number of {n} bits", OTHER)
    w = request.options["width"] or -(-n // max(LEAST_DIGITS, -(-n // (BLOCK - GUARD))))
    count = -(-n // w)
    two = Inequality("two", f"N >= {LEAST_DIGITS}, N digits of w bits", count, ">=", LEAST_DIGITS)
    if not two.holds:
        raise two.refusal(f"{request.core} modulo a number of {n} bits", "a smaller width")
    rule = "c·2^(N·w - n) < 2^w, N digits of w bits"
    small = Inequality("small", rule, c << (count * w - n), "<", 1 << w)
    if not small.holds:
        raise small.refusal(f"{what}: p is not 2^n - c with a small c", OTHER)
    rows, target = request.options["rows"], request.target
    made = [PseudoMersenneParameters(n, c, w, count, rows, k, target, example=curve) for k in range(1, MOST_PASSES + 1)]
    found = next((p for p in made if p.certificate.failing is None), made[-1])
    if (failing := found.certificate.failing) is not None:
        raise failing.refusal(f"{what}: {failing.why}", f"another option width; {OTHER}")
    _check_constant(request, found)
    return found


def _curve_of(request: Request) -> Curve | None:
    curve = request.curve
    if curve is not None and curve.form != "montgomery":
        known = ", ".join(other.name for other in curves() if other.form == "montgomery")
        raise UsageError(
            f"{request.core} works on Montgomery curves, and {curve.name} is of the {curve.form} form", known
        )
    return curve


def _check_constant(request: Request, p: PseudoMersenneParameters) -> None:
    if p.example is None:
        return
    a24 = (p.example.a + 2) * pow(4, -1, p.modulus) % p.modulus
    rule = Inequality("a24", "(A + 2) / 4 < 2^v", a24, "<", 1 << p.v)
    if not rule.holds:
        raise rule.refusal(f"{request.core} on {p.example.name}: its constant is one digit of v = {p.v} bits", OTHER)
