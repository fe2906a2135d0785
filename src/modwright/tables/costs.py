# SPDX-License-Identifier: Apache-2.0
"""Costs of multiplications from counted operations, next to Table II of Djath, Bigou and Tisserand 2019."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..base.table import Table
from ..pages.datasheet import figure
from ..rns.costs import HYBRID_2, HYBRID_4, PRODUCT, spent

Claim = Callable[[int], Fraction]
"""A formula of the paper, of n."""

CLAIMED: dict[tuple[str, int, int], tuple[str, Claim]] = {
    (PRODUCT, 1, 0): ("2n² + 4n", lambda n: Fraction(2 * n * n + 4 * n)),
    (PRODUCT, 2, 2): ("3n²/2 + 6n", lambda n: Fraction(3 * n * n, 2) + 6 * n),
    (PRODUCT, 2, 4): ("5n²/4 + 6n", lambda n: Fraction(5 * n * n, 4) + 6 * n),
    (HYBRID_2, 1, 0): ("n² + 8n", lambda n: Fraction(n * n + 8 * n)),
    (HYBRID_2, 2, 2): ("3n²/4 + 10n", lambda n: Fraction(3 * n * n, 4) + 10 * n),
    (HYBRID_2, 2, 4): ("5n²/8 + 10n", lambda n: Fraction(5 * n * n, 8) + 10 * n),
    (HYBRID_4, 1, 0): ("n²/2 + 12n", lambda n: Fraction(n * n, 2) + 12 * n),
    (HYBRID_4, 2, 2): ("3n²/8 + 14n", lambda n: Fraction(3 * n * n, 8) + 14 * n),
    (HYBRID_4, 2, 4): ("5n²/16 + 14n", lambda n: Fraction(5 * n * n, 16) + 14 * n),
}
"""Table II as printed: by multiplication, columns and CMM/CMR (0: the cost does not depend on it)."""
SHOWN = (16, 32)


def table_two() -> Table:
    """The paper's Table II, and what was counted; lazily reduced sums have no claim in the paper."""
    headings = ("multiplication", "extension", "CMM/CMR", "the paper's claim, in CMM")
    each = tuple(f"n = {n}: {what}" for n in SHOWN for what in ("claimed", "counted", "counted, lazily reduced"))
    lines: list[Sequence[str]] = []
    for (what, columns, ratio), (formula, claim) in CLAIMED.items():
        for shown in (ratio,) if ratio else (2, 4):
            cells = [
                cell
                for n in SHOWN
                for cell in (
                    _number(claim(n)),
                    _number(spent(what, n, columns, shown)),
                    _number(spent(what, n, columns, shown, lazy=True)),
                )
            ]
            lines.append((what, "KBE" if columns == 1 else "HBE", str(shown), formula, *cells))
    words = {"multiplication", "extension", "the paper's claim, in CMM"}
    return Table.of((*headings, *each), lines, words)


def _number(value: Fraction) -> str:
    return figure(float(value), 0 if value.denominator == 1 else 2)
