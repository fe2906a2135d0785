# SPDX-License-Identifier: Apache-2.0
"""Words of an exponentiation as powers of the base: word ≡ base^L·2^k, where L is a polynomial in the exponent's bits.

A product of x ≡ base^L·2^k and y ≡ base^M·2^l is base^(L + M)·2^(k + l - e), as 2^e·z ≡ x·y. A word that a bit chooses
has the polynomial L + b·(M - L). So what is left at the end is one polynomial, which is the exponent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ..contract import Limit
from ..decide import UndecidedError
from ..pieces import Node, Value, function_of, number_of
from ..poly import ONE, ZERO, Poly, Ring
from ..words import Words
from .claim import PowerClaim, within

PRODUCT = "product "
"""Start of the name of a product's word; no port has a space in its name."""


def product_name(number: int) -> str:
    """Name of the word of a product."""
    return f"{PRODUCT}{number}"


@dataclass(frozen=True)
class Element:
    """A word ≡ base^log·2^power.

    Parameters
    ----------
    log : Poly
    power : int
    """

    log: Poly
    power: int


class Elements:
    """Words of one exponentiation.

    Parameters
    ----------
    claim : PowerClaim
    words : Words
    """

    def __init__(self, claim: PowerClaim, words: Words) -> None:
        self.claim, self.words, self.ring = claim, words, Ring()
        self.bits = [self.ring.atom(f"bit {k}", 0, 1) for k in range(claim.bits)]
        self.powers = [relation for relation in claim.claim.relations if relation.kind == "power"]
        self.products: dict[Node, Element] = {}
        self._found: dict[Value, Element] = {}

    def element(self, value: Value) -> Element:
        """The element of a word.

        Raises
        ------
        UndecidedError
            For other words than constants, operands, products and choices among them.
        """
        value = without_zeros(value)
        if value not in self._found:
            self._found[value] = self._element(value)
        return self._found[value]

    def _element(self, value: Value) -> Element:
        number = number_of(value)
        if number is not None:
            if number == 0 or number & (number - 1):
                raise UndecidedError(f"a product has the operand {number:#x}")
            return Element(ZERO, number.bit_length() - 1)
        node, low, bits = value[0]
        if len(value) == 1 and node is not None and node.op == "input" and low == 0 and bits == node.width:
            return self._input(node)
        chosen = self._arms(value)
        if chosen is None:
            raise UndecidedError("a product has an operand that is not a word of the exponentiation")
        select, zero, one = self.bit(chosen[0]), self.element(chosen[1]), self.element(chosen[2])
        if zero.power != one.power:
            raise UndecidedError("a choice is among words in different domains")
        log = zero.log + self.ring.times(select, one.log - zero.log)
        return Element(log, zero.power)

    def _input(self, node: Node) -> Element:
        if node in self.products:
            return self.products[node]
        if node.name == f"i_{self.claim.base}":
            return Element(ONE, 0)
        for relation in self.powers:
            if node.name == f"i_{relation.field}":
                return Element(ZERO, relation.bits)
        raise UndecidedError(f"a product has the operand {node.name}")

    def _arms(self, value: Value) -> tuple[Value, Value, Value] | None:
        """The bit that chooses a word in all its slices, and both words."""
        found: list[tuple[Value, Value, Value]] = []
        for node, low, bits in value:
            if node is None or node.op != "mux":
                return None
            select, *arms = node.args
            zero, one = (self.words.slice(arm, low, bits) for arm in arms)
            found.append((select, zero, one))
        if len({select for select, _, _ in found}) != 1:
            return None
        zero, one = (self.words.join([piece for part in found for piece in part[k]]) for k in (1, 2))
        return found[0][0], zero, one

    def bit(self, value: Value) -> Poly:
        """A bit as a polynomial in the exponent's bits."""
        node, low, bits = value[0]
        if len(value) == 1 and bits == 1 and node is not None and node.name == f"i_{self.claim.exponent}":
            return self.bits[low]
        function = function_of(value)
        if function is None:
            raise UndecidedError("a choice is by another bit than those of the exponent")
        table, leaves = function
        return self._function(table, [self.bit(leaf) for leaf in leaves])

    def _function(self, table: int, leaves: Sequence[Poly]) -> Poly:
        if not leaves:
            return ONE if table & 1 else ZERO
        half = 1 << len(leaves) - 1
        low, high = table & (1 << half) - 1, table >> half
        zero, one = self._function(low, leaves[:-1]), self._function(high, leaves[:-1])
        return zero + self.ring.times(leaves[-1], one - zero)

    # --- products

    def fields(self, operands: Value) -> dict[str, Value]:
        """Fields of the payload of a product."""
        offsets = self.claim.i.offsets
        return {f.name: self.words.slice(operands, offsets[f.name], f.bits) for f in self.claim.i.fields}

    def multiply(self, operands: Value, result: Node) -> None:
        """A product: its operands are in range, and its constants are those of the modulus."""
        claim, fields = self.claim.product, self.fields(operands)
        self.check_constants(operands)
        for name in self.claim.factors:
            self.check_range(name, self.limits(fields[name], base=True))
        x, y = (self.element(fields[name]) for name in self.claim.factors)
        self.products[result] = Element(x.log + y.log, x.power + y.power - claim.exponent)

    def check_constants(self, operands: Value) -> None:
        """Check that modulus and constants of a product are those of the exponentiation."""
        claim, fields = self.claim.product, self.fields(operands)
        if isinstance(claim.modulus, str) and not self.is_field(fields[claim.modulus], str(self.claim.claim.modulus)):
            raise UndecidedError("a product is modulo another number")
        own = {(relation.kind, relation.bits): relation.field for relation in self.claim.claim.relations}
        for relation in claim.relations:
            if not self.is_field(fields[relation.field], own.get((relation.kind, relation.bits), "")):
                raise UndecidedError(f"{relation.field} of a product is not a constant of the modulus")

    # --- ranges

    def limits(self, value: Value, *, base: bool) -> set[Limit]:
        """Limits of a word: it is below one of them. The base has one only where it is known to be in range."""
        value = without_zeros(value)
        number = number_of(value)
        if number is not None:
            return {Limit(number + 1)}
        if base and self.is_field(value, self.claim.base):
            return {self.claim.claim.operands[self.claim.base]}
        if any(relation.kind == "power" and self.is_field(value, relation.field) for relation in self.powers):
            return {Limit(1, str(self.claim.claim.modulus))}
        node, low, bits = value[0]
        if len(value) == 1 and node is not None and node.name.startswith(PRODUCT) and not low and bits == node.width:
            return {self.required(self.claim.product.limit)}
        arms = self._arms(value)
        if arms is None:
            raise UndecidedError("a product has an operand that is not a word of the exponentiation")
        return self.limits(arms[1], base=base) | self.limits(arms[2], base=base)

    def limit_of(self, operands: Value, by_one: Mapping[str, Limit]) -> Limit:
        """The limit of a product, which may be lower where an operand is 1."""
        fields = self.fields(operands)
        found = [by_one[name] for name in self.claim.factors if number_of(without_zeros(fields[name])) == 1]
        return min(found, key=attrgetter("factor"), default=self.claim.product.limit)

    def check_range(self, name: str, limits: set[Limit]) -> None:
        """Check that an operand is in range."""
        required, least = self.required(self.claim.product.operands[name]), self.claim.claim.least
        if not all(within(limit, required, least) for limit in limits):
            raise UndecidedError(f"{name} of a product may reach its limit {required.text}")

    def required(self, limit: Limit) -> Limit:
        """A limit of a product in terms of the exponentiation's fields."""
        if limit.of and limit.of != self.claim.product.modulus:
            raise UndecidedError("a product has a limit next to the modulus")
        return Limit(limit.factor, str(self.claim.claim.modulus)) if limit.of else limit

    def is_field(self, value: Value, field: str) -> bool:
        """Whether a word is an input field."""
        node, low, bits = value[0]
        return len(value) == 1 and node is not None and node.name == f"i_{field}" and not low and bits == node.width


def without_zeros(value: Value) -> Value:
    """A word without zeros above."""
    node, number, _ = value[-1]
    return value[:-1] if len(value) > 1 and node is None and number == 0 else value
