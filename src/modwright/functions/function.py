# SPDX-License-Identifier: Apache-2.0
"""Description of a function that cores compute: operands, results, plain evaluation, cases, C prototype and tables.

A case is a mapping of operand names to integers. It may carry its own `modulus` (and `a`, `b` of a curve), for
cores that take them as operands; else they come from the modulus or curve that is passed with the case. Where a
function has no result, `evaluate` gives ``{"error": name}``, as a codec's `decode` does. Where an operand is not
reduced, it gives the results for its residue and the error: a core may refuse such operands or work on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..base.errors import UsageError
from ..catalog import Curve, Modulus
from ..contract.roles import Errors

Coordinate = int | None
"""None in the point at infinity."""
Case = Mapping[str, Any]
"""Operands by name, a `Coordinate` each; or fields of an input payload under the key `operands.PAYLOAD`."""
Operands = Mapping[str, Coordinate]
"""A case as a function makes it."""
Domain = Modulus | Curve | None
"""None where every case carries its own modulus."""
Results = dict[str, int | str]
"""Results by name; `error` and `infinity` next to them or in their place."""


@dataclass(frozen=True)
class MeasuredTable:
    """Contents of the table of a function's measured cores.

    Parameters
    ----------
    name : str
        Name in the documents (``<!-- table: NAME -->``); empty for that of the function.
    targets : tuple of str
        Families whose rows are shown.
    columns : tuple of str
        Names of `tables.measured.CELLS`, in order.
    headings : mapping of str to str
        Headings of columns that are not their names.
    order : tuple of str
        Sort keys of the rows: `bits`, `modulus`, `target`, `function`, `cycles` or `core`.
    placed : bool
        Whether rows without place and route are left out.
    baseline : str
        Core, without its function, to which `better by` and `LUT over baseline` refer.
    reference : str
        Core of another function that is shown as well, for the moduli of this function's rows.
    reference_options : mapping of str to int
        Options that a row of the reference must have.
    reference_does : str
        Operation to which the figures of the reference belong.
    """

    name: str = ""
    targets: tuple[str, ...] = ("ecp5", "xc7")
    columns: tuple[str, ...] = (
        "bits", "modulus", "core", "target", "cycles", "interval", "Fmax, MHz", "ns", "LUT", "FF", "DSP",
        "constant latency",
    )  # fmt: skip
    headings: Mapping[str, str] = field(default_factory=dict[str, str])
    order: tuple[str, ...] = ("bits", "target", "cycles", "core")
    placed: bool = False
    baseline: str = ""
    reference: str = ""
    reference_options: Mapping[str, int] = field(default_factory=dict[str, int])
    reference_does: str = "one operation"


@dataclass(frozen=True)
class Operation:
    """One of several operations of a function.

    Parameters
    ----------
    code : int
        Value of the operand `op`.
    operands : tuple of str
        Operands that the operation reads.
    results : mapping of str to str
        Names of results in a file, and in the results of `evaluate`; the others are 0.
    optional : tuple of str
        Operands that a case may leave out, which makes them 0.
    """

    code: int
    operands: tuple[str, ...]
    results: Mapping[str, str]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """One function over a modulus or a curve.

    Parameters
    ----------
    name : str
        The part of a core's name before the slash.
    formula : str
        The function in one line, with the names of operands and results: the relation that a vector file states.
    operands, results : tuple of str
        Names in a case, and in the results of `evaluate`.
    evaluate : callable
        ``evaluate(case, domain)`` gives the results, fully reduced, or `error`, or both (see above); a point at
        infinity is ``{"infinity": True}``.
    random : callable
        ``random(rng, modulus, curve)`` gives a case without error; long runs of equal bits and values near the
        ends of the range are drawn more often than a uniform choice would.
    edges : callable
        ``edges(modulus, curve)`` gives named cases without error.
    register_code : int
        FUNCTION.CODE of the registers; never used again for another function.
    scalars : frozenset of str
        Operands that are not numbers modulo M, and may be longer.
    points : tuple of (str, str)
        Pairs of operands or results that are the coordinates of a point, and absent together at infinity.
    curve_form : str
        Form of the curve that a case belongs to, as in `Curve.form`, whose constants are operands; empty where a case
        belongs to a modulus alone.
    prime_order : bool
        Whether every point of the curve is a multiple of its base point.
    constants : mapping of str to callable
        Constants of the curve that a core with a runtime modulus has as operands, each as a function of the curve.
    products : tuple of tuple of str
        The function as a sum of products of operands modulo M; empty where it is none. Theorems are stated with it.
    c_prototype : str or None
        Declarations in the driver, None for a function that the driver does not offer.
    c_built_in : tuple of str
        Operands that a core may have built in, all of them with the curve: the driver has a call without them.
    table : MeasuredTable
        The table of its measured cores.
    crossed : bool
        Whether operand values of different edges can be combined into another case; else they belong together.
    operations : mapping of str to Operation
        Operations by name, where the operand `op` selects one; else empty.
    shorter : mapping of tuple of str to str
        The formula of cores that have these operands only, as `formula`.
    """

    name: str
    formula: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    evaluate: Callable[[Case, Domain], Results]
    random: Callable[[Random, Modulus | None, Curve | None], Operands]
    edges: Callable[[Modulus | None, Curve | None], dict[str, Operands]]
    register_code: int
    scalars: frozenset[str] = frozenset()
    points: tuple[tuple[str, str], ...] = ()
    curve_form: str = ""
    prime_order: bool = False
    constants: Mapping[str, Callable[[Curve], int]] = field(default_factory=dict[str, Callable[[Curve], int]])
    products: tuple[tuple[str, ...], ...] = ()
    c_prototype: str | None = None
    c_built_in: tuple[str, ...] = ()
    table: MeasuredTable = MeasuredTable()
    crossed: bool = True
    operations: Mapping[str, Operation] = field(default_factory=dict[str, Operation])
    shorter: Mapping[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])

    @property
    def over_curve(self) -> bool:
        """Whether a case belongs to a curve, and not to a modulus alone."""
        return bool(self.curve_form)

    def curve_constants(self, curve: Curve) -> dict[str, int]:
        """The constants of one curve."""
        return {name: value(curve) for name, value in self.constants.items()}

    @property
    def is_product(self) -> bool:
        """Whether the function is one product of two operands, by which representations can be converted."""
        return [len(product) for product in self.products] == [2]

    @property
    def c_operands(self) -> tuple[str, ...] | None:
        """Operands by their number in `struct mw_field`, None for a function that the driver does not offer."""
        return None if self.c_prototype is None else (*self.operands, *self.constants)

    @property
    def reduced(self) -> tuple[str, ...]:
        """Operands and results that are below the modulus in a case; no results where operations differ in them."""
        results = () if self.operations else self.results
        return tuple(name for name in (*self.operands, *results) if name not in self.scalars)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Operands that are coordinates of a point; None in a case means the point at infinity."""
        return tuple(name for pair in self.points for name in pair if name in self.operands)


def modulus_of(case: Case, domain: Domain) -> int:
    """The modulus of a case: its own, else that of the domain."""
    if own := case.get("modulus"):
        return own
    return domain.p if isinstance(domain, Curve) else value_of(domain)


def value_of(modulus: Modulus | None) -> int:
    """Value of a modulus; UsageError for None."""
    if modulus is None:
        raise UsageError("this function needs a modulus")
    return modulus.value


def unless_reduced(m: int, *values: int) -> Results:
    """The error of operands that are not below the modulus; empty for others."""
    return {} if max(values) < m else {"error": Errors.NOT_REDUCED}
