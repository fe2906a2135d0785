# SPDX-License-Identifier: Apache-2.0
"""Payloads of a limb unit behind streams; widths and bounds are those of the unit (`engines.limb.parameters`)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Payload
from ....contract.request import Request
from ....contract.roles import Modulus, Montgomery, Multiple, NegInverse, Operand, Power, Result
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, error_field, width_of
from ....engines.limb.parameters import UnitParameters, derive_unit
from ....engines.limb.units import PRODUCT, SUM, Unit, unit_of


@dataclass(frozen=True)
class LimbParameters(UnitParameters):
    """Every constant of one core.

    Parameters
    ----------
    example : int or None
        Modulus for edge cases; the hardware does not depend on it.
    kind : str
        Operation of the core, one of `units.KINDS`.
    chained : bool
        Whether operands may be results: both are below D·m for D = `domain`, and limbs have more bits. For products
        only.
    """

    example: int | None = None
    kind: str = PRODUCT
    chained: bool = False

    @property
    def domain(self) -> int:
        """Factor D, a power of two: operands are below D·m."""
        return 1 << self.shift

    @cached_property
    def shift(self) -> int:
        """Bits of D after the first: results are below 2m, those of units that fold below 3m."""
        return domain_shift(self.unit) if self.chained else 0

    @property
    def operand_bits(self) -> int:
        """Bits of an operand."""
        return self.n + self.shift

    @property
    def limit(self) -> int:
        """Factor k of the exclusive bound k·m of the result."""
        return self.domain if self.chained else self.multiple(self.kind)

    @cached_property
    def z_bits(self) -> int:
        """Bits of the result."""
        return self.operand_bits if self.chained else self.result_bits

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """Names of the operands of the stream core's kind."""
        return ("x", "y", "x2", "y2") if self.kind == SUM else ("x", "y")

    # --- payloads

    @property
    def _bound(self) -> str:
        return f"{self.domain}m" if self.chained else "m"

    @cached_property
    def i(self) -> Payload:
        """Operands in the Montgomery domain, the modulus, and constants that follow from it."""
        limit = Multiple(1 << self.shift)
        fields = [
            Field(
                name,
                self.operand_bits,
                role=Operand(name, Montgomery(self.T), limit),
                more=f"else error {OUT_OF_RANGE}",
            )
            for name in self.operands
        ]
        fields.append(Field("m", self.n, role=Modulus(), more=f"else error {BAD_MODULUS}"))
        fields.append(Field("q", self.w, role=NegInverse(self.w)))
        if self.unit.folds:
            fields.append(Field("mu", self.n, role=Power(-self.w)))
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The result, and its modulus."""
        formula = "x·y + x2·y2" if self.kind == SUM else "x·y"
        role = Result("z", Montgomery(self.T), Multiple(self.limit), formula)
        return Payload(
            (
                Field("z", self.z_bits, role=role),
                Field("modulus", self.n, role=Modulus(), more="as it came in"),
                error_field("m is even or below 3", f"an operand is not below {self._bound}"),
            )
        )

    @cached_property
    def certificate(self) -> Certificate:
        """Conditions of the unit, and of results that are operands."""
        own = super().certificate.inequalities
        if not self.chained:
            return Certificate(own)
        D, k = self.domain, self.multiple(PRODUCT) - 1
        return Certificate(
            (
                *own,
                Inequality(
                    "chain",
                    "D²·2^n <= (D - k)·2^(ws)",
                    D * D << self.n,
                    "<=",
                    (D - k) << self.T,
                    f"x·y / R <= (D - k)·m for x, y < D·m, D = {D}, and k = {k} multiples of m are added: z < D·m",
                ),
            )
        )

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        own = {"domain": self.domain} if self.chained else {}
        return super().describe() | {"result_multiple": self.limit} | own


def domain_shift(unit: Unit) -> int:
    """Bits of D after the first: D is the least power of two above the k multiples of m that are added."""
    return 2 if unit.folds else 1


def spare_bits(unit: Unit) -> int:
    """Bits of R beyond those of m with which results are operands: D² / (D - k) is 4, or 8."""
    return 3 if unit.folds else 2


def derive(request: Request) -> LimbParameters:
    """Parameters for the modulus, or for the width, of a request.

    Raises
    ------
    UsageError
        When the request has neither a modulus nor `bits`.
    ParameterError
        For a modulus that is wider than `bits`, for too many limbs, and for more multipliers than can work at once.
    """
    options = request.options
    chained = options.get("chained", False)
    unit = derive_unit(
        request.core,
        width_of(request, 256),
        options["limb"],
        request.target,
        spare=spare_bits(unit_of(request.core)) if chained else 0,
        registers=options.get("registers", 0),
        macs=options.get("macs", 1),
    )
    constants = {field.name: getattr(unit, field.name) for field in fields(unit)}
    example = None if request.modulus is None else request.modulus.value
    return LimbParameters(**constants, example=example, chained=chained)
