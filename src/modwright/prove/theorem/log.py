# SPDX-License-Identifier: Apache-2.0
"""The log of a theorem: the data with which the checker derives it again.

Atoms are in the order in which they are defined: an input, the lowest bits of a polynomial over earlier atoms or those
above, or a test of one; the bitwise conjunction or parity of several; a word of a table at an address, or its entry at
the index that some bits form. A polynomial is [shift, [[coefficient, [atom, ..]], ..]]: the sum of the terms over
2^shift.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from .facts import Facts
from .netlist import Netlist
from .poly import Poly
from .residues.coefficient_forms import Coefficient, Coefficients, Quotient
from .residues.decide import Channelled
from .residues.facts import ChannelFacts
from .residues.sums import Reduced, Sum
from .theorem import PROVED, Theorem

FORMAT = 1


def log_of(theorem: Theorem, verilog: str, top: str) -> dict[str, object]:
    """The log of a theorem that is proved.

    Raises
    ------
    ValueError
        For a theorem that is not proved.
    """
    claim, netlist, found = theorem.claim, theorem.netlist, theorem.channelled
    if theorem.status != PROVED or not theorem.operation or not claim or not netlist:
        raise ValueError("only a theorem that is proved has a log")
    if found is None:
        case = next(case for case in theorem.operation.cases if not case.code)
        facts, ends = case.facts, {"z": case.result, "quotient": case.quotient}
        places = _places(facts, ends.values())
        result = {name: poly_of(end, places) for name, end in ends.items()}
    else:
        facts, result = found.facts, result_of(found)
        places = {number: number for number in range(len(facts.ring.atoms))}
    cells = netlist.drivers
    return {
        "format": FORMAT,
        "verilog": hashlib.sha256(verilog.encode()).hexdigest(),
        "top": top,
        "statement": theorem.statement,
        "claim": claim.to_json(),
        "interval": theorem.interval,
        **_storage(theorem, netlist),
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
            [atom.name, hex(atom.low), hex(atom.high), *_formula(facts, number, places)]
            for number, atom in enumerate(facts.ring.atoms)
            if number in places
        ],
        **result,
    }


def _storage(theorem: Theorem, netlist: Netlist) -> dict[str, object]:
    """Where results wait; for operations in turn the phases, the queues with the cycles in which an operation uses them
    and the bits that put and take, and the control bits and the writes elsewhere of each phase."""
    if theorem.storage is not None:
        return {"ready": theorem.storage.ready, "queue": theorem.storage.memory is not None}
    turns = theorem.turns
    if turns is None:
        raise ValueError("a theorem that is proved has a place for results")
    names, phases = {source: cell.name for source, cell in netlist.drivers.items()}, turns.phases
    uses = [(queue, turns.uses[queue.memory.out]) for queue in turns.queues]
    return {
        "ready": turns.ready,
        "queue": True,
        "phases": [[[names[source], hex(word)] for source, (word, _) in state.items()] for state in phases.states],
        "counted": phases.counted,
        "queues": [
            [queue.memory.name, use.put, use.taken, *([names[s], k] for s, k in (queue.put.event, queue.taken.event))]
            for queue, use in uses
        ],
        "held": [[names[held.bit[0]], held.bit[1], held.cycle, held.phase, held.value] for held in turns.held],
        "elsewhere": [[write.name, write.port, write.place, write.cycle, write.phase] for write in turns.elsewhere],
    }


def result_of(channelled: Channelled) -> dict[str, object]:
    """The words of a result as residues, and the integer that they are residues of, or those of coefficients."""
    total = channelled.total
    if isinstance(total, Coefficients):
        words = [poly_of(word) for word in channelled.words]
        return {"words": words, "coefficients": [_coefficient(form) for form in total.forms], **_quotients(total)}
    reduced = total.reduced
    more = {} if reduced is None else {"reduced": {"product": hex(reduced.product), **_form_of(reduced)}}
    return {
        "words": [poly_of(word) for word in channelled.words],
        "sum": {"constant": hex(total.constant), **_form_of(total), "index": total.index, **more},
    }


def _coefficient(form: Coefficient) -> dict[str, object]:
    """The integer form of a coefficient."""
    return {
        "constant": hex(form.constant),
        "products": [[i, j, hex(factor)] for (i, j), factor in sorted(form.products.items())],
        "quotients": [[k, hex(factor)] for k, factor in sorted(form.quotients.items())],
        "words": [[atom, hex(factor)] for atom, factor in form.words.items()],
        "extended": [[k, {**_form_of(total), "index": total.index}] for k, total in sorted(form.extended.items())],
    }


def _quotients(total: Coefficients) -> dict[str, object]:
    """The quotients, by the number of the coefficient that they are of."""
    return {
        "quotients": [
            {
                "power_of_two": hex(quotient.unit),
                **_form_of(quotient),
                "hats": [[digit.atom, digit.channel, hex(digit.of)] for digit in quotient.hats],
                "least": hex(quotient.least),
                "most": hex(quotient.most),
            }
            for _, quotient in sorted(total.quotients.items())
        ]
    }


def _form_of(total: Sum | Reduced | Quotient) -> dict[str, object]:
    """Words with factors, words of tables, and digits."""
    return {
        "words": [[atom, hex(factor)] for atom, factor in total.words.items()],
        "tables": [
            [poly_of(address), bits, least, [hex(word) for word in words]]
            for (address, bits, least, _), words in total.tables.items()
        ],
        "digits": [[digit.atom, digit.channel, hex(digit.of)] for digit in total.digits],
    }


def _places(facts: Facts, ends: Iterable[Poly]) -> dict[int, int]:
    """Places of the atoms that the ends are made of, and of inputs. Others were tried, some under a test that does not
    hold in every operation."""
    queue = [atom for end in ends for monomial, _ in end.items() for atom in monomial]
    found = {number for number in range(len(facts.ring.atoms)) if not list(_operands(facts, number))}
    while queue:
        atom = queue.pop()
        if atom not in found:
            found.add(atom)
            queue += (inner for p in _operands(facts, atom) for monomial, _ in p.items() for inner in monomial)
    return {number: place for place, number in enumerate(sorted(found))}


def _operands(facts: Facts, atom: int) -> Iterator[Poly]:
    """Polynomials that an atom is defined by; none for an input."""
    if atom in facts.conjunctions:
        yield from facts.conjunctions[atom]
    elif atom in facts.tables:
        yield from facts.tables[atom][0]
    elif atom in facts.lookups:
        yield facts.lookups[atom][0]
    elif atom in facts.formulas:
        yield facts.formulas[atom][1]


def _formula(facts: Facts, atom: int, places: Mapping[int, int]) -> list[object]:
    if atom in facts.conjunctions:
        return ["xor" if atom in facts.parities else "and", *(poly_of(p, places) for p in facts.conjunctions[atom])]
    if atom in facts.tables:
        bits, values = facts.tables[atom]
        return ["table", [poly_of(bit, places) for bit in bits], list(values)]
    if atom in facts.lookups:
        address, _, least, words = facts.lookups[atom]
        return ["lookup", poly_of(address, places), least, [hex(word) for word in words]]
    if isinstance(facts, ChannelFacts) and atom in facts.highs:
        of, k, _ = facts.highs[atom]
        return ["floor", poly_of(of, places), k]
    found = facts.formulas.get(atom)
    return ["input"] if found is None else [found[0], poly_of(found[1], places), found[2]]


def poly_of(p: Poly, places: Mapping[int, int] | None = None) -> list[object]:
    """A polynomial in the log, with the places of its atoms there."""
    terms = [
        (list(monomial if places is None else (places[atom] for atom in monomial)), value)
        for monomial, value in p.items()
    ]
    return [p.shift, [[hex(value), monomial] for monomial, value in terms]]
