# SPDX-License-Identifier: Apache-2.0
"""The modulus of an inversion: a number in the hardware, or an operand that a register holds.

Such a register has the modulus from cycle 1 on, and a flag is 1 from cycle 2 on where it is even or below 3. Both are
proved in every cycle, for any word in the register.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..carries import INVERTED
from ..decide import UndecidedError
from ..handshake import Storage
from ..pieces import Value, constant, number_of
from .claim import InversionClaim
from .frames import Key, Run

REGISTER, FLAG = "modulus", "bad_modulus"


def modulus_of(run: Run, claim: InversionClaim, storage: Storage) -> tuple[Value, Mapping[Key, Value]]:
    """The modulus where it is odd and at least 3, and what is given where it is not.

    The run is given the former everywhere.

    Raises
    ------
    UndecidedError
        When the register does not hold the modulus, or the flag is another one.
    """
    if isinstance(claim.modulus, int):
        return constant(claim.modulus, claim.modulus.bit_length()), {}
    layout = run.layout
    register, flag, cycles = layout.source(REGISTER), layout.source(FLAG), range(1, storage.ready)
    _check_held(run, register, claim.modulus, cycles)
    _check_flag(run, register, flag, cycles)
    bits = run.netlist.widths[register]
    modulus, other = run.word("m", bits, lowest=1), run.word("another m", bits)
    held = [(register, cycle + 1) for cycle in (0, *cycles)]
    flags = [(flag, cycle + 1) for cycle in cycles]
    run.always.update({**dict.fromkeys(held, modulus), **dict.fromkeys(flags, constant(0, 1))})
    return modulus, {**dict.fromkeys(held, other), **dict.fromkeys(flags, constant(1, 1))}


def _check_held(run: Run, register: int, field: str, cycles: Sequence[int]) -> None:
    """Check that the register takes the operand in cycle 0, and keeps any word after it."""
    following, source = run.layout.register(register).ports["D"], run.netlist.inputs.get(f"i_{field}")
    if source is None or run.frame.port(following, 0) != run.frame.source(source, 0):
        raise UndecidedError("the modulus that is held is not the operand")
    word = run.word("held", run.netlist.widths[register])
    for cycle in cycles:
        if run.frame.given({(register, cycle): word}).port(following, cycle) != word:
            raise UndecidedError(f"the modulus does not stay in cycle {cycle}")


def _check_flag(run: Run, register: int, flag: int, cycles: Sequence[int]) -> None:
    """Check that the flag is 1 for even words and for 1, and 0 for all others."""
    following, bits = run.layout.register(flag).ports["D"], run.netlist.widths[register]
    even, one, odd = run.word("m", bits, lowest=0), constant(1, bits), run.word("m", bits, lowest=1)
    for cycle in cycles:
        flags = [run.frame.given({(register, cycle): word}).port(following, cycle) for word in (even, one, odd)]
        if [number_of(value) for value in flags[:2]] != [1, 1]:
            raise UndecidedError("the modulus is even or 1, and the flag is not known to be 1")
        if not is_zero_where(flags[2], [run.words.slice(odd, 1, bits - 1)]):
            raise UndecidedError("the modulus is odd and not 1, and the flag is not known to be 0")


def is_zero_where(flag: Value, words: Sequence[Value]) -> bool:
    """Whether a flag is 0 wherever none of some words is 0.

    The flag is a function of tests that some bits are not 0; one of all bits of such a word is 1 then.
    """
    if number_of(flag) == 0:
        return True
    (node, low, _), *others = flag
    if others or node is None or low or node.op != "bitwise":
        return False
    for (test, _, _), *_ in node.args:
        if test is None or test.op != "nonzero":
            return False
        tested = set(_bits_of(test.args[0]))
        if not any(set(_bits_of(word)) <= tested for word in words):
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
