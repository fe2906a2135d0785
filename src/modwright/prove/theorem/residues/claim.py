# SPDX-License-Identifier: Apache-2.0
"""The claim about one operation on residues: operands and result are words of integers, one word a channel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from ....contract import Payload
from ....contract.roles import ErrorCode, Operand, Residues, Result
from ....functions import find_function
from ..netlist import UnsupportedError


@dataclass(frozen=True)
class Vector:
    """An integer as words: word k is congruent to scale_k times the integer, modulo m_k.

    Parameters
    ----------
    moduli : tuple of int
        Pairwise co-prime.
    scale : tuple of int
        Each has an inverse modulo m_k.
    limit : int
        Exclusive limit of the integer.
    bits : int
        Bits of a word. An operand's is any number of so many bits in the class.
    least : int
        Least value of the integer.
    """

    moduli: tuple[int, ...]
    scale: tuple[int, ...]
    limit: int
    bits: int
    least: int = 0

    @property
    def range(self) -> str:
        """The integer's range in words."""
        return f"from {self.least:#x} on below {self.limit:#x}" if self.least else f"below {self.limit:#x}"

    def to_json(self) -> dict[str, object]:
        """Document for the log."""
        return {
            "moduli": [hex(m) for m in self.moduli],
            "scale": [hex(s) for s in self.scale],
            "limit": hex(self.limit),
            "least": hex(self.least),
            "bits": self.bits,
        }


@dataclass(frozen=True)
class ResidueClaim:
    """The claim: the result's integer is congruent to `factor` times the product of the operands', modulo p.

    Parameters
    ----------
    modulus : int
        p.
    operands : mapping of str to Vector
        By field.
    factor : int
        Below p.
    result : str
        Field of the result.
    vector : Vector
        Words of the result.
    error : str
        Field of the error code, which is always 0.
    """

    modulus: int
    operands: Mapping[str, Vector]
    factor: int
    result: str
    vector: Vector
    error: str

    @property
    def words(self) -> dict[str, int]:
        """Bits of a word of each input port."""
        return {f"i_{name}": vector.bits for name, vector in self.operands.items()}

    @property
    def fields(self) -> set[str]:
        """Fields of the result."""
        return {self.result, self.error}

    @property
    def result_words(self) -> dict[str, tuple[int, int]]:
        """Bits and number of the words of each field of the result but the error code."""
        return {self.result: (self.vector.bits, len(self.vector.moduli))}

    @property
    def inputs(self) -> set[str]:
        """Names of the words of operands."""
        return {f"{name}[{k}]" for name, vector in self.operands.items() for k in range(len(vector.moduli))}

    @property
    def statement(self) -> str:
        """One operation in words."""
        given = " and ".join(
            f"{name.upper()} {vector.range} and all words {name}_k ≡ s_k·{name.upper()} (mod m_k) of {vector.bits} bits"
            for name, vector in self.operands.items()
        )
        product = "·".join(name.upper() for name in self.operands)
        scaled = product if self.factor == 1 else f"{self.factor:#x}·{product}"
        z, Z = self.result, self.result.upper()
        moduli = ", ".join(f"{m:#x}" for m in self.vector.moduli)
        known = f"{Z} = {scaled}" if self.is_equal else f"{Z} ≡ {scaled} (mod {self.modulus:#x})"
        return (
            f"for all integers {given}: the words are {z}_k ≡ s_k·{Z} (mod m_k) of one integer {Z} "
            f"{self.vector.range}, and {known}; {self.error} = 0; m_k = {moduli}"
        )

    @property
    def is_equal(self) -> bool:
        """Whether the ranges make the congruence an equality, as of one operand that is extended."""
        ranges = {(vector.least, vector.limit) for vector in (*self.operands.values(), self.vector)}
        return len(self.operands) == len(ranges) == 1 and self.vector.limit - self.vector.least <= self.modulus

    def to_json(self) -> dict[str, object]:
        """Document of the claim for the log."""
        return {
            "modulus": hex(self.modulus),
            "operands": {name: vector.to_json() for name, vector in self.operands.items()},
            "factor": hex(self.factor),
            "result": self.result,
            "vector": self.vector.to_json(),
            "error": self.error,
        }


def silent_error(o: Payload) -> str:
    """Name of the error field of a core that reports no error.

    Raises
    ------
    UnsupportedError
        When it has codes.
    """
    error = next(part for part in o.fields if isinstance(part.role, ErrorCode))
    if isinstance(error.role, ErrorCode) and error.role.codes:
        raise UnsupportedError("a core on residues reports errors")
    return error.name


def is_of_residues(o: Payload) -> bool:
    """Whether a core's result is residues."""
    return any(isinstance(role.domain, Residues) for _, role in o.having(Result))


def residue_claim_of(function: str, i: Payload, o: Payload, modulus: int | None) -> ResidueClaim:
    """The claim of a core's payloads.

    Raises
    ------
    UnsupportedError
        For other functions than one product, and for a modulus or constants among the operands.
    """
    operands, results = i.having(Operand), o.having(Result)
    products = find_function(function).products
    if len(products) != 1 or modulus is None or len(results) != 1 or len(operands) != len(i.fields):
        raise UnsupportedError(f"the theorem on residues is not stated for {function} with these operands")
    if {role.name for _, role in operands} != set(products[0]):
        raise UnsupportedError("the theorem on residues is not stated for these operands")
    if len({tuple(_domain(operand.domain).base.moduli) for _, operand in operands}) > 1:
        raise UnsupportedError("operands have words modulo other moduli")
    (field, role), scale = results[0], 1
    if len(operands) == 1:
        modulus = _known_modulo(operands[0][1], role)
    for _, operand in operands:
        scale = scale * _domain(operand.domain).factor % modulus
    return ResidueClaim(
        modulus,
        {given.name: _vector(operand, given.width) for given, operand in operands},
        _domain(role.domain).factor * pow(scale, -1, modulus) % modulus,
        field.name,
        replace(_vector(role, field.width), least=operands[0][1].least if len(operands) == 1 else 0),
        silent_error(o),
    )


def _known_modulo(operand: Operand, result: Result) -> int:
    """The number modulo which the result is the operand itself: the product of its own moduli, or of the operand's
    where it may be larger by that."""
    base = _domain((result if result.limit == operand.limit else operand).domain).base
    return prod(int(m) for m in base.moduli)


def _domain(domain: object) -> Residues:
    if not isinstance(domain, Residues):
        raise UnsupportedError("some operands are residues, and others are not")
    return domain


def _vector(role: Operand | Result, bits: int) -> Vector:
    domain = _domain(role.domain)
    if not isinstance(role.limit, int):
        raise UnsupportedError("the integers of residues have a limit next to the modulus")
    moduli = tuple(int(m) for m in domain.base.moduli)
    scale = domain.scale or (1,) * len(moduli)
    scales = tuple(int(s) % m for s, m in zip(scale, moduli, strict=True))
    return Vector(moduli, scales, role.limit, bits, role.least if isinstance(role, Operand) else 0)
