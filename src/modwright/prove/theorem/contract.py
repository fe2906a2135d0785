# SPDX-License-Identifier: Apache-2.0
"""The theorem's claim about one operation, in terms of its fields: congruence, bound, and errors.

It follows from the roles of the payload's fields alone, not from the working of the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...contract import Payload
from ...contract.roles import (
    ErrorCode,
    Errors,
    Modulus,
    Montgomery,
    Multiple,
    NegInverse,
    Operand,
    Plain,
    Power,
    Result,
)
from ...functions import find_function
from .netlist import UnsupportedError


@dataclass(frozen=True)
class Limit:
    """An exclusive limit.

    Parameters
    ----------
    factor : int
        Multiple of `of`; the limit itself where `of` is empty.
    of : str
        Input field; empty for a number.
    """

    factor: int
    of: str = ""

    @property
    def text(self) -> str:
        """The limit as text."""
        return f"{self.factor}·{self.of}" if self.of and self.factor > 1 else self.of or f"{self.factor:#x}"


@dataclass(frozen=True)
class Relation:
    """The relation that a constant next to the modulus satisfies.

    Parameters
    ----------
    field : str
    kind : str
        "inverse": field·m ≡ -1 modulo 2^bits. "power": field = 2^bits mod m.
    bits : int
    """

    field: str
    kind: str
    bits: int

    def text(self, m: str) -> str:
        """The relation as text, for a modulus of a name."""
        if self.kind == "inverse":
            return f"{self.field}·{m} ≡ -1 (mod 2^{self.bits})"
        return f"{self.field} = 2^{self.bits} mod {m}"


@dataclass(frozen=True)
class Claim:
    """The obligation of one operation.

    Parameters
    ----------
    modulus : int or str
        The modulus, or the input field that carries it.
    least : int
        Moduli are at least this, and odd.
    operands : mapping of str to Limit
        Limits of the input fields.
    terms : tuple of tuple of str
        Products of input fields whose sum the result is congruent to, times 2^exponent.
    exponent : int
    result : str
        Output field.
    limit : Limit
        Limit of the result.
    relations : tuple of Relation
    repeated : mapping of str to str
        Output fields that repeat input fields.
    error : str
        Output field.
    codes : mapping of int to str
        "modulus": the modulus is even or below `least`, or a constant of `nonzero` is 0; "operand": an operand is not
        below its limit. The least counts.
    nonzero : tuple of str
        Constants next to the modulus that the core reports where they are 0.
    """

    modulus: int | str
    least: int
    operands: Mapping[str, Limit]
    terms: tuple[tuple[str, ...], ...]
    exponent: int
    result: str
    limit: Limit
    relations: tuple[Relation, ...]
    repeated: Mapping[str, str]
    error: str
    codes: Mapping[int, str]
    nonzero: tuple[str, ...] = ()

    @property
    def words(self) -> dict[str, int]:
        """Bits of a word of each input port that has several."""
        return {}

    @property
    def fields(self) -> set[str]:
        """Fields of the result."""
        return {self.result, self.error, *self.repeated}

    @property
    def inputs(self) -> set[str]:
        """Fields of the operands."""
        return set(self.operands)

    @property
    def statement(self) -> str:
        """One operation in words."""
        m = self.modulus if isinstance(self.modulus, str) else f"{self.modulus:#x}"
        name = self.modulus if isinstance(self.modulus, str) else "m"
        total = " + ".join("·".join(product) for product in self.terms)
        scaled = f"2^{self.exponent}·{self.result}" if self.exponent else self.result
        ranges = ", ".join(f"{field} < {limit.text}" for field, limit in self.operands.items())
        every = f"every odd {m} >= {self.least}" if isinstance(self.modulus, str) else f"m = {m}"
        with_relations = f" with {', '.join(r.text(name) for r in self.relations)}" if self.relations else ""
        repeated = "".join(f", {out} = {field}" for out, field in self.repeated.items())
        return (
            f"for {every}{with_relations}, and all operands with {ranges}: {scaled} ≡ {total} (mod {name}), "
            f"{self.result} < {self.limit.text}{repeated}, {self.error} = 0; for all others the error code, and "
            f"{self.result} = 0"
        )

    def to_json(self) -> dict[str, object]:
        """Document of the claim for the log."""
        return {
            "modulus": self.modulus if isinstance(self.modulus, str) else hex(self.modulus),
            "least": self.least,
            "operands": {name: [hex(operand.factor), operand.of] for name, operand in self.operands.items()},
            "terms": [list(product) for product in self.terms],
            "exponent": self.exponent,
            "result": self.result,
            "limit": [hex(self.limit.factor), self.limit.of],
            "relations": [[relation.field, relation.kind, relation.bits] for relation in self.relations],
            "repeated": dict(self.repeated),
            "error": self.error,
            "codes": {str(code): what for code, what in self.codes.items()},
            "nonzero": list(self.nonzero),
        }


def claim_of(function: str, i: Payload, o: Payload, modulus: int | None) -> Claim:
    """The claim of a core's payloads.

    Raises
    ------
    UnsupportedError
        For roles that the theorem is not stated for: residues, checked constants, scalars.
    """
    products = find_function(function).products
    if not products:
        raise UnsupportedError(f"no theorem on {function} is stated for this core")
    fields = {role.name: (field.name, role) for field, role in i.having(Operand)}
    names = [name for name, _ in i.having(Modulus)]
    m: int | str | None = names[0].name if names else modulus
    results = i_results(o)
    if m is None or set(fields) != {name for product in products for name in product}:
        raise UnsupportedError("the theorem is not stated for these operands")
    result, role = results
    least = i.having(Modulus)[0][1].least if names else 3
    powers = {role: field.name for field, role in i.having(Power)}
    exponents = {name: _exponent(role.domain) for name, (_, role) in fields.items()}
    totals = {sum(exponents[name] for name in product) for product in products}
    if len(totals) != 1:
        raise UnsupportedError("operands are in several domains")
    error = next(field for field in o.fields if isinstance(field.role, ErrorCode))
    return Claim(
        m,
        least,
        {field: limit_in(role.limit, m, powers) for field, role in fields.values()},
        tuple(tuple(fields[name][0] for name in product) for product in products),
        totals.pop() - _exponent(role.domain),
        result,
        limit_in(role.limit, m, powers),
        tuple(relations_of(i)),
        {field.name: str(m) for field, _ in o.having(Modulus)}
        | {field.name: powers[role] for field, role in o.having(Power)},
        error.name,
        dict(sorted(codes_of(error.role).items())),
        tuple(name for role, name in powers.items() if role.checked),
    )


def i_results(o: Payload) -> tuple[str, Result]:
    """The one result."""
    found = o.having(Result)
    if len(found) != 1 or found[0][0].count != 1:
        raise UnsupportedError("the result is several words")
    return found[0][0].name, found[0][1]


def _exponent(domain: object) -> int:
    match domain:
        case Plain():
            return 0
        case Montgomery(T):
            return T
        case _:
            raise UnsupportedError("operands are residues")


def limit_in(limit: int | Multiple, m: int | str, powers: Mapping[Power, str]) -> Limit:
    """A limit, with the fields that it may be a multiple of."""
    if isinstance(limit, int):
        return Limit(limit)
    if isinstance(limit.of, Power):
        if limit.of not in powers:
            raise UnsupportedError("a limit is a multiple of a constant that is not an operand")
        return Limit(limit.factor, powers[limit.of])
    return Limit(limit.factor, m) if isinstance(m, str) else Limit(limit.factor * m)


def relations_of(i: Payload) -> list[Relation]:
    """Relations of the constants next to the modulus."""
    found = [Relation(field.name, "inverse", role.bits) for field, role in i.having(NegInverse)]
    found += [Relation(field.name, "power", role.exponent) for field, role in i.having(Power)]
    return found


RANGES = {Errors.BAD_MODULUS: "modulus", Errors.NOT_REDUCED: "operand"}
"""Meanings of the codes of operands that are out of range."""


def codes_of(role: object, names: Mapping[Errors, str] = RANGES) -> dict[int, str]:
    """Meanings of the codes of an error field, which are all among `names`."""
    codes = role.codes if isinstance(role, ErrorCode) else {}
    if not set(codes.values()) <= set(names):
        raise UnsupportedError("the core reports other errors")
    return {code: names[error] for code, error in codes.items()}
