# SPDX-License-Identifier: Apache-2.0
"""The claim about one operation on polynomials in a radix whose coefficients are residues in several bases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ....contract import Field, Payload
from ....contract.roles import Coefficients, Operand, Result
from ....functions import find_function
from ..netlist import UnsupportedError
from .claim import silent_error


@dataclass(frozen=True)
class Digits:
    """An integer X = Σ X_k·radix^k as fields of words: word i of coefficient k is congruent to X_k modulo m_i.

    Parameters
    ----------
    bases : mapping of str to tuple of int
        Moduli of each field, in the order of its words; those of all fields are pairwise co-prime.
    bits : mapping of str to int
        Bits of a word of each field; an operand's word is any number of so many bits in the class.
    limit : int
        Exclusive limit of every coefficient; the least is 0.
    """

    bases: Mapping[str, tuple[int, ...]]
    bits: Mapping[str, int]
    limit: int

    @property
    def moduli(self) -> list[tuple[str, int, int]]:
        """Field, place in its base, and modulus, of every channel."""
        return [(field, i, m) for field, base in self.bases.items() for i, m in enumerate(base)]

    def word(self, field: str, i: int, k: int) -> int:
        """The place in a field of the word of channel i of coefficient k."""
        return k * len(self.bases[field]) + i

    def to_json(self) -> dict[str, object]:
        """Document for the log."""
        return {
            "bases": {field: [hex(m) for m in base] for field, base in self.bases.items()},
            "bits": dict(self.bits),
            "limit": hex(self.limit),
        }


@dataclass(frozen=True)
class PolynomialClaim:
    """The claim: the result's integer is congruent to the product of the operands', modulo p.

    Parameters
    ----------
    modulus : int
        p.
    radix, degree : int
    operands : mapping of str to Digits
    result : str
        Name of the result.
    digits : Digits
        Words of the result.
    error : str
        Field of the error code, which is always 0.
    """

    modulus: int
    radix: int
    degree: int
    operands: Mapping[str, Digits]
    result: str
    digits: Digits
    error: str

    @property
    def words(self) -> dict[str, int]:
        """Bits of a word of each input port."""
        return {f"i_{field}": bits for given in self.operands.values() for field, bits in given.bits.items()}

    @property
    def fields(self) -> set[str]:
        """Fields of the result."""
        return {*self.digits.bases, self.error}

    @property
    def result_words(self) -> dict[str, tuple[int, int]]:
        """Bits and number of the words of each field of the result but the error code."""
        digits = self.digits
        return {field: (digits.bits[field], self.degree * len(base)) for field, base in digits.bases.items()}

    @property
    def inputs(self) -> set[str]:
        """Names of the words of operands."""
        given = [item for operand in self.operands.values() for item in operand.bases.items()]
        return {f"{field}[{k}]" for field, base in given for k in range(self.degree * len(base))}

    @property
    def largest(self) -> int:
        """The largest product of a coefficient of each operand."""
        return prod(operand.limit - 1 for operand in self.operands.values())

    @property
    def statement(self) -> str:
        """One operation in words."""
        given = " and ".join(
            f"{name.upper()} with coefficients {name.upper()}_k from 0 on below {operand.limit:#x} and all words "
            f"≡ {name.upper()}_k (mod m_i) of {', '.join(map(str, operand.bits.values()))} bits"
            for name, operand in self.operands.items()
        )
        product, Z = "·".join(name.upper() for name in self.operands), self.result.upper()
        moduli = ", ".join(f"{m:#x}" for _, _, m in self.digits.moduli)
        return (
            f"for all integers {given}: the words are ≡ {Z}_k (mod m_i) of coefficients {Z}_k from 0 on below "
            f"{self.digits.limit:#x}, and {Z} ≡ {product} (mod {self.modulus:#x}); {self.error} = 0; each integer is "
            f"the sum of its {self.degree} coefficients times powers of {self.radix:#x}; m_i = {moduli}"
        )

    def to_json(self) -> dict[str, object]:
        """Document of the claim for the log."""
        return {
            "modulus": hex(self.modulus),
            "radix": hex(self.radix),
            "degree": self.degree,
            "operands": {name: operand.to_json() for name, operand in self.operands.items()},
            "result": self.result,
            "digits": self.digits.to_json(),
            "error": self.error,
        }


def is_of_coefficients(o: Payload) -> bool:
    """Whether a core's result is residues of coefficients."""
    return any(isinstance(role.domain, Coefficients) for _, role in o.having(Result))


def polynomial_claim_of(function: str, i: Payload, o: Payload, modulus: int | None) -> PolynomialClaim:
    """The claim of a core's payloads.

    Raises
    ------
    UnsupportedError
        For other functions than one product, and for a modulus or constants among the operands.
    """
    operands, results = i.having(Operand), o.having(Result)
    products = find_function(function).products
    names = list(dict.fromkeys(role.name for _, role in operands))
    if len(products) != 1 or modulus is None or len(operands) != len(i.fields) or sorted(names) != sorted(products[0]):
        raise UnsupportedError(f"the theorem on coefficients is not stated for {function} with these operands")
    domains = [role.domain for _, role in (*operands, *results) if isinstance(role.domain, Coefficients)]
    scales = {(domain.radix, domain.degree) for domain in domains}
    if len(scales) != 1 or len(domains) != len(operands) + len(results):
        raise UnsupportedError("coefficients are of several radices")
    return PolynomialClaim(
        modulus,
        *scales.pop(),
        {name: _digits([pair for pair in operands if pair[1].name == name]) for name in names},
        results[0][1].name,
        _digits(results),
        silent_error(o),
    )


def _digits(fields: Sequence[tuple[Field, Operand | Result]]) -> Digits:
    limits = {role.limit for _, role in fields}
    (limit,) = limits if len(limits) == 1 else (None,)
    least = any(role.least for _, role in fields if isinstance(role, Operand))
    if not isinstance(limit, int) or least:
        raise UnsupportedError("coefficients have a limit next to the modulus, or are negative")
    domains = {field.name: role.domain for field, role in fields if isinstance(role.domain, Coefficients)}
    bases = {name: tuple(int(m) for m in domain.base.moduli) for name, domain in domains.items()}
    return Digits(bases, {field.name: field.width for field, _ in fields}, limit)
