# SPDX-License-Identifier: Apache-2.0
"""Decision whether a mutant that passed the simulation is equivalent to the core.

Core and mutant stand next to each other, both from their initial state, with any reset at any time and any operands
that the rules of streams and the declared bounds of the payload admit. The mutant is equivalent when its mutation never
changes a word, or never changes a compared output: `i.ready`, `o.valid`, and `o.payload` while `o.valid`
is 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil

from ..base.disk import scratch
from ..base.json import JsonObject
from ..contract import Payload, PayloadValue
from ..contract.operands import Residues, Unpromised
from ..prove import abc
from .abstraction import Abstraction
from .graph import Graph
from .miter import CONTROL, DIFFERS, READY, RESULT, VALID, Miter
from .offered import integer
from .schemata import CHANGED, SELECT, SELECT_BITS

EQUIVALENT, DIFFERENT, UNDECIDED = "equivalent", "different", "not decided"

SECONDS = {"sweep": 6, "changed": 2, "abstract": 12, "soon": 2, "bounded": 3, "deep": 12}
"""Seconds of a processor that each method may take, by its name; a mutant of a small core is mostly decided in one."""
_SHOWN = "read shown.aig; strash; scleanup"
"""The output `DIFFERS` alone."""
_FEW = "scorr -C 1000"
"""Signal correspondence with ABC's usual limit of conflicts: it gives up early on false candidates."""
_DEEP = f"{_FEW} -F 8"
"""Signal correspondence by induction over eight cycles: long enough for a pipeline of a small core to be flushed."""
_WITHOUT_DATA = f"{_FEW}; {_FEW} -F 4; {_FEW} -F 12"
"""Without data a long induction costs little."""
_BOUNDED = f"{_FEW}; bmc3"
_NEVER_SHOWN = "no output ever differs"
_NEVER_CHANGED = "the mutation changes no word in any reachable state"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one mutant.

    Parameters
    ----------
    status : str
        `EQUIVALENT`, `DIFFERENT` or `UNDECIDED`.
    detail : str
        Method of the proof; or the operands and the cycle in which the two differ.
    """

    status: str
    detail: str


class Pair:
    """The core next to the mutants of one design, as a graph that is made once.

    Parameters
    ----------
    top : str
        Name of the design's module.
    model : str
        RTLIL of the design, see `schemata`.
    i, o : Payload
        Payloads of the core.
    residues : sequence of Residues
        Operands in residues, see `contract.Residual`.
    unpromised : sequence of Unpromised
        Payloads that are excluded, see `contract.Conditional`; payload 0 is not among them.
    promised : callable
        Predicate of the payloads for which the contract promises a result.

    Raises
    ------
    ToolMissingError
        When the wheel of Yosys has no ABC.
    """

    def __init__(
        self,
        top: str,
        model: str,
        i: Payload,
        o: Payload,
        residues: Sequence[Residues] = (),
        unpromised: Sequence[Unpromised] = (),
        promised: Callable[[Mapping[str, PayloadValue]], bool] = lambda payload: True,
    ) -> None:
        self._payload, self._residues, self._promised = i, residues, promised
        miter = Miter(top, i, o, residues, unpromised)
        self._unpromised = miter.unpromised
        bench = abc.Bench(rtlil.convert(miter, name="bench", emit_src=False) + model)
        with scratch() as folder:
            self._inputs = bench.graph(folder, [CHANGED, DIFFERS, READY, VALID, RESULT])["input"]
            graph = Graph.read((folder / "bench.aig").read_bytes())
        outputs = [name for name in graph.outputs if name.partition("[")[0] in (READY, VALID, RESULT)]
        shown = graph.cone(*outputs)
        self._abstraction = Abstraction(shown, self._data(shown), READY, VALID, RESULT)
        self._graphs = {
            "bench.aig": graph.cone(CHANGED, DIFFERS),
            "shown.aig": graph.cone(DIFFERS),
            "changed.aig": graph.cone(CHANGED),
        }

    def decide(self, number: int) -> Verdict:
        """Whether a mutant is equivalent to the core."""
        with scratch() as folder:
            chosen = self._selected(number)
            for name, graph in self._graphs.items():
                (folder / name).write_bytes(graph.written(chosen))
            (folder / "abstract.aig").write_bytes(self._abstraction.written(chosen))
            return self._decided(folder)

    def _data(self, graph: Graph) -> set[int]:
        """Positions of the inputs that are data: operands that reach no handshake, or all operands where each reaches
        one.

        Others, such as an exponent that decides the length of an operation, are control, and arbitrary.
        """
        starts = self._payload.offsets
        fields = {starts[f.name] + k: f.name for f in self._payload.fields for k in range(f.width * f.count)}
        operands: dict[str, set[int]] = {}
        for position, name in enumerate(self._inputs):
            base, _, index = name.rstrip("]").partition("[")
            if base not in (*CONTROL, SELECT):
                operand = fields[int(index or 0)] if base == "payload" else base
                operands.setdefault(operand, set()).add(position)
        handshakes = [graph.outputs[name] >> 1 for name in (READY, VALID)]
        quiet: set[int] = set()
        for positions in operands.values():
            reached = graph.reached(position + 1 for position in positions)
            if not any(reached[variable] for variable in handshakes):
                quiet |= positions
        return quiet or set().union(*operands.values())

    def _selected(self, number: int) -> dict[int, int]:
        """The values of the inputs that select a mutant, by position; a bit that nothing reads is left out."""
        bits = {f"{SELECT}[{k}]" if k else SELECT: number >> k & 1 for k in range(SELECT_BITS)}
        return {position: bits[name] for position, name in enumerate(self._inputs) if name in bits}

    def _decided(self, folder: Path) -> Verdict:
        """The verdict of the first method that has one; the cheapest come first."""
        if found := _merged(folder, _FEW, SECONDS["sweep"]):
            return Verdict(EQUIVALENT, f"{found}, by signal correspondence")
        if _unreachable(folder, "changed.aig", _FEW, SECONDS["changed"]):
            return Verdict(EQUIVALENT, f"{_NEVER_CHANGED}, by reachability")
        if _unreachable(folder, "abstract.aig", _WITHOUT_DATA, SECONDS["abstract"]):
            return Verdict(EQUIVALENT, f"{_NEVER_SHOWN}, whatever the data are, by reachability")
        if found := _merged(folder, _DEEP, SECONDS["soon"]):
            return Verdict(EQUIVALENT, f"{found}, by signal correspondence over eight cycles")
        log = abc.run_abc(folder, f"{_SHOWN}; {_BOUNDED}; write_cex -a found.cex", SECONDS["bounded"])
        if (match := re.search(r"was asserted in frame (\d+)", log)) is not None:
            return Verdict(DIFFERENT, self._operands(folder / "found.cex", int(match[1])))
        if found := _merged(folder, _DEEP, SECONDS["deep"]):
            return Verdict(EQUIVALENT, f"{found}, by signal correspondence over eight cycles")
        spent = sum(SECONDS.values())
        return Verdict(UNDECIDED, f"equivalence not decided: no method took less than its part of {spent} s")

    def _operands(self, path: Path, cycle: int) -> str:
        """A counter-example in words: the cycle in which an output differs, and the operands offered before."""
        rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] in "01"][1:]
        signals = [dict(zip(self._inputs, row, strict=False)) for row in rows]
        offered = [self._offered(signal) for signal in signals if signal.get("valid") == "1"]
        texts = [", ".join(f"{name} = {value}" for name, value in operands.items()) for operands in offered]
        inside = self._residues or all(self._promised(operands) for operands in offered)
        excluded = "" if inside else ", for operands that the contract excludes"
        before = "; ".join(reversed(texts)) or "nothing"
        return f"differs in cycle {cycle}{excluded}; offered until then, the last one first: {before}"

    def _offered(self, signals: Mapping[str, str]) -> JsonObject:
        """The operands of a cycle: an integer in residues under the name of its first field, and the other fields."""
        found: JsonObject = {}
        for k, group in enumerate(self._residues):
            value, span = (
                _word(signals, integer(k), (group.limit - group.least).bit_length()),
                group.limit - group.least,
            )
            name, element, *_ = group.places[0]
            found[f"{name} at {element}" if element else name] = group.least + (value if value < span else 0)
        covered = {place[0] for group in self._residues for place in group.places}
        fields = self._bounded(self._payload.unpack(_word(signals, "payload", self._payload.width)))
        if any(pattern.excludes(fields) for pattern in self._unpromised):
            fields = self._payload.unpack(0)
        return found | {name: value for name, value in fields.items() if name not in covered}

    def _bounded(self, fields: Mapping[str, PayloadValue]) -> dict[str, PayloadValue]:
        """Fields of the miter: elements beyond their bounds are replaced by 0."""
        limits = {field.name: field.limit for field in self._payload.fields}

        def inside(name: str, value: int) -> int:
            return value if value < limits[name] else 0

        return {
            name: inside(name, value) if isinstance(value, int) else tuple(inside(name, element) for element in value)
            for name, value in fields.items()
        }


def _word(signals: Mapping[str, str], name: str, width: int) -> int:
    """An input of a counter-example; bits that nothing reads are 0."""
    return sum(int(signals.get(f"{name}[{k}]" if k else name, "0")) << k for k in range(width))


def _merged(folder: Path, sweep: str, seconds: int) -> str:
    """The statement that signal correspondence proves; empty when none."""
    proved = abc.merge(folder, [CHANGED, DIFFERS], f"scleanup; {sweep}", seconds)
    return _NEVER_CHANGED if CHANGED in proved else _NEVER_SHOWN if DIFFERS in proved else ""


def _unreachable(folder: Path, name: str, sweep: str, seconds: int) -> bool:
    """Whether the output of a graph is 0 in every reachable state, by property-directed reachability after a sweep."""
    (folder / "left.aig").unlink(missing_ok=True)
    log = abc.run_abc(folder, f"read {name}; strash; scleanup; {sweep}; write_aiger left.aig; pdr", seconds)
    return "Property proved" in log or bool(abc.never(folder / "left.aig", [name]))
