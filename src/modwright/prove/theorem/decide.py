# SPDX-License-Identifier: Apache-2.0
"""The claim of one operation, decided on the polynomials of its outputs, case by case.

The cases are the values of the tests on which the error code depends. In each, the results of the tests decide whether
the operands are in range; the code must be the required one. Without an error the result's polynomial, less the claimed
sum, must be a multiple of the modulus, and its bound must follow from the intervals of its atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import gcd

from .adders import Adder, adders_of
from .atoms import Key, Known
from .choices import Choices
from .contract import Claim, Limit
from .facts import Facts
from .netlist import UnsupportedError
from .pieces import Node, Value
from .poly import ONE, ZERO, Monomial, Poly, number
from .remainders import is_zero
from .unroll import Unrolled

MOST_TESTS = 8
"""Most tests on which an error code may depend; each doubles the cases."""
BIT = (0, 1)
"""Interval of a test: both of its values are cases."""


class UndecidedError(Exception):
    """The claim could not be decided; it carries the reason in words."""


@dataclass
class Branch:
    """One case, decided.

    Parameters
    ----------
    tests : mapping of Key to int
        Origins of the tests, and their values.
    code : int
        The error code.
    facts : Facts
    result : Poly
        Polynomial of the result without error.
    quotient : Poly
        Quotient (2^exponent·z - Σ) / m.
    """

    tests: Mapping[Key, int]
    code: int
    facts: Facts
    result: Poly = ZERO
    quotient: Poly = ZERO


Steady = tuple[str, Value, Value]
"""A register's name, its word, and the one that it has a cycle later."""


@dataclass
class Operation:
    """Inputs and outputs of one operation as words.

    Parameters
    ----------
    unrolled : Unrolled
    inputs : mapping of str to Node
        By field.
    outputs : mapping of str to Value
        By field.
    steady : sequence of Steady
        Registers that have to keep their words while the result waits.
    """

    unrolled: Unrolled
    inputs: Mapping[str, Node]
    outputs: Mapping[str, Value]
    steady: Sequence[Steady] = ()
    cases: list[Branch] = field(default_factory=list)
    adders: Mapping[Node, Adder] = field(init=False)

    def __post_init__(self) -> None:
        """Find the adders once, for all cases."""
        self.adders = adders_of(self.unrolled.words.gates)


