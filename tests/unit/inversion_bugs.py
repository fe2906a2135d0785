# SPDX-License-Identifier: Apache-2.0
"""Kinds of bugs in an inverter by divsteps: those of `planted_bugs`, and some of constants, carries and choices."""

from .planted_bugs import KINDS as COMMON
from .planted_bugs import cells, changed

KINDS = dict(COMMON)
FLIPPED = {"0": "1", "1": "0"}


def kind(function):
    """Register a kind under its name in words."""
    KINDS[function.__name__.replace("_", " ")] = function
    return function


def source_of(module, name):
    """Cells whose output a net is, by the end of the net's name."""
    bits = [net["bits"] for full, net in sorted(module["netnames"].items()) if full.endswith(name)]
    ends = {"$dff": "Q", "$mem_v2": "RD_DATA"}
    return [
        n for n, cell in sorted(module["cells"].items()) if cell["connections"][ends.get(cell["type"], "Y")] in bits
    ]


def registers(module, *names):
    """Registers with these names."""
    found = (cell for name in names for cell in source_of(module, name))
    return [cell for cell in found if module["cells"][cell]["type"] == "$dff"]


@kind
def wrong_bit_of_a_constant(module):
    """Of the modulus, its complement, and the first words."""
    for name in cells(module, "$mux"):
        for port in "AB":
            bits = module["cells"][name]["connections"][port]
            for k in range(len(bits)) if len(bits) > 3 and all(isinstance(bit, str) for bit in bits) else ():
                if bits[k] in FLIPPED:
                    found, cell = changed(module, name)
                    cell["connections"][port][k] = FLIPPED[bits[k]]
                    yield found


@kind
def carry_that_is_lost(module):
    return _with_bit(module, ("carry_1", "kept_1"), lambda _: "0")


@kind
def carry_that_is_always_there(module):
    return _with_bit(module, ("carry_1", "kept_1"), lambda _: "1")


@kind
def choice_of_another_step(module):
    """The register keeps the choice that it has."""
    names = ("choice_0_0_taken", "choice_0_0_negated", "choice_1_taken", "choice_1_negated", "correction_1_add")
    return _with_word(module, (*names, "add_0", "subtract_0", "odd_0", "swap_0"), lambda cell: cell["Q"])


@kind
def sign_of_no_word(module):
    return _with_bit(module, ("add_0", "subtract_0", "swap_0", "under_M"), lambda _: "0")


@kind
def flag_without_a_slice(module):
    for name in ("pair.zero", "pair.ones"):
        for register in registers(module, name):
            for k in range(len(module["cells"][register]["connections"]["D"])):
                found, cell = changed(module, register)
                cell["connections"]["D"][k] = "1"
                yield found


@kind
def counter_that_stays(module):
    return _with_word(module, ("pair.D",), lambda cell: cell["Q"])


@kind
def halved_bit_of_another_slice(module):
    for name in source_of(module, "lowest_1"):
        found, cell = changed(module, name)
        cell["connections"]["A"] = ["0"]
        yield found


def _with_bit(module, names, bit):
    return _with_word(module, names, lambda cell: [bit(cell)] * len(cell["D"]))


def _with_word(module, names, edit):
    for name in registers(module, *names):
        found, cell = changed(module, name)
        cell["connections"]["D"] = edit(cell["connections"])
        yield found
