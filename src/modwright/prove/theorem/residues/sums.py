# SPDX-License-Identifier: Apache-2.0
"""The integer whose residues are the words of a result, and its value: a sum of residues.

The words modulo their moduli are linear forms of words that all channels share. By the Chinese remainder theorem there
is one integer form Z for all channels. Where a word γ_k is congruent to g_k·X·Y modulo m_k, and e_k·g_k·M_k to 1 with
M_k = M/m_k, Σ e_k·M_k·γ_k = X·Y + α·M with an integer α, since it holds modulo each m_k. α less the address of the
table has an interval by fractions; if it contains one integer, the address determines α.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, prod

from ..decide import UndecidedError
from ..poly import Poly, Ring
from .channels import Channels, Form, Table, form_of
from .claim import ResidueClaim, Vector


@dataclass
class Digit:
    """A word γ that is congruent to g·X·Y modulo a modulus.

    Parameters
    ----------
    atom : int
    channel : int
        Channel of the operands.
    of : int
        g, for X and Y themselves.
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
    """

    constant: int
    words: dict[int, int]
    tables: dict[Table, list[int]]
    digits: list[Digit]
    index: int = 0


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


def digits_of(channels: Channels, atoms: Sequence[int], claim: ResidueClaim, inputs: Mapping[str, int]) -> list[Digit]:
    """Words that are congruent to a multiple of the product of operands modulo a channel's modulus.

    Parameters
    ----------
    channels : Channels
    atoms : sequence of int
    claim : ResidueClaim
    inputs : mapping of str to int
        Atom of each word of an operand, by name.
    """
    found: list[Digit] = []
    first = next(iter(claim.operands.values()))
    for atom in atoms:
        for k, m in enumerate(first.moduli):
            form = channels.reduced(atom, m, frozenset()) if atom in channels.facts.values else None
            product = tuple(sorted(inputs[f"{name}[{k}]"] for name in claim.operands))
            if form is not None and set(form.terms) == {product}:
                scale = prod(vector.scale[k] for vector in claim.operands.values())
                found.append(Digit(atom, k, form.terms[product] * scale % m))
                break
    return found


def sum_of(channels: Channels, words: Sequence[Poly], claim: ResidueClaim, inputs: Mapping[str, int]) -> Sum:
    """Prove the claim of a sum of residues.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    constant, factors, tables = joined(shared(channels, words, claim.vector), claim.vector)
    found = Sum(constant, factors, tables, digits_of(channels, sorted(factors), claim, inputs))
    _decide_bound(channels, found, claim.vector)
    _decide_class(channels, found, claim)
    return found


def ends_of(ring: Ring, terms: Mapping[tuple[int, ...], Fraction]) -> tuple[Fraction, Fraction]:
    """The interval of a polynomial with fractions."""
    low = high = Fraction(0)
    for monomial, value in terms.items():
        ends = [value * end for end in ring.range_of(monomial)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def fractions(p: Poly, factor: Fraction = Fraction(1)) -> dict[tuple[int, ...], Fraction]:
    """Coefficients as fractions, times a factor."""
    return {monomial: value * factor / (1 << p.shift) for monomial, value in p.items()}


def _decide_bound(channels: Channels, total: Sum, vector: Vector) -> None:
    """Decide 0 <= Z < limit: by the words of the form, or with words that are not digits written out."""
    facts = channels.facts
    digits = {digit.atom for digit in total.digits}
    form = Poly({m: v for m, v in {(): total.constant, **{(a,): v for a, v in total.words.items()}}.items() if v})
    ends = [ends_of(facts.ring, fractions(p)) for p in (form, facts.closed(form, digits))]
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    for rows in total.tables.values():
        low, high = low + min(rows), high + max(rows)
    if low < 0 or high >= vector.limit:
        raise UndecidedError(
            f"the integer of the result is between {int(low):#x} and {int(high):#x}, not below {vector.limit:#x}"
        )


def _decide_class(channels: Channels, total: Sum, claim: ResidueClaim) -> None:
    """Decide that Z is congruent to the product modulo p."""
    p, facts = claim.modulus, channels.facts
    first = next(iter(claim.operands.values()))
    M = prod(first.moduli)
    if sorted(digit.channel for digit in total.digits) != list(range(len(first.moduli))):
        raise UndecidedError(f"{len(total.digits)} words of the result's sum are multiples of X·Y, not one a channel")
    if len(total.tables) > 1:
        raise UndecidedError("the result has words of tables with several addresses")
    rest = {atom: value for atom, value in total.words.items() if atom not in {d.atom for d in total.digits}}
    wrong = [facts.ring.atoms[atom].name for atom, value in rest.items() if value % p]
    if wrong:
        raise UndecidedError(f"the factor of {wrong[0]} in the result is not a multiple of p")
    places: dict[tuple[int, ...], Fraction] = {}
    for digit in total.digits:
        m = first.moduli[digit.channel]
        if gcd(digit.of, m) != 1:
            raise UndecidedError(f"a word is not a multiple of X·Y modulo {m:#x} that has an inverse")
        e = centred(pow(digit.of * (M // m), -1, m), m)
        places[digit.atom,] = Fraction(e, m)
        if (total.words[digit.atom] - claim.factor * e * (M // m)) % p:
            raise UndecidedError(f"the weight of {facts.ring.atoms[digit.atom].name} is wrong modulo p")
    most = Fraction(prod(vector.limit - 1 for vector in claim.operands.values()), M)
    for row, place in _rows(channels, total, places, most):
        if (total.constant + row + claim.factor * place * M) % p:
            raise UndecidedError(f"the correction for α = {place} is wrong modulo p")


def _rows(
    channels: Channels, total: Sum, places: Mapping[tuple[int, ...], Fraction], most: Fraction
) -> list[tuple[int, int]]:
    """Words of the table, each with α; only those whose address α can have.

    α is `places` less a number between 0 and `most`. The address of b bits is congruent modulo 2^b to a polynomial;
    where α less that has one value, and all values of α less that are addresses, it is the address.
    """
    facts = channels.facts
    ((address, bits, least, _), rows), *_ = [*total.tables.items(), ((Poly(), 0, 0, 1), [0])]
    address = Poly({m: value for m, value in address.items() if value % (1 << bits)}, address.shift)
    difference = dict(places)
    for monomial, value in fractions(facts.closed(address, {d.atom for d in total.digits}), Fraction(-1)).items():
        difference[monomial] = difference.get(monomial, Fraction(0)) + value
    low, high = ends_of(facts.ring, difference)
    if -((most - low) // 1) != high // 1:
        raise UndecidedError(
            f"α less the address of its table is between {float(low - most):.4f} and {float(high):.4f}"
        )
    total.index = int(high // 1)
    low, high = ends_of(facts.ring, places)
    first, last = -int((most - low) // 1), int(high // 1)
    if first - total.index < least or last - total.index >= least + len(rows):
        raise UndecidedError(f"α is between {first} and {last}, and the table has {len(rows)} words")
    return [(rows[alpha - total.index - least], alpha) for alpha in range(first, last + 1)]
