# SPDX-License-Identifier: Apache-2.0
"""The critical path of a placement in words: logic or routing, which register it ends in, and what feeds that."""

from __future__ import annotations

import re

from ..base.json import JsonMapping

_FLIP_FLOP = re.compile(r"_(?:TRELLIS_FF|DFF\w*?)_Q(?:_\d+)?$")
"""End of a flip-flop's cell name: Yosys names it after its register, with a running number that is not a bit."""
_BLOCK_PORT = re.compile(r"[ABCP]\d+")
"""Ports of MULT18X18D, Lattice FPGA-TN-02205, by operand or product bit."""


def limit_in_words(path: JsonMapping) -> str:
    """One line that says what limits the clock, empty when the path is not known.

    Parameters
    ----------
    path : mapping
        The critical path of `Timing` or `GateTiming`: `from`, `to`, `delay_ns`, and after place and route `logic_ns`,
        `routing_ns`, `nets`, `levels` and `longest_net`, each of which may be missing.
    """
    if not {"from", "to", "delay_ns"} <= path.keys():
        return ""
    ends = f"into {_endpoint(path['to'])}, fed by {_endpoint(path['from'])}"
    total, logic, routing = path["delay_ns"], path.get("logic_ns"), path.get("routing_ns")
    if logic is None or routing is None:
        return f"logic, {total:.1f} ns without wires: {ends}"
    kind, share = ("routing", routing) if routing > logic else ("logic", logic)
    return f"{kind}, {share:.1f} of {total:.1f} ns{_counts(path)}: {ends}{_longest(path.get('longest_net'))}"


def _counts(path: JsonMapping) -> str:
    counts = [
        f"{path[name]} {word}{'s' * (path[name] != 1)}{rest}"
        for name, word, rest in (("nets", "net", ""), ("levels", "level", " of logic"))
        if name in path
    ]
    return f" ({', '.join(counts)})" if counts else ""


def _longest(net: JsonMapping | None) -> str:
    return "" if not net else f"; the longest net takes {net['delay_ns']:.1f} ns: {_plain(net['name'])}"


def _endpoint(text: str) -> str:
    """A register by its own name, a multiplier block by its cell, and anything else as cell.port."""
    cell, _, port = text.rpartition(".")
    register = _FLIP_FLOP.sub("", cell)
    if register != cell:
        return f"register {_plain(register)}"
    if _BLOCK_PORT.fullmatch(port):
        return f"multiplier block {_plain(cell)}"
    return _plain(text)


def _plain(name: str) -> str:
    """A name without the backslash with which Verilog escapes it."""
    return name.replace("\\", "")
