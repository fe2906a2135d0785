# SPDX-License-Identifier: Apache-2.0
"""The register file of the processor in residues: programs against plain integers, its rules, and planted faults."""

import random
from itertools import pairwise, product

import pytest
from amaranth.hdl import Const

from modwright.base.errors import UsageError
from modwright.contract import Stateful
from modwright.contract.operands import PAYLOAD
from modwright.cores.rns.processor.hardware import register_core
from modwright.cores.rns.processor.hardware.file import RegisterFile
from modwright.cores.rns.processor.hardware.register_core import RegisterCore
from modwright.deliver.vectors import MOST, golden
from modwright.functions.cases import random_cases
from modwright.functions.rns import HOLD, INVERSION, MOVE, PAIRED, PRODUCT, SUM
from modwright.prove import dependence
from modwright.simulate import Stalls, verify
from modwright.simulate.simulator import available_simulator, open_session

from ..tools import needs
from .rns_montgomery_hardware import check_in_every_pattern, make

NAME, MODULUS = "rns/processor", 25
SMALL = {"width": 9, "channels": 2, "registers": 4}
UNWRITTEN, NO_INVERSE = "not written", "no inverse"


def small(store, **options):
    return make(NAME, store, str(MODULUS), **{**SMALL, **options})


def operation(one, op, x=0, y=0, *, from_x=0, from_y=0, into=0):
    """An input payload: plain numbers on the stream, and numbers of registers."""
    names = {"op": op, "from_x": from_x, "from_y": from_y, "into": into}
    return one.codec.encode({"op": PRODUCT, "x": x, "y": y}) | names


class Plain:
    """Registers as plain integers, by the words of the page: independent of codec, model and hardware."""

    def __init__(self, modulus):
        self.modulus, self.values, self.pair = modulus, {}, (0, 0)

    def run(self, op, x=0, y=0, *, from_x=0, from_y=0, into=0):
        """Result of an operation, or the name of its error."""
        numbers = [(from_x, x), *([(from_y, y)] if op in PAIRED else [])]
        if any(number and number not in self.values for number, _ in numbers):
            return UNWRITTEN
        x, y = (self.values[number] if number else value for number, value in [*numbers, (0, 0)][:2])
        try:
            z = pow(x, -1, self.modulus) if op == INVERSION else x
        except ValueError:
            return NO_INVERSE
        if op in (PRODUCT, SUM):
            z = (x * y + (self.pair[0] * self.pair[1] if op == SUM else 0)) % self.modulus
        if op in PAIRED:
            self.pair = (x, y) if op == HOLD else (0, 0)
        if into:
            self.values[into] = z
        return z


def results_of(one, session, program):
    """Results of a program in a session, by name where they are errors."""
    words = [one.parameters.i.pack(operation(one, *step[:3], **step[3])) for step in program]
    decoded = [one.codec.decode(one.parameters.o.unpack(word)) for word in session.feed(words).words]
    return [found["error"] or found["z"] for found in decoded]


def plainly(modulus, program):
    plain = Plain(modulus)
    return [plain.run(*step[:3], **step[3]) for step in program]


def test_a_payload_alone_is_right_after_a_reset(store):
    one = small(store)
    for op in (PRODUCT, INVERSION, MOVE):
        for numbers in ({"from_x": 1}, {"from_y": 3}):
            payload = operation(one, op, 2, 3, **numbers)
            expected = UNWRITTEN if op == PRODUCT or "from_x" in numbers else None
            assert one.codec.read(payload).error == expected
            assert one.codec.decode(one.model.run(payload).payload)["error"] == expected


def test_a_pair_is_held_for_one_sum(store):
    """Inversions and moves leave the pair; a product and a sum end it, an operation with an error does not."""
    one = small(store, kappa=2)
    registers = {}
    for op, x, y, numbers, expected in [
        (SUM, 2, 3, {}, 6),
        (HOLD, 4, 5, {"into": 1}, 4),
        (INVERSION, 2, 0, {}, 13),
        (PRODUCT, 7, 7, {"from_y": 3}, UNWRITTEN),
        (SUM, 2, 0, {"from_y": 1}, 3),
        (SUM, 2, 3, {}, 6),
        (HOLD, 4, 5, {}, 4),
        (PRODUCT, 1, 1, {}, 1),
        (SUM, 2, 3, {}, 6),
    ]:
        payload = operation(one, op, x, y, **numbers) | registers
        result = one.model.run(payload).payload
        decoded = one.codec.decode(result)
        assert (decoded["error"] or decoded["z"]) == expected
        registers |= one.codec.written(payload, result)


