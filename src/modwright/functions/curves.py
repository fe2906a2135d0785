# SPDX-License-Identifier: Apache-2.0
"""Common parts of functions over curves: the curve of a request by its form, and the table of their measured cores."""

from __future__ import annotations

from ..base.errors import UsageError
from ..catalog import Curve, curves
from .function import Domain, MeasuredTable

SMALL_FIELD = 1 << 10
"""Bound of p below which the points of a curve are enumerated, so that a random curve and point can be drawn."""

TABLE = MeasuredTable(
    columns=(
        "bits", "modulus", "core", "target", "cycles", "Fmax, MHz", "ms", "LUT", "FF", "DSP", "BRAM",
        "constant latency",
    ),
    order=("bits", "target", "cycles"),
    placed=True,
)  # fmt: skip
"""The table of a function whose cores take many products for an operation."""


def curve_of_form(domain: Domain, form: str, what: str) -> Curve:
    """The curve that a case belongs to.

    Raises
    ------
    UsageError
        Without a curve, which `what` needs, or for one of another form.
    """
    known = ", ".join(curve.name for curve in curves() if curve.form == form)
    if not isinstance(domain, Curve):
        raise UsageError(f"{what} needs a curve", known)
    if domain.form != form:
        raise UsageError(f"{domain.name} is of the {domain.form} form", f"{what}: {known}")
    return domain
