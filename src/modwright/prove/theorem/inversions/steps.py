# SPDX-License-Identifier: Apache-2.0
"""One step of an inverter from any state, in each case of its decisions.

With f odd, odd = g mod 2 and swap = odd and D >= 0, a step takes D, f, g to -D, g, (g - f)/2 if swap is 1, else to
D + 1, f, (g + odd·f)/2: the divstep of Bernstein and Yang with D = δ - 1/2. With the same choice it takes d, e to
e, (e - d)/2 or d, (e + odd·d)/2 modulo m. A sum that is odd gets m added or subtracted before it is halved.

Each claim is one of words, and holds for every state: f' and d' are f or g, and d or e, bit for bit; g' and e' are
congruent modulo a power of two, from which their ranges make them equal.
"""

from __future__ import annotations

from itertools import product

from ..decide import UndecidedError
from ..pieces import Value, constant, number_of
from ..poly import ONE
from .forms import top_of
from .frames import Netframe, Run, known

XOR, AND, AND_NOT = 0x6, 0x8, 0x2
"""Truth tables of two bits; the last one is 1 where only the first bit is."""
PAIR_WORDS = ("f", "g", "D", "odd", "swap")
COFACTOR_WORDS = ("d", "e")
CORRECTION = ("add", "subtract")
CHOICES = ((0, 0), (1, 0), (1, 1))
"""Whether g is odd, and whether f and g change places."""
Choice = tuple[int, int]


def pair_step(run: Run, step: int) -> None:
    """Prove the step of f, g and D, and the next step's choice.

    Raises
    ------
    UndecidedError
        When a word is another one.
    """
    for odd, swap in CHOICES:
        given = {"odd": constant(odd, 1), "swap": constant(swap, 1)}
        for name, lowest in (("f", 1), ("g", odd)):
            given[name] = run.word(name, run.layout.width(name), lowest=lowest)
        bits = run.netlist.widths[run.layout.source("pair.D")]
        given["D"] = run.word("D", bits, top=1 - swap if odd else None)
        state = run.state(given)
        _check_pair(run, run.before(state, step), step, {**state.words, **given}, (odd, swap))


def _check_pair(run: Run, frame: Netframe, step: int, old: dict[str, Value], choice: Choice) -> None:
    odd, swap = choice
    words, forms, name = run.words, run.forms(), f"step {step} with odd = {odd}, swap = {swap}"
    new = {word: run.at(frame, word, step + 1) for word in PAIR_WORDS}
    known(list(new.values()))
    if new["f"] != old["g" if swap else "f"]:
        raise UndecidedError(f"f is another word after {name}")
    total = forms.signed(old["g"]) + forms.signed(old["f"]).scaled(-1 if swap else odd)
    if not forms.congruent(new["g"], total, run.layout.width("g") + 1, 2):
        raise UndecidedError(f"2·g is not g ± f or g after {name}")
    D = forms.of(old["D"])
    bits = run.netlist.widths[run.layout.source("pair.D")]
    if not forms.congruent(new["D"], -D if swap else D + ONE, bits):
        raise UndecidedError(f"D is not that of a divstep after {name}")
    lowest = words.slice(new["g"], 0, 1)
    if new["odd"] != lowest or new["swap"] != words.bitwise(AND_NOT, [lowest, top_of(words, new["D"])], "swap"):
        raise UndecidedError(f"the choice after {name} is not that of a divstep")


# --- cofactors


def choice_of(run: Run, frame: Netframe, step: int) -> tuple[Value, Value]:
    """Bits of the choice with which d and e take a step."""
    cycle = run.first + step + 1
    net = run.layout.source
    taken, negated = (frame.source(net(f"cofactors.choice_0_0_{name}"), cycle) for name in ("taken", "negated"))
    return taken, negated


def cofactor_step(run: Run, step: int, choice: Choice, negative: int | None, modulus: Value) -> Choice:
    """Prove the step of d and e for a choice of the pair, and return the choice that they take.

    Parameters
    ----------
    run : Run
    step : int
    choice : tuple of int
        odd and swap.
    negative : int or None
        The sign of f, where it is the same as in the steps before.
    modulus : Value
        The modulus; the lowest bit is 1.

    Raises
    ------
    UndecidedError
        When d or e is another word, or the choice is not known.
    """
    taken = _choice(run, step, choice, negative)
    for lowest_e, lowest_d, sign in product((0, 1), repeat=3):
        given = _given(run, choice, negative)
        given["e"] = run.word("e", run.layout.width("e"), lowest=lowest_e)
        given["d"] = run.word("d", run.layout.width("d"), lowest=lowest_d)
        odd = lowest_e ^ (taken[0] & lowest_d)
        given["add"], given["subtract"] = constant(odd & sign, 1), constant(odd & ~sign & 1, 1)
        frame = run.before(run.state(given), step)
        new = {word: run.at(frame, word, step + 1) for word in COFACTOR_WORDS}
        known(list(new.values()))
        if new["d"] != given["e" if taken[1] else "d"]:
            raise UndecidedError(f"d is another word after step {step} with {choice}")
        forms = run.forms()
        total = forms.signed(given["e"]) + forms.signed(given["d"]).scaled(-1 if taken[1] else taken[0])
        total += forms.of(modulus).scaled((1 if sign else -1) * odd)
        if not forms.congruent(new["e"], total, run.layout.width("e") + 1, 2):
            raise UndecidedError(f"2·e is not e ± d ± m after step {step} with {choice}")
    return taken


def _given(run: Run, choice: Choice, negative: int | None) -> dict[str, Value]:
    """Words of a state with a choice, and with the sign of f as in the steps before."""
    given = {"odd": constant(choice[0], 1), "swap": constant(choice[1], 1)}
    if negative is not None:
        layout, bits = run.layout, run.layout.words["f"][-1].bits
        given["f"] = run.word("f", layout.width("f"), top=negative)
        for ago in range(1, layout.top + 1):
            given[f"f {ago} steps ago"] = run.word("top of f", bits, top=negative)
    return given


def _choice(run: Run, step: int, choice: Choice, negative: int | None) -> Choice:
    """The choice that d and e take."""
    frame = run.before(run.state(_given(run, choice, negative)), step)
    taken, negated = map(number_of, choice_of(run, frame, step))
    if taken is None or negated is None or negated > taken:
        raise UndecidedError(f"the choice of d and e in step {step} is not known")
    return taken, negated


def correction(run: Run, step: int) -> int:
    """Prove that the next step's correction makes its sum even, and return the age of the sign of e that it depends on.

    Raises
    ------
    UndecidedError
        When the correction is another one.
    """
    words, state = run.words, run.state()
    frame = run.before(state, step)
    add, subtract = known([run.at(frame, name, step + 1) for name in CORRECTION])
    d, e = (run.at(frame, name, step + 1) for name in COFACTOR_WORDS)
    taken, _ = choice_of(run, frame, step + 1)
    lowest = [words.slice(value, 0, 1) for value in (e, d)]
    odd = words.bitwise(XOR, [lowest[0], words.bitwise(AND, [taken, lowest[1]], "odd")], "odd")
    signs = [top_of(words, e), top_of(words, state.words["e"])]
    signs += [top_of(words, state.words[f"e {ago} steps ago"]) for ago in range(1, run.layout.top + 1)]
    for age, sign in enumerate(signs):
        due = words.bitwise(AND, [odd, sign], "add"), words.bitwise(AND_NOT, [odd, sign], "subtract")
        if (add, subtract) == due:
            return age
    raise UndecidedError(f"the correction after step {step} does not make the next sum even")