def test_pairs_are_an_option_of_registers(store):
    with pytest.raises(UsageError, match="next to registers"):
        small(store, registers=0, kappa=2)
    pair, single = (small(store, kappa=kappa).parameters for kappa in (2, 1))
    assert pair.bound == single.bound
    least = [{row.name: row.right for row in p.certificate.inequalities}["range-A"] for p in (pair, single)]
    assert least[0] == 2 * least[1]


def test_a_result_with_an_error_is_not_written(store):
    one = small(store)
    payload = operation(one, INVERSION, 5, into=1)
    assert one.codec.written(payload, one.model.run(payload).payload) == {}
    payload = operation(one, INVERSION, 7, into=1)
    result = one.model.run(payload).payload
    assert one.codec.written(payload, result) == {"register 1": result["z"]}
    assert one.codec.written(payload | {"into": 0}, result) == {}


def test_representatives_pass_through_a_register(store):
    """A move gives the residues that were written, not reduced ones."""
    one = small(store)
    rng = random.Random(3)
    moved = [case[PAYLOAD] for case in random_cases(one, 400, seed=2)[1::2] if case[PAYLOAD]["op"] == MOVE]
    given = [payload for payload in moved if payload["from_x"] == 0]
    reduced = {one.codec.store(x) for x in range(one.parameters.bound)}
    assert any(payload["x"] not in reduced for payload in given)
    for payload in rng.sample(given, 8):
        assert one.model.run(payload).payload["z"] == payload["x"]


@needs("compiled-simulator", why="thousands of operations in hardware")
def test_every_pair_through_load_product_store(store):
    """All 625 pairs: x and y loaded, x·y, x·y + x·y and the inverse of x made of registers, and read again."""
    one = small(store, kappa=2)
    program = []
    for x, y in product(range(MODULUS), repeat=2):
        program += [
            (MOVE, x, 0, {"into": 1}),
            (MOVE, y, 0, {"into": 2}),
            (PRODUCT, 9, 9, {"from_x": 1, "from_y": 2, "into": 3}),
            (HOLD, 9, 9, {"from_x": 1, "from_y": 2}),
            (SUM, 9, y, {"from_x": 1, "into": 3}),
            (MOVE, 9, 9, {"from_x": 3}),
            (INVERSION, 9, 9, {"from_x": 1, "into": 2}),
            (PRODUCT, 9, y, {"from_x": 2, "into": 3}),
            (MOVE, 9, 9, {"from_x": 3}),
        ]
    with open_session(one, "compiled", stalls=Stalls(seed=4, i=20, o=20), initial=5) as session:
        found = results_of(one, session, program)
    assert found == plainly(MODULUS, program)
    assert found.count(NO_INVERSE) == 5 * MODULUS


def drawn_program(rng, modulus, registers, count):
    """Random operations on random registers, half of the operands from the stream."""
    return [
        (
            rng.choice((PRODUCT, INVERSION, MOVE, HOLD, SUM)),
            rng.randrange(modulus),
            rng.randrange(modulus),
            {name: rng.choice((0, rng.randrange(registers))) for name in ("from_x", "from_y", "into")},
        )
        for _ in range(count)
    ]


