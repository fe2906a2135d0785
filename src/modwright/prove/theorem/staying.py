# SPDX-License-Identifier: Apache-2.0
"""Results that stay at the outputs of a core without a queue, by induction on the cycles in which they wait.

The outputs are functions of some registers; while the reader refuses the result, these and all registers that their
next words depend on are the same functions of each other in every cycle. So they stay for good if each has the word of
one cycle in the next. Most do whatever their word is; for any other, such as one that an error code clears, the word
that the operation leaves is compared with the one after it, in every case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .decide import Steady, UndecidedError
from .handshake import Probe, Storage
from .netlist import Netlist
from .pieces import Node, Value, reason_of
from .stretches import TAKEN, Context, alone, around, bit_of, waiting
from .ternary import Word
from .unroll import Unrolled

STEP = 2
"""Cycles of control that are followed from a waiting result on."""


def steady_words(unrolled: Unrolled, storage: Storage) -> tuple[list[Probe], list[Steady]]:
    """Control bits with which a result stays while it waits, and registers that stay only with the operation's words.

    Raises
    ------
    UndecidedError
        When it does not stay.
    """
    netlist = unrolled.netlist
    rows = alone(netlist, storage.ready + STEP, storage.ready + STEP)[storage.ready :]
    refused = around(netlist, STEP, waiting(netlist))
    named = Unrolled(netlist, refused, rows, held=True)
    sources = {netlist.names[cell.out]: cell.out for cell in netlist.registers}
    queue = list(_registers(_outputs(netlist, storage, rows), sources))
    found: dict[int, bool] = {}
    while queue:
        source = queue.pop()
        if source not in found:
            after = named.port(netlist.drivers[source].ports["D"], 0)
            found[source] = after == named.port(whole(netlist, source), 0)
            queue += _registers([after], sources)
    start = {source: unrolled.port(whole(netlist, source), storage.ready) for source in found}
    following = Unrolled(netlist, refused, rows, start=start, words=unrolled.words)
    steady: list[Steady] = []
    for source in sorted(source for source, stays in found.items() if not stays):
        after = following.port(netlist.drivers[source].ports["D"], 0)
        if after != start[source]:
            steady.append((netlist.names[source], start[source], after))
    assumed = named.assumed | following.assumed
    return [(source, bit, value) for (source, bit, _), value in sorted(assumed.items())], steady


def whole(netlist: Netlist, source: int) -> tuple[tuple[int, int, int], ...]:
    """All bits of a source."""
    return ((source, 0, netlist.widths[source]),)


def _outputs(netlist: Netlist, storage: Storage, rows: Sequence[Sequence[Word]]) -> list[Value]:
    """Words of the outputs as functions of registers, whether the reader takes them or not."""
    valid = around(netlist, 1, Context({}, {}, bit_of(netlist, TAKEN)))
    unrolled = Unrolled(netlist, valid, rows, held=True)
    found = [unrolled.port(runs, 0) for runs in storage.outputs.values()]
    if unrolled.assumed:
        raise UndecidedError("control of the outputs depends on the cycle in which a result waits")
    return found


def _registers(values: Iterable[Value], sources: Mapping[str, int]) -> list[int]:
    """Registers on which values depend.

    Raises
    ------
    UndecidedError
        When they depend on anything else.
    """
    queue, seen, found = list(values), set[Node](), list[int]()
    while queue:
        value = queue.pop()
        reason = reason_of([value])
        if reason is not None:
            raise UndecidedError(f"a result does not stay while it waits: {reason}")
        for node, _, _ in value:
            if node is None or node in seen:
                continue
            seen.add(node)
            if node.op == "input":
                if node.name not in sources:
                    raise UndecidedError(f"a result does not stay while it waits: it depends on {node.name}")
                found.append(sources[node.name])
            queue += node.args
    return found
