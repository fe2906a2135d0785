# SPDX-License-Identifier: Apache-2.0
"""Extensions alone and conversion from and to binary on the processor in residues: every number, rules, and faults."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import In

from modwright.base.errors import UsageError, VerificationError
from modwright.cores.rns.processor.hardware import converting
from modwright.cores.rns.processor.hardware.digits import Digits
from modwright.cores.rns.processor.plan.conversions import digits_of, in_place, number_of
from modwright.cores.rns.processor.schedule import parts_in
from modwright.functions.cases import random_cases
from modwright.functions.rns import CONVERSIONS, FROM_BINARY, INTO_A, INTO_B, INVERSION, MOVE, PRODUCT, TO_BINARY
from modwright.prove import dependence
from modwright.simulate import verify
from modwright.simulate.simulator import available_simulator, open_session

from ..tools import needs
from .rns_montgomery_hardware import check_in_every_pattern, make

NAME, MODULUS = "rns/processor", 25
SMALL = {"width": 9, "channels": 2, "registers": 4, "kappa": 2, "conversion": True}


def small(store, **options):
    return make(NAME, store, str(MODULUS), **{**SMALL, **options})


def payload(one, op, words, *, from_x=0, into=0):
    return {"op": op, "from_x": from_x, "from_y": 0, "into": into, "x": tuple(words), "y": (0,) * len(words)}


def run(one, session, payloads):
    """Output payloads of a program."""
    trace = session.feed([one.parameters.i.pack(step) for step in payloads])
    return [one.parameters.o.unpack(word) for word in trace.words]


def test_every_stored_number_is_extended_both_ways_and_written_in_binary(store):
    """All numbers below λP, each by the residues that the operation reads, next to any others."""
    one, rng = small(store), random.Random(1)
    p = one.parameters
    numbers, n = range(p.bound), p.n
    stored = [one.codec.store(x) for x in numbers]

    def anything():
        return tuple(rng.getrandbits(p.width) for _ in range(n))

    steps = [payload(one, INTO_A, (*anything(), *words[n:])) for words in stored]
    steps += [payload(one, INTO_B, (*words[:n], *anything())) for words in stored]
    steps += [payload(one, TO_BINARY, words) for words in stored]
    with open_session(one, available_simulator(), initial=5) as session:
        found = run(one, session, steps)
    extended = found[: 2 * len(numbers)]
    assert [one.codec.restore(result["z"]) for result in extended] == [*numbers, *numbers]
    assert not any(result["binary"] or result["error"] for result in extended)
    out = pow(p.A.product, -1, MODULUS)
    for x, result in zip(numbers, found[2 * len(numbers) :], strict=True):
        assert (result["binary"], result["z"]) == (1, in_place(digits_of(x * out % MODULUS, p.width, n)))


def test_words_of_any_value_are_reduced(store):
    """n words from 0 to the largest: as they come, in the domain and below the bound."""
    one, rng = small(store), random.Random(2)
    p = one.parameters
    words = p.width * p.n
    values = [*range(3 * MODULUS), (1 << words) - 1, p.A.product, p.A.product - 1]
    values += [rng.getrandbits(words) for _ in range(300)]
    steps = [payload(one, FROM_BINARY, in_place(digits_of(value, p.width, p.n)), from_x=3) for value in values]
    with open_session(one, available_simulator(), initial=6) as session:
        found = run(one, session, steps)
    for value, result in zip(values, found, strict=True):
        assert one.codec.decode(result) == one.codec.decode(one.model.run(payload(one, MOVE, result["z"])).payload)
        assert one.codec.decode(result)["z"] == value % MODULUS


def test_a_program_from_binary_to_binary(store):
    """(x·y + 1)/x through registers; a binary result is in none of them."""
    one = small(store)
    p, cases = one.parameters, [(x, y) for x in range(1, MODULUS) if x % 5 for y in range(0, MODULUS, 6)]

    def binary(x):
        return in_place(digits_of(x, p.width, p.n))

    nothing = (0,) * (2 * p.n)
    steps = []
    for x, y in cases:
        steps += [
            payload(one, FROM_BINARY, binary(x), into=1),
            payload(one, FROM_BINARY, binary(y), into=2, from_x=1),
            payload(one, PRODUCT, nothing, from_x=1, into=3) | {"from_y": 2},
            payload(one, INVERSION, nothing, from_x=1, into=1),
            payload(one, TO_BINARY, nothing, from_x=1, into=3),
            payload(one, PRODUCT, nothing, from_x=3, into=3) | {"from_y": 1},
            payload(one, TO_BINARY, nothing, from_x=3),
        ]
    with open_session(one, available_simulator(), initial=7) as session:
        found = run(one, session, steps)
    for number, (x, y) in enumerate(cases):
        results = found[7 * number : 7 * number + 7]
        assert number_of(results[4]["z"][p.n :], p.width) == pow(x, -1, MODULUS)
        assert number_of(results[6]["z"][p.n :], p.width) == y % MODULUS
        assert [result["binary"] for result in results] == [0, 0, 0, 0, 1, 0, 1]


@needs("compiled-simulator", why="one more design to compile")
@pytest.mark.campaign
def test_wider_words_and_copies_of_control(store):
    """Random operations with four channels of 20 bits, whose products take several blocks and levels, on ECP5; those of
    25 have the same parts on every run."""
    one = make(NAME, store, hex(2**64 - 59), target="ecp5", **{**SMALL, "width": 20, "channels": None})
    assert one.parameters.local
    reached = {case["payload"]["op"] for case in random_cases(one, 120, seed=4)[1::2]}
    assert set(CONVERSIONS) <= reached
    assert verify(one, random_cases(one, 120, seed=4)).failed == []


def test_conversions_are_an_option_of_registers(store):
    with pytest.raises(UsageError, match="with registers"):
        small(store, registers=0, kappa=1)
    with pytest.raises(UsageError, match="one by one"):
        small(store, channels=4, inversion="none", c=2)
    without = make(NAME, store, str(MODULUS), width=9, channels=2, registers=4)
    assert "binary" not in [field.name for field in without.parameters.o.fields]
    with pytest.raises(ValueError, match="is none of 0, 1, 2"):
        without.codec.encode({"op": TO_BINARY, "x": 1, "y": 0})


def test_cycles_do_not_depend_on_numbers(store):
    """Each conversion takes the cycles of its parts, whatever the operand."""
    one = small(store)
    for op in CONVERSIONS:
        expected = parts_in(one.schedule).conversion(op)
        assert {one.model.run(one.codec.encode({"op": op, "x": x, "y": 0})).cycles for x in range(MODULUS)} == {
            expected
        }


def test_without_inversion_nothing_depends_on_a_value(store):
    """What a processor of products and conversions does, and with which registers, follows from the program."""
    found = dependence(small(store, inversion="none")).dependents
    assert {field for row in found for field in row.fields} == {"op", "from_x", "from_y", "into"}


def test_cycles_at_256_bits_are_those_of_the_page(store):
    """Rows of the table of the README, without and with local rowers."""
    for target, cycles in (("generic", [26, 53, 90, 439]), ("ecp5", [33, 65, 106, 475])):
        one = make(NAME, store, "2^256-2^224+2^192+2^96-1", target=target, registers=16, conversion=True)
        assert parts_in(one.schedule).conversions == cycles


# --- faults of the digits are found


class Faulty(Digits):
    """The unit with one of its ports at 0."""

    PORT = ""

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = Digits(self.p, len(self.code), len(self.quotient))
        for name, member in self.signature.members.items():
            outside, inside = getattr(self, name), getattr(inner, name)
            driven, value = (inside, outside) if member.flow is In else (outside, inside)
            m.d.comb += driven.eq(0 if name == self.PORT else value)
        return m


class Continuing(Faulty):
    """The last digit does not end the number."""

    PORT = "ended"


class Truncating(Faulty):
    """The quotient by B is lost."""

    PORT = "quotient"


class Unrestored(Digits):
    """Zeros in place of the words of P."""

    def _word(self, values, number):
        words = list(digits_of(self.p.modulus, self.p.width, self.p.n))
        return super()._word([0] * len(words) if values == words else values, number)


@pytest.mark.parametrize("faulty", [Unrestored, Truncating])
def test_a_fault_of_the_digits_is_found(faulty, store, monkeypatch):
    one = small(store)
    cases = [{"op": TO_BINARY, "x": x, "y": 0} for x in range(MODULUS)]
    monkeypatch.setattr(converting, "Digits", faulty)
    assert verify(one, cases, simulator="pure").failed
    monkeypatch.undo()
    assert verify(one, cases, simulator="pure").failed == []


def test_a_number_without_an_end_is_found(store, monkeypatch):
    one = small(store)
    monkeypatch.setattr(converting, "Digits", Continuing)
    with pytest.raises(VerificationError, match="belongs to no operation"):
        verify(one, [{"op": TO_BINARY, "x": x, "y": 0} for x in (1, 2)], simulator="pure")


# --- full width


@needs("compiled-simulator", why="thousands of operations in hardware")
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{"inversion": "divstep"}, {"target": "ecp5", "kappa": 2}, {"inversion": "none"}])
def test_random_programs_at_full_width(options, store):
    """Every pattern of stalls modulo the prime of P-256; 25 has the same rules on every run."""
    one = make(NAME, store, "2^256-2^224+2^192+2^96-1", registers=16, conversion=True, **options)
    check_in_every_pattern(one, 600)
