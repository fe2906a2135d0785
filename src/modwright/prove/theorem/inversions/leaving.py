# SPDX-License-Identifier: Apache-2.0
"""The way out: the flag that f is 1 or -1, and e or e + m, or 0 next to an error code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from ..decide import UndecidedError
from ..handshake import Storage
from ..pieces import Value, constant, number_of, width_of
from ..ternary import ones
from .claim import InversionClaim
from .frames import Key, Netframe, Run
from .moduli import is_zero_where

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
    upper = run.words.slice(f, 1, bits - 1)
    if not is_zero_where(_with_f(run, f, settled).port(runs, cycle), [upper, run.words.invert(upper, "f")]):
        raise UndecidedError("f is not 1 or -1, and the flag is not known to be 0")
    return source, cycle + 1


def _with_f(run: Run, f: Value, settled: int) -> Netframe:
    given: dict[Key, Value] = {}
    for step in range(settled, run.steps):
        for (source, behind), value in run.layout.places("f", f, run.words):
            given[source, run.first + step + behind] = value
    return run.frame.given(run.always | given)


def leaves(
    run: Run, storage: Storage, unit: Key, claim: InversionClaim, modulus: Value, wrong: Mapping[Key, Value]
) -> None:
    """Prove that e, or e + m where e is negative, leaves if `unit` is 1 and `beyond` 0; else 0 with the error code.

    Only in the first case is e between -m and m; in the others it may be any word.

    Parameters
    ----------
    run : Run
    storage : Storage
    unit : Key
        Place of `unit`.
    claim : InversionClaim
    modulus : Value
    wrong : mapping of Key to Value
        Words where the modulus is even or below 3; empty where it is in the hardware.

    Raises
    ------
    UndecidedError
        When something else may leave.
    """
    beyond = run.layout.source(BEYOND), run.strobe("at_refuse") + 1
    for is_unit, is_beyond, sign in product((0, 1), repeat=3):
        now = {unit: constant(is_unit, 1), beyond: constant(is_beyond, 1)}
        any_e = run.word("e", run.layout.width("e"))
        if wrong:
            _check_error(run, storage, claim, run.always | now | dict(wrong), any_e, "modulus")
        if is_beyond or not is_unit:
            _check_error(run, storage, claim, run.always | now, any_e, "operand" if is_beyond else "inverse")
        else:
            e = _between(run, modulus, sign)
            error, z = _outputs(run, storage, claim, run.always | now, e)
            if number_of(error) != 0:
                raise UndecidedError("the error code is not 0")
            check_result(run, z, e, sign, modulus)


def _outputs(
    run: Run, storage: Storage, claim: InversionClaim, given: Mapping[Key, Value], e: Value
) -> tuple[Value, Value]:
    """Error code and result, with the last e and with other words given."""
    at = dict(given)
    for (source, behind), value in run.layout.places("e", e, run.words):
        at[source, run.first + run.steps + behind] = value
    frame = run.frame.given(at)
    error, z = (frame.port(storage.outputs[f"o_{name}"], storage.ready) for name in (claim.error, claim.result))
    return error, z


def _check_error(
    run: Run, storage: Storage, claim: InversionClaim, given: Mapping[Key, Value], e: Value, kind: str
) -> None:
    error, z = _outputs(run, storage, claim, given, e)
    if number_of(error) != claim.codes[kind]:
        raise UndecidedError(f"the error code is not {claim.codes[kind]}")
    if number_of(z) != 0:
        raise UndecidedError(f"the result is not 0 with error code {claim.codes[kind]}")


def _between(run: Run, modulus: Value, sign: int) -> Value:
    """Any word from -m to m with a sign: bits above those of m are the sign."""
    bits = width_of(modulus)
    above = run.layout.width("e") - bits
    return run.words.join([*run.word("e", bits), *constant(sign * ones(above), above)])


def check_result(run: Run, z: Value, e: Value, sign: int, modulus: Value) -> None:
    """Check that a word is e, or e + m where e is negative, which is between 0 and m.

    e counts as a number without sign here, so the word has no more bits than e.

    Raises
    ------
    UndecidedError
        When it is another word.
    """
    forms, bits = run.forms(), width_of(z)
    total = forms.of(e) + forms.of(modulus).scaled(sign)
    if not width_of(modulus) <= bits <= width_of(e) or not forms.congruent(z, total, bits):
        raise UndecidedError("what leaves is not e in the range from 0 to m - 1")
