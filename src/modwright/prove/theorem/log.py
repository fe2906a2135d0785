# SPDX-License-Identifier: Apache-2.0
"""The log of a theorem: the data with which the checker derives it again.

Atoms are in the order in which they are defined: an input, the lowest bits of a polynomial over earlier atoms, or a
test of one, or the bitwise conjunction of several. A polynomial is [shift, [[coefficient, [atom, ..]], ..]]: the sum of
the terms over 2^shift.
"""

from __future__ import annotations

import hashlib

from .facts import Facts
from .poly import Poly
from .theorem import PROVED, Theorem

FORMAT = 1


def log_of(theorem: Theorem, verilog: str, top: str) -> dict[str, object]:
    """The log of a theorem that is proved.

    Raises
    ------
    ValueError
        For a theorem that is not proved.
    """
    operation, storage, claim, netlist = theorem.operation, theorem.storage, theorem.claim, theorem.netlist
    if theorem.status != PROVED or not operation or not storage or not claim or not netlist:
        raise ValueError("only a theorem that is proved has a log")
    case = next(case for case in operation.cases if not case.code)
    cells = netlist.drivers
    return {
        "format": FORMAT,
        "verilog": hashlib.sha256(verilog.encode()).hexdigest(),
        "top": top,
        "statement": theorem.statement,
        "claim": claim.to_json(),
        "ready": storage.ready,
        "queue": storage.memory is not None,
        "interval": theorem.interval,
        "probes": [
            [cells[source].name, bit, cycle, value]
            for cycle, row in sorted(theorem.probes.items())
            for source, bit, value in row
        ],
        "rests": [
            [
                *(cells[rest.source].name, hex(rest.number), rest.first, rest.end),
                [[cells[source].name, bit, value] for source, bit, value in rest.bits],
            ]
            for rest in theorem.rests
        ],
        "atoms": [
            [atom.name, hex(atom.low), hex(atom.high), *_formula(case.facts, number)]
            for number, atom in enumerate(case.facts.ring.atoms)
        ],
        "z": _poly(case.result),
        "quotient": _poly(case.quotient),
    }


def _formula(facts: Facts, atom: int) -> list[object]:
    if atom in facts.conjunctions:
        return ["and", *map(_poly, facts.conjunctions[atom])]
    found = facts.formulas.get(atom)
    return ["input"] if found is None else [found[0], _poly(found[1]), found[2]]


def _poly(p: Poly) -> list[object]:
    return [p.shift, [[hex(value), list(monomial)] for monomial, value in p.items()]]