def test_programs_with_resets_give_plain_results(store):
    """Programs of every error, each after a reset in the middle of another one: no register is known there."""
    one, rng = small(store, kappa=2), random.Random(7)
    count = 24 if available_simulator() == "pure" else 200
    programs = [drawn_program(rng, MODULUS, 4, count // 2) for _ in range(4)]
    words = [one.parameters.i.pack(operation(one, *step[:3], **step[3])) for step in programs[0]]
    with open_session(one, available_simulator(), stalls=Stalls(seed=3, i=10, o=30), initial=2) as session:
        for number, program in enumerate(programs):
            found = results_of(one, session, program)
            assert found == plainly(MODULUS, program)
            session.interrupt(words, 1 + 40 * number, 1)
    assert {UNWRITTEN, NO_INVERSE} <= set(found)


def test_golden_vectors_run_again_and_again(store):
    """The program in a package does not depend on what registers held before it."""
    one = small(store, kappa=2)
    vectors = golden(one)
    named = [v for v in vectors if v.operands["from_x"] or (v.operands["from_y"] and v.operands["op"] in PAIRED)]
    assert {v.operands["op"] for v in named} >= {PRODUCT, MOVE, HOLD, SUM}
    words = [one.parameters.i.pack(v.operands) for v in vectors]
    with open_session(one, available_simulator(), initial=2) as session:
        traces = [session.feed(words) for _ in range(2)]
    for trace in traces:
        assert [one.parameters.o.unpack(word) for word in trace.words] == [v.result for v in vectors]
    without = small(store, registers=0)
    assert not isinstance(without.codec, Stateful)
    assert len(golden(without)) <= MOST


def test_no_address_or_enable_depends_on_a_value_without_inversion(store):
    """What an operation does, and with which registers, is no secret; with inversion, passes depend on x."""
    found = dependence(small(store, inversion="none")).dependents
    assert {field for row in found for field in row.fields} == {"op", "from_x", "from_y", "into"}
    assert {row.name for row in found if "address" in row.kind} == {"file.words"}


# --- faults in the register file are found


class Remembering(RegisterFile):
    """Every register counts as written, whatever a reset does."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        for name in ("known_x", "known_y"):
            m.d.comb += getattr(self, name).eq(1)
        return m


class Displaced(RegisterFile):
    """The second operand is read where the first one is."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.y.eq(self.x)
        return m


class Cropped(RegisterFile):
    """The last bit of a register is lost."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += m.submodules.words.write_ports[0].data[-1].eq(0)
        return m


class Deaf(RegisterFile):
    """Register 2 keeps what its memory holds, and counts as written all the same."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += m.submodules.words.write_ports[0].en.eq(self.write & (self.into != 2))
        return m


class Lasting(RegisterCore):
    """A product does not end the pair that is held."""

    def _sources(self, m, start):
        found = super()._sources(m, start)
        self._pair["single"] = Const(0)
        return found


def test_a_pair_that_lasts_is_found(store, monkeypatch):
    one = small(store, inversion="none", kappa=2)
    cases = random_cases(one, 120, seed=3)
    monkeypatch.setattr(register_core, "RegisterCore", Lasting)
    assert {failure.level for failure in verify(one, cases, simulator="pure").failed} == {"value", "bits"}


@pytest.mark.parametrize("faulty", [Remembering, Displaced, Cropped, Deaf])
def test_a_fault_of_the_file_is_found(faulty, store, monkeypatch):
    one = small(store, inversion="none")
    cases = random_cases(one, 120, seed=3)[1::2]
    monkeypatch.setattr(register_core, "RegisterFile", faulty)
    assert verify(one, cases, simulator="pure", resets=2).failed
    monkeypatch.undo()
    assert verify(one, cases, simulator="pure", resets=2).failed == []


# --- full width


@needs("compiled-simulator", why="thousands of operations in hardware")
@pytest.mark.campaign
@pytest.mark.parametrize(("inversion", "kappa"), [("btmi", 2), ("none", 1)])
def test_random_programs_at_full_width(inversion, kappa, store):
    """Every pattern of stalls; the same rules hold on every run at 25."""
    one = make(NAME, store, "2^256-2^224+2^192+2^96-1", inversion=inversion, registers=16, kappa=kappa)
    check_in_every_pattern(one, 600)


def test_hierarchical_extensions_are_for_products_alone(store):
    with pytest.raises(UsageError, match="inversion=none"):
        small(store, c=2)
    assert small(store, channels=4, inversion="none", c=2).parameters.engine.columns == 2


def test_numbers_without_registers_are_those_of_before(store):
    """Streams and schedule of the default, field by field: no number of a register, no move."""
    one = make(NAME, store, str(MODULUS), width=9, channels=2)
    assert [field.name for field in one.parameters.i.fields] == ["op", "x", "y"]
    assert one.parameters.o["error"].limit == 2
    assert one.codec.fit({"op": MOVE, "x": 2, "y": 3}) == {"op": PRODUCT, "x": 2, "y": 3}
    with pytest.raises(ValueError, match="operation 2 is none of 0, 1"):
        one.codec.encode({"op": MOVE, "x": 2, "y": 3})
    for less, more in pairwise(small(store, registers=count).parameters.i.width for count in (4, 8, 16, 32)):
        assert more == less + 3
