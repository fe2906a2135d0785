# SPDX-License-Identifier: Apache-2.0
"""The integer whose residues are the words of a result, and its value: a sum of residues.

The words modulo their moduli are linear forms of words that all channels share. By the Chinese remainder theorem there
is one integer form Z for all channels. Where a word γ_k is congruent to g_k·X·Y modulo m_k, and e_k·g_k·M_k to 1 with
M_k = M/m_k, Σ e_k·M_k·γ_k = X·Y + α·M with an integer α, since it holds modulo each m_k. α less the address of the
table has an interval by fractions; if it contains one integer, the address determines α.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, prod

from ..decide import UndecidedError
from ..poly import Monomial, Poly, Ring
from .channels import Channels, Form, Table, form_of
from .claim import ResidueClaim, Vector

Linear = dict[Monomial, Fraction]
"""Coefficients of monomials."""


@dataclass
class Digit:
    """A word γ that is congruent to g·V modulo a modulus, of an integer V.

    Parameters
    ----------
    atom : int
    channel : int
    of : int
        g, for V itself, such as the product of the integers of the operands.
    """

    atom: int
    channel: int
    of: int


@dataclass
class Sum:
    """Z = constant + Σ words + a word of a table, an integer form.

    Parameters
    ----------
    constant : int
    words : dict of int to int
    tables : dict of Table to list of int
    digits : list of Digit
    index : int
        α less the address.
    reduced : Reduced or None
        The integer of the digits, where it is made of a product by a reduction.
    alpha : Linear or None
        α as a form, where it was found by intervals.
    """

    constant: int
    words: dict[int, int]
    tables: dict[Table, list[int]]
    digits: list[Digit]
    index: int = 0
    reduced: Reduced | None = None
    alpha: Linear | None = None


@dataclass
class Reduced:
    """Z = (product·V + Σ words) / M + a word of a table, an integer; M is the product of the digits' moduli.

    Parameters
    ----------
    product : int
    words : dict of int to int
    tables : dict of Table to list of int
    digits : list of Digit
        Multiples of V, the product of the operands' integers.
    """

    product: int
    words: dict[int, int]
    tables: dict[Table, list[int]]
    digits: list[Digit]


def remainder(residues: Sequence[int], vector: Vector) -> int:
    """The integer of least absolute value with residues r_k·scale_k^-1 modulo m_k."""
    total, M = 0, prod(vector.moduli)
    for r, s, m in zip(residues, vector.scale, vector.moduli, strict=True):
        total += r * pow(s, -1, m) % m * pow(M // m, -1, m) % m * (M // m)
    return centred(total, M)


def centred(value: int, m: int) -> int:
    """The number of least absolute value that is congruent modulo m."""
    value %= m
    return value - m if 2 * value > m else value


def joined(forms: Sequence[Form], vector: Vector) -> tuple[int, dict[int, int], dict[Table, list[int]]]:
    """One integer form for the forms of all channels."""
    atoms = sorted({atom for form in forms for atom in form.words})
    words = {atom: remainder([form.words.get(atom, 0) for form in forms], vector) for atom in atoms}
    tables: dict[Table, list[int]] = {}
    for table in dict.fromkeys(table for form in forms for table in form.tables):
        rows = [form.tables.get(table, [0] * table[3]) for form in forms]
        tables[table] = [remainder(row, vector) for row in zip(*rows, strict=True)]
    return remainder([form.constant for form in forms], vector), words, tables


def shared(channels: Channels, words: Sequence[Poly], vector: Vector) -> list[Form]:
    """Forms of the words, over words that some channel needs; so one that is a digit stays in its own channel, too."""
    basis: frozenset[int] = frozenset()
    pairs = list(zip(words, vector.moduli, strict=True))
    for _ in range(2):
        found = [channels.residue(p, m, basis) for p, m in pairs]
        basis |= {atom for p in found for atom in p.atoms & channels.facts.values.keys()}
    return [form_of(channels, p, m) for p, (_, m) in zip(found, pairs, strict=True)]


@dataclass(frozen=True)
class Product:
    """The product of the words of all operands in one channel.

    Parameters
    ----------
    channel : int
    modulus : int
    monomial : Monomial
    scale : int
        The product is congruent to scale times that of the operands' integers.
    """

    channel: int
    modulus: int
    monomial: Monomial
    scale: int


def products_of(claim: ResidueClaim, inputs: Mapping[str, int]) -> list[Product]:
    """The product of the operands' words in each channel; `inputs` has the atom of each word, by name."""
    found: list[Product] = []
    for k, m in enumerate(next(iter(claim.operands.values())).moduli):
        monomial = tuple(sorted(inputs[f"{name}[{k}]"] for name in claim.operands))
        found.append(Product(k, m, monomial, prod(vector.scale[k] for vector in claim.operands.values()) % m))
    return found


