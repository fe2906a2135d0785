# SPDX-License-Identifier: Apache-2.0
"""Constants of a base extension by a redundant residue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.coxrower.bases import OnTwoBases, fewest
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import Base
from ....rns.extension import find_bases
from ....rns.redundant import RedundantExtension, redundant_extension


@dataclass(frozen=True)
class RedundantParameters(OnTwoBases):
    """Every constant of one base extension.

    Parameters
    ----------
    modulus : int
        Bound of the values in the request; larger ones are accepted up to `limit`.
    extension : RedundantExtension
    target, latency, local
        See `OnTwoBases`; a rower has one channel of each base.
    """

    modulus: int
    extension: RedundantExtension

    @property
    def first(self) -> RedundantExtension:
        """The extension."""
        return self.extension

    @cached_property
    def limit(self) -> int:
        """Exclusive bound of values whose result is right, and determined by its residues in B: A or B."""
        return min(self.A.product, self.B.product)

    @cached_property
    def base(self) -> Base:
        """A and 2^w, in the order of the operand."""
        return Base(self.width, (*self.A.u, 0))

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower: x·T, then the weights A/a_i."""
        cofactors = self.A.cofactors
        return CoxrowerEngine(
            (self.A, self.B),
            (self.extension,),
            (self.A.inverses,),
            (tuple(tuple(c % b for c in cofactors) for b in self.B.moduli),),
            (tuple(-self.A.product % b for b in self.B.moduli),),
            self.target,
            self.latency + int(self.local),
            operands=1,
            initial=False,
            products=1,
            rowers=self.n,
            local=self.local,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers."""
        return owed_together(built_folds(self.engine))

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities by which every value below `modulus` is extended exactly."""
        largest, a, b = self.modulus - 1, self.A.product, self.B.product
        return Certificate(
            (
                self.extension.decided,
                Inequality("range", "X < A", largest, "<", a, "else residues in A do not hold X"),
                Inequality("range-B", "X < B", largest, "<", b, "else residues in B do not hold X"),
            )
        )

    @cached_property
    def i(self) -> Payload:
        """Residues in A, and the one modulo 2^w."""
        more = f"the base is A, then 2^{self.width}, of which the low {self.extension.bits} bits are read"
        role = Operand(
            "x",
            Residues(self.base, parts=(NamedChannels("A", self.n), NamedChannels("", 1, redundant=True))),
            self.limit,
        )
        return Payload((Field("x", self.width, self.n + 1, role=role, more=more),))

    @cached_property
    def o(self) -> Payload:
        """Residues in B."""
        role = Result("z", Residues(self.B, parts=(NamedChannels("B", self.n),)), self.limit)
        z = Field("z", self.width, self.n, bound=max(self.B.moduli), role=role, more="z = x; the base is B")
        return Payload((z, unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        engine, extension = self.engine, self.extension
        return {
            "operand_limit": self.limit,
            "channel_bits": self.width,
            "channels": self.n,
            "base_a": self.A.moduli,
            "base_b": self.B.moduli,
            "redundant_bits": extension.bits,
            "redundant_weights": (*extension.inverses, extension.minus_inverse),
            "factors": engine.factors,
            "extension_weights": engine.weights,
            "corrections": engine.corrections,
            "multiplier_latency": engine.latency,
            "fold_cycles": engine.fold_cycles,
            "bus_cycles": engine.bus_cycles,
        }


def derive_redundant(request: Request) -> RedundantParameters:
    """The fewest moduli for which the certificate holds."""
    modulus, options = request.fixed_modulus(), request.options

    def derived(count: int) -> RedundantParameters:
        return RedundantParameters(
            modulus,
            redundant_extension(*find_bases(options["width"], count)),
            target=request.target,
            latency=options["latency"],
            local=local_of(request),
        )

    return fewest(request, modulus.bit_length(), derived)
