# SPDX-License-Identifier: Apache-2.0
"""The log, and the claim in it: on numbers, on residues of integers, or on those of coefficients."""

from __future__ import annotations

from typing import TypedDict

from .residues import Part, Polynomial, ResidueClaim, Total

LEAST_KEYS = ("format", "verilog", "top", "claim", "ready", "queue", "interval", "probes", "rests", "atoms")
Key = str | tuple[str, int]
"""An input port, in every cycle or in one."""
Limit = tuple[str, str]
"""A factor in hexadecimal, and the field that it multiplies or nothing."""


class Digits(TypedDict):
    """Fields of an integer's coefficients, in the log: moduli and bits of their words."""

    bases: dict[str, list[str]]
    bits: dict[str, int]
    limit: str


class Quotient(Part):
    """The quotient of a coefficient of the product: words that it is made of, and its hats."""

    power_of_two: str
    hats: list[tuple[int, int, str]]
    least: str
    most: str


class Extended(Part):
    """The words of a quotient in channels without hats; the distance of α from the address."""

    index: int


class Coefficient(TypedDict):
    """A coefficient of the result, in the log."""

    constant: str
    products: list[tuple[int, int, str]]
    quotients: list[tuple[int, str]]
    words: list[tuple[int, str]]
    extended: list[tuple[int, Extended]]


class Claim(TypedDict):
    """The claim in the log."""

    modulus: str
    least: int
    operands: dict[str, Limit]
    relations: list[tuple[str, str, int]]
    terms: list[list[str]]
    exponent: int
    limit: Limit
    codes: dict[str, str]
    nonzero: list[str]
    repeated: dict[str, str]
    result: str
    error: str


class PolynomialClaim(TypedDict):
    """The claim on coefficients of polynomials in a radix, in the log."""

    modulus: str
    radix: str
    degree: int
    operands: dict[str, Digits]
    result: str
    digits: Digits
    error: str


class Log(TypedDict):
    """The log, as far as it is read here."""

    verilog: str
    top: str
    claim: Claim | ResidueClaim | PolynomialClaim
    ready: int
    queue: bool
    interval: int
    probes: list[tuple[str, int, int, int]]
    phases: list[list[tuple[str, str]]]
    counted: bool
    queues: list[tuple[str, int, int | None, tuple[str, int], tuple[str, int]]]
    held: list[tuple[str, int, int, int, int]]
    elsewhere: list[tuple[str, int, int, int, int]]
    rests: list[tuple[str, str, int, int, list[tuple[str, int, int]]]]
    atoms: list[list]
    z: Polynomial
    quotient: Polynomial
    words: list[Polynomial]
    sum: Total
    coefficients: list[Coefficient]
    quotients: list[Quotient]


FieldWords = dict[str, tuple[int, int]]
"""Bits and number of the words of a field."""


class Subject:
    """The claim of a log; `claim` has what one on residues lacks empty, `residues` and `coefficients` are None for
    others."""

    def __init__(self, claim: Claim | ResidueClaim | PolynomialClaim) -> None:
        self.residues: ResidueClaim | None = claim if "vector" in claim else None
        self.coefficients: PolynomialClaim | None = claim if "digits" in claim else None
        self.operands: FieldWords = {}
        self.results: FieldWords = {}
        if "vector" in claim:
            vectors = claim["operands"].items()
            self.operands = {name: (vector["bits"], len(vector["moduli"])) for name, vector in vectors}
            self.results = {claim["result"]: (claim["vector"]["bits"], len(claim["vector"]["moduli"]))}
        if "digits" in claim:
            for digits in claim["operands"].values():
                self.operands |= fields_of(digits, claim["degree"])
            self.results = fields_of(claim["digits"], claim["degree"])
        self.claim = claim if "terms" in claim else without_terms(claim, next(iter(self.results)))

    @property
    def has_words(self) -> bool:
        """Whether operands and result are words of channels."""
        return bool(self.results)


def fields_of(digits: Digits, degree: int) -> FieldWords:
    """FieldWords of the fields of coefficients."""
    return {field: (digits["bits"][field], degree * len(base)) for field, base in digits["bases"].items()}


def without_terms(claim: ResidueClaim | PolynomialClaim, result: str) -> Claim:
    """A claim without operands that are numbers."""
    return {
        "modulus": claim["modulus"],
        "least": 3,
        "operands": {},
        "relations": [],
        "terms": [],
        "exponent": 0,
        "limit": ("0x0", ""),
        "codes": {},
        "nonzero": [],
        "repeated": {},
        "result": result,
        "error": claim["error"],
    }
