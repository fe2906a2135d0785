# SPDX-License-Identifier: Apache-2.0
"""Errata of Mehrabi 2019, sum-of-residues modular multiplication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod
from random import Random

import gmpy2

from ...catalog import resolve_modulus
from .erratum import Erratum, Trial

WIDTH = 66
"""Bits of a channel, section 2."""
MODULI = (*(2**WIDTH - 2**t - 1 for t in (2, 3, 4, 5, 6, 8, 9)), 2**WIDTH - 1)
"""Table 1."""
Q, DELTA = 8, 16
"""Bits of γ that the sum for α takes, and Δ = 1/16 in units of 2^-Q (section 3)."""
T = 72
"""Bits of κ's constants for secp256k1, below eq. (24)."""
CASES, SEED = 2000, 1


class Reduction:
    """A reduction modulo p by the sum of residues, eqs. (13) to (24), over plain integers.

    Parameters
    ----------
    p : int
        Modulus of W bits.
    moduli : sequence of int
        Pairwise co-prime.
    """

    def __init__(self, p: int, moduli: Sequence[int] = MODULI) -> None:
        self.p, self.moduli = p, moduli
        self.M, self.W = prod(moduli), p.bit_length()
        self.hats = [self.M // m for m in moduli]
        self.inverses = [pow(hat, -1, m) for hat, m in zip(self.hats, moduli, strict=True)]
        self.w = [hat % p for hat in self.hats]

    def gammas(self, Z: int) -> list[int]:
        """Scaled residues γ_i = <z_i · M_i^-1>."""
        return [Z * inverse % m for inverse, m in zip(self.inverses, self.moduli, strict=True)]

    def alpha(self, gammas: Sequence[int]) -> int:
        """α from the upper bits of the γ_i, with the correction Δ."""
        return (sum(gamma >> (WIDTH - Q) for gamma in gammas) + DELTA) >> Q

    def is_alpha_exact(self, Z: int) -> bool:
        """Whether Σ γ_i·M_i - α·M is Z."""
        gammas = self.gammas(Z)
        return sum(g * hat for g, hat in zip(gammas, self.hats, strict=True)) - self.alpha(gammas) * self.M == Z

    def kappa(self, gammas: Sequence[int], T: int) -> int:
        """κ of eq. (24): one floor, after the sum."""
        return sum(g * (w >> (self.W - T)) for g, w in zip(gammas, self.w, strict=True)) >> T

    def kappa_of_floors(self, gammas: Sequence[int], T: int) -> int:
        """κ of Table A1: each K_i has a floor of its own."""
        return sum(g * (w >> (self.W - T)) >> T for g, w in zip(gammas, self.w, strict=True))

    def result(self, Z: int, kappa: int) -> int:
        """The sum of residues Σ γ_i·w_i + <-α·M>_p - κ·p."""
        gammas = self.gammas(Z)
        total = sum(g * w for g, w in zip(gammas, self.w, strict=True))
        return total + -self.alpha(gammas) * self.M % self.p - kappa * self.p


@cache
def _secp256k1() -> Reduction:
    return Reduction(resolve_modulus("secp256k1").value)


def _products(p: int) -> Iterator[int]:
    """1·1, and products of random operands."""
    random = Random(SEED)
    yield 1
    for _ in range(CASES - 1):
        yield random.randrange(p) * random.randrange(p)


def _precise() -> Iterator[Trial]:
    unit = _secp256k1()
    for Z in _products(unit.p):
        z = unit.result(Z, unit.kappa(unit.gammas(Z), T))
        yield z == Z % unit.p, z % unit.p == Z % unit.p and 8 * z < 9 * unit.p


def _full_width() -> Iterator[Trial]:
    unit = _secp256k1()
    for Z in _products(unit.p):
        z = unit.result(Z, unit.kappa(unit.gammas(Z), unit.W))
        yield z == Z % unit.p, z % unit.p == Z % unit.p and z < 2 * unit.p


def _floors() -> Iterator[Trial]:
    unit = _secp256k1()
    for Z in _products(unit.p):
        gammas = unit.gammas(Z)
        one, each = unit.kappa(gammas, T), unit.kappa_of_floors(gammas, T)
        yield each == one, 0 <= one - each <= len(MODULI) - 1


PRINTED_P160R1 = 2**160 - 2**32 - 1
PRINTED_P384 = 2**384 - 2**128 - 2**96 + 2**31 - 1
"""Table 2 as printed."""


def _primes() -> Iterator[Trial]:
    yield gmpy2.is_prime(PRINTED_P160R1), gmpy2.is_prime(2**160 - 2**31 - 1)
    yield gmpy2.is_prime(PRINTED_P384), gmpy2.is_prime(2**384 - 2**128 - 2**96 + 2**32 - 1)


def _inputs() -> Iterator[Trial]:
    """Operands below (1-Δ)M as printed; their products are below it in the corrected condition."""
    unit, random = _secp256k1(), Random(SEED)
    limit = unit.M - unit.M // 16
    for _ in range(CASES):
        X, Y = random.randrange(limit), random.randrange(limit)
        product = X * Y
        yield unit.result(product, 0) % unit.p == product % unit.p, unit.is_alpha_exact(product % limit)


def _channels() -> Iterator[Trial]:
    """p = 2^264 - 275 has 2W = 528 = 8·66 bits, so that the printed rule gives 8 channels; 9 are right."""
    p = 2**264 - 275
    assert gmpy2.is_prime(p)
    eight, nine = Reduction(p), Reduction(p, (*MODULI, 2**WIDTH - 2**12 - 1))
    random = Random(SEED)
    for _ in range(CASES):
        Z = (p - 1 - random.getrandbits(128)) * (p - 1 - random.getrandbits(128))
        yield eight.is_alpha_exact(Z), nine.is_alpha_exact(Z)


def _chains() -> Iterator[Trial]:
    """The sum of 40 residues modulo a 256-bit p, each below 2^14·p, squared, against the product of the moduli."""
    bound = 40 * 2**14 * 2**256
    yield bound**2 > 2 ** (40 * 14), bound**2 <= 2**551


ERRATA = (
    Erratum(
        "precise result",
        "Section 3, eq. (24), T = 72",
        "The result is the exact residue x·y mod p.",
        "The result is in the right class and below 9/8·p, so that it is p too large now and then. It can be "
        "an operand as it is.",
        f"1·1 and {CASES - 1:,} random products on secp256k1",
        _precise,
    ),
    Erratum(
        "no T is exact",
        "Eqs. (19) to (20)",
        "With enough bits in the constants of κ the result is exact.",
        "<-αM>_p / p is lost on the way, so that even T = W leaves results p too large; they are below 2p.",
        f"1·1 and {CASES - 1:,} random products on secp256k1, T = W",
        _full_width,
    ),
    Erratum(
        "a floor for each K_i",
        "Table A1, row K_i",
        "Each K_i is rounded down, and κ is their sum, as in eq. (24).",
        "Eq. (24) has one floor, after the sum; a floor for each of the 8 loses up to 7, and the result grows"
        " by up to 7p.",
        f"1·1 and {CASES - 1:,} random products on secp256k1, T = {T}",
        _floors,
    ),
    Erratum(
        "two moduli of Table 2",
        "Table 2",
        "The moduli of SECP160R1 and P-384 as printed are prime.",
        "SECP160R1 has 2^160 - 2^31 - 1, and P-384 ends in + 2^32 - 1.",
        "the two moduli",
        _primes,
    ),
    Erratum(
        "condition on operands",
        "Algorithm 2, input",
        "The operands X and Y have to be below (1-Δ)M.",
        "Their product has to be: X·Y < (1-Δ)M.",
        f"{CASES:,} random pairs below (1-Δ)M, and products below it",
        _inputs,
    ),
    Erratum(
        "number of channels",
        "Algorithm 2, N ≥ ceil(2W/n)",
        "N ≥ 2W/n channels suffice.",
        "(1+E)²p² ≤ (1-Δ)M is the condition; the rule is enough for the ten curves of Table 2, and not for p "
        "= 2^264 - 275.",
        f"{CASES:,} products of operands near 2^264 - 275, 8 channels and 9",
        _channels,
    ),
    Erratum(
        "earlier designs chain",
        "Section 1",
        "Earlier sum-of-residues designs cannot take their result as an operand.",
        "40 moduli of 14 bits give results whose square is at most 2^551, below the product 2^560 of the moduli.",
        "the bound of one design",
        _chains,
    ),
)
