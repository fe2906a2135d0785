# SPDX-License-Identifier: Apache-2.0
"""The integer whose words a result on residues has: a sum, the operand itself, or a product that is reduced.

In a reduction, one part of the channels has words γ_b of its own; modulo b they are sums of the operands' product and
of words γ_i that are multiples of it modulo a_i. With M the product of the a_i, (v·V + Σ p·v_i·(M/a_i)·γ_i)/M + p·ρ is
an integer, as its numerator is a multiple of every a_i, and has the words γ_b as its scaled residues.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, prod

from .netlist import RefusedError
from .poly import Poly
from .residues import Form, Linear, Multiple, Residues, joined, linear

Hats = dict[int, tuple[int, int]]
"""Word and unit of the channels whose word of the result is a unit times a word of its own."""


def centred(v: int, m: int) -> int:
    """The number of least absolute value that is congruent."""
    v %= m
    return v - m if 2 * v > m else v


def prove_integer(r: Residues) -> int:
    """Prove the claim; the distance of α from the address."""
    r.find()
    p, factor = r.p, r.factor
    least, most = r.range_of_product()
    vectors = [*r.claim["operands"].values(), r.vector]
    ranges = {(v["least"], v["limit"]) for v in vectors}
    moduli = {k: m for k, (m, _, _) in enumerate(r.products)}
    if len(vectors) == 2 and len(ranges) == 1 and most - least < p:
        whole = r.form(r.forms, r.pairs)
        digits = r.digits_of(whole.weights)
        exact = {x[0]: (m, s) for m, x, s in r.products if m & (m - 1) == 0 and len(x) == 1}
        if p != prod(m for m, _ in r.pairs):
            raise RefusedError("the operand is not claimed modulo all moduli of the result")
        known = {k: moduli[k] for k in digits}
        return r.check(whole, Multiple(p, factor, least, most, digits, known, exact))
    hats = _hats(r)
    if not hats or len(hats) == len(r.forms):
        whole = r.form(r.forms, r.pairs)
        digits = r.digits_of(whole.weights)
        r.bound(whole, {atom for atom, _ in digits.values()})
        return r.check(whole, Multiple(p, factor, least, most, digits, moduli, {}))
    _reduce(r, hats)
    rest = [k for k in range(len(r.forms)) if k not in hats]
    pairs = [r.pairs[k] for k in rest]
    whole = r.form([r.forms[k] for k in rest], pairs)
    digits = {k: (atom, r.pairs[k][1] * pow(unit, -1, r.pairs[k][0])) for k, (atom, unit) in hats.items()}
    ends = int(r.vector["least"], 16), int(r.vector["limit"], 16) - 1
    known = {k: r.pairs[k][0] for k in hats}
    return r.check(whole, Multiple(prod(m for m, _ in pairs), 1, *ends, digits, known, {}))


def _hats(r: Residues) -> Hats:
    """Channels whose word is a unit times a word that no other such channel has."""
    found: Hats = {}
    for k, (p, (m, _)) in enumerate(zip(r.forms, r.pairs, strict=True)):
        if len(p[0]) != 1 or len(next(iter(p[0]))) != 1:
            continue
        (((atom,), unit),) = p[0].items()
        if atom in r.facts.values and gcd(unit, m) == 1 and atom not in [x for x, _ in found.values()]:
            found[k] = atom, unit
    return found


def _reduce(r: Residues, hats: Hats) -> None:
    """Check that the words of the hats are those of one integer, in its range and congruent."""
    weights: list[int] = []
    forms: list[Poly] = []
    pairs = [(r.pairs[k][0], r.pairs[k][1] * pow(unit, -1, r.pairs[k][0])) for k, (_, unit) in hats.items()]
    for k, (atom, _) in hats.items():
        m, monomial, scale = r.products[k]
        of = r.simpler(atom, m, frozenset())
        if of is None or m != r.pairs[k][0]:
            raise RefusedError("a word of the result is not a sum in its channel")
        weights.append(of[0].get(monomial, 0) * scale)
        forms.append(({x: v for x, v in of[0].items() if x != monomial}, 0))
    form, B = r.form(forms, pairs), prod(m for m, _ in pairs)
    constant = form.weights.pop((), 0)
    digits = r.digits_of(form.weights, hats)
    moduli = {atom: r.products[k][0] for k, (atom, _) in digits.items()}
    if {x[0] for x in form.weights} != set(moduli) or (constant and not form.tables):
        raise RefusedError("the words of a reduction are not multiples of the product, one a channel")
    M = prod(moduli.values())
    if gcd(r.p, M * B) != 1 or gcd(M, B) != 1:
        raise RefusedError("moduli are not co-prime to p or to each other")
    v = centred(joined(weights, pairs) * M, B)
    small = {atom: centred(form.weights[atom,] * a * pow(r.p, -1, B), B) for atom, a in moduli.items()}
    for atom, g in digits.values():
        a = moduli[atom]
        if (v + r.p * small[atom] * (M // a) * g) % a:
            raise RefusedError("the result of a reduction is not an integer")
    if (v - r.factor * M) % r.p:
        raise RefusedError("the result of a reduction is not congruent to the product")
    total: Linear = {(atom,): Fraction(r.p * small[atom], a) for atom, a in moduli.items()}
    rows = Form({}, {key: [centred((constant + x) * pow(r.p, -1, B), B) for x in t] for key, t in form.tables.items()})
    _range(r, total, rows, sorted(Fraction(v * end, M) for end in r.range_of_product()))


def _range(r: Residues, total: Linear, rows: Form, ends: list[Fraction]) -> None:
    """Check the range of a reduced integer, with the address of a table for its words where they are linear in it."""
    low, high = ends
    basis = {x[0] for x in total}
    for (terms, _, least, _), words in rows.tables.items():
        step = words[-1] - words[-2] if len(words) > 1 else 0
        if any(word != words[0] + k * step for k, word in enumerate(words)):
            low, high = low + r.p * min(words), high + r.p * max(words)
            continue
        for x, v in linear(r.facts.closed((dict(terms), 0), basis)).items():
            total[x] = total.get(x, Fraction(0)) + v * step * r.p
        low, high = (end + r.p * (words[0] - step * least) for end in (low, high))
    least, most = r.ends(total)
    r.check_range(low + least, high + most)
