# SPDX-License-Identifier: Apache-2.0
"""The codec of a core whose numbers are polynomials in a radix with coefficients in residues, by the fields' roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from .codec import Streams, chained
from .drawing import draw_below, draw_representatives
from .operands import Reading
from .operands import Residues as Group
from .payload import Field, Payload, PayloadValue, integer
from .roles import Coefficients, ErrorCode, Errors, Operand, Result


@dataclass(frozen=True)
class Polynomial:
    """One operand or result in its fields, one for each base.

    Parameters
    ----------
    fields : tuple of (Field, Coefficients)
        With the same radix and degree.
    limit : int
        Coefficients are below it.
    """

    fields: tuple[tuple[Field, Coefficients], ...]
    limit: int

    @property
    def radix(self) -> int:
        """The number is the value of the polynomial there."""
        return self.fields[0][1].radix

    @property
    def degree(self) -> int:
        """Number of coefficients."""
        return self.fields[0][1].degree

    def digits(self, value: int) -> tuple[int, ...]:
        """Coefficients below the radix of an integer below radix^degree."""
        return tuple(value // self.radix**k % self.radix for k in range(self.degree))

    def value(self, coefficients: Sequence[int]) -> int:
        """The integer that the coefficients stand for."""
        return sum(c * self.radix**k for k, c in enumerate(coefficients))

    # --- fields

    def write(self, coefficients: Sequence[int]) -> dict[str, PayloadValue]:
        """The fields of coefficients, residues canonical."""
        return {
            field.name: tuple(c % m for c in coefficients for m in domain.base.moduli) for field, domain in self.fields
        }

    def read(self, payload: Mapping[str, PayloadValue]) -> tuple[int, ...]:
        """The coefficients, each below the product of all bases."""
        return tuple(self._coefficient(payload, k) for k in range(self.degree))

    def _coefficient(self, payload: Mapping[str, PayloadValue], k: int) -> int:
        """The integer with the residues of coefficient k, base by base, by the Chinese remainder theorem."""
        found, so_far = 0, 1
        for field, domain in self.fields:
            base, residues = domain.base, payload[field.name]
            assert isinstance(residues, tuple)
            own = residues[k * base.count : (k + 1) * base.count]
            rest = [(r - found) * pow(so_far, -1, m) for r, m in zip(own, base.moduli, strict=True)]
            found += so_far * base.from_residues(rest)
            so_far *= base.product
        return found

    def draw(self, rng: Random) -> dict[str, PayloadValue]:
        """Any coefficients below the limit, any representatives of their residues."""
        drawn = [draw_below(rng, self.limit, self.radix) for _ in range(self.degree)]
        payload: dict[str, PayloadValue] = {}
        for field, domain in self.fields:
            base = domain.base
            groups = [draw_representatives(rng, base, [c % m for m in base.moduli]) for c in drawn]
            payload[field.name] = tuple(r for group in groups for r in group)
        return payload

    @property
    def groups(self) -> list[Group]:
        """Residues of one coefficient, in all bases, for a solver."""
        return [Group(self._places(k), 0, self.limit) for k in range(self.degree)]

    def _places(self, k: int) -> tuple[tuple[str, int, int, int], ...]:
        return tuple(
            (field.name, k * domain.base.count + channel, m, 1)
            for field, domain in self.fields
            for channel, m in enumerate(domain.base.moduli)
        )


class PolynomialCodec:
    """Codec that follows from the roles of the fields: operands and results with the domain `Coefficients`.

    Parameters
    ----------
    p : Streams
        With a fixed modulus.
    edges : mapping
        Named plain cases of the family, next to those that follow from radix and modulus.
    """

    def __init__(self, p: Streams, edges: Mapping[str, Mapping[str, int]]) -> None:
        assert p.modulus is not None
        self._i, self._o, self._modulus, self._edges = p.i, p.o, p.modulus, edges
        self.operands, self.results = _polynomials(p.i, Operand), _polynomials(p.o, Result)
        self._codes = p.o.having(ErrorCode)[0][1].codes

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Digits of the operands to the radix; ValueError when one is not below M."""
        payload: dict[str, PayloadValue] = {}
        for name, number in self.operands.items():
            if not 0 <= case[name] < self._modulus:
                raise ValueError(f"{name} = {case[name]:#x} is not below {self._modulus:#x}")
            payload |= number.write(number.digits(case[name]))
        return payload

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The values of the polynomials; None where a coefficient is not below its limit."""
        case: dict[str, int] = {}
        for name, number in self.operands.items():
            coefficients = number.read(payload)
            if max(coefficients) >= number.limit:
                return None
            case[name] = number.value(coefficients) % self._modulus
        return Reading(case)

    def residues(self) -> Sequence[Group]:
        """Every coefficient of the operands."""
        return [group for number in self.operands.values() for group in number.groups]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any coefficients below their limit, any representatives of their residues."""
        payload: dict[str, PayloadValue] = {}
        for number in self.operands.values():
            payload |= number.draw(rng)
        return payload

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """Results modulo M; an error where a coefficient is not below its limit."""
        code = integer(payload["error"])
        if code:
            return {**dict.fromkeys(self.results, 0), "error": self._codes.get(code, Errors.UNKNOWN)}
        decoded: dict[str, object] = {}
        error = None
        for name, number in self.results.items():
            coefficients = number.read(payload)
            error = error if max(coefficients) < number.limit else Errors.BOUND
            decoded[name] = decoded["representative"] = number.value(coefficients) % self._modulus
        return decoded | {"error": error}

    def edges(self) -> dict[str, dict[str, int]]:
        """Every combination of identities, extremes, the radix and digits of all ones; and the cases of the family."""
        values = _edge_values(next(iter(self.operands.values())).radix, self._modulus)
        cases = {
            "·".join(name for name, _ in chosen): dict(zip(self.operands, (x for _, x in chosen), strict=True))
            for chosen in product(values.items(), repeat=len(self.operands))
        }
        return cases | {name: dict(case) for name, case in self._edges.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """The fields of the result chain into those of the first operand."""
        return chained(self._i, self._o)


def _polynomials(payload: Payload, number: type[Operand] | type[Result]) -> dict[str, Polynomial]:
    """Numbers of a payload by name, each with its fields in their order."""
    fields: dict[str, list[tuple[Field, Coefficients]]] = {}
    limits: dict[str, int] = {}
    for field, role in payload.having(number):
        assert isinstance(role.domain, Coefficients)
        assert isinstance(role.limit, int)
        fields.setdefault(role.name, []).append((field, role.domain))
        limits[role.name] = role.limit
    return {name: Polynomial(tuple(own), limits[name]) for name, own in fields.items()}


def _edge_values(M: int, P: int) -> dict[str, int]:
    """Named plain values, from the radix and the modulus."""
    return {"0": 0, "1": 1, "P-1": P - 1, "M-1": M - 1, "M": M, "2^-1": (P + 1) // 2, "P-M": P - M}
