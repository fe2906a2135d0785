# SPDX-License-Identifier: Apache-2.0
"""Errata of Rezai and Keshavarzi 2015, carry-save multiplication and exponentiation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from .erratum import Erratum, Trial

BITS = 12
SEED = 1


def recoded(X: int, bits: int) -> list[int]:
    """Algorithm 6: the digits d_0 .. d_(n-1) of the canonical recoding, and behind them the last carry c_n."""
    digits, carry = [], 0
    for i in range(bits):
        bit, above = X >> i & 1, X >> i + 1 & 1
        into = (bit + above + carry) // 2
        digits.append(bit + carry - 2 * into)
        carry = into
    return [*digits, carry]


def _last_digit() -> Iterator[Trial]:
    for X in range(2**BITS):
        digits = recoded(X, BITS)
        values = [digit << place for place, digit in enumerate(digits)]
        yield sum(values[:-1]) == X, sum(values) == X


SAMPLES = {512: 200, 1024: 200}
"""Random multipliers by their width."""
TOLERANCE = 5 * 4.5
"""Five times the larger standard deviation of the two counts."""


def multibit_digits(X: int, bits: int) -> int:
    """Digits of the expansion with at most two zeros in a row below a digit other than 0, or three zeros."""
    digits, place, count = recoded(X, bits), 0, 0
    while place < len(digits):
        ahead = next((n for n in range(3) if place + n < len(digits) and digits[place + n]), 2)
        place += ahead + 1
        count += 1
    return count


def _mean_digits() -> Iterator[Trial]:
    for bits, samples in SAMPLES.items():
        random = Random(SEED)
        for _ in range(samples):
            count = multibit_digits(random.getrandbits(bits), bits)
            yield abs(count - (bits / 3 + 6)) < TOLERANCE, abs(count - 3 * bits / 7) < TOLERANCE


PRODUCT_US, BITS_OF_EXPONENT = 0.883, 1024
"""Time of a product of 1024 bits (Table VI), and the exponent of Table VII."""
PRINTED_MS = {"R2L": 1.37, "L2R": 0.92}
ROUNDING_MS = 0.015
"""Between the printed times and the products, which come from a rounded time."""
PRODUCTS = {"R2L": BITS_OF_EXPONENT + 4, "L2R": 1.5 * BITS_OF_EXPONENT + 4}
"""Products in a row, by the paper's own counts."""


def _methods() -> Iterator[Trial]:
    def is_time_of(time: str, method: str) -> bool:
        return abs(PRODUCTS[method] * PRODUCT_US / 1e3 - PRINTED_MS[time]) < ROUNDING_MS

    for method, other in (("R2L", "L2R"), ("L2R", "R2L")):
        yield is_time_of(method, method), is_time_of(other, method)


SLICES_OF_XC5VLX20T = 3120
SLICES = (6105, 6776, 12716)
"""Tables VI and VII, 1024 bits."""
SLICES_OF_XC5VLX110T = 17280


def _device() -> Iterator[Trial]:
    for slices in SLICES:
        yield slices <= SLICES_OF_XC5VLX20T, slices <= SLICES_OF_XC5VLX110T


def _constants() -> Iterator[Trial]:
    """Products in the Montgomery domain of R = 2^T, T = n + 1, entered with R² and left with 1."""
    n = 16
    T, random = n + 1, Random(SEED)
    for _ in range(500):
        M = random.getrandbits(n - 1) << 1 | 1 | 1 << n - 1
        X = random.randrange(M)

        def product(x: int, y: int, modulus: int = M) -> int:
            return x * y * pow(2, -T, modulus) % modulus

        yield product(product(X, pow(2, -2 * n, M)), 1) == X, product(product(X, pow(2, 2 * T, M)), 1) == X


def expanded(digits: Sequence[int]) -> list[tuple[int, int]]:
    """Algorithm 7: pairs (k, f) of recoded digits, the lowest first, with k = -1, 0 or 1; none for zeros that are left
    at the end."""
    pairs, zeros = [], 0
    for digit in digits:
        if digit:
            pairs.append((digit, zeros))
            zeros = 0
        elif zeros == MOST_ZEROS - 1:
            pairs.append((0, MOST_ZEROS))
            zeros = 0
        else:
            zeros += 1
    return pairs


MOST_ZEROS = 3
"""Zeros of a pair without a digit other than 0."""


def _length() -> Iterator[Trial]:
    """Every X with its last carry: digits that the pairs pass, alone and with a last pair for zeros that are left."""
    for X in range(2**BITS):
        digits = recoded(X, BITS)
        passed = sum(f + (k != 0) for k, f in expanded(digits))
        left = next((n for n, digit in enumerate(reversed(digits)) if digit), len(digits)) % MOST_ZEROS
        yield passed == BITS, passed + left == BITS + 1


EXAMPLE = 0b111110001110000111
"""254855, of section III-A."""
PRINTED_PAIRS = ((-1, 0), (1, 2), (0, 2), (-1, 0), (1, 2), (-1, 2), (0, 3), (1, 1))
PRINTED_CODES = (0b100, 0b011, 0b011, 0b100, 0b011, 0b110, 0b011, 0b000)
"""Pairs and codes of the example as the paper prints them, the lowest first."""
RIGHT_PAIRS = ((-1, 0), (1, 2), (0, 3), (-1, 0), (1, 2), (-1, 2), (0, 3), (1, 1))
RIGHT_CODES = (0b100, 0b010, 0b011, 0b100, 0b010, 0b110, 0b011, 0b001)


