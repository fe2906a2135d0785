# SPDX-License-Identifier: Apache-2.0
"""An exponentiation without its multiplier, and the multiplier alone, both from one Verilog text.

The ports of the multiplier's instance become ports of the rest: what it gives is an input, what it gets an output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....contract import Payload
from ..module import Module
from ..netlist import Netlist, UnsupportedError, netlist_of, read, read_module

INSTANCE = "multiplier_0"
"""Name of the multiplier's instance."""
OFFERED, PAYLOAD, READY, DONE, RESULT = "i__valid", "i__payload", "i__ready", "o__valid", "o__payload"
"""Ports of the instance: what it gets, and what it gives. Results are always taken."""
GIVEN = (READY, DONE, RESULT)
WRAPPER = "modwright_multiplier"


@dataclass(frozen=True)
class Halves:
    """Both netlists.

    Parameters
    ----------
    rest : Netlist
        The exponentiation; ports of the multiplier have the prefix of `port`.
    multiplier : Netlist
        The multiplier, with a port for each field of its operands and results.
    """

    rest: Netlist
    multiplier: Netlist


def port(name: str) -> str:
    """Name of a port of the multiplier at the rest."""
    return f"{INSTANCE}.{name}"


def halves_of(verilog: str, top: str, i: Payload, o: Payload) -> Halves:
    """Both netlists of a Verilog text.

    Parameters
    ----------
    verilog : str
    top : str
    i, o : Payload
        Payloads of the multiplier.

    Raises
    ------
    UnsupportedError
        Where the text has not one multiplier with these ports.
    """
    name = module_of(verilog)
    rest = without(read_module(verilog, top, (name,)), name)
    return Halves(netlist_of(rest), read(verilog + wrapper(name, i, o), WRAPPER))


def module_of(verilog: str) -> str:
    """The module of which the multiplier is the instance."""
    found = re.findall(rf"^\s*\\?(\S+)\s+{INSTANCE} \($", verilog, flags=re.MULTILINE)
    if len(found) != 1 or f"{INSTANCE[:-1]}1 (" in verilog:
        raise UnsupportedError("the exponentiation has not one multiplier")
    return found[0]


def wrapper(name: str, i: Payload, o: Payload) -> str:
    """A module with a port for each field around the multiplier."""
    given = "".join(f"  input [{f.bits - 1}:0] i_{f.name};\n" for f in i.fields)
    made = "".join(f"  output [{f.bits - 1}:0] o_{f.name};\n" for f in o.fields)
    names = [*(f"i_{f.name}" for f in i.fields), *(f"o_{f.name}" for f in o.fields)]
    word = ", ".join(f"i_{f.name}" for f in reversed(i.fields))
    result = ", ".join(f"o_{f.name}" for f in reversed(o.fields))
    return (
        f"\nmodule {WRAPPER}(clk, rst, i_valid, i_ready, o_valid, o_ready, {', '.join(names)});\n"
        "  input clk, rst, i_valid, o_ready;\n  output i_ready, o_valid;\n"
        f"{given}{made}"
        f"  \\{name}  multiplier (.clk(clk), .rst(rst), .{OFFERED}(i_valid), .{READY}(i_ready),\n"
        f"    .{PAYLOAD}({{ {word} }}),\n"
        f"    .{DONE}(o_valid), .{RESULT}({{ {result} }}));\nendmodule\n"
    )


def without(module: Module, name: str) -> Module:
    """A module with ports in place of the cell of a type."""
    cells = [cell for cell, text in module["cells"].items() if text["type"] == name]
    if len(cells) != 1:
        raise UnsupportedError("the exponentiation has not one multiplier")
    ports = module["cells"].pop(cells[0])["connections"]
    for given in (*GIVEN, OFFERED, PAYLOAD):
        if given not in ports:
            raise UnsupportedError(f"the multiplier has no port {given}")
        direction = "input" if given in GIVEN else "output"
        module["ports"][port(given)] = {"direction": direction, "bits": ports[given]}
    return module