def digits_of(channels: Channels, atoms: Sequence[int], products: Sequence[Product]) -> list[Digit]:
    """Words that are congruent to a multiple of the product of operands modulo a channel's modulus."""
    found: list[Digit] = []
    for atom in atoms:
        for product in products:
            m, named = product.modulus, atom in channels.facts.values
            form = channels.reduced(atom, m, frozenset()) if named else None
            if form is not None and set(form.terms) == {product.monomial}:
                found.append(Digit(atom, product.channel, form.terms[product.monomial] * product.scale % m))
                break
    return found


def sum_of(channels: Channels, forms: Sequence[Form], claim: ResidueClaim, inputs: Mapping[str, int]) -> Sum:
    """Prove the claim of a sum of residues, whose words have these forms.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    constant, factors, tables = joined(forms, claim.vector)
    found = Sum(constant, factors, tables, digits_of(channels, sorted(factors), products_of(claim, inputs)))
    _decide_bound(channels, found, claim.vector)
    moduli = dict(enumerate(next(iter(claim.operands.values())).moduli))
    least, most = range_of(claim)
    decide_class(channels, found, moduli, Multiple(claim.modulus, claim.factor, least, most))
    return found


def range_of(claim: ResidueClaim) -> tuple[int, int]:
    """Interval of the product of the operands' integers."""
    low = high = 1
    for vector in claim.operands.values():
        ends = [end * other for end in (low, high) for other in (vector.least, vector.limit - 1)]
        low, high = min(ends), max(ends)
    return low, high


def ends_of(ring: Ring, terms: Mapping[Monomial, Fraction]) -> tuple[Fraction, Fraction]:
    """The interval of a polynomial with fractions."""
    low = high = Fraction(0)
    for monomial, value in terms.items():
        ends = [value * end for end in ring.range_of(monomial)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def fractions(p: Poly, factor: Fraction = Fraction(1)) -> Linear:
    """Coefficients as fractions, times a factor."""
    return {monomial: value * factor / (1 << p.shift) for monomial, value in p.items()}


def added(a: Mapping[Monomial, Fraction], b: Mapping[Monomial, Fraction]) -> Linear:
    """Sum of two polynomials with fractions."""
    return {monomial: a.get(monomial, Fraction(0)) + b.get(monomial, Fraction(0)) for monomial in a.keys() | b.keys()}


def _decide_bound(channels: Channels, total: Sum, vector: Vector) -> None:
    """Decide 0 <= Z < limit: by the words of the form, or with words that are not digits written out."""
    facts = channels.facts
    digits = {digit.atom for digit in total.digits}
    form = Poly({m: v for m, v in {(): total.constant, **{(a,): v for a, v in total.words.items()}}.items() if v})
    ends = [ends_of(facts.ring, fractions(p)) for p in (form, facts.closed(form, digits))]
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    for rows in total.tables.values():
        low, high = low + min(rows), high + max(rows)
    check_range(low, high, vector)


def check_range(low: Fraction, high: Fraction, vector: Vector) -> None:
    """Check that the integer of a result between these ends is in its range."""
    if low < vector.least or high >= vector.limit:
        raise UndecidedError(
            f"the integer of the result is between {int(low):#x} and {int(high):#x}, not from {vector.least:#x} on "
            f"below {vector.limit:#x}"
        )


@dataclass(frozen=True)
class Multiple:
    """The sum is congruent to factor·V modulo p, of an integer V.

    Parameters
    ----------
    modulus, factor : int
    least, most : int
        The least and the largest V.
    words : mapping of int to (int, int)
        Words that are congruent to a multiple of V modulo a power of two: the power, and the factor.
    """

    modulus: int
    factor: int
    least: int
    most: int
    words: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])


