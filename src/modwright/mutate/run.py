# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core, chunk by chunk: chosen, judged, and stored.

A chunk follows from the seed and its number. So the result does not depend on the number of processes, and an
interrupted run resumes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from ..base.errors import ModwrightError
from ..base.json import JsonMapping, JsonObject
from ..base.store import digest_of
from ..contract import Conditional, Covered, Field, Payload, PayloadValue, Residual
from ..contract.operands import Residues, Unpromised
from ..contract.request import Request
from ..pipeline import MUTATION, Plan
from ..prepared import Prepared, prepare
from ..prepared.registry import find
from ..prepared.spread import Stored as Kept
from ..prepared.spread import spread_missing
from . import equivalence, queue, stepwise
from .alone import Alone
from .cases import choosing
from .chunks import CHUNK, STORED, Chunk, chunk_key
from .judge import Judge, Recording, record
from .lockstep import DifferentError
from .mutations import Mutation
from .netlist import Netlist
from .offers import Offers, covering, payloads
from .operation import Operations
from .overlapping import Overlapping
from .proofs import refuted
from .ranges import Ranges
from .schemata import merged, schemata
from .sites import chosen, mutations
from .states import MEMORY
from .stored import Stored
from .symbolic import Symbolic
from .twins import once

KILLED, EQUIVALENT, SURVIVED = "killed", "equivalent", "survived"
_BLOCK = 12 * CHUNK
"""Mutants of one design for `Alone`, which searches the idle states of the core once in each."""
_HANDSHAKES = ("i__ready", "o__valid")
_OUTPUTS = (*_HANDSHAKES, "o__payload")


@dataclass
class Mutants:
    """The mutants of a core with their verdicts.

    Parameters
    ----------
    prepared : Prepared
    seed : int
        Seed of the choice of mutants.
    plan, memory
        See `mutate`.
    mutants : list of dict
        One entry for each mutant, in the order of the choice: `place`, `source`, `cell`, `kind`, `original`,
        `mutated`, and the `verdict` with its `detail`.
    """

    prepared: Prepared
    seed: int
    plan: Plan
    mutants: list[JsonObject] = field(default_factory=list)
    memory: int = MEMORY

    def count(self, verdict: str) -> int:
        """Mutants with this verdict."""
        return sum(mutant["verdict"] == verdict for mutant in self.mutants)

    @property
    def share(self) -> float | None:
        """Per cent of the mutants not proved equivalent that were killed, rounded down to 0.01; None without any."""
        counted = self.count(KILLED) + self.count(SURVIVED)
        return self.count(KILLED) * 10_000 // counted / 100 if counted else None

    def to_json(self) -> JsonObject:
        """The record of a run."""
        kinds: dict[str, dict[str, int]] = {}
        for mutant in self.mutants:
            counts = kinds.setdefault(mutant["kind"], dict.fromkeys((KILLED, EQUIVALENT, SURVIVED), 0))
            counts[mutant["verdict"]] += 1
        return {
            "core": self.prepared.core.name,
            "request": self.prepared.request.to_mapping(),
            "digest": self.prepared.digest,
            "seed": self.seed,
            "random": self.plan.random,
            "memory": self.memory,
            "mutants": len(self.mutants),
            "killed": self.count(KILLED),
            "equivalent": self.count(EQUIVALENT),
            "survived": [self._survivor(mutant) for mutant in self.mutants if mutant["verdict"] == SURVIVED],
            "killed_percent": self.share,
            "kinds": dict(sorted(kinds.items())),
        }

    def _survivor(self, mutant: Mapping[str, object]) -> dict[str, object]:
        """The description of a survivor, with the memory where that is not the usual one."""
        known = {key: value for key, value in mutant.items() if key != "verdict"}
        return known if self.memory == MEMORY else known | {"memory": self.memory}


