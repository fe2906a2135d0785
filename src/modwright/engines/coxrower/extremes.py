# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a base extension: hats, the sum of the cox, h, and A where it is added.

Hats x̂_i of X have Σ x̂_i/a_i = h + X/A, so any wanted hats belong to some X in the range of A; Q has that
range, while S is below B by a factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...contract.quantities import Quantity, Values
from ...rns.extension import NONE, Extension

DRAWN = 200
"""Random operands among the candidates: at small widths they reach most ends."""


def values(name: str, extension: Extension, hats: tuple[int, ...], base: str) -> Values:
    """Observed values of the hats of a number, and of its cox."""
    found: dict[str, Sequence[int]] = {f"hats of {name}": hats}
    if extension.fed != NONE:
        cox = sum(extension.tops(hats), extension.offset)
        found |= {f"cox of {name}": (cox,), f"h of {name}": (cox >> extension.f,)}
        if not extension.offset:
            found[f"{base} added to {name}"] = (extension.value(hats) // extension.source.product,)
    return found


def quantities(name: str, extension: Extension, largest: int, base: str) -> tuple[Quantity, ...]:
    """Ranges of the values of `values`.

    Parameters
    ----------
    name : str
    extension : Extension
    largest : int
        Largest value of the number.
    base : str
        Name of the number's base.
    """
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
            f"Σ of the tops of what the cox is fed with, and 2^f·σ; f is {extension.f}",
            (extension.offset, possible) if narrower else None,
            reason if narrower else "",
        ),
        Quantity(f"h of {name}", 0, extension.largest_h, "rows of the table of multiples of the base's product"),
    ]
    if not extension.offset:
        rows.append(Quantity(f"{base} added to {name}", 0, 1, "with σ = 0, h may be one too small"))
    return tuple(rows)
