# SPDX-License-Identifier: Apache-2.0
"""Roles of payload fields: which operand, constant, result or error code a field carries, and how it is represented.

Codec, C binding, operand words of an exponentiation, edge cases and the notes of the datasheet all follow from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .representation import Channels, Coefficients, Domain, Montgomery, NamedChannels, Plain, Residues


class Errors(StrEnum):
    """Names of errors, the same for every family, function, vector file and report."""

    BAD_MODULUS = "bad modulus"
    """The modulus is even or too small, or a constant next to it is 0."""
    NOT_REDUCED = "not reduced"
    """An operand is not below its limit."""
    NOT_ON_CURVE = "not on the curve"
    NO_INVERSE = "no inverse"
    UNWRITTEN = "not written"
    """An operand is a register that no operation has written since the reset."""
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


# --- fields that a modulus determines


@dataclass(frozen=True)
class Modulus:
    """The modulus M, in the operands or repeated next to a result; odd and at least `least`.

    Parameters
    ----------
    least : int
    coprime : int
        M shares no factor with it, or constants that belong to M do not exist. That is not checked.
    """

    least: int = 3
    coprime: int = 1

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        words = f"M, odd, at least {self.least}"
        return words if self.coprime == 1 else f"{words}; a factor in common with A is not checked"


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


class Determined(StrEnum):
    """Numbers that M determines, and that a field may have in residues."""

    MODULUS = "M"
    NEG_INVERSE = "-1/M"
    FACTOR = "F mod M"


@dataclass(frozen=True)
class Table:
    """Residues of a number that M determines.

    Parameters
    ----------
    of : Determined
        M itself; its negative inverse modulo every channel; or `factor` modulo M.
    base : Channels
    scale : tuple of int
        Channel i stores the number times scale_i.
    factor : int
    parts : tuple of NamedChannels
        Names of the channels, as those of `Residues`.
    """

    of: Determined
    base: Channels
    scale: tuple[int, ...]
    factor: int = 1
    parts: tuple[NamedChannels, ...] = ()

    @property
    def note(self) -> str:
        """Words for the datasheet."""
        return f"residues of {self.of}, scaled, in the order of the base; not checked"


def table(role: Table, m: int) -> tuple[int, ...]:
    """The words of a table for a modulus; ValueError where it has no inverse in a channel."""
    pairs = list(zip(role.scale, role.base.moduli, strict=True))
    if role.of is Determined.NEG_INVERSE:
        return tuple(pow(-m, -1, channel) * s % channel for s, channel in pairs)
    number = m if role.of is Determined.MODULUS else role.factor % m
    return tuple(number * s % channel for s, channel in pairs)


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
    def text(self) -> str:
        """The limit as text."""
        unit = "M" if isinstance(self.of, Modulus) else f"(2^{self.of.exponent} mod M)"
        return unit if self.factor == 1 else f"{self.factor}·{unit}"


Limit = int | Multiple
"""Exclusive upper limit of a stored integer."""


def words_of(limit: Limit) -> str:
    """A limit as text."""
    return limit.text if isinstance(limit, Multiple) else f"{limit:#x}"


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
    """An operand that is not a number modulo M: an exponent, a scalar, an order."""

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
    """A result that is not a number modulo M: part of a signature, or whether one is valid."""

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

Role = Operand | Scalar | Modulus | NegInverse | Power | Table | Blind | Flag | Result | Value | ErrorCode


def _stored(name: str, domain: Domain) -> str:
    match domain:
        case Montgomery(T):
            return f"{name}·2^{T} (mod M)"
        case Residues(scale=scale, factor=factor):
            stored = f"residues of {name}{'·factor' if factor != 1 else ''}{', scaled' if scale else ''}"
            return f"{stored}, in the order of the base"
        case Coefficients(base=base, degree=degree):
            return f"{degree} coefficients of {name}, lowest first, by {base.count} residues each"
        case _:
            return name
