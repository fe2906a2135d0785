# SPDX-License-Identifier: Apache-2.0
"""Widths and bounds of Montgomery multiplication with quotient pipelining, a digit of k bits a cycle.

H. Orup, "Simplifying quotient determination in high-radix modular multiplication", ARITH-12, 1995. With a delay of d
digits and K = k(d + 1), an odd modulus M is given by m = 2^-K mod M. Then M~ = m·2^K - 1 is an odd multiple of M, and

    S <- floor(S / 2^k) + q'·m + b·A        q = S mod 2^k, q' = q of d digits before, b the next digit of X, A = Y

keeps S·2^(k·digits) in its class modulo M~, because q' comes d + 1 divisions late and m·2^K = M~ + 1: the quotient
digit is the lowest digit of S itself, and d cycles may pass before its product is valid. After I = N + d + 1 digits, of
which the last d + 1 are 0, the result is S with the d digits that it dropped last below it: (X·Y + Q·M~) / R with
R = 2^(kN) and 0 <= Q < R.

The derivation of the bounds, and the representation of S, are Modwright's (README.md next to this file).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ...base.json import Constant
from ...contract import NO_CHANNEL, Certificate, Field, Inequality, Obligations, Payload, certified
from ...contract.request import Request
from ...contract.roles import Modulus, Montgomery, Multiple, Operand, Power, Result
from ...contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, error_field, width_of
from ...plan.tiling import TILE_SIZES, DigitTiling

NAME = "modmul/orup-dsp"

WIDEST = 8192
"""Bits of the widest modulus, n."""
SHORTEST_DIGIT, LONGEST_DIGIT = 2, 18
SHORTEST_TILE, LONGEST_TILE = 3, 24
"""Bits of a digit and of a tile of a wide operand: at most those of the blocks; carries of a chunk take 3 bits."""
SHORTEST_DELAY, LONGEST_DELAY = 3, 8
"""Cycles between a quotient digit and the sum with its product: operand register, product register, sum register."""
DIGIT = 17
"""Bits k of a digit where the target has no blocks."""
SHORTEST_LIMB, LONGEST_LIMB = 32, 160
"""Range of the default bits of a limb: a carry chain of 160 bits takes about as long as the digit loop on ECP5."""
FEW_LIMBS = 7
"""Default number of limbs, where that keeps their bits within the limits."""


@dataclass(frozen=True)
class OrupParameters:
    """Every constant of one multiplier.

    Parameters
    ----------
    n : int
        Bits of the widest modulus.
    k : int
        Bits of a digit.
    d : int
        Digits between a quotient digit and the sum with its product.
    N : int
        Number N of digits of R = 2^(kN).
    w : int
        Bits of a tile of Y or m, and of a chunk of S.
    chunks : int
        Number C of chunks of S.
    limb_chunks : int
        Chunks of a limb, in which the result is converted to binary.
    target : str
        Device family of the tiles.
    example : int or None
        Modulus for edge cases; the hardware does not depend on it.
    """

    n: int
    k: int
    d: int
    N: int
    w: int
    chunks: int
    limb_chunks: int
    target: str
    example: int | None = None

    @property
    def modulus(self) -> None:
        """None: the modulus is an operand."""
        return None

    @property
    def K(self) -> int:
        """Number K of bits by which M~ is longer than m."""
        return self.k * (self.d + 1)

    @property
    def T(self) -> int:
        """Exponent T of R = 2^T."""
        return self.k * self.N

    @property
    def digits(self) -> int:
        """Number I of digits that the loop takes, zeros at the end included."""
        return self.N + self.d + 1

    @property
    def operand_bits(self) -> int:
        """Bits of X, Y and the result, which are below 2^(K+1)·m."""
        return self.n + self.K + 1

    @property
    def compared_digits(self) -> int:
        """Digits in which m is compared with X and Y without their K + 1 lowest bits."""
        return -(-self.n // self.k)

    # --- S

    @property
    def largest_sum(self) -> int:
        """Largest S: the bound that S <- S / 2^k + (2^k - 1)(m + Y) preserves, for any m and Y of the payload."""
        return self.largest_words << self.k

    @property
    def largest_words(self) -> int:
        """Largest m + Y of the payload."""
        return ((1 << self.n) - 1) + ((1 << self.operand_bits) - 1)

    @property
    def largest_addend(self) -> int:
        """Largest sum of the products over one chunk: of Y and m each the low part of a tile and the high part of the
        tile below."""
        high = ((1 << self.w) - 1) * ((1 << self.k) - 1) >> self.w
        return 2 * ((1 << self.w) - 1) + 2 * high

    @property
    def addend_width(self) -> int:
        """Bits of the largest sum of products over a chunk."""
        return self.largest_addend.bit_length()

    @cached_property
    def largest_carry(self) -> int:
        """Largest carry out of a chunk: the least c1 with 2^w - 1 + P1 + c1·2^(w-k) < (c1 + 1)·2^w."""
        rest = self.largest_chunk_sum(0) - (1 << self.w)
        step = (1 << self.w) - (1 << self._below)
        return max(0, rest // step + 1)

    def largest_chunk_sum(self, carry: int) -> int:
        """Largest sum of a chunk if no carry is above `carry`; after the shift, carries are k bits below a chunk."""
        return (1 << self.w) - 1 + self.largest_addend + (carry << self._below)

    @property
    def _below(self) -> int:
        """Place of a carry in its chunk after the shift; a tile shorter than a digit is refused."""
        return max(0, self.w - self.k)

    @property
    def carry_width(self) -> int:
        """Bits of the carry out of a chunk."""
        return self.largest_carry.bit_length()

    @property
    def word_tiling(self) -> DigitTiling:
        """Tiles of Y."""
        return DigitTiling(self.operand_bits, self.k, self.w, self.target)

    @property
    def modulus_tiling(self) -> DigitTiling:
        """Tiles of m."""
        return DigitTiling(self.n, self.k, self.w, self.target)

    @property
    def blocks(self) -> int:
        """Multiplier blocks."""
        return self.word_tiling.blocks + self.modulus_tiling.blocks

    # --- conversion

    @property
    def limb(self) -> int:
        """Bits B of a limb."""
        return self.limb_chunks * self.w

    @property
    def last_sum_bits(self) -> int:
        """Bits of the last S, which is the result without its d lowest digits."""
        return self.operand_bits - self.k * self.d

    @property
    def limbs(self) -> int:
        """Number L of limbs of the last S."""
        return -(-self.last_sum_bits // self.limb)

    # --- certificate

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        return Certificate((*self._result(), *self._sum(), *self._chunks(), *self._conversion(), *self._pipeline()))

    def _result(self) -> tuple[Inequality, ...]:
        return (
            Inequality(
                "result",
                "n + K + 2 <= k·N",
                self.n + self.K + 2,
                "<=",
                self.T,
                "X·Y/R < (2^(K+1)·m)^2 / 2^(n+K+2) <= 2^K·m, and Q·M~/R < 2^K·m: the result is below 2^(K+1)·m",
            ),
            Inequality(
                "digits",
                "bits of X <= k·N",
                self.operand_bits,
                "<=",
                self.T,
                "N digits hold all of X",
                "result implies it: X has n + K + 1 bits",
            ),
        )

    def _sum(self) -> tuple[Inequality, ...]:
        largest = self.largest_sum
        step = (largest >> self.k) + ((1 << self.k) - 1) * self.largest_words
        return (
            Inequality("step", "S1/2^k + (2^k-1)(m+Y) <= S1", step, "<=", largest, "S stays within its bound"),
            Inequality("width", "S1 < 2^(w·C)", largest, "<", 1 << (self.w * self.chunks), "no carry leaves the top"),
        )

    def _chunks(self) -> tuple[Inequality, ...]:
        carry = self.largest_carry
        total = self.largest_chunk_sum(carry)
        return (
            Inequality(
                "quotient",
                "k <= w",
                self.k,
                "<=",
                self.w,
                "q lies in the chunk that no carry comes into",
                "a longer digit has no place for the carries, which stand k bits below their chunk after the shift",
            ),
            Inequality(
                "carry",
                "2^w - 1 + P1 + c1·2^(w-k) < (c1 + 1)·2^w",
                total,
                "<",
                (carry + 1) << self.w,
                "carries out of a chunk stay within c1; P1 is the largest sum of products over a chunk",
            ),
            Inequality(
                "carries", "bits of c1 <= w", self.carry_width, "<=", self.w, "carries of a word do not overlap"
            ),
        )

    def _conversion(self) -> tuple[Inequality, ...]:
        B, row = self.limb, self.largest_carry * (((1 << self.limb) - 1) // ((1 << self.w) - 1))
        return (
            Inequality("limbs", "n + k + 1 <= L·B", self.last_sum_bits, "<=", self.limbs * B, "all of the last S"),
            Inequality(
                "limb-carry",
                "2^B - 1 + c1·(1 + 2^w + ..) + 1 < 2^(B+1)",
                (1 << B) - 1 + row + 1,
                "<",
                2 << B,
                "one carry between limbs",
                "carries implies it: with c1 < 2^w the carries of a limb are below 2^B",
            ),
        )

    def _pipeline(self) -> tuple[Inequality, ...]:
        rows = [
            Inequality(
                "delay",
                "d >= 3",
                self.d,
                ">=",
                SHORTEST_DELAY,
                "registers: operands, product, sum",
                "any delay is right in integers; a shorter one has no cycles for the registers",
            )
        ]
        if self.target in TILE_SIZES:
            wide, narrow = TILE_SIZES[self.target]
            why = "a tile and a digit are the operands of a block"
            stronger = "wider operands are right as well; they would take several blocks and more cycles"
            rows.append(Inequality("tile", "w <= block", self.w, "<=", wide, why, stronger))
            rows.append(Inequality("digit", "k <= block", self.k, "<=", narrow, why, stronger))
        return tuple(rows)

    # --- payloads

    @property
    def limit(self) -> Multiple:
        """Exclusive limit of operands and result."""
        return Multiple(1 << (self.K + 1), Power(-self.K, checked=True))

    @cached_property
    def i(self) -> Payload:
        """X, Y in the Montgomery domain, m, and M."""
        roles = (Operand(name, Montgomery(self.T), self.limit) for name in "xy")
        modulus = f"else error {BAD_MODULUS}; for the reader of the result"
        return Payload(
            (
                *(Field(r.name, self.operand_bits, role=r, more=f"else error {OUT_OF_RANGE}") for r in roles),
                Field("m", self.n, role=self.limit.of, more=f"else error {BAD_MODULUS}; below M"),
                Field("modulus", self.n, role=Modulus(), more=modulus),
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The product, and its modulus."""
        return Payload(
            (
                Field("z", self.operand_bits, role=Result("z", Montgomery(self.T), self.limit, "x·y")),
                Field("m", self.n, role=self.limit.of, more="as it came in"),
                Field("modulus", self.n, role=Modulus(), more="as it came in"),
                error_field("m = 0, or M is even or below 3", f"an operand is not below 2^{self.K + 1}·m"),
            )
        )

    def obligations(self) -> Obligations:
        """No obligations: no residue channel is folded."""
        return (NO_CHANNEL,)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "bits": self.n,
            "digit_bits": self.k,
            "quotient_delay": self.d,
            "quotient_shift": self.K,
            "operand_digits": self.N,
            "montgomery_exponent": self.T,
            "digits": self.digits,
            "operand_bits": self.operand_bits,
            "chunk_bits": self.w,
            "chunks": self.chunks,
            "largest_addend": self.largest_addend,
            "largest_carry": self.largest_carry,
            "carry_bits": self.carry_width,
            "limb_bits": self.limb,
            "limbs": self.limbs,
            "multiplier_blocks": self.blocks,
            "target": self.target,
        }


