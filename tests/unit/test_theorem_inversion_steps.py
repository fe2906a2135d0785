# SPDX-License-Identifier: Apache-2.0
"""Steps of an inverter: what its netlist makes of each state, next to a simulated operation; ports, and widths on the
ways in and out."""

import pytest

from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.inversions.entry import check_sum
from modwright.prove.theorem.inversions.layout import BITS as BITS_OF
from modwright.prove.theorem.inversions.leaving import check_result
from modwright.prove.theorem.inversions.prove import prove_operations
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.pieces import constant
from modwright.prove.theorem.ternary import Simulation, after_reset

from .small_inversions import FIXED, HELD, MODULUS, claim, netlist, operation, small
from .word_numbers import number_of_word

M = int(MODULUS, 16)
MODULUS_WORD = constant(M, M.bit_length())


@pytest.mark.parametrize(
    "a", [11, pytest.param(0, marks=pytest.mark.campaign), pytest.param(57, marks=pytest.mark.campaign)]
)
@pytest.mark.parametrize("name", [FIXED, HELD])
def test_words_of_steps_are_those_of_a_simulated_operation(name, a):
    """What the netlist makes of each state, with the numbers that are in its cycles in simulation."""
    run, storage = operation(name)
    rows = simulated(netlist(name), {"i_a": a, "i_m": M}, storage.ready + 1)
    state = run.state()
    for step in range(run.steps - 1):
        frame = run.before(state, step)
        numbers = {word: number_at(run, state, word, step, rows) for word in state.words}
        numbers |= {"i_m": M, "i_a": a}
        for word in ("f", "g", "d", "e", "D", "odd", "swap", "add", "subtract"):
            found = number_of_word(run.at(frame, word, step + 1), numbers)
            assert found == number_at(run, state, word, step + 1, rows), (step, word)


def simulated(core, operands, cycles):
    """Numbers of all sources in the cycles of an operation."""
    simulation, found = Simulation(core, after_reset(core, "rst")), []
    for cycle in range(cycles):
        inputs = {"i_valid": (int(cycle == 0), 1), "o_ready": (1, 1), "rst": (0, 1)}
        given = {port: (number, (1 << 16) - 1) for port, number in operands.items() if port in core.inputs}
        found.append([value for value, _ in simulation.settle(inputs | given, {})])
        simulation.clock()
    return found


def number_at(run, state, word, step, rows):
    """The number of a word before a step, from its places."""
    layout, cycle = run.layout, run.first + step
    if word in BITS_OF:
        net, behind = BITS_OF[word]
        return rows[cycle + behind][layout.source(net)]
    if word.endswith("ago"):
        name, ago, *_ = word.split()
        top = layout.words[name][-1]
        return rows[cycle + top.behind - int(ago)][top.register]
    total = 0
    for (source, behind), value in layout.places(word, state.words[word], run.words):
        ((_, low, _),) = value
        total |= rows[cycle + behind][source] << low
    return total


# --- ports and widths


@pytest.mark.parametrize("port", ["i_valid", "i_ready", "o_valid", "o_ready", "rst"])
def test_a_netlist_without_a_stream_is_not_proved(port):
    module = netlist().module
    ports = {name: value for name, value in module["ports"].items() if name != port}
    with pytest.raises(UnsupportedError, match=f"not those of the core: {port}"):
        prove_operations(netlist_of(dict(module, ports=ports)), claim(), small().schedule.latency)


def test_a_sign_is_that_of_a_difference_as_wide_as_its_operand():
    run, _ = operation()
    v = run.words.extend(run.word("v", 6), 7, signed=False)
    wide = [run.words.extend(value, 9, signed=False) for value in (v, constant((1 << 7) - M, 7))]
    difference = run.words.arithmetic("add", wide, "difference")
    check_sum(run, run.words.slice(difference, 0, 7), v, MODULUS_WORD, "v")
    with pytest.raises(UndecidedError, match="difference of v"):
        check_sum(run, difference, v, MODULUS_WORD, "v")


def test_a_result_has_no_more_bits_than_the_word_that_it_comes_from():
    run, _ = operation()
    e = run.words.join([*run.word("e", 5), *constant(0b111, 3)])
    wide = [run.words.extend(value, 10, signed=False) for value in (e, MODULUS_WORD)]
    total = run.words.arithmetic("add", wide, "z")
    for bits in (5, 8):
        check_result(run, run.words.slice(total, 0, bits), e, 1, MODULUS_WORD)
    for bits in (4, 10):
        with pytest.raises(UndecidedError, match="what leaves"):
            check_result(run, run.words.slice(total, 0, bits), e, 1, MODULUS_WORD)
