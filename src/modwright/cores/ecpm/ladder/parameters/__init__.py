# SPDX-License-Identifier: Apache-2.0
"""Widths of a point multiplier, and what makes it right.

The multipliers' own conditions make every product right (`engines.limb.parameters`); those here make its reduced
result an operand, the sums exact, and the inversion complete.
"""

from __future__ import annotations

from dataclasses import dataclass

from .....base.json import Constant
from .....contract import Inequality
from .....contract.request import Request
from .....contract.runtime_modulus import width_of
from .....engines.ladder.curve import CurveParameters, curve_of, unit_of
from .....engines.limb.units import R64
from .operands import WIDTH, EcpmOperands, order_bits_of


@dataclass(frozen=True)
class EcpmParameters(EcpmOperands, CurveParameters):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core, unit, macs, example
        See `CurveParameters`.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    blinding : bool
        Whether the first Z is multiplied by a number that comes in.
    """

    order_bits: int
    blinding: bool

    @property
    def lifts_scalar(self) -> bool:
        """Whether k' is k and a multiple of the order, two bits at a time in two registers, as next to the paper's
        multiplier; else a remainder modulo the order, in three registers and with a sum of all bits."""
        return self.unit.unit is R64

    # --- certificate

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Ranges of sums, of the inversion and of the scalar."""
        scalar = self.scalar_sums() if self.lifts_scalar else self.scalar_inequalities()
        return (*super().own_inequalities(), *scalar)

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {**super().own_description(), "order_bits": self.order_bits, "blinding": self.blinding}


def derive(request: Request) -> EcpmParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is not a Weierstrass curve.
    ParameterError
        For a modulus or an order that is too wide.
    """
    options, curve = request.options, curve_of(request, "weierstrass")
    p = unit_of(request, width_of(request, WIDTH))
    bits = order_bits_of(request, p.n, curve)
    return EcpmParameters(request.core, p, options.get("macs", 1), bits, options["blinding"], example=curve)
