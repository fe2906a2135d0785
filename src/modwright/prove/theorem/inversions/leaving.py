# SPDX-License-Identifier: Apache-2.0
"""The way out: the flag that f is 1 or -1, and e or e + m, or 0 next to an error code."""

from __future__ import annotations

from itertools import product

from ..carries import INVERTED
from ..decide import UndecidedError
from ..handshake import Storage
from ..pieces import Value, constant, number_of, width_of
from ..ternary import ones
from .claim import InversionClaim
from .frames import Key, Netframe, Run
from .steps import Modulus

UNIT, BEYOND = "unit", "beyond"
"""Registers that f was 1 or -1, and that the operand was not below 2·m."""


def unit_flag(run: Run, settled: int) -> Key:
    """Prove that `unit` becomes 1 exactly where f is 1 or -1, and return the first cycle with it and its source.

    f is the same in all steps from `settled` on.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    cycle, source, bits = run.strobe("at_whole"), run.layout.source(UNIT), run.layout.width("f")
    runs = run.layout.register(source).ports["D"]
    for f in (1, (1 << bits) - 1):
        if number_of(_with_f(run, constant(f, bits), settled).port(runs, cycle)) != 1:
            raise UndecidedError("f is 1 or -1, and the flag is not known to be 1")
    f = run.word("f", bits, lowest=1)
    if not _is_zero_for_others(run, _with_f(run, f, settled).port(runs, cycle), f):
        raise UndecidedError("f is not 1 or -1, and the flag is not known to be 0")
    return source, cycle + 1


def _with_f(run: Run, f: Value, settled: int) -> Netframe:
    given: dict[Key, Value] = {}
    for step in range(settled, run.steps):
        for (source, behind), value in run.layout.places("f", f, run.words):
            given[source, run.first + step + behind] = value
    return run.frame.given(run.always | given)


def _is_zero_for_others(run: Run, flag: Value, f: Value) -> bool:
    """Whether a flag is 0 for every f, whose lowest bit is 1, that has some 1 and some 0 above that.

    The flag is a function of tests that some bits are not 0. A test of all upper bits of f is 1 then, and so is one of
    all their complements.
    """
    node, low, _ = flag[0]
    if number_of(flag) == 0:
        return True
    if len(flag) > 1 or node is None or low or node.op != "bitwise":
        return False
    upper = run.words.slice(f, 1, run.layout.width("f") - 1)
    inverted = run.words.invert(upper, "f")
    for leaf in node.args:
        test, _, _ = leaf[0]
        if test is None or test.op != "nonzero":
            return False
        tested = set(_bits_of(test.args[0]))
        if not any(set(_bits_of(each)) <= tested for each in (upper, inverted)):
            return False
    return node.table >> ((1 << len(node.args)) - 1) & 1 == 0


def _bits_of(value: Value) -> list[tuple[int, int, bool]]:
    """The bits of a word: the number of a node, a place, and whether it is inverted."""
    found: list[tuple[int, int, bool]] = []
    for node, low, bits in value:
        if node is not None and node.op == "bitwise" and node.table == INVERTED and len(node.args) == 1:
            inner = _bits_of(node.args[0])
            found += [(number, place, not inverted) for number, place, inverted in inner[low : low + bits]]
        else:
            number = -1 if node is None else node.number
            found += [(number, low + k, False) for k in range(bits)]
    return found


def leaves(run: Run, storage: Storage, unit: Key, claim: InversionClaim, modulus: Modulus) -> None:
    """Prove that e, or e + m where e is negative, leaves if `unit` is 1 and `beyond` 0; else 0 with the error code.

    Only in the first case is e between -m and m; in the others it may be any word.

    Parameters
    ----------
    run : Run
    storage : Storage
    unit : Key
        Place of `unit`.
    claim : InversionClaim
    modulus : Modulus

    Raises
    ------
    UndecidedError
        When something else may leave.
    """
    beyond = run.layout.source(BEYOND), run.strobe("at_refuse") + 1
    for is_unit, is_beyond, sign in product((0, 1), repeat=3):
        code = claim.codes["operand"] if is_beyond else 0 if is_unit else claim.codes["inverse"]
        e = run.word("e", run.layout.width("e")) if code else _between(run, modulus, sign)
        now = {unit: constant(is_unit, 1), beyond: constant(is_beyond, 1)}
        for (source, behind), value in run.layout.places("e", e, run.words):
            now[source, run.first + run.steps + behind] = value
        frame = run.frame.given(run.always | now)
        outputs = {name.removeprefix("o_"): frame.port(runs, storage.ready) for name, runs in storage.outputs.items()}
        if number_of(outputs[claim.error]) != code:
            raise UndecidedError(f"the error code is not {code}")
        if code and number_of(outputs[claim.result]) != 0:
            raise UndecidedError(f"the result is not 0 with error code {code}")
        if not code:
            _check_result(run, outputs[claim.result], e, sign, modulus)


def _between(run: Run, modulus: Modulus, sign: int) -> Value:
    """Any word from -m to m with a sign: bits above those of m are the sign."""
    bits = width_of(modulus.word)
    above = run.layout.width("e") - bits
    return run.words.join([*run.word("e", bits), *constant(sign * ones(above), above)])


def _check_result(run: Run, z: Value, e: Value, sign: int, modulus: Modulus) -> None:
    """Check that a word is e, or e + m where e is negative, which is between 0 and m."""
    forms, bits = run.forms(), width_of(z)
    total = forms.of(e) + modulus.form.scaled(sign)
    if bits < width_of(modulus.word) or not forms.congruent(z, total, bits):
        raise UndecidedError("what leaves is not e in the range from 0 to m - 1")
