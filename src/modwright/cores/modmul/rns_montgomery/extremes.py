# SPDX-License-Identifier: Apache-2.0
"""Numbers inside base extensions and RNS Montgomery products: hats, what each cox adds, h, and A where it is added.

Hats x̂_i of X have Σ x̂_i/a_i = h + X/A, so a wish for all hats is met by an X of the whole range of A; Q has that
range, while S is below B by a factor.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ....contract import PayloadValue
from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....rns.extension import NONE, Extension
from ....rns.lattice import fixed, near
from ....schedule import Schedule
from .codec import ExtensionCodec, product_codec
from .model import ExtensionModel, MultiplierModel
from .parameters.extension import ExtensionParameters
from .parameters.multiplier import MultiplierParameters

DRAWN = 200
"""Random operands among the candidates: at small widths most ends are found so."""
SAMPLE = 2000
"""Products of a run that are observed: each takes about as long as the model's, some milliseconds where rows are
long."""


def extension_extremes(p: ExtensionParameters, schedule: Schedule) -> Extremes:
    """Extremes of a base extension."""
    model = ExtensionModel(p, schedule)

    def observe(operands: Operands) -> Values:
        return _values("X", p.extension, model.hats(operands), "A")

    return Extremes(_quantities("X", p.extension, p.limit - 1, "A"), observe, lambda: _of_extension(p))


def multiplier_extremes(p: MultiplierParameters, schedule: Schedule) -> Extremes:
    """Extremes of a multiplier: of Q, and of S where it is extended."""
    model = MultiplierModel(p, schedule)
    first, second = p.reduction.first, p.reduction.second

    def observe(operands: Operands) -> Values:
        q, s = model.hats(operands)
        back = {} if p.exact else _values("S", second, s, "B")
        return {**_values("Q", first, q, "A"), **back}

    rows = _quantities("Q", first, p.A.product - 1, "A")
    if not p.exact:
        rows += _quantities("S", second, p.bound - 1, "B")
    return Extremes(rows, observe, lambda: _of_multiplier(p), SAMPLE)


def _values(name: str, extension: Extension, hats: tuple[int, ...], base: str) -> Values:
    found: dict[str, Sequence[int]] = {f"hats of {name}": hats}
    if extension.fed != NONE:
        cox = sum(extension.tops(hats), extension.offset)
        found |= {f"cox of {name}": (cox,), f"h of {name}": (cox >> extension.f,)}
        if not extension.offset:
            found[f"{base} added to {name}"] = (extension.value(hats) // extension.source.product,)
    return found


def _quantities(name: str, extension: Extension, largest: int, base: str) -> tuple[Quantity, ...]:
    word = (1 << extension.width) - 1
    rows = [Quantity(f"hats of {name}", 0, word, "any representatives of w bits")]
    if extension.fed == NONE:
        return tuple(rows)
    most = sum(extension.tops(extension.largest_hats), extension.offset)
    whole = (extension.largest_h + Fraction(largest, extension.source.product)) * (1 << extension.f)
    possible = min(most, int(whole) + extension.offset)
    reason = f"Σ x̂_i/m_i = h + {name}/{base}, at most {float(whole / (1 << extension.f)):.4f}"
    narrower = possible < most and extension.offset > 0
    rows += [
        Quantity(
            f"cox of {name}",
            extension.offset,
            most,
            "Σ of the tops of what the cox is fed with, and 2^f·σ",
            (extension.offset, possible) if narrower else None,
            reason if narrower else "",
        ),
        Quantity(f"h of {name}", 0, extension.largest_h, "rows of the table of multiples of the base's product"),
    ]
    if not extension.offset:
        rows.append(Quantity(f"{base} added to {name}", 0, 1, "with σ = 0, h may be one too small"))
    return tuple(rows)


# --- operands


def _of_extension(p: ExtensionParameters) -> Iterator[Case]:
    """The edges; zero in its other representation; X of hats that are all alike, for each h."""
    yield from ExtensionCodec(p).edges().values()
    yield {PAYLOAD: {"x": p.A.moduli}}
    product = p.A.product
    ends = (p.least, p.limit - 1)
    for h in range(p.n + 1):
        for end in ends:
            share = (h + Fraction(end, product)) / p.n
            hats = [min(max(int(share * a), 0), a - 1) for a in p.A.moduli]
            x = sum(x * c for x, c in zip(hats, p.A.cofactors, strict=True)) - h * product
            if p.least <= x < p.limit:
                yield {"x": x}
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p.least, p.limit)}


def _of_multiplier(p: MultiplierParameters) -> Iterator[Case]:
    """The edges; 0 in its other representation; Q and S of hats that are all alike, by lattices; random ones."""
    codec = product_codec(p)
    for edge in codec.edges().values():
        yield codec.fit(edge)

    def stored(x: PayloadValue, y: PayloadValue) -> Case:
        zero = (0,) * (2 * p.n)
        rest = {name: zero for pair in p.pairs[1:] for name in pair}
        return {PAYLOAD: {"x": x, "y": y, **rest}}

    yield stored(p.base.moduli, codec.store(1))
    for x, y in (*_for_q(p), *_for_s(p)):
        yield stored(codec.store(x), codec.store(y))
    rng = random.Random(p.modulus)
    for _ in range(DRAWN):
        yield codec.fit({"x": rng.randrange(p.modulus), "y": rng.randrange(p.modulus)})


def _for_q(p: MultiplierParameters) -> Iterator[tuple[int, int]]:
    """x, y with hats of Q = -x·y/P modulo A near their ends, and all alike in between."""
    A = p.A
    x = next(x for x in range(p.bound - 1, 0, -1) if all(x % a for a in A.moduli))
    units = zip(A.inverses, p.reduction.minus_inverse, A.moduli, strict=True)
    factors = [x * t * k % a for t, k, a in units]
    for h in range(p.n + 1):
        share = Fraction(h, p.n)
        y = near(factors, A.moduli, p.bound, [min(int(share * a), a - 1) for a in A.moduli])
        if y is not None:
            yield x, y


def _for_s(p: MultiplierParameters) -> Iterator[tuple[int, int]]:
    """x, 1 with S = x/A modulo P: hats of 0 and of m - 1, and hats all alike, for each h."""
    B, P = p.B, p.modulus
    share = Fraction(P, 2 * B.product * p.n)  # of a middling S/B
    for goal in (0, -1):
        yield from ((s * p.A.product % P, 1) for s in fixed(B.inverses, B.moduli, P, goal))
    for h in range(p.n + 1):
        targets = [min(int((Fraction(h, p.n) + share) * b), b - 1) for b in B.moduli]
        s = near(B.inverses, B.moduli, P, targets)
        if s is not None:
            yield s * p.A.product % P, 1
