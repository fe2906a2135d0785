# SPDX-License-Identifier: Apache-2.0
"""Constants of base extensions on a cox-rower."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.coxrower.bases import OnTwoBases, describe, fewest, make_extension, rowers_of, sigma_of
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns.extension import Extension, find_bases


@dataclass(frozen=True)
class ExtensionParameters(OnTwoBases):
    """Every constant of one base extension.

    Parameters
    ----------
    modulus : int
        Bound of the values in the request; larger ones are accepted up to `limit`.
    extension : Extension
    target, latency, rowers, local
        See `OnTwoBases`.
    """

    modulus: int
    extension: Extension

    @property
    def first(self) -> Extension:
        """The extension."""
        return self.extension

    @property
    def exact(self) -> bool:
        """Whether the result is X itself (σ > 0), not X or X + A."""
        return self.extension.offset > 0

    @cached_property
    def limit(self) -> int:
        """Exclusive bound of values whose result is right, and determined by its residues in B.

        With σ = 0 it is the modulus; X + A and X of values below it are distinguished.
        """
        if not self.exact:
            return self.modulus
        return min(-(-(1 - self.extension.sigma) * self.A.product // 1), self.B.product)

    @cached_property
    def least(self) -> int:
        """The smallest value, not positive: X ≥ -(σ - E)·A is extended exactly, too."""
        sigma, product = self.extension.sigma, self.A.product
        room = self.B.product - self.limit
        return -max(0, min(int((sigma - self.extension.error) * product), room)) if self.exact else 0

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower: x·T, then the weights A/A_i."""
        product = self.A.product
        weights = tuple(tuple(product // a % b for a in self.extension.super_moduli) for b in self.B.moduli)
        return CoxrowerEngine(
            (self.A, self.B),
            (self.extension,),
            (self.A.inverses,),
            (weights,),
            (tuple(-product % b for b in self.B.moduli),),
            self.target,
            self.latency + int(self.local),
            operands=1,
            initial=False,
            products=1,
            rowers=self.rowers or self.n,
            local=self.local,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the estimate of h."""
        return owed_together((*built_folds(self.engine), self.extension.cox.obligation()))

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities by which every value below `modulus` is extended exactly."""
        if self.exact:
            low, high = self.extension.exact(self.modulus - 1)
            fits = Inequality(
                "range-B", "X < B", self.modulus - 1, "<", self.B.product, "else residues in B do not hold X"
            )
            return Certificate((low, high, fits))
        apart = Inequality(
            "apart",
            "|A - B| >= X",
            abs(self.A.product - self.B.product),
            ">=",
            self.modulus,
            "else X and X + A cannot be distinguished by residues in B",
        )
        fits = Inequality("range", "X < A", self.modulus - 1, "<", self.A.product, "else residues in A do not hold X")
        return Certificate((self.extension.nearly, fits, apart))

    @cached_property
    def i(self) -> Payload:
        """Residues in A."""
        role = Operand("x", Residues(self.A, parts=(NamedChannels("A", self.n),)), self.limit, self.least)
        return Payload((Field("x", self.width, self.n, role=role, more="the base is A"),))

    @cached_property
    def o(self) -> Payload:
        """Residues in B."""
        value = "z = x" if self.exact else "z = x or x + A"
        limit = self.limit if self.exact else self.limit + self.A.product
        role = Result("z", Residues(self.B, parts=(NamedChannels("B", self.n),)), limit)
        z = Field("z", self.width, self.n, bound=max(self.B.moduli), role=role, more=f"{value}; the base is B")
        return Payload((z, unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {"operand_limit": self.limit, "least_operand": self.least} | describe(self.engine, self.extension)


def derive_extension(request: Request) -> ExtensionParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    modulus, options = request.fixed_modulus(), request.options
    sigma = sigma_of(options["sigma"])

    def derived(count: int) -> ExtensionParameters:
        A, B = find_bases(options["width"], count)
        extension = make_extension(options, A, B, sigma)
        return ExtensionParameters(
            modulus,
            extension,
            target=request.target,
            latency=options["latency"],
            rowers=rowers_of(options, count),
            local=local_of(request),
        )

    return fewest(request, modulus.bit_length(), derived)
