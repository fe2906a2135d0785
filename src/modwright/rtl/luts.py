# SPDX-License-Identifier: Apache-2.0
"""Functions of up to four bits, each of which stays one table of the device.

Synthesis restructures logic for area first: a sum of four bits, with what is chosen by it, has seven levels of tables
where it is written by tables, and eleven where it is left to Yosys. So the few paths in which an operation waits for
its own result are written with `lut`: on ECP5 an instance of LUT4, which synthesis leaves alone; on other targets plain
logic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from amaranth.hdl import Array, Cat, Const, Instance, Module, Signal, Value

MOST_INPUTS = 4


def lut(m: Module, target: str, name: str, function: Callable[..., int], *inputs: Value) -> Signal:
    """A function of bits, without a register.

    Parameters
    ----------
    m : Module
    target : str
        Device family that the core is written for.
    name : str
        Name of the result; results in one module need different names.
    function : callable
        From a bit for each input, 0 or 1, to a bit.
    inputs : Value
        One to four bits.
    """
    assert 0 < len(inputs) <= MOST_INPUTS
    result = Signal(name=name)
    table = [function(*reversed(bits)) & 1 for bits in product((0, 1), repeat=len(inputs))]
    if target != "ecp5":
        m.d.comb += result.eq(Array([Const(bit, 1) for bit in table])[Cat(*inputs)])
        return result
    padded = table * (1 << (MOST_INPUTS - len(inputs)))
    pins = dict(zip("ABCD", [*inputs, *(Const(0, 1) for _ in range(MOST_INPUTS - len(inputs)))], strict=True))
    m.submodules[name + "_lut"] = Instance(
        "LUT4",
        p_INIT=Const(sum(bit << place for place, bit in enumerate(padded)), 1 << MOST_INPUTS),
        **{f"i_{pin}": value for pin, value in pins.items()},
        o_Z=result,
    )
    return result


def chosen(m: Module, target: str, name: str, entries: Sequence[Value], index: Sequence[Value]) -> Value:
    """The entry at an index, a level for each bit of it, the last one of which may come late.

    Parameters
    ----------
    m : Module
    target : str
        Device family that the core is written for.
    name : str
        Beginning of the names of all results.
    entries : sequence of Value
        A bit each, 2^b of them.
    index : sequence of Value
        b bits, lowest first.
    """
    for level, bit in enumerate(index):
        pairs = zip(entries[::2], entries[1::2], strict=True)
        entries = [
            lut(m, target, f"{name}_{level}_{number}", lambda a, b, s: b if s else a, *pair, bit)
            for number, pair in enumerate(pairs)
        ]
    (entry,) = entries
    return entry