def _example() -> Iterator[Trial]:
    """Pairs by Algorithm 7, and their codes: a bit that is 1 for k = -1, and two bits of f."""
    pairs = expanded(recoded(EXAMPLE, EXAMPLE.bit_length()))
    codes = [(k < 0) << 2 | f for k, f in pairs]
    yield from (
        (printed == pair, right == pair) for printed, right, pair in zip(PRINTED_PAIRS, RIGHT_PAIRS, pairs, strict=True)
    )
    yield from (
        (printed == code, right == code) for printed, right, code in zip(PRINTED_CODES, RIGHT_CODES, codes, strict=True)
    )


WORD, SHIFT = 6, 3
"""Bits of two words in carry-save form, and places of a shift."""


def _lost_carry() -> Iterator[Trial]:
    """Every pair of words whose sum is divisible by 2^3: each shifted by itself, without and with the carry between."""
    for carry in range(2**WORD):
        for word in range(-carry % 2**SHIFT, 2**WORD, 2**SHIFT):
            apart = (word >> SHIFT) + (carry >> SHIFT)
            lost = word % 2**SHIFT != 0
            total = word + carry >> SHIFT
            yield apart == total, apart + lost == total


DELAYS = range(1, 21)
"""Periods and delays in tenths of a ns, or any unit."""


def _cycles_of_the_addition() -> Iterator[Trial]:
    """Cycles of period T in which an addition of delay t fits, and no cycle more."""
    for T in DELAYS:
        for t in DELAYS:
            printed, right = -(-T // t), -(-t // T)
            yield printed * T >= t > (printed - 1) * T, right * T >= t > (right - 1) * T


ERRATA = (
    Erratum(
        "the last digit",
        "Algorithm 6",
        "An n-bit X has the n digits d_0 .. d_(n-1).",
        "It has n + 1: the last carry c_n is a digit, and the example of section III-A has 19 for 18 bits.",
        f"every X of {BITS} bits",
        _last_digit,
    ),
    Erratum(
        "the example",
        "Section III-A, example of X = 254855",
        "The sixth pair is (0, 2), and pairs 1, 4 and 7 have the codes 000, 011 and 011.",
        "It is (0, 3) by Algorithm 7, and the codes of (1, 1), (1, 2) and (1, 2) are 001, 010 and 010.",
        "the eight pairs and their codes",
        _example,
    ),
    Erratum(
        "length of the expansion",
        "Algorithms 7 and 8",
        "The pairs of X pass n digits, so that the result is X·Y·2^-n.",
        "They pass as many as Algorithm 7 makes pairs of: zeros that are left have to be one more pair, and then "
        "it is n + 1 digits and X·Y·2^-(n+1) for every X.",
        f"every X of {BITS} bits",
        _length,
    ),
    Erratum(
        "the carry between the words",
        "Fig. 3, step 9 of Algorithm 8",
        "Sum and carry words are divided by 2^(a+1) each, by its shifter.",
        "Their sum is divisible, but they are not: where the bits that the sum word loses are not 0, a carry of 1 is "
        "lost with them, and has to be added.",
        f"every pair of words of {WORD} bits whose sum is divisible by {2**SHIFT}",
        _lost_carry,
    ),
    Erratum(
        "cycles of the last addition",
        "Section III-B",
        "The last addition takes w = ceil(T/t) cycles of period T, where t is its delay.",
        "It takes ceil(t/T).",
        f"T and t from {DELAYS.start} to {DELAYS.stop - 1}",
        _cycles_of_the_addition,
    ),
    Erratum(
        "number of digits",
        "Section III, Tables V and VI",
        "A multiplier has n/3 digits in the mean, and a product takes n/3 + 6 cycles.",
        "It has 3n/7 digits in the mean: 220 at 512 bits, 440 at 1024.",
        f"{SAMPLES[512]} random multipliers of 512 bits and {SAMPLES[1024]} of 1024, the count within "
        f"{TOLERANCE:g} of it",
        _mean_digits,
    ),
    Erratum(
        "constants of the domain",
        "Algorithms 4, 5, 9 and 10",
        "R is 2^-n.",
        "R is 2^T, and the conversions take 2^T and 2^2T modulo M.",
        "500 random moduli of 16 bits and operands, into the domain and out of it",
        _constants,
    ),
    Erratum(
        "R2L and L2R",
        "Table VII",
        "R2L takes 1.37 ms, L2R 0.92 ms.",
        "They are swapped: (1.5k + 4)·0.883 µs is L2R, (k + 4)·0.883 µs is R2L with two multipliers.",
        "the paper's own counts of products",
        _methods,
    ),
    Erratum(
        "the device",
        "Tables VI and VII",
        "The designs are on an XC5VLX20T.",
        "That part has 3,120 slices; the designs need a larger one, such as an XC5VLX110T with 17,280.",
        "the slices of three designs",
        _device,
    ),
)
