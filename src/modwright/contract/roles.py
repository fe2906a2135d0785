# SPDX-License-Identifier: Apache-2.0
"""Roles of payload fields: which operand, constant, result or error code a field carries, and how it is represented.

Codec, C binding, operand words of an exponentiation, edge cases and the notes of the datasheet all follow from these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Protocol


class Errors(StrEnum):
    """Names of errors, the same for every family, function, vector file and report."""

    BAD_MODULUS = "bad modulus"
    """The modulus is even or too small, or a constant next to it is 0."""
    NOT_REDUCED = "not reduced"
    """An operand is not below its limit."""
    NOT_ON_CURVE = "not on the curve"
    NO_INVERSE = "no inverse"
    ZERO = "result zero"
    """The result is 0, which says that the operand is of small order: no shared secret."""
    UNVERIFIED = "not verified"
    """The check of a result before it leaves has failed."""
    BOUND = "bound"
    """A result beyond its declared bound: the error of a decoder, which no core reports."""
    EVEN = "an even modulus was not reported"
    """A result next to an even modulus, from a decoder."""
    UNKNOWN = "unknown"
    """An error code that the core does not have, from a decoder."""


FORMER_ERRORS = {
    "modulus even or below 3": Errors.BAD_MODULUS,
    "modulus even or below 5, or order zero": Errors.BAD_MODULUS,
    "not invertible": Errors.NO_INVERSE,
}
"""Names of earlier versions, which vector files may still say."""


# --- representations


class Channels(Protocol):
    """The base of a representation by residues."""

    @property
    def width(self) -> int:
        """Bits of a residue."""
        ...

    @property
    def u(self) -> Sequence[int]:
        """2^width less the modulus, of each channel."""
        ...

    @cached_property
    def moduli(self) -> Sequence[int]:
        """One modulus a channel, pairwise co-prime."""
        ...

    @property
    def count(self) -> int:
        """Number of channels."""
        ...

    @cached_property
    def product(self) -> int:
        """Product of the moduli."""
        ...

    def from_residues(self, residues: Sequence[int]) -> int:
        """The integer below the product with these residues, any representatives of them."""
        ...


@dataclass(frozen=True)
class Plain:
    """An integer as it is."""


@dataclass(frozen=True)
class Montgomery:
    """x is stored as an integer congruent to x·2^T modulo M.

    Parameters
    ----------
    T : int
    """

    T: int


@dataclass(frozen=True)
class Residues:
    """x is stored as residues of an integer congruent to x·factor modulo M.

    Parameters
    ----------
    base : Channels
    scale : tuple of int
        Channel i stores the integer times scale_i; ones when empty.
    factor : int
    """

    base: Channels
    scale: tuple[int, ...] = ()
    factor: int = 1


@dataclass(frozen=True)
class Coefficients:
    """x is stored as residues of the coefficients of a polynomial whose value at `radix` is congruent to x modulo M.

    A number has a field for each of its bases, which are co-prime; the limit of its role is that of every coefficient.

    Parameters
    ----------
    base : Channels
        Base of the field.
    radix : int
    degree : int
        Number of coefficients; the field has a group of residues for each, the lowest coefficient first.
    """

    base: Channels
    radix: int
    degree: int


Domain = Plain | Montgomery | Residues | Coefficients


# --- fields that a modulus determines


@dataclass(frozen=True)
class Modulus:
    """The modulus M, in the operands or repeated next to a result; odd and at least `least`."""

    least: int = 3

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"M, odd, at least {self.least}"


@dataclass(frozen=True)
class NegInverse:
    """-M^-1 modulo 2^bits.

    Parameters
    ----------
    bits : int
    of : str
        Operand that takes the place of M; empty for M.
    """

    bits: int
    of: str = ""

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"-{self.of or 'M'}^-1 mod 2^{self.bits}; not checked"


@dataclass(frozen=True)
class Power:
    """2^exponent modulo M.

    Parameters
    ----------
    exponent : int
        May be negative.
    checked : bool
        Whether 0 is reported as a bad modulus; no other value is ever checked.
    of : str
        Operand that takes the place of M; empty for M.
    """

    exponent: int
    checked: bool = False
    of: str = ""

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"2^{self.exponent} mod {self.of or 'M'}; not {'0' if self.checked else 'checked'}"


Constant = NegInverse | Power
"""Fields computed once from the modulus."""


def constant(role: Constant, m: int) -> int:
    """The value of a constant for an odd modulus."""
    if isinstance(role, Power):
        return pow(2, role.exponent, m)
    return -pow(m, -1, 1 << role.bits) % (1 << role.bits)


@dataclass(frozen=True)
class Multiple:
    """An exclusive limit that depends on the modulus: a multiple of M, or of a constant next to it.

    Parameters
    ----------
    factor : int
    of : Modulus or Power
    """

    factor: int = 1
    of: Modulus | Power = Modulus()

    @property
    def words(self) -> str:
        """The limit as text."""
        unit = "M" if isinstance(self.of, Modulus) else f"(2^{self.of.exponent} mod M)"
        return unit if self.factor == 1 else f"{self.factor}·{unit}"


Limit = int | Multiple
"""Exclusive upper limit of a stored integer."""


def words_of(limit: Limit) -> str:
    """A limit as text."""
    return limit.words if isinstance(limit, Multiple) else f"{limit:#x}"


# --- operands and results


@dataclass(frozen=True)
class Operand:
    """An operand modulo M.

    Parameters
    ----------
    name : str
        Name in a case of the function.
    domain : Domain
    limit : Limit
        Stored integers are below it.
    least : int
        Stored integers are at least this, where they are residues of negative ones.
    optional : bool
        Whether a case may leave it out, which makes it 0.
    """

    name: str
    domain: Domain = field(default_factory=Plain)
    limit: Limit = field(default_factory=Multiple)
    least: int = 0
    optional: bool = False

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"{_stored(self.name, self.domain)}, below {words_of(self.limit)}"


@dataclass(frozen=True)
class Scalar:
    """An operand that is no number modulo M: an exponent, a scalar, an order."""

    name: str

    @property
    def note(self) -> str:
        """Words for the datasheet: none, as only the family knows its range."""
        return ""


@dataclass(frozen=True)
class Blind:
    """A random number from 1 to M - 1, a new one for each operation."""

    name: str = "blind"
    domain: Domain = field(default_factory=Plain)

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return "random, from 1 to M - 1, new for each operation"


@dataclass(frozen=True)
class Flag:
    """One bit, named in a case or a result of the function."""

    name: str

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"1: {self.name}"


@dataclass(frozen=True)
class Result:
    """A result modulo M.

    Parameters
    ----------
    name : str
        Name in the results of the function.
    domain : Domain
    limit : Limit
        Stored integers are below it.
    formula : str
        Expression to which it is congruent, in the names of operands; empty where a function has no short one.
    """

    name: str
    domain: Domain = field(default_factory=Plain)
    limit: Limit = field(default_factory=Multiple)
    formula: str = ""

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        stored = f"{_stored(self.name, self.domain)}, below {words_of(self.limit)}"
        return f"{stored}; {self.name} ≡ {self.formula} (mod M)" if self.formula else stored


@dataclass(frozen=True)
class Value:
    """A result that is no number modulo M: part of a signature, or whether one is valid."""

    name: str

    @property
    def note(self) -> str:
        """Words for the datasheet: none, as only the family knows its range."""
        return ""


@dataclass(frozen=True)
class ErrorCode:
    """The error field of a result: 0 for none; where several apply, the least code.

    Parameters
    ----------
    codes : mapping of int to Errors
        Empty for a core that reports nothing.
    causes : mapping of int to str
        Words on what a code means in this core, where its name says too little.
    """

    codes: Mapping[int, Errors] = field(default_factory=dict[int, Errors], hash=False)
    causes: Mapping[int, str] = field(default_factory=dict[int, str], hash=False)

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        if not self.codes:
            return UNCHECKED
        words = (f"{code}: {name}{self._cause(code)}" for code, name in sorted(self.codes.items()))
        return f"{'; '.join(words)}; the results are 0 then"

    def _cause(self, code: int) -> str:
        return f" ({self.causes[code]})" if code in self.causes else ""


UNCHECKED = "0: nothing is checked; the results are undefined for an operand that is not below its limit"
"""Note on the error field of a core that reports nothing."""

Role = Operand | Scalar | Modulus | NegInverse | Power | Blind | Flag | Result | Value | ErrorCode


def _stored(name: str, domain: Domain) -> str:
    match domain:
        case Montgomery(T):
            return f"{name}·2^{T} (mod M)"
        case Residues(_, scale, factor):
            stored = f"residues of {name}{'·factor' if factor != 1 else ''}{', scaled' if scale else ''}"
            return f"{stored}, in the order of the base"
        case Coefficients(base, _, degree):
            return f"{degree} coefficients of {name}, lowest first, by {base.count} residues each"
        case _:
            return name