def decide_class(channels: Channels, total: Sum, moduli: Mapping[int, int], claimed: Multiple) -> None:
    """Decide that a sum is congruent to a multiple of V, of which it has a digit for each modulus.

    Parameters
    ----------
    channels : Channels
    total : Sum
        The sum, whose `index` is found.
    moduli : mapping of int to int
        Moduli of the channels of digits.
    claimed : Multiple
    """
    p, M, facts = claimed.modulus, prod(moduli.values()), channels.facts
    if sorted(digit.channel for digit in total.digits) != sorted(moduli):
        raise UndecidedError(f"{len(total.digits)} words of the result's sum are multiples of X·Y, not one a channel")
    if len(total.tables) > 1:
        raise UndecidedError("the result has words of tables with several addresses")
    rest = {atom: value for atom, value in total.words.items() if atom not in {d.atom for d in total.digits}}
    wrong = [facts.ring.atoms[atom].name for atom, value in rest.items() if value % p]
    if wrong:
        raise UndecidedError(f"the factor of {wrong[0]} in the result is not a multiple of p")
    places: Linear = {}
    for digit in total.digits:
        m = moduli[digit.channel]
        if gcd(digit.of, m) != 1:
            raise UndecidedError(f"a word is not a multiple of X·Y modulo {m:#x} that has an inverse")
        e = centred(pow(digit.of * (M // m), -1, m), m)
        places[digit.atom,] = Fraction(e, m)
        if (total.words.get(digit.atom, 0) - claimed.factor * e * (M // m)) % p:
            raise UndecidedError(f"the weight of {facts.ring.atoms[digit.atom].name} is wrong modulo p")
    for row, place in _rows(channels, total, places, M, claimed):
        if (total.constant + row + claimed.factor * place * M) % p:
            raise UndecidedError(f"the correction for α = {place} is wrong modulo p")


def _rows(channels: Channels, total: Sum, places: Linear, M: int, claimed: Multiple) -> list[tuple[int, int]]:
    """Words of the table, each with α; only those whose address α can have.

    α is `places` less V/M. The address of b bits is congruent modulo 2^b to a polynomial; where α less that has one
    value, that is α less the address modulo 2^b.
    """
    facts, least, most = channels.facts, Fraction(claimed.least, M), Fraction(claimed.most, M)
    ((address, bits, start, _), rows), *_ = [*total.tables.items(), ((Poly(), 0, 0, 1), [0])]
    address = Poly({m: value for m, value in address.items() if value % (1 << bits)}, address.shift)
    index = _exactly(address, 1 << bits, places, M, claimed)
    if index is None:
        form = _closest(channels, address, bits, places, {d.atom for d in total.digits})
        low, high = ends_of(facts.ring, _less(places, form))
        if -((most - low) // 1) != (high - least) // 1:
            raise UndecidedError(
                f"α less the address of its table is between {float(low - most):.4f} and {float(high - least):.4f}"
            )
        index = int((high - least) // 1)
        total.alpha = added(form, {(): Fraction(index)})
    total.index = index
    low, high = ends_of(facts.ring, places)
    found: list[tuple[int, int]] = []
    for alpha in range(-int((most - low) // 1), int((high - least) // 1) + 1):
        row = (alpha - index) % (1 << bits) - start
        if not 0 <= row < len(rows):
            raise UndecidedError(f"α can be {alpha}, and the table has {len(rows)} words")
        found.append((rows[row], alpha))
    return found


def _closest(channels: Channels, address: Poly, bits: int, places: Linear, digits: set[int]) -> Linear:
    """An address, or a polynomial congruent to it modulo 2^bits, so that the interval of `places` less it is narrow."""
    found: list[Linear] = []
    for tops in (False, True):
        closed = fractions(channels.facts.closed(address, digits, tops=tops))
        found.append({monomial: value for monomial, value in closed.items() if value % (1 << bits)})

    def size(form: Linear) -> Fraction:
        low, high = ends_of(channels.facts.ring, _less(places, form))
        return high - low

    return min(found, key=size)


def _less(a: Linear, b: Linear) -> Linear:
    return added(a, {monomial: -value for monomial, value in b.items()})


def _exactly(address: Poly, size: int, places: Linear, M: int, claimed: Multiple) -> int | None:
    """α less an address modulo its size, a power of two, where a word of V has V modulo that; None for another address.

    M·α is M·`places` less V.
    """
    if not claimed.words or M % 2 == 0:
        return None
    left = {monomial: -value for monomial, value in address.items()}
    for monomial, value in places.items():
        left[monomial] = left.get(monomial, 0) + int(value * M) * pow(M, -1, size)
    for atom, (power, factor) in claimed.words.items():
        if (atom,) in left and power % size == 0 and address.integral:
            left[atom,] -= pow(M * factor, -1, size)
            rest = {monomial: value % size for monomial, value in left.items() if value % size}
            return centred(rest.get((), 0), size) if not rest.keys() - {()} else None
    return None