def decide(claim: Claim, operation: Operation) -> None:
    """Prove the claim; the cases are added to the operation.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    try:
        _check_repeated(claim, operation)
        for tests in _cases(claim, operation):
            operation.cases.append(_decide_case(claim, operation, tests))
    except UnsupportedError as error:
        raise UndecidedError(str(error)) from None


def _check_repeated(claim: Claim, operation: Operation) -> None:
    for out, name in claim.repeated.items():
        node = operation.inputs[name]
        if operation.outputs[out] != ((node, 0, node.width),):
            raise UndecidedError(f"{out} is not {name} as it came in")


def _cases(claim: Claim, operation: Operation) -> Iterator[dict[Key, int]]:
    """Values of all tests of the error code, also of a test that the others decide in some cases; each is a bit."""
    facts = _facts(claim, operation, {})
    error = facts.reading(operation.outputs[claim.error]).poly
    origins = [facts.origins[atom] for atom in sorted(error.atoms)]
    if len(origins) > MOST_TESTS:
        raise UndecidedError(f"the error code depends on {len(origins)} tests")
    for atom in sorted(error.atoms):
        test = facts.ring.atoms[atom]
        if (test.low, test.high) != BIT or facts.origins[atom][0] == "input":
            raise UndecidedError(f"the error code depends on {test.name}, a word and not a test")
    for values in product((0, 1), repeat=len(origins)):
        yield dict(zip(origins, values, strict=True))


def _facts(claim: Claim, operation: Operation, tests: Mapping[Key, int]) -> Facts:
    words = operation.unrolled.words
    found = Facts(tests, words.within)
    if operation.adders:
        found.rows(operation.adders, Choices(words, operation.adders))
    if isinstance(claim.modulus, int) and claim.modulus & 1:
        found.modulus = claim.modulus
    return found


def _decide_case(claim: Claim, operation: Operation, tests: Mapping[Key, int]) -> Branch:
    facts = _facts(claim, operation, tests)
    code = facts.reading(operation.outputs[claim.error]).poly.constant
    if code is None:
        raise UndecidedError("the error code is not known in a case of its tests")
    found = Branch(tests, code, facts)
    due = _due(claim, operation, facts)
    if due is None:
        raise UndecidedError(f"whether operands are in range is not known where the error code is {code}")
    if due != code:
        raise UndecidedError(f"the error code is {code} where it should be {due}")
    if code:
        result = facts.reading(operation.outputs[claim.result]).poly
        if result.constant != 0:
            raise UndecidedError(f"{claim.result} is not 0 with error code {code}")
    else:
        _decide_result(claim, operation, found)
    for name, before, after in operation.steady:
        if facts.reading(before).poly != facts.reading(after).poly:
            raise UndecidedError(f"{name} does not stay while the result waits")
    return found


# --- errors


def _due(claim: Claim, operation: Operation, facts: Facts) -> int | None:
    """The required error code; None when the case does not decide it."""
    for code, kind in claim.codes.items():
        answer = _bad_modulus(claim, operation, facts) if kind == "modulus" else _too_large(claim, operation, facts)
        if answer is None or answer:
            return None if answer is None else code
    return 0


def _bad_modulus(claim: Claim, operation: Operation, facts: Facts) -> bool | None:
    node = operation.inputs[str(claim.modulus)]
    lowest = facts.cut(node, 1).constant
    left = [facts.fact(node).poly - number(claim.least)]
    left += [facts.fact(operation.inputs[name]).poly - ONE for name in claim.nonzero]
    if lowest == 0 or any(follows(facts, -of - ONE) for of in left):
        return True
    return False if lowest == 1 and all(follows(facts, of) for of in left) else None


def _too_large(claim: Claim, operation: Operation, facts: Facts) -> bool | None:
    answers: list[bool | None] = []
    for name, limit in claim.operands.items():
        left = limit_of(limit, operation, facts) - facts.fact(operation.inputs[name]).poly
        answers.append(True if follows(facts, -left) else False if follows(facts, left - ONE) else None)
    return True if True in answers else None if None in answers else False


def limit_of(limit: Limit, operation: Operation, facts: Facts) -> Poly:
    """A limit as a polynomial."""
    return facts.fact(operation.inputs[limit.of]).poly.scaled(limit.factor) if limit.of else number(limit.factor)


def follows(facts: Facts, goal: Poly) -> bool:
    """Whether a polynomial is at least 0, by its interval or by one assumption of the case."""
    if at_least_zero(facts, goal):
        return True
    for fact, either in _facts_of(facts.known, facts):
        for monomial, value in goal.items():
            other = fact.terms.get(monomial, 0)
            if monomial and other and (either or (value > 0) == (other > 0)):
                # other·goal - value·fact, over a positive number, has no such monomial
                rest = goal.scaled(abs(other), -goal.shift) - fact.scaled(abs(value), -fact.shift).scaled(
                    1 if (value > 0) == (other > 0) else -1
                )
                if at_least_zero(facts, rest) or at_least_zero(facts, named(facts, rest)):
                    return True
    return False


def _facts_of(known: list[Known], facts: Facts) -> Iterator[tuple[Poly, bool]]:
    """Polynomials that are at least 0 in a case, each with whether it is 0."""
    for fact in known:
        if fact.kind == "bit":
            yield fact.of - number(fact.value), True
        elif fact.kind == "negative":
            yield (-fact.of - ONE, False) if fact.value else (fact.of, False)
        elif fact.kind == "nonzero" and facts.ring.interval(fact.of)[0] >= 0:
            yield (fact.of - ONE, False) if fact.value else (fact.of, True)


def at_least_zero(facts: Facts, p: Poly) -> bool:
    """Whether the interval of a polynomial lies at 0 or above."""
    return facts.ring.interval(Poly(p.terms))[0] >= 0


# --- the result


def _decide_result(claim: Claim, operation: Operation, case: Branch) -> None:
    facts = case.facts
    _narrow(claim, operation, facts)
    _relate(claim, operation, facts)
    reading = facts.reading(operation.outputs[claim.result])
    case.result = named(facts, reading.poly)
    total = ZERO
    for names in claim.terms:
        one = ONE
        for name in names:
            one = facts.ring.times(one, facts.fact(operation.inputs[name]).poly)
        total += one
    difference = case.result.scaled(1, -claim.exponent) - total
    difference = _with_powers(claim, operation, facts, difference)
    difference, multiple = facts.reduced(difference)
    while difference.atoms & facts.names.keys():
        difference, more = facts.reduced(named(facts, difference))
        multiple += more
    case.quotient = _quotient(claim, operation, facts, difference) + multiple
    _decide_bound(claim, operation, case, reading.high)


def _narrow(claim: Claim, operation: Operation, facts: Facts) -> None:
    """Narrow the operands to their ranges."""
    for name, limit in claim.operands.items():
        if not limit.of:
            facts.narrow(operation.inputs[name], limit.factor - 1)


def _relate(claim: Claim, operation: Operation, facts: Facts) -> None:
    """Add the relations between inputs, for congruences."""
    for relation in claim.relations:
        if relation.kind == "inverse":
            (first,) = _atom_of(facts.fact(operation.inputs[relation.field]).poly)
            (second,) = _atom_of(facts.cut(operation.inputs[str(claim.modulus)], relation.bits))
            facts.relations.append((first, second, -1, relation.bits))


def _atom_of(p: Poly) -> Monomial:
    (monomial,) = p.terms
    return monomial


def named(facts: Facts, p: Poly) -> Poly:
    """A polynomial with named bits expanded, and those in what they are names of."""
    while p.atoms & facts.names.keys():
        atom = max(p.atoms & facts.names.keys())
        p = facts.ring.substitute(p, atom, facts.names[atom])
    return p


def _with_powers(claim: Claim, operation: Operation, facts: Facts, p: Poly) -> Poly:
    """Replace the powers of two next to the modulus: 2^w·mu = 1 + m·κ for mu = 2^-w mod m."""
    for relation in claim.relations:
        if relation.kind == "power":
            if relation.bits >= 0:
                raise UnsupportedError("a power of two with a positive exponent")
            m = facts.fact(operation.inputs[str(claim.modulus)]).poly
            times = facts.ring.atom(f"({relation.field}·2^{-relation.bits} - 1) / m", 0, 1 << -relation.bits)
            facts.formulas[_atom_of(times)[0]] = (
                "times",
                facts.fact(operation.inputs[relation.field]).poly,
                -relation.bits,
            )
            value = (ONE + facts.ring.times(m, times)).scaled(1, -relation.bits)
            p = facts.ring.substitute(p, _atom_of(facts.fact(operation.inputs[relation.field]).poly)[0], value)
    return p


def _quotient(claim: Claim, operation: Operation, facts: Facts, p: Poly) -> Poly:
    """The polynomial divided by the modulus, which is odd, so that powers of two in a denominator do not matter."""
    terms: dict[Monomial, int] = {}
    if isinstance(claim.modulus, int):
        terms = {monomial: value // claim.modulus for monomial, value in p.items() if value % claim.modulus == 0}
        left = [monomial for monomial in p.terms if monomial not in terms]
    else:
        m = _atom_of(facts.fact(operation.inputs[claim.modulus]).poly)[0]
        left = [monomial for monomial in p.terms if m not in monomial]
        for monomial, value in p.items():
            if m in monomial:
                at = monomial.index(m)
                terms[monomial[:at] + monomial[at + 1 :]] = value
    over = gcd(*(p.terms[monomial] for monomial in left))
    if left and not is_zero(facts, Poly({monomial: p.terms[monomial] // over for monomial in left})):
        rest = Poly({monomial: p.terms[monomial] for monomial in left[:4]}, p.shift)
        raise UndecidedError(
            f"{len(left)} terms of the result are not multiples of the modulus, {facts.ring.text(rest)} among them"
        )
    return Poly(terms, p.shift)


def _decide_bound(claim: Claim, operation: Operation, case: Branch, high: int) -> None:
    """Decide that the result is below its limit."""
    if not claim.limit.of:
        if high >= claim.limit.factor:
            raise UndecidedError(f"{claim.result} is at most {high:#x}, and should be below {claim.limit.text}")
        return
    facts = case.facts
    node = operation.inputs[claim.limit.of]
    m = _atom_of(facts.fact(node).poly)[0]
    above = upper(claim, operation, facts, case.result, m)
    left = [claim.limit.factor if power == 1 else 0 for power in range(3)]
    left = [(value << case.result.shift) - above[power] for power, value in enumerate(left)]
    least = claim.least if claim.limit.of == claim.modulus else int(claim.limit.of in claim.nonzero)
    ends = (least, (1 << node.width) - 1)
    if left[2] > 0 or any(left[0] + left[1] * end + left[2] * end * end <= 0 for end in ends):
        raise UndecidedError(f"{claim.result} < {claim.limit.text} does not follow from the intervals")


def limit_by_one(claim: Claim, operation: Operation, name: str) -> Limit:
    """The least limit of the result that follows where an operand is at most 1, a multiple of the same field.

    Parameters
    ----------
    claim : Claim
    operation : Operation
        One whose claim is proved; the operand is narrowed in its cases.
    name : str
        The operand.
    """
    others = {other: limit for other, limit in claim.operands.items() if other != name}
    cases = [case for case in operation.cases if not case.code]
    for case in cases:
        case.facts.narrow(operation.inputs[name], 1)
    for factor in range(1, claim.limit.factor):
        limit = Limit(factor, claim.limit.of)
        try:
            for case in cases:
                _decide_bound(replace(claim, operands=others, limit=limit), operation, case, claim.limit.factor)
        except UndecidedError:
            continue
        return limit
    return claim.limit


def upper(claim: Claim, operation: Operation, facts: Facts, p: Poly, m: int) -> list[int]:
    """Upper bound of a polynomial's numerator: the coefficients of a polynomial of degree 2 in the limit's field.

    Operands are at most one below their limits, and constants next to the modulus one below it; the field of the
    limit, the modulus or such a constant, stays.
    """
    most: dict[int, tuple[int, int]] = {m: (1, 0)}
    for name, limit in claim.operands.items():
        if limit.of == claim.limit.of:
            most[_atom_of(facts.fact(operation.inputs[name]).poly)[0]] = (limit.factor, -1)
    for relation in claim.relations:
        if relation.kind == "power" and claim.limit.of == claim.modulus:
            most[_atom_of(facts.fact(operation.inputs[relation.field]).poly)[0]] = (1, -1)
    total = [0, 0, 0]
    for monomial, value in p.items():
        if value < 0:
            total[0] += value * facts.ring.range_of(monomial)[0]
            continue
        bound = [value, 0, 0]
        for atom in monomial:
            slope, base = most.get(atom, (0, facts.ring.atoms[atom].high))
            if facts.ring.atoms[atom].low < 0 or (slope and bound[2]):
                raise UndecidedError("the bound is not a polynomial of degree 2 in the modulus")
            bound = [bound[0] * base, bound[1] * base + bound[0] * slope, bound[2] * base + bound[1] * slope]
        total = [a + b for a, b in zip(total, bound, strict=True)]
    return total
