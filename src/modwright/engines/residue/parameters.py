# SPDX-License-Identifier: Apache-2.0
"""A residue multiplier with converters: binary operands and results, and results that are exact.

    io      output   what follows what
    rns     class    the multiplier alone (then nothing of this package is used)
    binary  class    to residues -> multiplier -> from residues, below the converter's bound
    binary  exact    the same, with the last conditional subtraction
    rns     exact    multiplier -> from residues, exact -> to residues

In front of a converter the multiplier scales its last constants by M_j^-1 (`scaled`), which costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ...base.errors import ParameterError
from ...contract import Certificate, Field, Option, Payload
from ...rns import Base, FoldPlan
from ...rns.codec import UNCHECKED
from ...rns.conversion import FromResidues, ToResidues

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""

OPTIONS = (
    Option("io", str, "rns", "operands and results as residues, or binary with converters", ("rns", "binary")),
    Option("output", str, "class", "a bounded representative, or exactly 0 <= z < p", ("class", "exact")),
)
"""The two options that every residue multiplier offers."""


class Multiplier(Protocol):
    """What this module needs of a residue multiplier's parameters; a derived one is cached."""

    @property
    def modulus(self) -> int: ...
    @property
    def base(self) -> Base: ...
    @cached_property
    def bound(self) -> int: ...
    @property
    def target(self) -> str: ...
    @cached_property
    def certificate(self) -> Certificate: ...
    @cached_property
    def i(self) -> Payload: ...
    @cached_property
    def o(self) -> Payload: ...
    def fold_plans(self) -> list[FoldPlan]: ...
    def describe(self) -> dict[str, Any]: ...


def converts(options: Mapping[str, Any]) -> bool:
    """Whether a request needs converters, so that the multiplier scales its result."""
    return options["io"] == "binary" or options["output"] == "exact"


@dataclass(frozen=True)
class ConvertedParameters:
    """A multiplier and its converters.

    Parameters
    ----------
    inner : Multiplier
        Its results are scaled by M_j^-1.
    binary : bool
        Operands and result are binary.
    exact : bool
        The result is below p.
    """

    inner: Any
    binary: bool
    exact: bool

    @property
    def modulus(self) -> int:
        """p."""
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
        """Of both operands, or of the exact result."""
        return ToResidues(self.base, self.modulus, 2 if self.binary else 1)

    @cached_property
    def from_residues(self) -> FromResidues:
        """Of the multiplier's result."""
        return FromResidues(self.base, self.modulus, self.inner.bound, DIGIT, self.exact)

    @property
    def bound(self) -> int:
        """Exclusive bound of the result."""
        return self.modulus if self.exact else self.from_residues.bound

    def fold_plans(self) -> list[FoldPlan]:
        """Every reduction of the core, for proof."""
        return [*self.inner.fold_plans(), *(self.to_residues.plan(channel) for channel in range(self.N))]

    @cached_property
    def certificate(self) -> Certificate:
        """The multiplier's conditions and the converter's."""
        return Certificate((*self.inner.certificate.inequalities, *self.from_residues.inequalities()))

    @cached_property
    def i(self) -> Payload:
        """Operands."""
        if not self.binary:
            return self.inner.i
        note = "an integer below p; else the result is error 1"
        return Payload(tuple(Field(name, self.modulus.bit_length(), note=note) for name in "xy"))

    @cached_property
    def o(self) -> Payload:
        """Result."""
        if self.binary:
            note = "x·y mod p" if self.exact else f"z ≡ x·y (mod p), 0 <= z < {self.bound:#x}"
            error = Field("error", 1, note="0: none; 1: an operand is not below p, and z = 0")
            return Payload((Field("z", self.from_residues.width, bound=self.bound, note=note), error))
        note = "residues, any n-bit representatives, of x·y mod p"
        error = Field("error", 1, bound=1, note=UNCHECKED)
        return Payload((Field("z", self.base.width, self.N, note=note), error))

    def describe(self) -> dict[str, Any]:
        """Every constant."""
        out = self.from_residues
        return self.inner.describe() | {
            "io": "binary" if self.binary else "rns",
            "exact": self.exact,
            "converter_digit": out.digit,
            "converter_T": out.T,
            "converter_K": out.kappa_weights,
            "converter_w": out.weights,
            "converter_q": out.cox.f,
            "converter_D": out.cox.offset,
            "result_bound": self.bound,
        }


def convert(inner: Multiplier, options: Mapping[str, Any]) -> Any:
    """The multiplier itself, or with the converters that the options ask for.

    Raises
    ------
    ParameterError
        When the converter's conditions do not hold.
    """
    if not converts(options):
        return inner
    parameters = ConvertedParameters(inner, options["io"] == "binary", options["output"] == "exact")
    problem = parameters.certificate.failing
    if problem is not None:
        raise ParameterError(
            f"converters modulo {parameters.modulus:#x} with {parameters.N} channels: {problem.why}",
            rule=problem.rule,
            left=problem.left,
            right=problem.right,
            hint="wider channels, whose moduli lie closer to 2^n",
        )
    return parameters


def multiplier_of(p: Any) -> Any:
    """The multiplier's own parameters."""
    return p.inner if isinstance(p, ConvertedParameters) else p
