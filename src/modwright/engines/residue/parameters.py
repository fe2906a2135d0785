# SPDX-License-Identifier: Apache-2.0
"""A residue multiplier with converters: binary operands and results, and results that are exact.

    io      output   chain
    rns     class    the multiplier alone (then nothing of this package is used)
    binary  class    to residues -> multiplier -> from residues, below the converter's bound
    binary  exact    this chain, with the last conditional subtraction
    rns     exact    multiplier -> from residues, exact -> to residues

In front of a converter the multiplier scales its last constants by M_j^-1 (`scaled`), which costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from ...base.json import Constant
from ...contract import (
    Certificate,
    Composite,
    Field,
    Obligations,
    Option,
    Parameters,
    Part,
    Payload,
    certified,
    unchecked,
)
from ...contract.obligation import owed_by, owed_together
from ...contract.option import Options
from ...contract.roles import ErrorCode, Errors, Operand, Residues, Result
from ...rns import Base
from ...rns.conversion import FromResidues, ToResidues

NOT_REDUCED = 1
"""Error code of an operand that is not below p."""

PRODUCT = "x·y"
"""The result, modulo M."""

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""

OPTIONS = (
    Option("io", str, "rns", "operands and results as residues, or binary with converters", ("rns", "binary")),
    Option("output", str, "class", "a bounded representative, or exactly 0 <= z < p", ("class", "exact")),
)
"""The two options that every residue multiplier offers."""


class ResidueMultiplier(Parameters, Protocol):
    """Parameters of a residue multiplier."""

    @property
    def modulus(self) -> int: ...
    @property
    def base(self) -> Base: ...
    @cached_property
    def bound(self) -> int: ...
    @property
    def target(self) -> str: ...


M = TypeVar("M", bound=ResidueMultiplier, covariant=True)


def converts(options: Options) -> bool:
    """Whether a request needs converters, so that the multiplier scales its result."""
    return options["io"] == "binary" or options["output"] == "exact"


@dataclass(frozen=True)
class ConvertedParameters(Composite, Generic[M]):
    """A multiplier and its converters.

    Parameters
    ----------
    inner : ResidueMultiplier
        Multiplier with results scaled by M_j^-1.
    binary : bool
        Whether operands and result are binary.
    exact : bool
        Whether the result is below p.
    """

    inner: M
    binary: bool
    exact: bool

    @property
    def modulus(self) -> int:
        """Modulus p."""
        return self.inner.modulus

    @property
    def base(self) -> Base:
        """The channels."""
        return self.inner.base

    @property
    def N(self) -> int:
        """Number of channels."""
        return self.base.count

    @cached_property
    def to_residues(self) -> ToResidues:
        """Conversion of both operands, or of the exact result."""
        return ToResidues(self.base, self.modulus, 2 if self.binary else 1)

    @cached_property
    def from_residues(self) -> FromResidues:
        """Conversion of the multiplier's result."""
        return FromResidues(self.base, self.modulus, self.inner.bound, DIGIT, self.exact)

    @property
    def bound(self) -> int:
        """Exclusive bound of the result."""
        return self.modulus if self.exact else self.from_residues.bound

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multiplier, then the converters; names of conditions and constants have no prefix."""
        return ("", self.inner), ("", Converters(self))

    @cached_property
    def i(self) -> Payload:
        """Operands."""
        if not self.binary:
            return self.inner.i
        more = f"else error {NOT_REDUCED}"
        return Payload(
            tuple(
                Field(name, self.modulus.bit_length(), role=Operand(name, limit=self.modulus), more=more)
                for name in "xy"
            )
        )

    @cached_property
    def o(self) -> Payload:
        """Result."""
        if self.binary:
            error = Field("error", 1, role=ErrorCode({NOT_REDUCED: Errors.NOT_REDUCED}))
            role = Result("z", limit=self.bound, formula=PRODUCT)
            z = Field("z", self.from_residues.width, bound=self.bound, role=role)
            return Payload((z, error))
        role = Result("z", Residues(self.base), self.bound, PRODUCT)
        return Payload((Field("z", self.base.width, self.N, role=role), unchecked()))


@dataclass(frozen=True)
class Converters:
    """The converters as a part of the whole.

    Parameters
    ----------
    whole : ConvertedParameters
    """

    whole: ConvertedParameters[ResidueMultiplier]

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make the conversion from residues right."""
        return Certificate(self.whole.from_residues.inequalities())

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        whole, out = self.whole, self.whole.from_residues
        return {
            "io": "binary" if whole.binary else "rns",
            "exact": whole.exact,
            "converter_digit": out.digit,
            "converter_exponent": out.T,
            "converter_kappa_weights": out.kappa_weights,
            "converter_weights": out.weights,
            "converter_cox_bits": out.cox.f,
            "converter_cox_offset": out.cox.offset,
            "result_bound": whole.bound,
        }

    def obligations(self) -> Obligations:
        """The reductions of digits in every channel, and the estimate of α on the way back."""
        digits = (self.whole.to_residues.plan(channel).obligation for channel in range(self.whole.N))
        return owed_by("converters", owed_together((*digits, self.whole.from_residues.cox.obligation())))


def convert(inner: M, options: Options) -> M | ConvertedParameters[M]:
    """The multiplier itself, or with the converters that the options request.

    Raises
    ------
    ParameterError
        When the converter's conditions do not hold.
    """
    if not converts(options):
        return inner
    parameters = ConvertedParameters(inner, options["io"] == "binary", options["output"] == "exact")
    what = f"converters modulo {parameters.modulus:#x} with {parameters.N} channels"
    return certified(parameters, what, "wider channels, whose moduli lie closer to 2^n")


def multiplier_of(p: M | ConvertedParameters[M]) -> M:
    """The multiplier's own parameters."""
    return p.inner if isinstance(p, ConvertedParameters) else p
