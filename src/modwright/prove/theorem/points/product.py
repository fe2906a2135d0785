# SPDX-License-Identifier: Apache-2.0
"""The product of a multiplier of the operation unit, proved of the module in the Verilog.

A module around it holds the operands, and gives them in the cycles in which they are read, and other words in all
others; the result is that of the cycle of the contract. Once it starts one product; once others of its kind, as close
as the contract allows, before and after. Squares are left out: their sums of doubled products are not decided.
"""

from __future__ import annotations

from itertools import permutations, product

from ..contract import Claim, Limit, Relation
from ..decide import UndecidedError
from ..module import Module
from ..netlist import UnsupportedError, read, read_module
from ..powers.cycle import cycles_of
from ..powers.product import prove_products
from .claim import PointClaim
from .cut import MULTIPLIER, modules_of, role_of
from .unit import Kind

WRAPPER = "modwright_product"
FIRST = 2
"""Cycle in which the product before it starts, counted from the cycle in which operands come in."""
LEAST = 3
"""The least modulus of the products."""
CONTROL = ("clk", "rst", "start", "kind")
CONSTANTS = ("m", "q", "mu")
BAD, LARGE = 1, 2
"""Error codes of the module around it: a modulus, an operand out of range."""


def prove_unit_products(verilog: str, claim: PointClaim) -> tuple[int, ...]:
    """Prove the products of every multiplier, but for squares; the numbers of the kinds.

    Raises
    ------
    UndecidedError
        When one is not proved.
    """
    modules, macs = modules_of(verilog)
    kinds = [(number, kind) for number, kind in enumerate(claim.contract.kinds) if not kind.square]
    for k in range(macs):
        name = modules[f"{MULTIPLIER}{k}"]
        module = read_module(verilog, name)
        results = [port for port, text in module["ports"].items() if text["direction"] == "output"]
        reasons = [_reason(verilog, name, module, order, kinds, claim) for order in permutations(results)]
        if all(reasons):
            raise UndecidedError(f"a product of the operation unit is not proved: {reasons[0]}")
    return tuple(number for number, _ in kinds)


def _reason(
    verilog: str,
    name: str,
    module: Module,
    order: tuple[str, ...],
    kinds: list[tuple[int, Kind]],
    claim: PointClaim,
) -> str:
    """The reason for which the products are not proved, with the results' parts in an order of significance."""
    try:
        for kind, others in product(kinds, (False, True)):
            text = verilog + wrapper(name, module, order, kind, others=others)
            netlist = read(text, WRAPPER)
            cycles = cycles_of(netlist, last_cycle(kind[1]) + 2)
            prove_products(netlist, product_claim(module, kind[1], claim), cycles)
    except (UndecidedError, UnsupportedError) as error:
        return str(error)
    return ""


def last_cycle(kind: Kind) -> int:
    """The cycle in which the result is valid."""
    return FIRST + kind.interval + kind.latency - 1


def product_claim(module: Module, kind: Kind, claim: PointClaim) -> Claim:
    """The claim of a kind of product."""
    ports = {role_of(port): text for port, text in module["ports"].items()}
    banks = [bank for bank, _, _ in kind.banks]
    factors = [("x", "y"), *([("x2", "y2")] if "x2" in banks else [])]
    bits = len(ports["q"]["bits"])
    relations = [Relation("q", "inverse", bits), *([Relation("mu", "power", -bits)] if "mu" in ports else [])]
    operands = {name: Limit(1, "m") for pair in factors for name in pair}
    exponent = claim.contract.iterations // 2
    return Claim(
        "m",
        LEAST,
        operands,
        tuple(factors),
        exponent,
        "z",
        Limit(kind.multiple, "m"),
        tuple(relations),
        {},
        "error",
        {BAD: "modulus", LARGE: "operand"},
    )


def wrapper(name: str, module: Module, order: tuple[str, ...], kind: tuple[int, Kind], *, others: bool) -> str:
    """The text of the module around a multiplier; `others` says whether other products start before and after."""
    number, shape = kind
    ports = {port: len(text["bits"]) for port, text in module["ports"].items()}
    words = [port for port in ports if module["ports"][port]["direction"] == "input" and role_of(port) not in CONTROL]
    windows = {bank: (first, last) for bank, first, last in shape.banks}
    start = FIRST + shape.interval
    lines, inputs, ties = list[str](), list[str](), list[str]()
    for port in words:
        role, top = role_of(port), ports[port] - 1
        for field in (role,) if role in CONSTANTS else (role, f"other_{role}"):
            inputs.append(f"i_{field}")
            lines.append(f"  input [{top}:0] i_{field};\n  reg [{top}:0] {field};")
            lines.append(f"  always @(posedge clk) if (i_valid & i_ready) {field} <= i_{field};")
        given = role
        if role not in CONSTANTS:
            first, last = windows.get(role, (1, 0))
            given = f"(count >= {start + first} && count <= {start + last}) ? {role} : other_{role}"
        ties.append(f".\\{port} ({given})")
    operands = [role for role in (role_of(port) for port in words) if role in windows]
    large = " | ".join(f"({role} >= m)" for role in operands)
    kinds = [port for port in ports if role_of(port) == "kind"]
    bits = sum(ports[port] for port in order)
    starts = " | ".join(f"count == {FIRST + times * shape.interval}" for times in (range(3) if others else (1,)))
    end = last_cycle(shape)
    ties += [f".{port}({port})" for port in ("clk", "rst")]
    ties += [".start(busy & starts)", *(f".\\{port} ({number})" for port in kinds)]
    ties += [f".\\{port} (part_{k})" for k, port in enumerate(order)]
    lines += [f"  wire [{ports[port] - 1}:0] part_{k};" for k, port in enumerate(order)]
    result = ", ".join(f"part_{k}" for k in reversed(range(len(order))))
    return (
        f"\nmodule {WRAPPER}(clk, rst, i_valid, i_ready, o_valid, o_ready, {', '.join(inputs)}, o_z, o_error);\n"
        "  input clk, rst, i_valid, o_ready;\n  output i_ready;\n  output reg o_valid;\n"
        f"  output [{bits - 1}:0] o_z;\n  output [1:0] o_error;\n  reg busy;\n  reg [{end.bit_length() - 1}:0] count;\n"
        f"  wire starts = {starts};\n" + "\n".join(lines) + "\n"
        f"  wire [1:0] code = (~m[0] | ~|(m >> 1)) ? {BAD} : ({large}) ? {LARGE} : 0;\n"
        f"  reg [{bits - 1}:0] z;\n  assign i_ready = ~busy & ~o_valid;\n"
        "  assign o_error = code;\n  assign o_z = (code != 0) ? 0 : z;\n"
        f"  always @(posedge clk) if (count == {end}) z <= {{ {result} }};\n"
        "  always @(posedge clk)\n"
        "    if (rst) begin busy <= 0; count <= 0; o_valid <= 0; end\n"
        "    else if (i_valid & i_ready) begin busy <= 1; count <= 1; end\n"
        f"    else if (busy && count == {end}) begin busy <= 0; count <= 0; o_valid <= 1; end\n"
        "    else begin if (busy) count <= count + 1; if (o_ready) o_valid <= 0; end\n"
        f"  \\{name}  multiplier ({', '.join(ties)});\nendmodule\n"
    )
