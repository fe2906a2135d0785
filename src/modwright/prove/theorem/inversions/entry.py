# SPDX-License-Identifier: Apache-2.0
"""The way in: the operand less the modulus where it is not below it, and the first state.

The operand's register v holds a from cycle 1 on. In the cycle of `at_reduce` a bit of a register decides whether v - m
is loaded; that it is the sign of a - m is proved of the whole sum in slices. In the cycle of `at_refuse` the same sum
says whether v is still not below m: a was not below 2·m.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..decide import UndecidedError
from ..pieces import Value, constant, number_of, width_of
from .forms import top_of
from .frames import Key, Netframe, Run
from .layout import BITS, WORDS

OPERAND, MOVED, UNDER = "border.v", "border.moved", "border.under_M"
"""Register of the operand, its sum with the modulus, and the register with the sign of that."""


def reduced(run: Run, operand: Value, modulus: Value) -> tuple[Key, Value]:
    """Prove that v is a or a - m, the one from 0 to m - 1 if a < 2·m, and return the place of v, and any word for it.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    layout, words, cycle = run.layout, run.words, run.strobe("at_reduce")
    v, under = layout.source(OPERAND), layout.source(UNDER)
    bits = run.netlist.widths[v]
    whole = words.extend(operand, bits, signed=False)
    if number_of(top_of(words, whole)) != 0:
        raise UndecidedError("the operand has no bit of sign")
    plain = run.frame.given(run.always)
    below = run.frame.given(run.always | {(under, cycle): constant(1, 1)})
    above = run.frame.given(run.always | {(under, cycle): constant(0, 1)})
    difference = above.source(v, cycle + 1)
    if below.source(v, cycle + 1) != whole:
        raise UndecidedError("an operand below the modulus does not stay")
    check_sum(run, difference, whole, modulus, "the operand")
    if plain.source(under, cycle) != top_of(words, difference):
        raise UndecidedError("whether the operand is below the modulus is not the sign of their difference")
    return (v, cycle + 1), words.extend(run.word("v", bits - 1), bits, signed=False)


def refused(run: Run, start: Mapping[Key, Value], v: Value, modulus: Value) -> None:
    """Prove that `beyond` becomes 1 if v is not below the modulus, else 0.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    cycle, frame = run.strobe("at_refuse"), run.frame.given({**run.always, **start})
    beyond = run.layout.register(run.layout.source("beyond"))
    after = frame.port(beyond.ports["D"], cycle)
    difference = frame.port(run.layout.net(MOVED), cycle - 1)
    check_sum(run, difference, v, modulus, "the operand less the modulus")
    if after != run.words.invert(top_of(run.words, difference), "beyond"):
        raise UndecidedError("whether an operand is refused is not the sign of its difference from the modulus")


def first_state(run: Run, start: Mapping[Key, Value], v: Value, modulus: Value) -> int:
    """Prove the state before step 0, and return e: f = m, g = v, d = 0, D = 0, and e a number that is not negative.

    Raises
    ------
    UndecidedError
        When some word is another one.
    """
    frame, words = run.frame.given({**run.always, **start}), run.words
    found = {name: run.at(frame, name, 0) for name in (*WORDS, *BITS)}
    e, lowest = number_of(found["e"]), words.slice(v, 0, 1)
    if e is None or e >> (run.layout.width("e") - 1) & 1:
        raise UndecidedError("the first e is not a number from 0 on")
    due: dict[str, Value] = {
        "f": words.extend(modulus, run.layout.width("f"), signed=False),
        "g": words.extend(words.slice(v, 0, run.layout.width("g") - 1), run.layout.width("g"), signed=False),
        "d": constant(0, run.layout.width("d")),
        "e": found["e"],
        "D": constant(0, run.netlist.widths[run.layout.source("pair.D")]),
        "odd": lowest,
        "swap": lowest,
        "add": constant(0, 1),
        "subtract": constant(e & 1, 1),
    }
    for name, value in due.items():
        if found[name] != value:
            raise UndecidedError(f"the first word of {name} is another one")
    _check_past(run, frame)
    return e


def _check_past(run: Run, frame: Netframe) -> None:
    """Check that the top of e is not negative in the cycles before, in which later steps look for its sign."""
    top = run.layout.words["e"][-1]
    for ago in range(1, run.layout.top + 1):
        if number_of(top_of(run.words, frame.source(top.register, run.first + top.behind - ago))) != 0:
            raise UndecidedError("e is not known to have no sign before the first step")


def check_sum(run: Run, difference: Value, v: Value, modulus: Value, name: str) -> None:
    """Check that a word, of as many bits as v so that its top one is the sign, is v less the modulus.

    Raises
    ------
    UndecidedError
        When it is another word.
    """
    bits, forms = width_of(v), run.forms()
    if width_of(difference) != bits or not forms.congruent(difference, forms.of(v) - forms.of(modulus), bits):
        raise UndecidedError(f"the difference of {name} and the modulus is another number")
