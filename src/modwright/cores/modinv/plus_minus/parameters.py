# SPDX-License-Identifier: Apache-2.0
"""Constants of plus-minus inversion in residues (Bigou and Tisserand 2016, corrected), for every class of P modulo 12.

Values are held as X + κP. With κ = 12, as in the paper (C0 = 12P), they are positive; with κ = 0 the cox rounds. The
term (D-1)·C1/D of the paper, and ∓C1 of a plus-minus step, are multiples of P/D and join f: for (X + s·Y + f·P)/D the
coefficient of P/D is f + κ·(D - 1 - s).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import gcd
from typing import Any

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Payload, certified
from ....contract.request import Request
from ....contract.roles import Blind, Operand
from ....engines.coxrower.options import local_of
from ....engines.inversion.engine import InversionEngine, find_bounded_base, hats_of
from ....engines.inversion.inverter import InverterParameters
from ....engines.plus_minus import BMI, BTMI, FUSED, Kind, Rules

V3, U3, V1, U1 = range(4)
"""Logical registers of a rower; V and U are exchanged by renaming."""


@dataclass(frozen=True, kw_only=True)
class PassParameters(InverterParameters):
    """Every constant of one inverter.

    Parameters
    ----------
    kind : Kind
        Divisors of a pass.
    kappa : int
        κ, 0 or a multiple of the moduli of small residues.
    blind : bool
        V1 starts from a second operand, r.
    modulus, base
        P, co-prime to 6, and moduli that are; the others as in `InverterParameters`.
    """

    kind: Kind
    kappa: int
    blind: bool

    @property
    def bound(self) -> int:
        """Exclusive bound of the result, and of the operand."""
        return 2 * self.modulus

    @cached_property
    def rules(self) -> Rules:
        """The rules of a pass."""
        return Rules(self.kind, self.modulus, self.modulus.bit_length(), self.kappa, self.local)

    @property
    def cuts(self) -> int:
        """Registers that cut the residues modulo 3 and 9 and the decision from them."""
        return self.rules.cuts

    @cached_property
    def most_passes(self) -> int:
        """Bound of the number of passes."""
        return self.rules.most_passes

    @cached_property
    def engine(self) -> InversionEngine:
        """Rowers and cox. `D` stands for 1/D in the constants, first all of 1/D, then all of -1/D, then of P/D."""
        P, base, kappa = self.modulus, self.base, self.kappa

        def everywhere(of: Any) -> tuple[int, ...]:
            return tuple(of(m) % m for m in base.moduli)

        def hat_over(m: int, hat: int, divisor: int) -> int:
            return hat * pow(divisor, -1, m)

        constants: dict[str, tuple[int, ...]] = {"to hats": base.inverses}
        for divisor in self.kind.divisors:
            constants[f"1/{divisor}"] = everywhere(lambda m, d=divisor: pow(d, -1, m))
        for divisor in self.kind.divisors:
            constants[f"-1/{divisor}"] = everywhere(lambda m, d=divisor: -pow(d, -1, m))
        hats = hats_of(base, P)
        for divisor in self.kind.divisors:
            constants[f"P/{divisor}"] = tuple(
                hat_over(m, h, divisor) % m for h, m in zip(hats, base.moduli, strict=True)
            )
        factors = list(zip(base.cofactors, base.moduli, strict=True))
        constants |= {
            "0": (0,) * base.count,
            "1": (1,) * base.count,
            "κP": hats_of(base, kappa * P),
            "P + κP": hats_of(base, (1 + kappa) * P),
            "1 + κP": hats_of(base, 1 + kappa * P),
            "from hats": tuple(c % m for c, m in factors),
            "minus from hats": tuple(-c % m for c, m in factors),
            "P - κP": everywhere(lambda m: (1 - kappa) * P),
            "P + κP plain": everywhere(lambda m: (1 + kappa) * P),
        }
        return InversionEngine(
            base=base,
            constants=tuple(constants.items()),
            registers=4,
            products=3,
            least=(kappa - 2) * P,
            most=(kappa + 2) * P,
            top_bits=self.top_bits,
            coefficient=self.rules.coefficient,
            target=self.target,
            latency=self.latency + int(self.local),
            local=self.local,
        )

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make every result right."""
        P, kind, bits = self.modulus, self.kind, self.modulus.bit_length()
        shared = 6 if kind.threes else 2
        least = min(kind.divisors)
        plus = min(d for d in kind.divisors if d % (6 if kind.threes else 4) == 0)
        return Certificate(
            (
                *self.engine.inequalities(),
                Inequality(
                    "class", f"gcd(P, {shared}) = 1", gcd(P, shared), "=", 1, "V3 + s·U3 is divisible, or never"
                ),
                Inequality(
                    "base",
                    f"gcd(M, {shared}) = 1",
                    gcd(self.base.product, shared),
                    "=",
                    1,
                    "D has an inverse modulo every m_i",
                ),
                Inequality(
                    "small",
                    "κ mod 2^a·3^b = 0",
                    self.kappa % kind.small,
                    "=",
                    0,
                    "small residues of X + κP are those of X",
                ),
                Inequality(
                    "result",
                    "2P <= M",
                    2 * P,
                    "<=",
                    self.base.product,
                    "residues hold the result",
                    "cox-high implies it: (κ+2)·P < M/2",
                ),
                Inequality(
                    "range-divide",
                    "P + D/2·P <= D·P for the least D",
                    (2 + least) * P,
                    "<=",
                    2 * least * P,
                    "|V1| <= P is kept by a division",
                    "it holds for every D from 2 on, so no parameters can break it",
                ),
                Inequality(
                    "range-plus-minus",
                    "2P + D/2·P <= D·P for the least D of a plus-minus step",
                    (4 + plus) * P,
                    "<=",
                    2 * plus * P,
                    "|V1| <= P is kept by V1 ± U1",
                    "it holds for every D from 4 on, so no parameters can break it",
                ),
                Inequality(
                    "passes",
                    "least gain of all passes before the last > 4·bits + 2",
                    kind.least_gain * (self.most_passes // 2) + (2 if self.most_passes % 2 else 0),
                    ">",
                    4 * bits + 2,
                    "then |V3| < 2 or |U3| < 1: V3 is 0 or ±1",
                    "every pass counts with its least gain; the passes of an operand end by V3, not by their number",
                ),
            )
        )

    @cached_property
    def i(self) -> Payload:
        """The operand, and r where V1 starts from it."""
        role = Operand("a", self.engine.domain, 2 * self.modulus)
        if not self.blind:
            return Payload((Field("a", self.width, self.n, role=role),))
        r = Blind("r", self.engine.domain)
        return Payload(
            (
                Field("a", self.width, self.n, role=role, more="times r"),
                Field("r", self.width, self.n, role=r, more="r mod m_i, in the order of the base; co-prime to M"),
            )
        )

    def own_description(self) -> Mapping[str, Constant]:
        """Constants in addition to those of the engine."""
        return {
            "divisors": self.kind.divisors,
            "offset": self.kappa,
            "most_passes": self.most_passes,
        }


def _derive(request: Request, kind: Kind, kappa: int) -> PassParameters:
    """Parameters with the fewest moduli.

    Raises
    ------
    ParameterError
        When P shares a factor with the divisors, or no base fits the width.
    """
    options, P = request.options, request.fixed_modulus()
    divisors = 6 if kind.threes else 2
    if gcd(P, divisors) > 1:
        raise ParameterError(
            f"{request.core} divides by 2{' and 3' if kind.threes else ''} modulo P = {P:#x}",
            rule=f"gcd(P, {divisors}) = 1",
            left=gcd(P, divisors),
            right=1,
            hint="modinv/rns-divstep takes every odd P",
        )
    base, top_bits = find_bounded_base(options["width"], (kappa - 2) * P, (kappa + 2) * P, coprime_to=6)
    found = PassParameters(
        kind=kind,
        modulus=P,
        kappa=kappa,
        blind=options["blind"],
        base=base,
        top_bits=top_bits,
        target=request.target,
        latency=options["latency"],
        local=local_of(request),
    )
    return certified(found, request.core)


derive_bmi = partial(_derive, kind=BMI, kappa=12)
derive_btmi = partial(_derive, kind=BTMI, kappa=12)
derive_fused = partial(_derive, kind=FUSED, kappa=0)
