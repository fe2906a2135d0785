# SPDX-License-Identifier: Apache-2.0
"""Constants of one unit of a channel modulo m = 2^w - u, or modulo 3 or 9."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, ModularSum, NothingOwed, Obligations, Payload
from ....contract.fixed_modulus import modulus_of
from ....contract.payload import unchecked
from ....contract.request import Request
from ....contract.roles import Operand, Result
from ....engines.coxrower.arithmetic import SumFold, SumReduction
from ....engines.coxrower.obligations import rower_folds
from ....plan.tiling import Tiling
from ....rns import FoldPlan

MULTIPLIER, ROWER, ADDER, REDUCTION, SMALL = "multiplier", "rower-multiplier", "adder", "reduction", "mod3"
"""Kinds of unit: the product of the sum of residues, that of a rower, a sum, a reduction of 2w + 1 bits, a small
residue."""

WIDEST = 72
"""Bits of the widest channel, as `rns.base` has it."""
SMALL_MODULI = (3, 9)
"""Moduli for which 2^6 ≡ 1, so that digits of six bits are added."""


@dataclass(frozen=True)
class UnitParameters:
    """Constants of one unit.

    Parameters
    ----------
    kind : str
        One of `MULTIPLIER`, `ROWER`, `ADDER`, `REDUCTION` and `SMALL`.
    modulus : int
        m.
    width : int
        Bits w of m; for a small residue, of the operand.
    latency : int
        Cycles L of the product; for a reduction, registers behind its operand's, plus 1.
    target : str
        Device family of the multiplier blocks.
    """

    kind: str
    modulus: int
    width: int
    latency: int
    target: str

    @property
    def u(self) -> int:
        """Constant u = 2^w - m."""
        return (1 << self.width) - self.modulus

    @property
    def operand_limit(self) -> int:
        """Exclusive limit of x: canonical for a sum, any representative of w bits, or 2w + 1 bits of a reduction."""
        if self.kind == ADDER:
            return self.modulus
        return 1 << (2 * self.width + 1 if self.kind == REDUCTION else self.width)

    @property
    def most(self) -> int:
        """Largest number that is reduced: a product, a sum, or x."""
        largest = self.operand_limit - 1
        if self.kind == ADDER:
            return 2 * largest
        return largest * largest if self.product else largest

    @property
    def bound(self) -> int:
        """Largest number that the reduction covers; from a sum, m is subtracted once."""
        return 2 * self.modulus - 1 if self.kind == ADDER else self.most

    @property
    def product(self) -> bool:
        """Whether the unit multiplies."""
        return self.kind in (MULTIPLIER, ROWER)

    @property
    def tiling(self) -> Tiling:
        """The multiplier; a rower's leaves two rows to its accumulator."""
        return Tiling(self.width, self.width, self.target, open_rows=2 if self.kind == ROWER else 1)

    @cached_property
    def plan(self) -> FoldPlan:
        """The folds of a product or of a number to reduce."""
        return FoldPlan(self.width, self.u, self.bound)

    @cached_property
    def sum_plan(self) -> SumReduction:
        """The folds of a rower."""
        return SumReduction(SumFold(self.width, self.u, self.bound, 0))

    def reduce(self, x: int) -> int:
        """The representative that the hardware computes."""
        if self.kind == ROWER:
            return self.sum_plan.apply(x)
        if self.kind == ADDER:
            return x - self.modulus if x >= self.modulus else x
        return x % self.modulus if self.kind == SMALL else self.plan.canonical(x)

    def combine(self, x: int, y: int, t: int) -> int:
        """The number that is reduced."""
        return x * y if self.product else x + t

    def obligations(self) -> Obligations:
        """The folds of the unit, or the sum."""
        if self.kind == ADDER:
            return (ModularSum(self.width, self.u),)
        if self.kind == ROWER:
            return tuple(rower_folds([self.sum_plan], self.sum_plan.stages))
        if self.kind == SMALL:
            return (NothingOwed("digits of six bits are added, and a table has the residue; no number is folded"),)
        return (self.plan.obligation,)

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate that the reduction covers every number that can occur."""
        rule = {ADDER: "2(m-1) < 2m", REDUCTION: "2^(2w+1) - 1 <= bound", SMALL: "2^w - 1 <= bound"}
        text = rule.get(self.kind, "(2^w - 1)² <= bound")
        return Certificate((Inequality("range", text, self.most, "<=", self.bound, "the result is in its class"),))

    @cached_property
    def i(self) -> Payload:
        """Operands of the unit."""
        names = "xy" if self.product else "xt" if self.kind == ADDER else "x"
        limit, width = self.operand_limit, (self.operand_limit - 1).bit_length()
        roles = [Operand(name, limit=limit) for name in names]
        return Payload(tuple(Field(r.name, width, bound=limit, role=r) for r in roles))

    @cached_property
    def o(self) -> Payload:
        """Result of the unit: canonical, or any representative of w bits from a rower."""
        limit = 1 << self.width if self.kind == ROWER else self.modulus
        words = "any representative" if self.kind == ROWER else "canonical"
        role = Result("z", limit=limit)
        return Payload((Field("z", (limit - 1).bit_length(), bound=limit, role=role, more=words), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        folds = {} if self.kind in (ADDER, SMALL) else {"folds": len(self.plan.folds)}
        tiles = {"tiles": len(self.tiling.tiles)} if self.product else {}
        own = {} if self.kind == SMALL else {"u": self.u}
        return {"modulus": self.modulus, "channel_bits": self.width, **own, "input_bound": self.bound, **folds, **tiles}


def derive(request: Request, kind: str) -> UnitParameters:
    """Parameters of a request.

    Raises
    ------
    UsageError
        Without a modulus.
    ParameterError
        For a modulus that is not 2^w - u with u below 2^(w-1), or wider than a channel or an operand.
    """
    m, options = modulus_of(request), request.options
    if kind == SMALL:
        if m not in SMALL_MODULI:
            raise ParameterError(
                f"{request.core} modulo {m}", rule="m = 3 or m = 9", left=m, right=9, hint="--modulus 3"
            )
        width = options["width"]
        if m >= 1 << width:
            hint = f"width={m.bit_length()} or more"
            raise ParameterError(f"{width} bits modulo {m}", rule="m < 2^w", left=m, right=1 << width, hint=hint)
        return UnitParameters(kind, m, width, 1, request.target)
    width = m.bit_length()
    if width > WIDEST or width < 2:
        raise ParameterError(
            f"a channel modulo a number of {width} bits", rule=f"2 <= w <= {WIDEST}", left=width, right=WIDEST
        )
    return UnitParameters(kind, m, width, options.get("latency", 1), request.target)
