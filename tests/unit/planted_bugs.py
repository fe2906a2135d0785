# SPDX-License-Identifier: Apache-2.0
"""Kinds of bugs, planted in a netlist in Yosys' JSON: each yields the netlist with one bug of its kind at a time."""

import copy
from itertools import pairwise

KINDS = {}


def kind(function):
    """Register a kind under its name in words."""
    KINDS[function.__name__.replace("_", " ")] = function
    return function


def cells(module, *types):
    """Names of the cells of some types."""
    return [name for name, cell in sorted(module["cells"].items()) if cell["type"] in types]


def changed(module, name):
    """A copy of the module, and its cell of a name."""
    module = copy.deepcopy(module)
    return module, module["cells"][name]


def drivers(module):
    """The cell that drives each bit."""
    ends = {"$dff": "Q", "$mem_v2": "RD_DATA"}
    return {
        bit: name for name, cell in module["cells"].items() for bit in cell["connections"][ends.get(cell["type"], "Y")]
    }


def bits_of_ports(module):
    return {bit for port in module["ports"].values() for bit in port["bits"] if isinstance(bit, int)}


def wide(module, *types):
    """Those with outputs of several bits."""
    ends = {"$dff": "Q", "$mem_v2": "RD_DATA"}
    return [n for n in cells(module, *types) if len(module["cells"][n]["connections"][ends.get(types[0], "Y")]) > 3]


def with_port(module, names, port, edit):
    for name in names:
        found, cell = changed(module, name)
        cell["connections"][port] = edit(cell["connections"][port])
        yield found


def with_type(module, old, new):
    for name in cells(module, old):
        found, cell = changed(module, name)
        cell["type"] = new
        yield found


@kind
def lost_carry(module):
    names = [n for n in wide(module, "$add") if len(module["cells"][n]["connections"]["B"]) == 1]
    return with_port(module, names, "B", lambda bits: ["0"])


@kind
def lost_top_bit(module):
    return with_port(module, wide(module, "$dff"), "D", lambda bits: [*bits[:-1], "0"])


@kind
def shift_off_by_one(module):
    return with_port(module, wide(module, "$dff"), "D", lambda bits: ["0", *bits[:-1]])


@kind
def swapped_limbs(module):
    names = wide(module, "$dff")
    for a, b in pairwise(names):
        if len(module["cells"][a]["connections"]["D"]) == len(module["cells"][b]["connections"]["D"]):
            found, one = changed(module, a)
            other = found["cells"][b]["connections"]
            one["connections"]["D"], other["D"] = other["D"], one["connections"]["D"]
            yield found


@kind
def wrong_constant_of_a_comparison(module):
    def edit(bits):
        return [{"0": "1", "1": "0"}.get(bits[0], bits[0]), *bits[1:]]

    return with_port(module, cells(module, "$eq", "$lt", "$ge"), "B", edit)


@kind
def wrong_bit_of_microcode(module):
    for name in cells(module, "$mem_v2"):
        cell = module["cells"][name]
        if not int(cell["parameters"]["WR_PORTS"], 2):
            text = cell["parameters"]["INIT"]
            for place in range(len(text) - 3, 0, -97):
                found, cell = changed(module, name)
                flipped = {"0": "1", "1": "0"}.get(text[place], text[place])
                cell["parameters"]["INIT"] = text[:place] + flipped + text[place + 1 :]
                yield found


@kind
def lost_low_bit_of_a_factor(module):
    return with_port(module, cells(module, "$mul"), "B", lambda bits: ["0", *bits[1:]])


@kind
def lost_top_bit_of_a_factor(module):
    def edit(bits):
        top = max((k for k, bit in enumerate(bits) if not isinstance(bit, str)), default=0)
        return [*bits[:top], "0", *bits[top + 1 :]]

    return with_port(module, cells(module, "$mul"), "A", edit)


@kind
def sum_for_difference(module):
    return with_type(module, "$add", "$sub")


@kind
def difference_for_sum(module):
    return with_type(module, "$sub", "$add")


@kind
def choice_the_wrong_way(module):
    for name in cells(module, "$mux"):
        found, cell = changed(module, name)
        ports = cell["connections"]
        ports["A"], ports["B"] = ports["B"], ports["A"]
        yield found


def holding(module):
    """Registers with an enable, and what they load."""
    of = drivers(module)
    for name in cells(module, "$dff"):
        ports = module["cells"][name]["connections"]
        mux = module["cells"].get(of.get(ports["D"][0], ""), {"type": ""})
        while mux["type"] == "$mux":
            if mux["connections"]["A"] == ports["Q"]:
                yield name, mux["connections"]["B"]
                break
            mux = module["cells"].get(of.get(mux["connections"]["A"][0], ""), {"type": ""})


@kind
def register_without_enable(module):
    for name, loaded in holding(module):
        yield from with_port(module, [name], "D", lambda bits, loaded=loaded: loaded)


@kind
def register_that_never_loads(module):
    for name, _ in holding(module):
        yield from with_port(module, [name], "D", lambda bits, q=module["cells"][name]["connections"]["Q"]: q)


@kind
def missing_complement(module):
    for name in cells(module, "$not"):
        found, cell = changed(module, name)
        cell["type"] = "$pos"
        yield found


OPPOSITE = {"$eq": "$ne", "$ne": "$eq", "$lt": "$ge", "$ge": "$lt", "$gt": "$le", "$le": "$gt"}
OPPOSITE |= {"$logic_not": "$reduce_bool", "$reduce_bool": "$logic_not"}


