# SPDX-License-Identifier: Apache-2.0
"""Constants of a comb over the multiples of a base point, and what makes it right: the arithmetic's conditions
(`engines.ladder`), and a look-up that ends before its step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....catalog import Curve, curves
from ....contract import Field, Inequality, Payload
from ....contract.fixed_modulus import prime_of
from ....contract.request import Request
from ....contract.roles import ErrorCode, Result, Scalar
from ....engines.ladder.control import machine_of, unit_schedules
from ....engines.ladder.curve import SMALLEST_MODULUS, curve_of, unit_of
from ....engines.ladder.parameters import CoreParameters, values_of
from ....engines.ladder.placement import least_period
from ....functions.curves import SMALL_FIELD
from ....functions.edmul import small_curve
from .plan.formulas import step
from .plan.table import FIELDS, words_of

MOST_TEETH = 8
"""Most bits of a column: a table of 1,024 words."""
ROM_CYCLES = 2
"""Cycles from an address of the table to its word."""
FETCH = ROM_CYCLES + 1
"""Cycles from an address of the table to the register that has its word."""
OTHER = "edmul/double-add takes any curve and point, at run time"


@dataclass(frozen=True)
class CombParameters(CoreParameters):
    """Every constant of one multiplier of a base point.

    Parameters
    ----------
    core, unit, macs
        See `FieldParameters`.
    curve : Curve
        The curve and its base point.
    teeth : int
        v, bits of the scalar in a step.
    target : str
        Device family.
    """

    reduces_sums = False

    curve: Curve
    teeth: int
    target: str

    @property
    def modulus(self) -> int:
        """The prime of the curve."""
        return self.curve.p

    @property
    def columns(self) -> int:
        """c, steps: columns of the scalar's bits in v rows."""
        return -(-self.n // self.teeth)

    @property
    def one(self) -> int:
        """1 in the Montgomery domain."""
        return (1 << self.T) % self.modulus

    @cached_property
    def table(self) -> tuple[int, ...]:
        """Words of the table, in the Montgomery domain: four a point."""
        return words_of(self.curve, self.teeth, self.columns, self.one)

    @property
    def constants(self) -> dict[str, int]:
        """-1/m and 2^-w mod m, of which the multipliers take those that they need."""
        return values_of(self.constants_of_modulus, self.modulus)

    @property
    def look_up(self) -> int:
        """Cycles of a look-up, which reads the whole table."""
        return (len(FIELDS) << self.teeth) + FETCH

    @cached_property
    def least_step(self) -> int:
        """Least cycles of a step: those of its products, or of what they read."""
        return least_period(step(), machine_of(self, unit_schedules(self)))

    # --- certificate

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Inequalities of the arithmetic, and the cycles of a look-up."""
        look_up = Inequality(
            "look-up",
            "4·2^v + 3 <= cycles of the products of a step",
            self.look_up,
            "<=",
            self.least_step,
            "the point of a step is read from the table during the step before it",
            "a step takes a few cycles more than its products: the table may be as much longer",
        )
        return (*super().own_inequalities(), look_up)

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A scalar."""
        return Payload((Field("k", self.n, role=Scalar("k"), more="the scalar, any value"),))

    @cached_property
    def o(self) -> Payload:
        """The multiple of the base point."""
        return Payload(
            (
                Field("x", self.n, bound=self.modulus, role=Result("rx")),
                Field("y", self.n, bound=self.modulus, role=Result("ry")),
                Field("error", 1, bound=1, role=ErrorCode({})),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        c = self.curve
        return {
            "modulus": self.modulus,
            "bits": self.n,
            "macs": self.macs,
            "iterations": self.iterations,
            "coefficients": [c.a, c.b],
            "base_point": [c.gx, c.gy],
            "teeth": self.teeth,
            "table_words": len(self.table),
        }


def derive(request: Request) -> CombParameters:
    """Parameters for an Edwards curve of the catalog, or for a prime of few bits, which has a curve of its own.

    Raises
    ------
    UsageError
        Without a curve, or for one of another form.
    ParameterError
        For a number that is not a prime, and for a table that is not read in time.
    """
    curve = _curve_of(request)
    unit, macs, teeth = unit_of(request, curve.p.bit_length()), request.options["macs"], request.options["teeth"]
    made = [
        CombParameters(request.core, unit, macs, curve, count, request.target)
        for count in ([teeth] if teeth else range(1, MOST_TEETH + 1))
    ]
    fitting = [p for p in made if p.look_up <= p.least_step]
    if fitting:
        return fitting[-1]
    p, fewer = made[0], "fewer teeth, or macs=1" if macs > 1 else "fewer teeth"
    raise ParameterError(
        f"{request.core}: a table of {len(FIELDS) << p.teeth} words is not read within a step",
        rule="4·2^teeth + 3 <= cycles of the products of a step",
        left=p.look_up,
        right=p.least_step,
        hint=fewer if teeth else OTHER,
    )


def _curve_of(request: Request) -> Curve:
    """The curve of a request, or that of a small prime."""
    curve = curve_of(request, "edwards")
    if curve is not None:
        return curve
    p = prime_of(request, SMALLEST_MODULUS, OTHER)
    if p >= SMALL_FIELD:
        known = ", ".join(curve.name for curve in curves() if curve.form == "edwards")
        raise UsageError(f"{request.core} needs a curve, whose base point is built in", f"{known}; {OTHER}")
    return small_curve(p)
