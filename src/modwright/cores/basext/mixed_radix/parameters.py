# SPDX-License-Identifier: Apache-2.0
"""Constants of a base extension by mixed radix digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Payload
from ....contract.fixed_modulus import NOT_REDUCED
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Operand, Residues, Result
from ....engines.coxrower.bases import fewest
from ....engines.coxrower.digits import OnDigits
from ....engines.coxrower.options import local_of
from ....rns import mixed_radix
from ....rns.extension import NONE, Extension, find_bases


@dataclass(frozen=True)
class MixedRadixParameters(OnDigits):
    """Every constant of one base extension; a rower has one channel of each base, and operands that are not below the
    modulus are an error."""

    @cached_property
    def limit_digits(self) -> tuple[int, ...]:
        """Digits of the modulus, with which those of x are compared."""
        return mixed_radix.digits_of(self.modulus, self.A)

    @property
    def entering(self) -> tuple[tuple[int, ...], ...]:
        """The factor of x, 1."""
        return ((1,) * self.n,)

    @property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """Weights of the digits, that of the last one first."""
        *others, last = mixed_radix.weights(self.A)
        return tuple(tuple(weight % b for weight in (last, *others)) for b in self.B.moduli)

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
        role = Operand("x", Residues(self.A, parts=(NamedChannels("A", self.n),)), self.modulus)
        return Payload((Field("x", self.width, self.n, role=role, more=f"the base is A; else error {NOT_REDUCED}"),))

    @cached_property
    def o(self) -> Payload:
        """Residues in B, and whether x is not below the modulus."""
        role = Result("z", Residues(self.B, parts=(NamedChannels("B", self.n),)), self.modulus)
        z = Field("z", self.width, self.n, bound=max(self.B.moduli), role=role, more="z = x; the base is B")
        return Payload((z, Field("error", 1, role=ErrorCode({NOT_REDUCED: Errors.NOT_REDUCED}))))

    def own_description(self) -> dict[str, Constant]:
        """Both bases, and what digits are compared and multiplied with."""
        return {
            "base_a": self.A.moduli,
            "base_b": self.B.moduli,
            "limit_digits": self.limit_digits,
            "extension_weights": self.engine.weights,
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