@kind
def comparison_the_wrong_way(module):
    for name in cells(module, *OPPOSITE):
        found, cell = changed(module, name)
        cell["type"] = OPPOSITE[cell["type"]]
        yield found


@kind
def or_for_parity(module):
    return with_type(module, "$xor", "$or")


@kind
def and_for_parity(module):
    return with_type(module, "$xor", "$and")


def inside(module, bits):
    """Cells on which bits depend in the same cycle."""
    of, found, queue = drivers(module), set(), list(bits)
    while queue:
        name = of.get(queue.pop())
        if name is not None and name not in found:
            found.add(name)
            cell = module["cells"][name]
            ports = () if cell["type"] in ("$dff", "$mem_v2") else cell["connections"].items()
            queue += [bit for port, bits in ports if cell["port_directions"][port] == "input" for bit in bits]
    return found


@kind
def word_a_cycle_early(module):
    """What a register will hold, in place of what it holds, for one of its readers."""
    readers = {name: set(module["cells"][name]["connections"]["B"]) for name in cells(module, *READERS)}
    for name in wide(module, "$dff"):
        ports = module["cells"][name]["connections"]
        early, before = dict(zip(ports["Q"], ports["D"], strict=True)), inside(module, ports["D"])
        reader = next((n for n, bits in readers.items() if n not in before and bits & set(ports["Q"])), None)
        if reader is not None:
            yield from with_port(module, [reader], "B", lambda bits, early=early: [early.get(bit, bit) for bit in bits])


READERS = ("$mul", "$add", "$sub", "$mux")


@kind
def word_a_cycle_late(module):
    """A register in front of another one."""
    new = 1 + max(drivers(module).keys() | bits_of_ports(module))
    for name in wide(module, "$dff"):
        found, cell = changed(module, name)
        bits = list(range(new, new + len(cell["connections"]["D"])))
        late = copy.deepcopy(cell)
        late["connections"]["D"], late["connections"]["Q"] = cell["connections"]["D"], bits
        cell["connections"]["D"] = bits
        found["cells"][f"{name}_late"] = late
        yield found


@kind
def or_for_and(module):
    return with_type(module, "$and", "$or")


@kind
def and_for_or(module):
    return with_type(module, "$or", "$and")


@kind
def signed_product(module):
    for name in cells(module, "$mul"):
        found, cell = changed(module, name)
        cell["parameters"]["A_SIGNED"] = cell["parameters"]["B_SIGNED"] = "1"
        cell["connections"]["A"] = [b for b in cell["connections"]["A"] if not isinstance(b, str)]
        cell["connections"]["B"] = [b for b in cell["connections"]["B"] if not isinstance(b, str)]
        for port in "AB":
            cell["parameters"][f"{port}_WIDTH"] = f"{len(cell['connections'][port]):b}"
        yield found


@kind
def queue_written_at_one_place(module):
    return with_port(module, written(module), "WR_ADDR", lambda bits: ["0"] * len(bits))


@kind
def queue_read_at_one_place(module):
    return with_port(module, written(module), "RD_ADDR", lambda bits: ["0"] * len(bits))


@kind
def swapped_bits_of_the_result(module):
    """In the queue; where there is none, at the port."""
    yield from with_port(module, written(module), "WR_DATA", lambda bits: [bits[1], bits[0], *bits[2:]])
    if not written(module):
        yield from with_result(module, lambda bits: [bits[1], bits[0], *bits[2:]])


def with_result(module, edit, port="o_z"):
    """The module with other bits at an output port."""
    if port in module["ports"] and edit(module["ports"][port]["bits"]) != module["ports"][port]["bits"]:
        found = copy.deepcopy(module)
        found["ports"][port]["bits"] = edit(found["ports"][port]["bits"])
        yield found


@kind
def lost_top_bit_of_the_result(module):
    return with_result(module, lambda bits: [*bits[:-1], "0"])


@kind
def no_error_code(module):
    return with_result(module, lambda bits: ["0"] * len(bits), "o_error")


def written(module):
    """The queue of results."""
    return [n for n in cells(module, "$mem_v2") if int(module["cells"][n]["parameters"]["WR_PORTS"], 2)]


@kind
def one_operand_for_both(module):
    if not {"i_x", "i_y"} <= module["ports"].keys():
        return
    x, y = (module["ports"][f"i_{name}"]["bits"] for name in "xy")
    place = dict(zip(y, x, strict=True))
    found = copy.deepcopy(module)
    for cell in found["cells"].values():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                cell["connections"][port] = [place.get(bit, bit) for bit in bits]
    yield found


@kind
def carry_in_of_the_comparison_missing(module):
    names = [n for n in wide(module, "$add") if module["cells"][n]["connections"]["B"] == ["1"]]
    return with_port(module, names, "B", lambda bits: ["0"])


@kind
def swapped_halves_of_a_word(module):
    return with_port(module, wide(module, "$dff"), "D", lambda b: [*b[len(b) // 2 :], *b[: len(b) // 2]])


def with_error_of_a_word(module):
    """The module with the lowest bits of the modulus in place of the error code: of a word only 0 and 1 would be
    cases."""
    found = copy.deepcopy(dict(module))
    bits = found["ports"]["o_error"]["bits"]
    bits[:] = found["ports"]["o_modulus"]["bits"][: len(bits)]
    return found
