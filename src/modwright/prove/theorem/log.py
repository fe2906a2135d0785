# SPDX-License-Identifier: Apache-2.0
"""The log of a theorem: the data with which the checker derives it again.

Atoms are in the order in which they are defined: an input, the lowest bits of a polynomial over earlier atoms or those
above, or a test of one; the bitwise conjunction or parity of several; a word of a table at an address, or its entry at
the index that some bits form. A polynomial is [shift, [[coefficient, [atom, ..]], ..]]: the sum of the terms over
2^shift.
"""

from __future__ import annotations

import hashlib

from .facts import Facts
from .poly import Poly
from .residues.decide import Channelled
from .residues.facts import ChannelFacts
from .theorem import PROVED, Theorem

FORMAT = 1


def log_of(theorem: Theorem, verilog: str, top: str) -> dict[str, object]:
    """The log of a theorem that is proved.

    Raises
    ------
    ValueError
        For a theorem that is not proved.
    """
    storage, claim, netlist, found = theorem.storage, theorem.claim, theorem.netlist, theorem.channelled
    if theorem.status != PROVED or not theorem.operation or not storage or not claim or not netlist:
        raise ValueError("only a theorem that is proved has a log")
    if found is None:
        case = next(case for case in theorem.operation.cases if not case.code)
        facts, result = case.facts, {"z": poly_of(case.result), "quotient": poly_of(case.quotient)}
    else:
        facts, result = found.facts, result_of(found)
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
            [atom.name, hex(atom.low), hex(atom.high), *_formula(facts, number)]
            for number, atom in enumerate(facts.ring.atoms)
        ],
        **result,
    }


def result_of(channelled: Channelled) -> dict[str, object]:
    """The words of a result as residues, and the integer that they are residues of."""
    total = channelled.total
    tables = [
        [poly_of(address), bits, least, [hex(word) for word in words]]
        for (address, bits, least, _), words in total.tables.items()
    ]
    return {
        "words": [poly_of(word) for word in channelled.words],
        "sum": {
            "constant": hex(total.constant),
            "words": [[atom, hex(factor)] for atom, factor in total.words.items()],
            "tables": tables,
            "digits": [[digit.atom, digit.channel, hex(digit.of)] for digit in total.digits],
            "index": total.index,
        },
    }


def _formula(facts: Facts, atom: int) -> list[object]:
    if atom in facts.conjunctions:
        return ["xor" if atom in facts.parities else "and", *map(poly_of, facts.conjunctions[atom])]
    if atom in facts.tables:
        bits, values = facts.tables[atom]
        return ["table", [poly_of(bit) for bit in bits], list(values)]
    if atom in facts.lookups:
        address, _, least, words = facts.lookups[atom]
        return ["lookup", poly_of(address), least, [hex(word) for word in words]]
    if isinstance(facts, ChannelFacts) and atom in facts.highs:
        of, k, _ = facts.highs[atom]
        return ["floor", poly_of(of), k]
    found = facts.formulas.get(atom)
    return ["input"] if found is None else [found[0], poly_of(found[1]), found[2]]


def poly_of(p: Poly) -> list[object]:
    """A polynomial in the log."""
    return [p.shift, [[hex(value), list(monomial)] for monomial, value in p.items()]]
