# SPDX-License-Identifier: Apache-2.0
"""Forms in which the fields of a stream carry their numbers, and the bases of residues, as the roles of fields say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..base.notation import number_text
from ..contract import Codec, PayloadValue, Varied
from ..contract.number import Number
from ..contract.payload import Field, Payload
from ..contract.representation import Coefficients, Montgomery, NamedChannels, Residues
from ..contract.roles import Determined, NegInverse, Operand, Power, Result, Role, Table
from .document import BaseRow


@dataclass(frozen=True)
class Stream:
    """One payload of a stream with the plain numbers that it stands for.

    Parameters
    ----------
    name : str
        `i` or `o`.
    words : Payload
    payload : mapping
    numbers : mapping
        Plain operands or results by name.
    modulus : int or None
    symbol : str
        Letter of the modulus in the family's formulas.
    codec : Codec
        Codec of the core, which knows the bases of a payload where an operand picks them.
    """

    name: str
    words: Payload
    payload: Mapping[str, PayloadValue]
    numbers: Mapping[str, object]
    modulus: int | None
    symbol: str
    codec: Codec

    def fields(self) -> Iterator[tuple[Field, Role]]:
        """Fields with their roles."""
        own = self.codec.roles_of(self.payload) if isinstance(self.codec, Varied) else {}
        for field in self.words.fields:
            role = own.get(field.name, field.role)
            if role is not None:
                yield field, role

    def forms(self) -> dict[str, str]:
        """Form of each field that does not carry the plain number, by the stream and its name."""
        return {
            f"{self.name}: {field.name}": form for field, role in self.fields() if (form := self._form(field, role))
        }

    def bases(self) -> Iterator[BaseRow]:
        """Bases of the fields in residues, a row for each field that is in one."""
        for field, role in self.fields():
            yield from self._rows(f"{self.name}: {field.name}", role)

    def _rows(self, field: str, role: Role) -> Iterator[BaseRow]:
        domain = residues_of(role)
        if domain is None:
            return
        start = 0
        scale = () if isinstance(domain, Coefficients) else domain.scale
        for part in named(domain):
            place = slice(start, start + part.count)
            moduli = list(domain.base.moduli[place])
            yield {
                "name": part.label,
                "fields": [field],
                "moduli": moduli,
                "times": part.scale,
                "scale": list(scale[place]) if part.scale else [],
                "product": self._product(part, moduli) if self._is_factor(part, domain) else "",
            }
            start += part.count

    def _is_factor(self, part: NamedChannels, domain: Residues | Coefficients | Table) -> bool:
        if not isinstance(domain, Residues) or domain.factor == 1:
            return False
        return part.name == _symbol(domain.factor, domain, self.modulus)

    def _product(self, part: NamedChannels, moduli: list[int]) -> str:
        """The product of a base that is the factor of numbers, which the modulus reduces."""
        product = math.prod(moduli)
        text = f"{part.name} = {number_text(product)}"
        return text if self.modulus is None else f"{text} ≡ {number_text(product % self.modulus)} (mod {self.symbol})"

    def _form(self, field: Field, role: Role) -> str:
        match role:
            case Operand(domain=Montgomery(T)) | Result(domain=Montgomery(T)):
                return f"{role.name}·2^{T} (mod {self.symbol})"
            case Operand(domain=Residues()) | Result(domain=Residues()):
                return f"residues of {self._integer(field, role)}{_places(role)}"
            case (
                Operand(domain=Coefficients(radix=radix, degree=degree))
                | Result(domain=Coefficients(radix=radix, degree=degree))
            ):
                letter = "R" if self.symbol == "M" else "M"
                sum_of = " + ".join(["c_0", f"c_1·{letter}", *(f"c_{k}·{letter}^{k}" for k in range(2, degree))])
                return (
                    f"residues of c_0, then of c_1{' and so on' if degree > 2 else ''}; {role.name} ≡ {sum_of} "
                    f"(mod {self.symbol}), {letter} = {number_text(radix)}{_places(role)}"
                )
            case NegInverse() | Power():
                return replace(role, of=role.of or self.symbol).note.partition(";")[0]
            case Table():
                return f"residues of {self._determined(role)}{_places(role)}"
            case _:
                return ""

    def _determined(self, role: Table) -> str:
        match role.of:
            case Determined.MODULUS:
                return self.symbol
            case Determined.NEG_INVERSE:
                return f"-1/{self.symbol}"
            case Determined.FACTOR:
                return f"{_symbol(role.factor, role, None)} mod {self.symbol}"

    def _integer(self, field: Field, role: Operand | Result) -> str:
        """The integer of residues, and the number that it is congruent to."""
        domain, x = role.domain, self.numbers.get(role.name)
        assert isinstance(domain, Residues)
        congruent = role.name if domain.factor == 1 else f"{role.name}·{_symbol(domain.factor, domain, self.modulus)}"
        if self.modulus is None or not isinstance(x, int):
            return congruent
        stored = Number(field, role).read(self.payload[field.name])
        if (stored, domain.factor) == (x, 1):
            return congruent
        if (stored - x * domain.factor) % self.modulus:  # an operand that is not read as a number of the domain
            return f"{congruent} (mod {self.symbol})"
        return f"{number_text(stored)} ≡ {congruent} (mod {self.symbol})"


def bases_of(*streams: Stream) -> list[BaseRow]:
    """Bases of the fields of streams, each once with all fields that are in it."""
    rows: list[BaseRow] = []
    for own in (row for stream in streams for row in stream.bases()):
        fields = own["fields"]
        same = next((row for row in rows if {**row, "fields": fields} == own), None)
        if same is None:
            rows.append(own)
        else:
            same["fields"] += fields
    return rows


def residues_of(role: Role) -> Residues | Coefficients | Table | None:
    """The base of a field in residues, with what they are stored times."""
    if isinstance(role, Table):
        return role
    domain = role.domain if isinstance(role, Operand | Result) else None
    return domain if isinstance(domain, Residues | Coefficients) else None


def named(domain: Residues | Coefficients | Table) -> tuple[NamedChannels, ...]:
    """Channels of a base by their names: all together where it has none."""
    return domain.parts or (NamedChannels("", domain.base.count),)


def _symbol(factor: int, domain: Residues | Table, modulus: int | None) -> str:
    """A factor of numbers as the product of a base or its square, where it is one; else in figures."""
    start = 0
    for part in domain.parts:
        product = math.prod(domain.base.moduli[start : start + part.count])
        start += part.count
        for power, text in ((product, part.name), (product**2, f"{part.name}²")):
            if not part.redundant and (factor == power or (modulus and (factor - power) % modulus == 0)):
                return text
    return number_text(factor)


def _places(role: Role) -> str:
    """The order of the residues, where their channels have names."""
    domain = residues_of(role)
    parts = () if domain is None else domain.parts
    labels = [f"{'the' if part.redundant else 'in'} {part.label}" for part in parts if part.name or part.redundant]
    return f", {', then '.join(labels)}" if labels else ""
