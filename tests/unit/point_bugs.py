# SPDX-License-Identifier: Apache-2.0
"""Kinds of bugs in a point multiplier: in a control word of its program memory, in its position, in the rest.

Each kind yields the parts with one bug of its kind at a time, from the step of the ladder on, then those before it.
"""

import copy
from dataclasses import replace

from modwright.prove.theorem.netlist import netlist_of
from modwright.prove.theorem.points.program import fields_at
from modwright.prove.theorem.points.unit import ITERATE, MINUS, MODULUS, NOTHING, PLUS

from .planted_bugs import KINDS as OF_NETLISTS

KINDS = {}
FLIPS = ("", "now", "before", "x_zero", "mirror", "inv_sign", "direct", "negate")
"""Sources that exchange bit 0 of an address, by their numbers in the control words."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "g0_zero", "h_zero", "g_zero", "on_curve", "blind_zero")
"""Flags that are set from the read port."""
OPERANDS = 16
"""Address of the first operand."""


def memory_of(module):
    """The cell of the program memory."""
    return next(cell for cell in module["cells"].values() if cell["type"] == "$mem_v2")


def words_of(parts):
    """Control words of the program memory, as numbers."""
    cell = memory_of(parts.program.module)
    width, text = int(cell["parameters"]["WIDTH"], 2), cell["parameters"]["INIT"]
    rows = [text[len(text) - width * (n + 1) : len(text) - width * n] for n in range(len(text) // width)]
    return [int(row.replace("x", "0"), 2) for row in rows]


def with_words(parts, words):
    """The parts with other control words."""
    module = copy.deepcopy(parts.program.module)
    cell = memory_of(module)
    width = int(cell["parameters"]["WIDTH"], 2)
    cell["parameters"]["INIT"] = "".join(f"{word:0{width}b}" for word in reversed(words))
    return replace(parts, program=netlist_of(module))


def put(parts, word, **fields):
    """A control word with other fields."""
    for name, value in fields.items():
        low, bits = parts.fields[name]
        word = word & ~(((1 << bits) - 1) << low) | value << low
    return word


def places(parts):
    """Numbers of the control words: those of the step first, with which most of the time is spent."""
    words = words_of(parts)
    begins = [n for n, word in enumerate(words) if fields_at(parts.fields, word)["begin"]]
    return [*range(begins[0] + 1, begins[1] + 1), *range(begins[1] + 1, len(words)), *range(1, begins[0] + 1)]


def edited(name, where, edit):
    """Register a kind that changes fields of a control word; `where` and `edit` get the fields."""

    def bugs(parts):
        words = words_of(parts)
        for place in places(parts):
            fields = fields_at(parts.fields, words[place])
            if all(field in fields for field in edit(dict.fromkeys(parts.fields, 0))) and where(fields):
                word = put(parts, words[place], **edit(fields))
                yield with_words(parts, [*words[:place], word, *words[place + 1 :]])

    KINDS[name] = bugs


def cleared(name, field, value=None):
    """Register a kind in which a field, or one value of it, is left out."""
    edited(name, lambda f: f.get(field) and value in (None, f[field]), lambda f: {field: 0})


def moved(name, field, by):
    """Register a kind in which a field is some cycles late, or early."""

    def bugs(parts):
        words = words_of(parts)
        for place in places(parts):
            value = fields_at(parts.fields, words[place]).get(field)
            if value and 0 < place + by < len(words):
                changed = list(words)
                changed[place] = put(parts, words[place], **{field: 0})
                changed[place + by] = put(parts, words[place + by], **{field: value})
                yield with_words(parts, changed)

    KINDS[name] = bugs


def loads(f):
    return any(value for name, value in f.items() if name.startswith("load"))


edited("another word is read", lambda f: loads(f) and f["read"] < OPERANDS, lambda f: {"read": f["read"] ^ 1})
edited("a word of another pair is read", lambda f: loads(f) and f["read"] < OPERANDS, lambda f: {"read": f["read"] ^ 4})
edited("another operand", lambda f: loads(f) and f["read"] >= OPERANDS, lambda f: {"read": f["read"] ^ 1})
edited("another word is written", lambda f: f["write"], lambda f: {"into": f["into"] ^ 1})
edited("a word of the set-up is written", lambda f: f["write"], lambda f: {"into": f["into"] ^ 8})
edited("wrong sign of an addend", lambda f: f["second"] == PLUS, lambda f: {"second": MINUS})
edited("wrong sign of what is subtracted", lambda f: f["second"] == MINUS, lambda f: {"second": PLUS})
edited("missing reduction", lambda f: f["second"] == MODULUS, lambda f: {"second": NOTHING})
edited("product of another kind", lambda f: f["start_0"] and "kind_0" in f, lambda f: {"kind_0": f["kind_0"] ^ 1})
edited("tests exchanged", lambda f: ZEROS[f["zero"]] in ("g_zero", "h_zero"), lambda f: {"zero": 11 - f["zero"]})
edited("exchange of the step before", lambda f: FLIPS[f["flip"]] == "now", lambda f: {"flip": FLIPS.index("before")})
cleared("missing step", "write")
cleared("factor that is not loaded", "load_x_0")
cleared("addend that is not loaded", "load_a")
cleared("product that does not start", "start_0")
cleared("missing constant 1", "one")
cleared("test for order 2 left out", "zero", ZEROS.index("h_zero"))
cleared("test for infinity left out", "zero", ZEROS.index("g_zero"))
cleared("test for order 3 left out", "zero", ZEROS.index("g0_zero"))
cleared("test of y left out", "zero", ZEROS.index("y_zero"))
cleared("test of the curve left out", "zero", ZEROS.index("on_curve"))
cleared("operand that is not compared", "range")
cleared("decision left out", "decide")
cleared("exchange left out", "flip", FLIPS.index("now"))
cleared("exchange of a result left out", "into_flip")
cleared("the other point for a mirrored ladder", "flip", FLIPS.index("mirror"))
cleared("sign of the inverse left out", "flip", FLIPS.index("inv_sign"))
cleared("negative left out", "flip", FLIPS.index("negate"))
cleared("words of the set-up not read", "fresh")
cleared("first step not guarded", "tail")
cleared("iteration left out", "inverse", ITERATE)
cleared("bit of the scalar left out", "reduce")
moved("product a cycle late", "start_0", 1)
moved("word written a cycle early", "write", -1)
moved("decision before the test", "decide", -2)
moved("step begins a cycle early", "begin", -1)
moved("result a cycle late", "x_out", 1)


def another_count(parts, change):
    """The program with another number of rounds."""
    module = copy.deepcopy(parts.program.module)
    net = module["netnames"]["left"]
    init = net["attributes"]["init"]
    count = f"{int(init, 2) + change:0{len(init)}b}"
    net["attributes"]["init"] = count
    found = 0
    for cell in module["cells"].values():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input" and bits == list(reversed(init)):
                cell["connections"][port] = list(reversed(count))
                found += 1
    return replace(parts, program=netlist_of(module)) if found else None


def one_bit_less(parts):
    found = another_count(parts, -1)
    if found is not None:
        yield found


def one_bit_more(parts):
    found = another_count(parts, 1)
    if found is not None:
        yield found


KINDS["a bit less"], KINDS["a bit more"] = one_bit_less, one_bit_more


def of_part(name, part):
    """Register a kind of netlists for a part."""

    def bugs(parts):
        for module in OF_NETLISTS[name](dict(getattr(parts, part).module)):
            yield replace(parts, **{part: netlist_of(module)})

    KINDS[f"{name}, in the {part}"] = bugs


for kind in ("choice the wrong way", "register that never loads", "register without enable", "missing complement"):
    of_part(kind, "position")
    of_part(kind, "rest")
for kind in ("or for and", "and for or", "or for parity"):
    of_part(kind, "position")
for kind in ("lost top bit", "swapped limbs", "comparison the wrong way", "queue written at one place"):
    of_part(kind, "rest")
of_part("no error code", "rest")
