# SPDX-License-Identifier: Apache-2.0
"""Words on the numbers inside an operation: each says how the number follows from others that are shown."""

from __future__ import annotations

import re

from ..contract.quantities import Quantity

_MEANINGS = (
    # --- cox-rowers
    (r".*", r"hats of Q", "q̂_i = Q·(A/a_i)^-1 mod a_i, up to a multiple of a_i, for Q = -x·y/P modulo A"),
    (r".*", r"hats of S", "ŝ_i = S·(B/b_i)^-1 mod b_i, up to a multiple of b_i, for S = (x·y + Q·P)/A"),
    (r".*", r"hats of X", "x̂_i = x_i·(A/a_i)^-1 mod a_i, up to a multiple of a_i"),
    (r".*", r"hats of [qr]", "hats of a coefficient in its base, up to a multiple of a modulus"),
    (r"basext/shenoy-kumaresan", r"h of X", "(Σ x̂_i·A/a_i - X)/A, found modulo the power of two"),
    (r"ecpm/rns-ladder", r"h of [AB]", "multiples of the base's product that an extension takes off"),
    (r".*", r"cox of .*", "top bits of all hats added up, and the offset {least}; without its {f} lowest bits it is h"),
    (r".*", r"h of .*", "multiples of the base's product that are taken off Σ hat_i·(product/modulus_i)"),
    (r".*", r"A added to Q", "1 where B gets Q + A, as h came out one too small: S is then larger by P"),
    (r"modmul/rns-hpr", r"t", "the part of a digit above M, which is carried"),
    # --- sums of residues
    (r".*", r"γ_\d+", "x·y·M_i^-1 modulo m_i, with M_i = M/m_i"),
    (r".*", r"smallest γ_i/m_i", "the least share of a channel in Σ γ_i/m_i, rounded down"),
    (r".*sor-lean.*", r"top of γ_\d+", "the top bits of γ_i, up to a multiple of m_i: what α is added up from"),
    (r".*sor-lean.*", r"cox", "Σ of these tops, of their complements where r_i² = -M_i^-1, and D = {least}"),
    (r".*sor-lean.*", r"row of α", "cox without its lowest bits: the row whose <-αM> mod p is added"),
    (r".*", r"cox", "Σ of the top bits of the γ_i, and D = {least}"),
    (r".*", r"α", "cox without its lowest bits: multiples of M that are in Σ γ_i·M_i"),
    (r".*", r"bits of ΣγK", "length of Σ γ_i·K_i, where K_i are the top bits of w_i"),
    (r".*", r"bits of κ", "length of κ, that sum without its T lowest bits"),
    # --- mixed radix
    (r"basext/mixed-radix", r"digits of X", "v_1, v_2 and so on: X = v_1 + v_2·a_1 + v_3·a_1·a_2 + ..."),
    (r".*", r"digits of x - y", "v_1, v_2 and so on: x - y modulo A = v_1 + v_2·a_1 + v_3·a_1·a_2 + ..."),
    (r".*", r"last digit, x < y", "large, as x - y modulo A is near A"),
    (r".*", r"last digit, x ≥ y", "small, as x - y is below p"),
    # --- Montgomery multiplication by digits
    (r".*(csa|radix2|vlm3).*", r"d", "digit of x, as the stream carries it"),
    (r".*(csa|radix2|vlm3).*", r"q", "quotient digit: as many M as make the lowest bits of S + d·y + q·M zero"),
    (r".*(csa|radix2|vlm3).*", r"\d+·V/M", "V = S + d·y + q·M, rounded down"),
    (r".*(csa|radix2|vlm3).*", r"\d+·S/M", "S after the division: V over a power of two, rounded down"),
    (r".*(csa|radix2|vlm3).*", r"\d+·z/M", "z as the stream carries it, rounded down"),
    (r"modmul/orup-.*", r"q", "quotient digit, the lowest digit of S"),
    (r"modmul/orup-.*", r"carry", "carry out of a chunk of S"),
    (r"modmul/orup-.*", r"bits of S", "length of S between two digits"),
    (r"modmul/orup-.*", r"S/.*", "S between two digits, rounded down"),
    (r"modmul/orup-.*", r"z/.*", "z as the stream carries it, rounded down"),
    # --- limbs
    (
        r"modmul/(limb.*|r64)",
        r"bits of a column",
        "length of a column, the lowest one first, with the carry from below",
    ),
    (r"modmul/limb.*", r"bits of a digit", "length of a digit of a column"),
    (r"modmul/limb.*", r"t", "limb t_0, t_1 and so on, whose multiple makes the lowest limb zero"),
    (r"modmul/(limb.*|r64)", r"z/m", "z as the stream carries it, rounded down"),
    (r"modmul/r64", r"bits of reg1", "length of the register of the products x_i·y_j"),
    (r"modmul/r64", r"bits of reg2", "length of the register of the products q_i·m_j"),
    (r"modmul/r64", r"bits of c", "length of the carry between two limbs"),
    # --- binary
    (r"modmul/binary-serial", r"bits of x·y", "length of x·y, times the power of two that fills the limbs of p"),
    (r".*", r"bits of x·y", "length of the product"),
    (r".*", r"bits of (the last fold|fold \d+)", "length of the number after this fold"),
    (r".*", r"subtractions", "multiples of p that are left at the end"),
    (r".*", r"2s \+ x_i·y", "before multiples of p are taken off, the top bit of x first"),
    (r"modadd/.*", r"x \+ y", "the sum before p is taken off"),
    (r"unit/.*", r"before the reduction", "the integer that is reduced modulo m"),
    # --- inversion
    (r"modinv/binary-divstep.*", r"D", "the count that decides: f and g change places where D ≥ 0 and g is odd"),
    (r"modinv/rns-divstep", r"D", "the count of divsteps, after the round"),
    (r".*", r"e ± d ± M", "the sum that is halved to the next e, rounded down"),
    (r".*", r"last e/M", "e after the last divstep, rounded down"),
    (r".*", r"[fg]/[MP]", "{0} after each step or round, rounded down"),
    (r".*", r"[de]/[MP]", "{0} after each step, rounded down"),
    (r".*", r"c", "multiples of P that make d, then e, divisible by 2^k"),
    (r".*", r"\|u\| \+ \|v\|", "sum of a row of the matrix, of both rows of a round"),
    (r".*", r"d, e in P", "d, then e, in whole multiples of P, rounded down"),
    (r".*", r"passes", "passes that this operand took"),
    (r".*", r"V[13]/P", "{0} at the start and after each pass, rounded down"),
    (r".*", r"D", "the divisor of each pass"),
    (r".*", r"f", "multiples of P that make the new V1 divisible by D"),
    (r".*", r"[UVRS]/m", "{0} in each step of the inversion, rounded down"),
    (r".*", r"busy", "steps of the inversion until V is 0"),
    (r".*", r"digit", "digit of the exponent, the lowest one first"),
    (r".*", r"bits of the exponent", "length of the exponent"),
)
"""Core, number, and words, in the order in which they are tried."""


def meaning_of(core: str, quantity: Quantity) -> str:
    """Words on a number; empty where there are none, so that the source of its range stands alone."""
    name, lowest = quantity.name, re.search(r"f is (\d+)", quantity.why)
    f = lowest[1] if lowest else "f"
    for cores, numbers, words in _MEANINGS:
        if re.fullmatch(cores, core) and re.fullmatch(numbers, name):
            return words.format(name.partition("/")[0].rpartition(" ")[2], least=quantity.least, f=f)
    return ""


def scaled_name(number: str, why: str) -> str:
    """The name with the factor in which its values are: `64·S/M` for S/M in 64ths of M."""
    units = re.search(r"in (\d+)ths|in 2\^-(\d+)", why)
    if units is None or "in P" in number:
        return number
    factor = units[1] or f"2^{units[2]}"
    return re.sub(r"^(smallest |last )?(.*)$", lambda m: f"{m[1] or ''}{factor}·{m[2]}", number)
