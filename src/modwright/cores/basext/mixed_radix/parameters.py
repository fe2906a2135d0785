# SPDX-License-Identifier: Apache-2.0
"""Constants of a base extension by mixed radix digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload
from ....contract.fixed_modulus import NOT_REDUCED
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Operand, Residues, Result
from ....engines.coxrower.bases import OnTwoBases, fewest
from ....engines.coxrower.digits import TERMS, DigitFactors
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import mixed_radix
from ....rns.extension import NONE, Extension, find_bases


@dataclass(frozen=True)
class MixedRadixParameters(OnTwoBases):
    """Every constant of one base extension.

    Parameters
    ----------
    modulus : int
        Exclusive bound of operands; others are an error.
    extension : Extension
        The bases; without a cox, as digits need none.
    target, latency, local
        See `OnTwoBases`; a rower has one channel of each base.
    """

    modulus: int
    extension: Extension

    @property
    def first(self) -> Extension:
        """The extension."""
        return self.extension

    @cached_property
    def limit_digits(self) -> tuple[int, ...]:
        """Digits of the modulus, with which those of x are compared."""
        return mixed_radix.digits_of(self.modulus, self.A)

    @property
    def factors(self) -> DigitFactors:
        """The factors of the steps, behind that of x."""
        return DigitFactors(self.A, 1)

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The rowers: x·1, the factors of the steps, 0, then the weights, that of the last digit first."""
        n = self.n
        *others, last = mixed_radix.weights(self.A)
        return CoxrowerEngine(
            (self.A, self.B),
            (self.extension,),
            ((1,) * n, *self.factors.values),
            (tuple(tuple(weight % b for weight in (last, *others)) for b in self.B.moduli),),
            ((0,) * n,),
            self.target,
            self.latency + int(self.local),
            operands=1,
            initial=False,
            products=1,
            rowers=n,
            sums_alongside=TERMS,
            local=self.local,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers."""
        return owed_together(built_folds(self.engine))

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities by which every value below the modulus is extended, and every other refused."""
        return Certificate(
            (
                Inequality("range", "p <= A", self.modulus, "<=", self.A.product, "else residues in A do not hold X"),
                Inequality("range-B", "p <= B", self.modulus, "<=", self.B.product, "else residues in B do not hold X"),
            )
        )

    @cached_property
    def i(self) -> Payload:
        """Residues in A."""
        role = Operand("x", Residues(self.A), self.modulus)
        return Payload((Field("x", self.width, self.n, role=role, more=f"the base is A; else error {NOT_REDUCED}"),))

    @cached_property
    def o(self) -> Payload:
        """Residues in B, and whether x is not below the modulus."""
        role = Result("z", Residues(self.B), self.modulus)
        z = Field("z", self.width, self.n, bound=max(self.B.moduli), role=role, more="z = x; the base is B")
        return Payload((z, Field("error", 1, role=ErrorCode({NOT_REDUCED: Errors.NOT_REDUCED}))))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        engine = self.engine
        return {
            "modulus": self.modulus,
            "channel_bits": self.width,
            "channels": self.n,
            "base_a": self.A.moduli,
            "base_b": self.B.moduli,
            "limit_digits": self.limit_digits,
            "factors": engine.factors,
            "extension_weights": engine.weights,
            "multiplier_latency": engine.latency,
            "fold_cycles": engine.fold_cycles,
            "bus_cycles": engine.bus_cycles,
        }


def derive_mixed_radix(request: Request) -> MixedRadixParameters:
    """The fewest moduli for which the certificate holds."""
    modulus, options = request.fixed_modulus(), request.options

    def derived(count: int) -> MixedRadixParameters:
        return MixedRadixParameters(
            modulus,
            Extension(*find_bases(options["width"], count), 1, 1, 0, NONE),
            target=request.target,
            latency=options["latency"],
            local=local_of(request),
        )

    return fewest(request, modulus.bit_length(), derived)
