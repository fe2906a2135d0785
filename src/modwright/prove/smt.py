# SPDX-License-Identifier: Apache-2.0
"""Combinational lemmas: hardware as an SMT-LIB model by Yosys, decided by Bitwuzla through its Python interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Module, Signal

from ..base.disk import scratch
from ..base.errors import ToolMissingError
from ..rtl.verilog import run_yosys
from .proof import PROVED, Verdict

TIME_LIMIT = 20
"""Seconds a query; every lemma of the cores takes well under one second."""

_SCRIPT = """
read_rtlil {name}.il
prep -flatten -top lemma
opt -full
write_smt2 -stbv {name}.smt2
design -reset
"""


@dataclass(frozen=True)
class Term:
    """A bit-vector in SMT-LIB, with its width."""

    text: str
    width: int

    def extended(self, width: int) -> Term:
        """The same number in more bits."""
        more = width - self.width
        return Term(f"((_ zero_extend {more}) {self.text})", width) if more else self

    def bits(self, low: int, count: int) -> Term:
        """`count` bits from bit `low` on."""
        return Term(f"((_ extract {low + count - 1} {low}) {self.text})", count)

    def shifted(self, power: int) -> Term:
        """Product with 2^power, modulo 2^width."""
        return Term(f"(bvshl {self.text} {constant(power, self.width).text})", self.width)

    def __add__(self, other: Term) -> Term:
        return Term(f"(bvadd {self.text} {other.text})", self.width)

    def __sub__(self, other: Term) -> Term:
        return Term(f"(bvsub {self.text} {other.text})", self.width)

    def times(self, factor: int) -> Term:
        """Product with a constant, modulo 2^width."""
        return Term(f"(bvmul {self.text} {constant(factor, self.width).text})", self.width)

    def at_most(self, bound: int) -> str:
        """The formula self ≤ bound; true when every value of this width is."""
        return "true" if bound >> self.width else f"(bvule {self.text} {constant(bound, self.width).text})"

    def equals(self, other: Term) -> str:
        """The formula self = other."""
        return f"(= {self.text} {other.text})"


def constant(value: int, width: int) -> Term:
    """A number as a bit-vector."""
    return Term(f"(_ bv{value} {width})", width)


def models_of(modules: Sequence[tuple[Module, Sequence[Signal]]]) -> list[str]:
    """SMT-LIB text of combinational modules with these ports; `port` names one. One run of Yosys makes them all."""
    with scratch() as folder:
        names = [str(number) for number in range(len(modules))]
        for name, (module, ports) in zip(names, modules, strict=True):
            text = rtlil.convert(module, name="lemma", ports=ports, emit_src=False)
            (folder / f"{name}.il").write_text(text, encoding="utf-8")
        run_yosys("".join(_SCRIPT.format(name=name) for name in names), folder=folder)
        bodies = [(folder / f"{name}.smt2").read_text(encoding="utf-8") for name in names]
    return [f"(set-logic QF_UFBV)\n{body}\n(declare-const state |lemma_s|)\n" for body in bodies]


def port(name: str, width: int) -> Term:
    """A port of a module in `models_of`."""
    return Term(f"(|lemma_n {name}| state)", width)


def decide(model: str, assumed: Sequence[str], claim: str, shown: Mapping[str, Term]) -> Verdict:
    """Decide whether the claim follows from the assumptions in every state of the model.

    Parameters
    ----------
    model : str
        Declarations in SMT-LIB.
    assumed, claim : str
        Formulas in SMT-LIB.
    shown : mapping of str to Term
        Terms that a counter-example lists.

    Raises
    ------
    ToolMissingError
        When Bitwuzla is not installed.
    """
    bitwuzla = load()
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(TIME_LIMIT * 1000))  # in ms
    # Both sides of a lemma add in the same order; normalising sums would undo that where a term is negative.
    options.set(bitwuzla.Option.PP_NORMALIZE, False)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    query = "".join(f"(assert {formula})\n" for formula in (*assumed, f"(not {claim})"))
    parser.parse(model + query, True, False)
    solver = parser.bitwuzla()
    result = solver.check_sat()
    if result == bitwuzla.Result.UNSAT:
        return PROVED
    if result != bitwuzla.Result.SAT:
        return Verdict("not run", f"Bitwuzla found no answer within {TIME_LIMIT} s")
    values = {name: int(solver.get_value(parser.parse_term(t.text)).value(2), 2) for name, t in shown.items()}
    return Verdict("refuted", ", ".join(f"{name} = {value:#x}" for name, value in values.items()))


def load() -> Any:
    """The solver's module."""
    try:
        import bitwuzla
    except ImportError as error:
        raise ToolMissingError("Bitwuzla is not installed", "pip install bitwuzla") from error
    return bitwuzla


def total_of(terms: Sequence[Term]) -> Term:
    """Sum of terms of one width."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