def mutate(
    prepared: Prepared,
    size: int,
    seed: int,
    plan: Plan,
    *,
    memory: int = MEMORY,
    workers: int | None = None,
    scheduler: str | None = None,
    elsewhere: Callable[[Sequence[Chunk]], None] = lambda missing: None,
    progress: Callable[[int], None] = lambda done: None,
) -> Mutants:
    """Judge single random mutations of a core's netlist by what `build` runs.

    Parameters
    ----------
    prepared : Prepared
    size : int
        Number of mutants; all of them when the core has fewer.
    seed : int
        Seed of their choice. A larger number of mutants begins with those of a smaller one.
    plan : Plan
        Plan of the random operands of `build`.
    memory : int
        GiB that the states of control may take, see `overlapping`; a core with more is left to the other methods.
    workers, scheduler
        See `spread.spread`.
    elsewhere : callable
        Called with the chunks that are not stored; it may raise, to have them judged elsewhere (`batch.submit`).
    progress : callable
        Called with the number of mutants judged so far, stored ones included.

    Raises
    ------
    VerificationError
        When the core itself fails.
    ToolMissingError
        Without the compiled simulator or ABC.
    """
    work = Work(prepared, plan, memory)
    size = min(size, len(work.mutations))
    chunks = [Chunk(n, min(CHUNK, size - n * CHUNK), seed, plan, memory) for n in range(-(-size // CHUNK))]
    judged = spread_missing(
        prepared,
        chunks,
        Kept(STORED, chunk_key),
        judge_for,
        work.judged,
        elsewhere=elsewhere,
        workers=workers,
        scheduler=scheduler,
    )
    found: dict[int, list[JsonObject]] = {}
    for chunk, result in judged:
        found[chunk.number] = result
        progress(sum(map(len, found.values())))
    every = [mutant for number in sorted(found) for mutant in found[number]]
    mutants = Mutants(prepared, seed, plan, every, memory)
    _keep_figure(mutants)
    return mutants


def _keep_figure(mutants: Mutants) -> None:
    """Store the figure where `pipeline.mutation_of` finds it."""
    record = mutants.to_json()
    store = mutants.prepared.store
    store.json(MUTATION, digest_of(record), lambda: record)


class Work:
    """A core with the data that all of its chunks share; `memory` as in `mutate`."""

    def __init__(self, prepared: Prepared, plan: Plan, memory: int = MEMORY) -> None:
        self.prepared, self.plan, self.memory = prepared, plan, memory
        self.netlist = Netlist.of(prepared.core.build(prepared.parameters, prepared.schedule), prepared.top)
        self.mutations = mutations(self.netlist)
        self._reaching = self.netlist.fan_in(_OUTPUTS)
        self._controlling = self.netlist.fan_in(_HANDSHAKES)
        self._recordings: list[Recording] | None = None
        self._by_payloads: dict[tuple[int, int], ByPayloads] = {}

    def recordings(self) -> list[Recording]:
        """The recordings by which every mutant is judged, made on first use."""
        if self._recordings is None:
            self._recordings = record(self.prepared, self.plan)
        return self._recordings

    def judged(self, chunk: Chunk) -> list[JsonObject]:
        """The mutants of a chunk, each with its verdict."""
        return self.judged_at(range(chunk.first, chunk.first + chunk.size), chunk.seed)

    def judged_at(self, places: Sequence[int], seed: int) -> list[JsonObject]:
        """The mutants at the given places of the choice, each with its verdict."""
        selected = [chosen(self.mutations, max(places) + 1, seed)[place] for place in places]
        design = schemata(self.netlist, selected)
        judge = Judge(self.prepared, design.verilog, self.recordings())
        deciders = _Deciders(self, places, seed, selected, design.model)
        return [
            self._described(mutation) | self._verdict(mutation, number, judge, deciders)
            for number, mutation in enumerate(selected, 1)
        ]

    def places_of(self, survivors: Sequence[JsonMapping], size: int, seed: int) -> list[int]:
        """Places in the choice of the mutants with the descriptions of survivors; lines of the source may have moved.

        Raises
        ------
        ModwrightError
            When a survivor is not among them: its verdict would be lost.
        """

        def key(mutant: JsonMapping) -> tuple[str, ...]:
            return tuple(mutant[name] for name in ("place", "cell", "kind", "original", "mutated"))

        described = [key(self._described(mutation)) for mutation in chosen(self.mutations, size, seed)]
        survived = {key(survivor) for survivor in survivors}
        if lost := survived.difference(described):
            raise ModwrightError(f"{self.prepared.core.name}: no mutant is {', '.join(min(lost))}, which survived")
        return [place for place, mutant in enumerate(described) if mutant in survived]

    @cached_property
    def operands(self) -> Payload:
        """The operands, without the bounds beyond which the contract still promises a result or an error."""
        i, codec = self.prepared.parameters.i, self.prepared.codec

        def beyond(field: Field) -> bool:
            value = field.limit if field.count == 1 else (field.limit,) * field.count
            return field.limit < 1 << field.width and codec.read(i.unpack(0) | {field.name: value}) is not None

        return Payload(tuple(replace(field, bound=None) if beyond(field) else field for field in i.fields))

    @cached_property
    def unpromised(self) -> Sequence[Unpromised]:
        """Payloads for which nothing is promised."""
        codec = self.prepared.codec
        return codec.unpromised() if isinstance(codec, Conditional) else ()

    @cached_property
    def queue(self) -> list[str]:
        """The memories in which results wait."""
        return queue.queue_of(self.netlist)

    @cached_property
    def residues(self) -> Sequence[Residues]:
        codec = self.prepared.codec
        return codec.residues() if isinstance(codec, Residual) else ()

    @cached_property
    def offers(self) -> Offers | None:
        """Every payload of the contract; None where there are too many."""
        i, codec = self.operands, self.prepared.codec
        found = payloads(i, self.residues, self.unpromised)
        if found is not None:
            return Offers.of(found, i.width)
        return covering(i, codec.covers) if isinstance(codec, Covered) else None

    def by_payloads(self, block: int, seed: int) -> ByPayloads:
        """The core and the mutants of a block of `_BLOCK`."""
        if (block, seed) not in self._by_payloads:
            selected = chosen(self.mutations, (block + 1) * _BLOCK, seed)[block * _BLOCK :]
            netlist, _ = merged(self.netlist, selected)
            self._by_payloads = {(block, seed): ByPayloads(self, netlist)}
        return self._by_payloads[block, seed]

    @cached_property
    def _ranges(self) -> Ranges:
        return Ranges(self.netlist, self.operands, self.residues)

    def promised(self, payload: Mapping[str, PayloadValue]) -> bool:
        """Whether the contract promises a result or an error for a payload."""
        return self.prepared.codec.read(payload) is not None

    def _described(self, mutation: Mutation) -> JsonObject:
        return {
            "place": self.netlist.place(mutation.cell),
            "source": self.netlist.source(mutation.cell),
            "cell": self.netlist.cells[mutation.cell]["type"],
            "kind": mutation.kind,
            "original": mutation.original,
            "mutated": mutation.mutated,
        }

    def _verdict(self, mutation: Mutation, number: int, judge: Judge, deciders: _Deciders) -> dict[str, str]:
        if (difference := judge.difference(number)) is not None:
            return {"verdict": KILLED, "detail": f"simulation: {difference}"}
        if mutation.cell not in self._reaching:
            return {"verdict": EQUIVALENT, "detail": "no path leads from the cell to an output"}
        if self._ranges.unchanged(mutation):
            return {"verdict": EQUIVALENT, "detail": "the mutation changes no word, by the ranges of those before it"}
        if mutation.cell not in self.queue and (detail := deciders.by_operation(number)):
            return {"verdict": EQUIVALENT, "detail": detail}
        found = deciders.by_payloads(number) or deciders.pair.decide(number)
        if found.status == equivalence.EQUIVALENT:
            return {"verdict": EQUIVALENT, "detail": found.detail}
        if mutation.cell in self._controlling and (proof := refuted(self.prepared, deciders.model, number)) is not None:
            return {"verdict": KILLED, "detail": f"proof: {proof}"}
        return {"verdict": SURVIVED, "detail": found.detail}


class ByPayloads:
    """The core and some mutants by all states of control, then by all operations: of one payload that may be anything,
    and of every payload.

    Parameters
    ----------
    work : Work
    netlist : Netlist
        The design with all of them, see `schemata.merged`.
    """

    def __init__(self, work: Work, netlist: Netlist) -> None:
        self._work = work
        store, anything = work.prepared.store, Offers.unknown(work.operands.width)
        registers, whole = choosing(work.netlist), once(netlist)
        self._whole = whole
        self._unlisted = [Alone(whole, anything, store)]
        self._unlisted += [Alone(whole, anything, store, registers)] if registers else []
        self._listed = Alone(whole, work.offers, store)
        self._symbolic = Symbolic(whole, anything, store)
        cut = once(queue.cut(netlist, work.queue)) if work.queue else None
        self._overlapping = Overlapping(whole if cut is None else cut, store, work.memory)
        self._stored = [Stored(cut, offers, store) for offers in (anything, work.offers) if cut is not None]

    def decide(self, number: int, mutation: Mutation) -> equivalence.Verdict | None:
        """The verdict on a mutant; None without one."""
        cut = bool(self._stored) and mutation.cell not in self._work.queue
        if detail := stepwise.decide(self._whole(), number):
            return equivalence.Verdict(equivalence.EQUIVALENT, detail)
        if mutation.cell not in self._work.queue and (detail := self._overlapping.decide(number)):
            return equivalence.Verdict(equivalence.EQUIVALENT, detail)
        methods: list[Alone] = [*self._unlisted, *(self._stored[:1] if cut else ())]
        for alone in [*methods, self._listed, *(self._stored[1:] if cut else ()), self._symbolic]:
            try:
                detail = alone.decide(number)
            except DifferentError as different:
                if alone is self._listed:  # else it may be outside the contract
                    return equivalence.Verdict(equivalence.DIFFERENT, self._described(different))
            else:
                if detail:
                    return equivalence.Verdict(equivalence.EQUIVALENT, detail)
        return None

    def _described(self, different: DifferentError) -> str:
        text = ", ".join(f"{name} = {v}" for name, v in self._work.operands.unpack(different.payload).items())
        return f"differs {different.cycle} cycles after its operands; offered: {text}"


class _Deciders:
    """The designs by which the mutants of a chunk are compared with the core, made on first use."""

    def __init__(self, work: Work, places: Sequence[int], seed: int, selected: Sequence[Mutation], model: str) -> None:
        self._work, self._places, self._seed, self._selected, self.model = work, places, seed, selected, model

    @cached_property
    def pair(self) -> equivalence.Pair:
        """Core and mutant next to each other."""
        work = self._work
        p = work.prepared
        contract = work.residues, work.unpromised, work.promised
        return equivalence.Pair(p.top, self.model, work.operands, p.parameters.o, *contract)

    def by_payloads(self, number: int) -> equivalence.Verdict | None:
        """The verdict of `ByPayloads`; None without one."""
        block, index = divmod(self._places[number - 1], _BLOCK)
        return self._work.by_payloads(block, self._seed).decide(index + 1, self._selected[number - 1])

    @cached_property
    def _operations(self) -> Operations | None:
        if not self._work.queue:
            return None
        netlist, _ = merged(self._work.netlist, self._selected)
        return Operations(
            queue.cut(netlist, self._work.queue), self._work.operands, self._work.residues, self._work.unpromised
        )

    def by_operation(self, number: int) -> str:
        """The statement of `Operations.decide`; empty for a core whose results wait in no memory."""
        return self._operations.decide(number) if self._operations is not None else ""


def judge_for(core: str, document: str, chunk: Chunk) -> list[JsonObject]:
    """Judge a chunk in another process."""
    return _work_of(core, document, chunk.plan, chunk.memory).judged(chunk)


@cache
def _work_of(core: str, document: str, plan: Plan, memory: int) -> Work:
    found = find(core)
    return Work(prepare(found, Request.from_mapping(found, json.loads(document))), plan, memory)
