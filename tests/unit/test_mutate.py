# SPDX-License-Identifier: Apache-2.0
"""Mutants: that they are what they say, that the evidence sees them, and that those it cannot see are told apart."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring

from modwright.base.errors import ModwrightError, VerificationError
from modwright.base.store import Store, digest_of
from modwright.cli import main
from modwright.contract.request import Request
from modwright.mutate import CHUNK, KINDS, again, mutate, run, survivors_again
from modwright.mutate import equivalence as eq
from modwright.mutate.judge import Judge, record
from modwright.mutate.mutations import Replace, Reset, Rewire, Split, Word
from modwright.mutate.netlist import Netlist
from modwright.mutate.proofs import refuted
from modwright.mutate.schemata import schemata
from modwright.mutate.sites import chosen, mutations
from modwright.pipeline import Plan, mutation_of
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl import streams
from modwright.rtl.streams import core_members
from modwright.simulate import toolchain
from tests.toy import TOY

from ..tools import needs
from .mutation_cases import IN, OUT, one_that, toy
from .mutation_cases import netlist as netlist
from .mutation_cases import prepared as prepared
from .mutation_cases import short as short

pytestmark = needs("compiled-simulator", why="mutants run on it alone")

PLAN = Plan(random=200)


class Everything(wiring.Component):
    """A core, as far as a netlist goes, with a cell of every sort; results are x and more, two cycles later."""

    def __init__(self) -> None:
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.table = table = memory.Memory(shape=4, depth=16, init=[n * 7 % 16 for n in range(16)])
        read = table.read_port()
        m.submodules.kept = kept = memory.Memory(shape=4, depth=2, init=[])
        write, again = kept.write_port(), kept.read_port(domain="comb")
        x, total, valid = Signal(4), Signal(5, init=3), Signal(2)
        m.d.comb += [
            self.i.ready.eq(1),
            read.addr.eq(self.i.p.x),
            write.addr.eq(x[0]),
            write.data.eq(x),
            write.en.eq(valid[0]),
            again.addr.eq(x[1]),
        ]
        m.d.sync += valid.eq(Cat(self.i.valid, valid[0]))
        with m.If(self.i.valid):
            m.d.sync += x.eq(self.i.p.x)
        with m.Switch(x):
            for case in range(5):
                with m.Case(case):
                    m.d.sync += total.eq(x * (case + 3) + read.data)
            with m.Default():
                m.d.sync += total.eq(Mux(x < read.data, x - read.data, (x ^ again.data) | 1))
        m.d.comb += [self.o.valid.eq(valid[1]), self.o.p.z.eq(total), self.o.p.error.eq(total[4])]
        return m


@pytest.fixture(scope="module")
def everything():
    return Netlist.of(Everything(), "everything")


@pytest.mark.parametrize(
    ("core", "options", "blocks"),
    [
        ("modmul/binary", {"tables": 1, "segment": 8}, {"$mem_v2", "$mul"}),
        ("modmul/orup-interleaved", {}, {"$mul"}),
        ("modmul/csa", {"ahead": True}, {"$sdff", "$dff"}),
    ],
)
def test_blocks_of_a_device_are_mutated_as_their_models_are(store, core, options, blocks):
    """The netlist has no cell of the device left, whose ports have no direction."""
    found = find(core)
    ready = prepare(found, Request.make(found, modulus=251, target="ecp5", options=options), store)
    cells = Netlist.of(found.build(ready.parameters, ready.schedule), ready.top)
    kinds = {cell["type"] for cell in cells.cells.values()}
    assert all(kind.startswith("$") for kind in kinds)
    assert kinds & blocks
    assert {m.kind for m in mutations(cells)} <= set(KINDS)


# --- sites


def test_every_kind_is_reached(everything):
    found = mutations(everything)
    assert {m.kind for m in found} == set(KINDS)
    assert {type(m.edit) for m in found} == {Rewire, Replace, Split, Word, Reset}


def test_no_two_mutations_are_the_same_and_none_changes_nothing(everything):
    found = mutations(everything)
    assert len(set(found)) == len(found)
    for m in found:
        if isinstance(m.edit, Rewire):
            assert any(k != entry for k, entry in m.edit.entries), m
        if isinstance(m.edit, Replace):
            cell = everything.cells[m.cell]
            same_ports = all(a == b for a, b in m.edit.ports)
            assert m.edit.kind != cell["type"] or not same_ports or m.edit.parameters, m


def test_the_choice_follows_from_the_seed_and_has_every_kind(everything):
    found = mutations(everything)
    first = chosen(found, 60, 7)
    assert first == chosen(found, 60, 7) and len(set(first)) == 60
    assert first != chosen(found, 60, 8)
    assert chosen(found, 25, 7) == first[:25]
    assert {m.kind for m in first[: len(KINDS)]} == set(KINDS)


def test_all_are_chosen_where_more_are_asked_for(everything):
    found = mutations(everything)
    assert Counter(chosen(found, len(found) + 5, 1)) == Counter(found)


def test_sites_are_chosen_alike(everything):
    """A wide adder has more mutations than a register of one bit, and no more places."""
    found = mutations(everything)
    counts = Counter(m.site for m in chosen(found, 2 * len({m.site for m in found}), 3))
    assert max(counts.values()) <= 12


def test_places_are_names_of_the_source(netlist):
    found = {netlist.place(m.cell) for m in mutations(netlist)}
    assert "admission.held" in found and "queue.filled" in found
    sources = {netlist.source(m.cell) for m in mutations(netlist)}
    assert any(s.startswith("rtl/streams.py:") for s in sources)


# --- one design that holds them all


@pytest.fixture(scope="module")
def plays(prepared):
    return record(prepared, PLAN)


@pytest.fixture(scope="module")
def judged(prepared, netlist, plays):
    """40 mutants of the toy, with the first difference of each."""
    selected = chosen(mutations(netlist), 40, 1)
    design = schemata(netlist, selected)
    judge = Judge(prepared, design.verilog, plays)
    return selected, design, judge, [judge.difference(n) for n in range(1, 41)]


def test_without_a_mutant_the_design_is_the_core(judged):
    assert judged[2].difference(0) is None


def test_a_mutant_is_seen_again_and_alone(judged):
    """The order in which mutants are tried changes nothing: each starts from reset."""
    _, _, judge, first = judged
    assert [judge.difference(n) for n in range(40, 0, -1)] == first[::-1]
    assert sum(d is not None for d in first) >= 20


def test_a_design_that_is_not_the_core_is_a_defect(prepared, plays, netlist):
    other = netlist.copy()
    cell = next(c for c in other.cells.values() if c["type"] == "$mul")
    cell["type"] = "$add"
    with pytest.raises(ModwrightError, match="without a mutation differs"):
        Judge(prepared, schemata(other, []).verilog, plays)


def test_a_core_that_fails_is_not_mutated(store):
    with pytest.raises(VerificationError):
        record(toy(store, 7, faulty=True), PLAN)


def test_planted_faults_are_killed(prepared, netlist, plays):
    """Admission one too early, a result queue that keeps nothing, and one that mixes up its places."""
    found = mutations(netlist)
    in_admission = [m for m in found if netlist.place(m.cell).startswith("admission")]
    in_queue = [m for m in found if m.cell == "queue.memory"]
    faults = [
        one_that(in_admission, kind="select", mutated="stuck at 1"),
        one_that(in_queue, kind="enable", mutated="stuck at 0"),
        one_that(in_queue, kind="memory", original="WR_ADDR"),
    ]
    judge = Judge(prepared, schemata(netlist, faults).verilog, plays)
    assert all(judge.difference(number) is not None for number in (1, 2, 3))
    assert "result" in str(judge.difference(3))


def test_no_mutant_that_was_killed_is_equivalent_without_data(prepared, judged, tmp_path):
    """The abstraction alone, which has to let every difference through that a simulation saw."""
    _, design, _, first = judged
    p = prepared.parameters
    pair = eq.Pair(prepared.top, design.model, p.i, p.o)
    killed = [number for number, difference in enumerate(first, 1) if difference is not None]
    for number in (0, *killed[:4]):
        (tmp_path / "abstract.aig").write_bytes(pair._abstraction.written(pair._selected(number)))
        assert eq._unreachable(tmp_path, "abstract.aig", eq._WITHOUT_DATA, 3) == (number == 0)


# --- proofs


def test_a_proof_of_the_handshakes_kills(prepared, netlist):
    """One place too many: a queue that overruns needs a reader that waits long enough."""
    lines = Path(streams.__file__).read_text(encoding="utf-8").splitlines()
    (number,) = (n for n, line in enumerate(lines, start=1) if "count < capacity" in line)
    here = [m for m in mutations(netlist) if netlist.source(m.cell) == f"rtl/streams.py:{number}"]
    fault = one_that(here, original="lt", mutated="le")
    assert (refuted(prepared, schemata(netlist, [fault]).model, 1) or "").startswith("latency under any stalls")


def test_no_proof_fails_on_the_core(prepared, netlist):
    harmless = one_that(mutations(netlist), kind="bit")
    assert refuted(prepared, schemata(netlist, [harmless]).model, 0) is None


# --- a run


def test_a_run_counts_and_lists(prepared):
    found = mutate(prepared, 12, 1, PLAN, workers=1)
    record = found.to_json()
    assert record["mutants"] == 12 == record["killed"] + record["equivalent"] + len(record["survived"])
    assert record["killed"] >= 6
    assert set(record) >= {"core", "request", "digest", "seed", "mutants", "killed", "equivalent", "survived", "kinds"}
    assert sum(sum(counts.values()) for counts in record["kinds"].values()) == 12
    for survivor in record["survived"]:
        assert set(survivor) == {"place", "source", "cell", "kind", "original", "mutated", "detail"}
    assert mutation_of(prepared.digest, prepared.store) == json.loads(json.dumps(record))
    assert mutation_of("another digest", prepared.store) is None
    more = {**record, "memory": 2}
    prepared.store.json(run.MUTATION, digest_of(more), lambda: more)
    assert mutation_of(prepared.digest, prepared.store) == json.loads(json.dumps(more)), "more memory decides more"


def test_a_weak_judge_lets_mutants_live(prepared, monkeypatch):
    """With nothing but 0 · 0 simulated, faults of the arithmetic survive; each comes with operands that show it."""
    strong = mutate(prepared, 12, 1, PLAN, workers=1).to_json()
    monkeypatch.setattr("modwright.pipeline.edge_cases", lambda prepared, products: [{"x": 0, "y": 0}])
    weak = mutate(prepared, 12, 1, Plan(random=0), workers=1).to_json()
    assert weak["killed"] < strong["killed"] and len(weak["survived"]) > len(strong["survived"])
    assert any("differs in cycle" in one["detail"] and "x = " in one["detail"] for one in weak["survived"])


def test_an_interrupted_run_goes_on(store, monkeypatch):
    prepared = toy(store, latency=4)
    seen = []

    def judged(work, chunk):
        seen.append(chunk.number)
        return [{"verdict": "killed", "kind": "bit"}] * chunk.size

    def interrupted(work, chunk):
        if seen:
            raise KeyboardInterrupt
        return judged(work, chunk)

    monkeypatch.setattr(run.Work, "judged", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mutate(prepared, CHUNK + 5, 1, PLAN, workers=1)
    assert seen == [0]
    monkeypatch.setattr(run.Work, "judged", judged)
    done = []
    record = mutate(prepared, CHUNK + 5, 1, PLAN, workers=1, progress=done.append).to_json()
    assert seen == [0, 1] and done == [CHUNK, CHUNK + 5] and record["mutants"] == CHUNK + 5


def test_nothing_is_judged_twice(prepared, monkeypatch):
    first = mutate(prepared, 12, 1, PLAN, workers=1).to_json()
    monkeypatch.setattr(run.Work, "judged", lambda work, chunk: pytest.fail("judged again"))
    assert mutate(prepared, 12, 1, PLAN, workers=1).to_json() == first


def test_survivors_are_judged_again(prepared, monkeypatch):
    """A record in which three mutants survived that are killed or equivalent becomes that of a run with all methods."""
    found = mutate(prepared, 12, 1, PLAN, workers=1)
    right = found.to_json()
    places = [0, 3, next(k for k, one in enumerate(found.mutants) if one["verdict"] == run.EQUIVALENT)]
    verdicts = [one | ({"verdict": run.SURVIVED} if k in places else {}) for k, one in enumerate(found.mutants)]
    weak = run.Mutants(prepared, 1, PLAN, verdicts).to_json()
    assert len(weak["survived"]) == len(right["survived"]) + len(set(places))
    monkeypatch.setattr(run.Work, "judged_at", lambda work, places, seed: [found.mutants[place] for place in places])
    monkeypatch.setattr(again, "PART", 2)
    first, last = survivors_again(prepared, weak, PLAN)
    assert len(first["survived"]) == len(weak["survived"]) - 2 and last == right
    none = {**right, "survived": []}
    monkeypatch.setattr(run.Work, "judged_at", lambda work, places, seed: pytest.fail("judged again"))
    assert not list(survivors_again(prepared, none, PLAN))
    judged = {**weak, "survived": [one | {"memory": 2} for one in weak["survived"]]}
    assert not list(survivors_again(prepared, judged, PLAN, memory=2)), "they were judged with as much"


def test_a_survivor_is_found_though_its_line_moved_or_refused(prepared):
    work = run.Work(prepared, PLAN)
    known = [work._described(one) for one in chosen(work.mutations, 10, 1)]
    assert 3 in work.places_of([known[3] | {"source": "moved.py:1"}], 10, 1)
    with pytest.raises(ModwrightError, match=r"nowhere.*survived"):
        work.places_of([known[3] | {"place": "nowhere"}], 10, 1)


@pytest.mark.parametrize(
    ("now", "before", "moved"),
    [
        ({"killed": 0, "equivalent": 2, "survived": 0}, 2, (0, 2, -2)),
        ({"killed": 1, "equivalent": 1, "survived": 0}, 1, (0, 1, -1)),  # the other one had been killed
        ({"killed": 2, "equivalent": 0, "survived": 1}, 2, (1, 0, -1)),
        ({"killed": 0, "equivalent": 2, "survived": 1}, 2, (0, 1, -1)),  # the other one had been equivalent
    ],
)
def test_two_mutants_with_one_description_count_once_each(now, before, moved):
    counts = {"killed": 10, "equivalent": 10, "survived": 10}
    again._moved(counts, now, before)
    assert tuple(counts.values()) == tuple(10 + step for step in moved)


def test_no_more_than_there_are(netlist, tmp_path, monkeypatch):
    """In a store of its own, as the record with most mutants is the one that counts for the core."""
    monkeypatch.setattr(run.Work, "judged", lambda work, chunk: [{"verdict": "killed", "kind": "bit"}] * chunk.size)
    found = mutate(toy(Store(tmp_path)), 100_000, 99, PLAN, workers=1)
    assert len(found.mutants) == len(mutations(netlist))
    assert found.share == 100.0


def test_all_searches_share_the_graph_of_a_design(prepared, monkeypatch):
    """One of the design, and one of it cut in front of its queue: Yosys takes longer for either than most searches."""
    made = []
    monkeypatch.setattr("modwright.mutate.twins.Whole", lambda netlist: made.append(netlist) or len(made))
    work = run.Work(prepared, PLAN)
    found = run.ByPayloads(work, work.netlist)
    assert [one._design for one in (*found._unlisted, found._listed)] == [1] * (len(found._unlisted) + 1)
    assert [one._design for one in found._stored] == [2, 2]


# --- the command


@pytest.fixture
def command(prepared, monkeypatch):
    """The command on the toy, with the store of these tests."""
    monkeypatch.setattr("modwright.prepared.registry.all_cores", lambda: {TOY.name: TOY})
    monkeypatch.setenv("MODWRIGHT_CACHE", str(prepared.store.root))
    words = ["mutate", "modmul/toy", "-m", "3", "-t", "generic", "--random", "200", "--workers", "1", "--mutants", "12"]
    return lambda *more: main([*words, *more])


def test_the_command_prints_the_record(command, prepared, capsys):
    assert command("--json") == 0
    assert json.loads(capsys.readouterr().out) == mutate(prepared, 12, 1, PLAN, workers=1).to_json()


def test_the_command_lists_survivors_and_misses_its_target(command, monkeypatch, capsys):
    survivor = {"place": "queue.filled", "source": "rtl/streams.py:133", "cell": "$add", "kind": "carry"}
    survivor |= {"original": "carry into bit 1", "mutated": "0", "verdict": "survived", "detail": "differs in cycle 9"}
    monkeypatch.setattr(run.Work, "judged", lambda work, chunk: [survivor] * chunk.size)
    assert command("--seed", "77", "--least", "98") == 5
    out = capsys.readouterr().out
    assert "queue.filled" in out and "carry into bit 1 -> 0" in out and "differs in cycle 9" in out
    assert "12 mutants, 0 killed, 0 equivalent, 12 survived: 0.00 % of those not equivalent killed" in out


@pytest.mark.parametrize(
    "words", [["--mutants", "0"], ["--least", "101"], ["--scheduler", "nowhere"], ["-O", "latency=0"]]
)
def test_bad_input_is_refused(command, words, capsys):
    assert command("--seed", "78", *words) == 2
    assert "internal error" not in capsys.readouterr().err


def test_without_a_compiler_the_tool_is_missing(command, monkeypatch, capsys):
    monkeypatch.setattr(toolchain, "find_compiler", lambda: None)
    assert command("--seed", "79") == 3
    assert "pip install" in capsys.readouterr().err
