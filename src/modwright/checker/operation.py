# SPDX-License-Identifier: Apache-2.0
"""One operation of a netlist, derived again from the Verilog, and the proof of the claim in every case."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

from .algebra import Facts
from .choices import Choices, rows_of_adders
from .claims import Limit, Log, Subject
from .coefficients import Coefficients
from .netlist import UNKNOWN, Node, RefusedError, Value, constant, cut, join, load, node, node_of, width
from .poly import Poly, add, number, scale
from .reductions import prove_integer
from .residues import Residues
from .words import SUMS, Words

NOT_FIELDS = ("i_valid", "i_ready")
MOST_TESTS = 8
CELLS = Path(__file__).parents[1] / "rtl" / "cells"
"""Models of device cells; in the package of a core they are next to its Verilog."""
LEAST_KEYS = ("format", "verilog", "top", "claim", "ready", "queue", "interval", "probes", "rests", "atoms")


Key = str | tuple[str, int]
"""An input port, in every cycle or in one."""


class Check:
    """One log and the Verilog that it is about."""

    def __init__(self, log: Log, path: Path) -> None:
        if not isinstance(log, dict) or any(key not in log for key in LEAST_KEYS):
            raise RefusedError("the log lacks a part")
        if "phases" in log:
            raise RefusedError("it is about operations in turn, for which there is no rule here")
        if hashlib.sha256(path.read_bytes()).hexdigest() != log["verilog"]:
            raise RefusedError("the log is about another Verilog")
        self.log = log
        self.subject = Subject(log["claim"])
        self.claim, self.of_residues = self.subject.claim, self.subject.residues
        models = sorted(CELLS.glob("*.v")) or sorted(path.parent.glob("MULT*.v"))
        self.module = load(path, log["top"], models)
        self.sizes = {name: len(port["bits"]) for name, port in self.module["ports"].items()}
        self.m = None if self.claim["modulus"].isidentifier() else int(self.claim["modulus"], 16)

    def run(
        self,
        start: Mapping[str, Value],
        inputs: Mapping[Key, Value],
        forced: Mapping[tuple[str, int], Value],
        control: tuple[Words, Words] | None = None,
        rests: Mapping[str, tuple[Value, int, int]] | None = None,
    ) -> Words:
        """Words of a run, with inputs given by name and cycle; other inputs are unknown."""

        def given(name: str, cycle: int) -> Value:
            value = inputs.get((name, cycle), inputs.get(name))
            return ((UNKNOWN, 0, self.sizes[name]),) if value is None else value

        found = Words(self.module, start, given, control, rests)
        found.tables = self.subject.has_words
        found.known |= forced
        return found

    def unroll(self) -> None:
        """Unroll the operation, and collect its assumptions about control."""
        zero, one = ((None, 0, 1),), ((None, 1, 1),)
        registers = {n: c["connections"]["D"] for n, c in self.module["cells"].items() if c["type"] == "$dff"}
        reset = self.run({}, {"rst": one}, {})
        self.start = {name: reset.at(bits, 0) for name, bits in registers.items()}
        alone = self.run(self.start, {"rst": zero, "o_ready": one, ("i_valid", 0): one, "i_valid": zero}, {})
        result = {*self.module["ports"]["o_" + self.claim["result"]]["bits"]}
        memories = [c for c in self.module["cells"].values() if c["type"] == "$mem_v2"]
        read = (c for c in memories if self.log["queue"] and result & {*c["connections"]["RD_DATA"]})
        self.queue = next(read, None)
        strobe = self.queue["connections"]["WR_EN"] if self.queue else self.module["ports"]["o_valid"]["bits"]
        if [constant(alone.at(strobe[:1], self.log["ready"] - back)) for back in (0, 1)] != [1, 0]:
            raise RefusedError("no result is valid in the cycle that the log states")
        names = [name for name in self.sizes if name[:2] == "i_" and name not in NOT_FIELDS]
        self.inputs = {field: node("input", bits, ((None, 0, 0),), field) for field, bits in self.words_of(names)}
        self.fields = {name[2:]: self.value_of(name) for name in names}
        inputs: dict[Key, Value] = {("i_" + name, 0): value for name, value in self.fields.items()}
        name, low = alone.driver[self.module["ports"]["i_ready"]["bits"][0]]
        ready = [] if low or width(alone.out(name, 0)) > 1 else [((name, 0), one)]
        probes = {(cell, bit, cycle): value for cell, bit, cycle, value in self.log["probes"]}
        around = self.run(
            self.held(set(registers) - alone.tainted, probes), {"rst": zero, ("i_valid", 0): one}, dict(ready)
        )
        accepts = self.module["ports"]["i_ready"]["bits"]
        if any(constant(around.at(accepts, k)) != 0 for k in range(1, self.log["interval"])):
            raise RefusedError("another operation may start earlier than the log states")
        around = self.run({}, inputs | {"rst": zero}, {}, (around, alone), self.rests(around))
        self.resting(around)
        self.outputs = {field: around.at(self.written(field), self.log["ready"]) for field in self.written_fields()}
        for (cell, bit, cycle), value in around.assumed.items():
            if value is None or probes.get((cell, bit, cycle)) != value:
                raise RefusedError(f"bit {bit} of {cell} is assumed in cycle {cycle}, and the log does not say so")

    def words_of(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Words of the operands, with their bits."""
        for name in names:
            bits, count = self.subject.operands.get(name[2:], (0, 0))
            if not count:
                yield name[2:], self.sizes[name]
            elif self.sizes[name] != bits * count:
                raise RefusedError(f"{name} has another width than the claim states")
            else:
                yield from ((f"{name[2:]}[{k}]", bits) for k in range(count))

    def value_of(self, name: str) -> Value:
        """An input port as words."""
        count = sum(field.startswith(f"{name[2:]}[") for field in self.inputs)
        words = [f"{name[2:]}[{k}]" for k in range(count)] or [name[2:]]
        return join(piece for word in words for piece in self.inputs[word])

    def held(self, registers: Iterable[str], probes: Mapping[tuple[str, int, int], int]) -> dict[str, Value]:
        """Values of registers at an input transfer for which the log has lemmas, which also hold at the first after
        reset."""
        cells = self.module["cells"]
        found: dict[str, Value] = {}
        for name in registers:
            bits = [probes.get((name, k, 0)) for k in range(len(cells[name]["connections"]["Q"]))]
            if any(bit not in (None, constant(cut(self.start[name], k, 1))) for k, bit in enumerate(bits)):
                raise RefusedError(f"{name} has another value after reset than the log states for every input transfer")
            found[name] = join((UNKNOWN, 0, 1) if bit is None else (None, bit, 1) for bit in bits)
        return found

    def rests(self, control: Words) -> dict[str, tuple[Value, int, int]]:
        """Registers that hold a number by the log, except in some cycles of an operation; cycles of two operations are
        disjoint."""
        found: dict[str, tuple[Value, int, int]] = {}
        for name, held, first, end, _ in self.log["rests"]:
            value = ((None, int(held, 16), width(self.start[name])),)
            if not 0 < first < end < first + self.log["interval"] or end > self.log["ready"] + 1:
                raise RefusedError(f"{name} does not rest long enough")
            if name not in control.tainted or self.start[name] != value:
                raise RefusedError(f"{name} has another value after reset than the log states")
            found[name] = value, first, end
        return found

    def resting(self, around: Words) -> None:
        """Check that the operation leaves the number in them, and that they hold it in all other cycles."""
        for name, held, _, end, bits in self.log["rests"]:
            d = self.module["cells"][name]["connections"]["D"]
            size = len(d)
            if around.at(d, end - 1) != ((None, int(held, 16), size),):
                raise RefusedError(f"{name} has another value after the operation than the log states")
            forced: dict[tuple[str, int], Value] = {}
            for cell in {cell for cell, _, _ in bits}:
                if cell in around.tainted:
                    raise RefusedError(f"{cell} is not control")
                known = {bit: value for other, bit, value in bits if other == cell}
                count = width(around.out(cell, 0))
                forced[cell, 0] = join((None, known[k], 1) if k in known else (UNKNOWN, 0, 1) for k in range(count))
            start = {name: ((None, int(held, 16), size),)}
            if self.run(start, {"rst": ((None, 0, 1),)}, forced).at(d, 0) != start[name]:
                raise RefusedError(f"{name} does not stay between operations")

    def written_fields(self) -> list[str]:
        """Fields of the result."""
        results = [*self.subject.results] or [self.claim["result"]]
        return [*results, self.claim["error"], *self.claim["repeated"]]

    def written(self, field: str) -> list[int | str]:
        """Bits that are written to the queue for a field of the result, or its port."""
        if self.queue is None:
            return self.module["ports"]["o_" + field]["bits"]
        ports = self.queue["connections"]
        place = {bit: k for k, bit in enumerate(ports["RD_DATA"])}
        return [ports["WR_DATA"][place[bit]] for bit in self.module["ports"]["o_" + field]["bits"]]

    # --- the claim

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
        tests = [facts.origins[atom] for atom in sorted({a for m in error[0] for a in m})]
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
        if wrong:
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