def derive(request: Request) -> OrupParameters:
    """Parameters with the least N, and with the requested limb or few limbs.

    Raises
    ------
    UsageError
        When the request has neither a modulus nor `bits`.
    ParameterError
        For a modulus that is wider than `bits`, and for digits or tiles that do not fit each other or a block.
    """
    n = width_of(request, 1024)
    k, w = sizes_of(request)
    d = request.options["delay"]
    N = -(-(n + k * (d + 1) + 2) // k)
    example = None if request.modulus is None else request.modulus.value
    one = OrupParameters(n, k, d, N, w, 1, 1, request.target, example)
    chunks = -(-one.largest_sum.bit_length() // w)
    p = OrupParameters(n, k, d, N, w, chunks, _limb_chunks(request, one), request.target, example)
    return certified_sizes(p, NAME)


def sizes_of(request: Request) -> tuple[int, int]:
    """Bits of a digit and of a tile: the requested ones, else those of the target's blocks."""
    wide, narrow = TILE_SIZES.get(request.target, (0, DIGIT))
    k = request.options["digit"] or narrow
    return k, request.options["tile"] or wide or max(k, SHORTEST_TILE)


Sized = TypeVar("Sized", bound=OrupParameters)


def certified_sizes(p: Sized, name: str) -> Sized:
    """Parameters whose certificate holds; the ParameterError names digit and tile."""
    what = f"{name} with digits of {p.k} bits and tiles of {p.w}"
    return certified(p, what, "a shorter `digit` or `tile`, or neither")


def _limb_chunks(request: Request, p: OrupParameters) -> int:
    """Chunks of a limb: for the requested bits, else for `FEW_LIMBS`, within limits; rounded up to whole chunks."""
    requested = request.options["limb"]
    if requested is None:
        requested = min(max(-(-p.last_sum_bits // FEW_LIMBS), SHORTEST_LIMB), LONGEST_LIMB)
    return -(-requested // p.w)
