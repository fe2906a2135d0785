# SPDX-License-Identifier: Apache-2.0
"""The proof of the claim about an operation, in every case of the tests that decide its error code."""

from __future__ import annotations

from itertools import product
from math import gcd

from .algebra import Facts
from .choices import Choices, rows_of_adders
from .claims import Limit
from .coefficients import Coefficients
from .netlist import Node, RefusedError, Value, cut, node_of, width
from .poly import Poly, add, number, scale
from .reductions import prove_integer
from .remainders import vanishes
from .residues import Residues
from .turns import Turns
from .words import SUMS

MOST_TESTS = 8


class Check(Turns):
    """One log, the Verilog that it is about, and its claim."""

    def prove(self) -> None:
        """Prove the claim in every case of the tests that decide the error code."""
        if self.subject.has_words:
            self.prove_words()
            return
        for out, name in self.claim["repeated"].items():
            if self.outputs[out] != self.fields[name]:
                raise RefusedError(f"{out} is not {name}")
        self.adders = rows_of_adders(self.outputs.values())
        facts = self.facts({})
        error = facts.read(self.outputs[self.claim["error"]])[0]
        atoms = sorted({a for m in error[0] for a in m})
        tests = [facts.origins[atom] for atom in atoms]
        if any(facts.atoms[atom] != (0, 1) or facts.origins[atom][0] == "input" for atom in atoms):
            raise RefusedError("the error code depends on a word and not on tests")
        if len(tests) > MOST_TESTS:
            raise RefusedError("the error code is of too many tests")
        for values in product((0, 1), repeat=len(tests)):
            self.case(dict(zip(tests, values, strict=True)))

    def prove_words(self) -> None:
        """Prove the claim on words of channels."""
        error, words = self.outputs[self.claim["error"]], list[Value]()
        for field, (bits, count) in self.subject.results.items():
            if width(self.outputs[field]) != bits * count:
                raise RefusedError("the result has another width than the claim states")
            words += [cut(self.outputs[field], k * bits, bits) for k in range(count)]
        if self.subject.coefficients:
            Coefficients(self.subject.coefficients, self.inputs, words, error).prove(self.log["coefficients"])
        elif self.of_residues:
            bits = max((bits for _, bits, _, _ in self.log["sum"]["tables"]), default=0)
            found = prove_integer(Residues(self.of_residues, self.inputs, words, error))
            if (found - self.log["sum"]["index"]) % (1 << bits):
                raise RefusedError("the address of the corrections is another distance from α than the log says")

    def facts(self, tests: dict[tuple, int]) -> Facts:
        """Facts in a case."""
        facts = Facts(tests)
        facts.sums, facts.m = SUMS, self.m if self.m and self.m % 2 else None
        if self.adders:
            facts.use(self.adders, Choices(set(self.adders)))
        return facts

    def case(self, tests: dict[tuple, int]) -> None:
        """Check one case: the error code is the required one, and so are the results with it."""
        facts = self.facts(tests)
        facts.inputs = tuple(node_of(value) for value in self.fields.values())
        code = facts.read(self.outputs[self.claim["error"]])[0]
        due = self.due(facts)
        if due is None or code != number(due):
            raise RefusedError("an error code is not the one that the claim requires")
        if due:
            if facts.read(self.outputs[self.claim["result"]])[0] != number(0):
                raise RefusedError("a result is not 0 with an error")
            return
        for field, kind, bits in self.claim["relations"]:
            if kind == "inverse":
                (a,), (b,) = (
                    next(iter(p[0])) for p in (self.value(facts, field), facts.cut(self.node(self.modulus), bits))
                )
                facts.relations.append((a, b, -1, bits))
        self.result(facts)

    @property
    def modulus(self) -> str:
        """The field of the modulus."""
        return self.claim["modulus"]

    def node(self, field: str) -> Node:
        """The node of an input."""
        return node_of(self.fields[field])

    def value(self, facts: Facts, field: str) -> Poly:
        """The polynomial of an input."""
        return facts.read(self.fields[field])[0]

    def limit(self, facts: Facts, limit: Limit) -> Poly:
        """A limit as a polynomial."""
        factor = int(limit[0], 16)
        return scale(self.value(facts, limit[1]), factor) if limit[1] else number(factor)

    def due(self, facts: Facts) -> int | None:
        """The required error code of a case; None where the case does not decide it."""
        for code, kind in sorted((int(code), kind) for code, kind in self.claim["codes"].items()):
            if kind == "modulus":
                odd = facts.cut(self.node(self.modulus), 1)
                least = {self.modulus: self.claim["least"]} | dict.fromkeys(self.claim["nonzero"], 1)
                left = [add(self.value(facts, f), number(n), -1) for f, n in least.items()]
                bad = odd == number(0) or any(self.follows(facts, add(scale(p, -1), number(1), -1)) for p in left)
                good = odd == number(1) and all(self.follows(facts, p) for p in left)
            else:
                left = [add(self.limit(facts, c), self.value(facts, f), -1) for f, c in self.claim["operands"].items()]
                bad = any(self.follows(facts, scale(p, -1)) for p in left)
                good = all(self.follows(facts, add(p, number(1), -1)) for p in left)
            if bad or not good:
                return code if bad else None
        return 0

    def follows(self, facts: Facts, goal: Poly) -> bool:
        """Whether a polynomial is at least 0, by its interval or by one assumption of the case."""
        if facts.range(goal, over=False)[0] >= 0:
            return True
        for kind, of, value in facts.known:
            if of is None:
                continue
            ends = [(add(of, number(1), -1), False) if value else (of, True)] if kind == "nonzero" else []
            if kind == "bit":
                ends = [(add(of, number(value), -1), True)]
            if kind == "negative":
                ends = [(add(scale(of, -1), number(1), -1), False) if value else (of, False)]
            for fact, either in ends:
                for m, v in goal[0].items():
                    w = fact[0].get(m, 0)
                    if m and w and (either or (v > 0) == (w > 0)):
                        rest = add(
                            (scale(goal, abs(w))[0], 0), (scale(fact, abs(v))[0], 0), -1 if (v > 0) == (w > 0) else 1
                        )
                        if any(facts.range(p, over=False)[0] >= 0 for p in (rest, facts.written_out(rest))):
                            return True
        return False

    def result(self, facts: Facts) -> None:
        """Check congruence and bound of a result without error."""
        claim = self.claim
        for field, limit in claim["operands"].items():
            if not limit[1]:
                (m,) = self.value(facts, field)[0]
                facts.atoms[m[0]] = 0, min(facts.atoms[m[0]][1], int(limit[0], 16) - 1)
                facts.facts.pop(id(self.node(field)), None)
        z, _, high = facts.read(self.outputs[claim["result"]])
        z = facts.written_out(z)
        total = number(0)
        for names in claim["terms"]:
            one = number(1)
            for name in names:
                one = facts.times(one, self.value(facts, name))
            total = add(total, one)
        difference = add(scale(z, 1, -claim["exponent"]), total, -1)
        for field, kind, bits in claim["relations"]:
            if kind == "power":  # 2^w times it is 1 + m·k
                facts.atoms.append((0, 1 << -bits))
                facts.origins.append(("power", field))
                k = {(len(facts.atoms) - 1,): 1}, 0
                by = scale(add(number(1), facts.times(self.value(facts, self.modulus), k)), 1, -bits)
                difference = facts.replace(difference, next(iter(self.value(facts, field)[0]))[0], by)
        if self.m is not None:
            difference = facts.reduced(difference)
            while {a for m in difference[0] for a in m} & set(facts.names):
                difference = facts.reduced(facts.written_out(difference))
            wrong = [m for m, v in difference[0].items() if v % self.m]
        else:
            (of,) = self.value(facts, self.modulus)[0]
            wrong = [m for m in difference[0] if of[0] not in m]
        over = gcd(*(difference[0][m] for m in wrong))
        if wrong and not vanishes(facts, ({m: difference[0][m] // over for m in wrong}, 0)):
            raise RefusedError("the result is not congruent")
        if claim["limit"][1]:
            self.bound(facts, z)
        elif high >= int(claim["limit"][0], 16):
            raise RefusedError("the result may reach its limit")

    def bound(self, facts: Facts, z: tuple) -> None:
        """Check that the result is below its limit: each term is at most a polynomial in the field that the limit
        multiplies, and their sum is convex, so both ends of the interval suffice."""
        claim, of = self.claim, self.claim["limit"][1]
        most = {field: (int(limit[0], 16), -1) for field, limit in claim["operands"].items() if limit[1] == of}
        if of == self.modulus:
            most |= {field: (1, -1) for field, kind, _ in claim["relations"] if kind == "power"}
        most = {next(iter(self.value(facts, f)[0]))[0]: end for f, end in (most | {of: (1, 0)}).items()}
        room = [0, int(claim["limit"][0], 16) << z[1], 0]
        for monomial, value in z[0].items():
            if any(facts.atoms[a][0] < 0 for a in monomial):
                raise RefusedError("an atom below 0 in the bound")
            part = [value, 0, 0] if value > 0 else [0, 0, 0]
            for atom in monomial:
                slope, base = most.get(atom, (0, facts.atoms[atom][1]))
                if slope and part[2]:
                    raise RefusedError("a bound of the third degree")
                part = [part[0] * base, part[1] * base + part[0] * slope, part[2] * base + part[1] * slope]
            room = [a - b for a, b in zip(room, part, strict=True)]
        ends = claim["least"] if of == self.modulus else of in claim["nonzero"], (1 << self.sizes["i_" + of]) - 1
        if room[2] > 0 or any(room[0] + room[1] * e + room[2] * e * e <= 0 for e in ends):
            raise RefusedError("the result may reach its limit")
