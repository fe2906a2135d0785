# SPDX-License-Identifier: Apache-2.0
"""Carry chains whose LUTs take more than the two operands of a sum.

Yosys gives every chain two operands, and LUTs of their own to what comes before. The carry cell of ECP5 has a LUT with
four inputs in front of each bit of the chain, which these functions use; on other targets the logic is plain.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Instance, Module, Signal, Value

PLUS_OR_MINUS = 0x96AA
"""Table of a bit, of inputs A, B, C and D: A ^ B ^ C, or A where D is 0; where that is 0 a carry out is A."""
BOTH_SIGNED = 0x6996
"""A ^ B ^ C ^ D; where that is 0 a carry out is A ^ B."""
SIGNED_AND_GATED = 0x9666
"""A ^ B ^ (C & D); where that is 0 a carry out is A ^ B."""
GATED_OR_FIRST = 0x556A
"""A ^ ((B & C) | D); where that is 0 a carry out is A."""
EITHER_PLUS_EITHER = 0x111E
"""(A | B) ^ (C | D); where that is 0 a carry out is A | B."""
WITH_BOTH_BELOW = 0x8778
"""A & B ^ C ^ D; where that is 0 a carry out is A & B."""
WITH_ONE_BELOW = 0xA55A
"""A ^ C ^ D, without B; where that is 0 a carry out is A."""
NOTHING = 0
"""Table of a bit that gives the carry into it."""
NONE = Const(0, 1)
"""Input that is not used."""


def plus_or_minus(
    m: Module, a: Value, b: Value, minus: Value, carry: Value, target: str, counts: Value | None = None
) -> Value:
    """a + b + carry, or with `minus` a + ~b + carry, ~b of as many bits as b; a bit longer than the longer of both.

    Without `counts`, where it is given, a + carry.
    """
    width = max(len(a), len(b))
    if target != "ecp5":
        second = b ^ minus.replicate(len(b))
        second = second if counts is None else second & counts.replicate(len(b))
        return (a + second + carry)[: width + 1]
    last = Const(1, 1) if counts is None else counts
    bits = [(_bit(a, k), _bit(b, k), minus if k < len(b) else NONE, last) for k in range(width)]
    return _chain(m, PLUS_OR_MINUS, bits, (NONE, NONE, NONE, last), carry)


def signed_sum(
    m: Module, terms: tuple[tuple[Value, Value], tuple[Value, Value]], carry: Value, bits: int, target: str
) -> Value:
    """a ^ minus_a + b ^ minus_b + carry modulo 2^bits, with each sign in all bits above its term."""
    (a, minus_a), (b, minus_b) = terms
    if target != "ecp5":
        first, second = (Cat(value, Const(0, bits - len(value))) ^ minus.replicate(bits) for value, minus in terms)
        return (first + second + carry)[:bits]
    inputs = [(_bit(a, k), minus_a, _bit(b, k), minus_b) for k in range(bits)]
    return _chain(m, BOTH_SIGNED, inputs, (NONE,) * 4, carry)[:bits]


def signed_plus(m: Module, a: Value, minus: Value, b: Value, counts: Value, carry: Value, target: str) -> Value:
    """(a ^ minus) + (b where `counts`, else 0) + carry; a bit longer than b, which is at least as long as a."""
    if target != "ecp5":
        return ((a ^ minus.replicate(len(a))) + (b & counts.replicate(len(b))) + carry)[: len(b) + 1]
    bits = [(_bit(a, k), minus if k < len(a) else NONE, b[k], counts) for k in range(len(b))]
    return _chain(m, SIGNED_AND_GATED, bits, (NONE,) * 4, carry)


def plus_or_first(m: Module, a: Value, b: Value, counts: Value, first: Value, carry: Value, target: str) -> Value:
    """a + ((b where `counts`, else 0) | first) + carry, as long as b; a is not longer, and first has its length."""
    if target != "ecp5":
        return (a + ((b & counts.replicate(len(b))) | first) + carry)[: len(b)]
    bits = [(_bit(a, k), b[k], counts, first[k]) for k in range(len(b))]
    return _chain(m, GATED_OR_FIRST, bits, (NONE,) * 4, carry)[: len(b)]


def plus_bit(m: Module, a: Value, bit: Value, counts: Value, target: str) -> Value:
    """a + (bit where `counts`, else 0), as long as a."""
    if target != "ecp5":
        return (a + (bit & counts))[: len(a)]
    bits = [(a[k], NONE if k else bit, NONE if k else counts, NONE) for k in range(len(a))]
    return _chain(m, GATED_OR_FIRST, bits, (NONE,) * 4, NONE)[: len(a)]


def either_plus_either(m: Module, first: tuple[Value, Value], second: tuple[Value, Value], target: str) -> Value:
    """(a | b) + (c | d); a bit longer than the longest of them."""
    (a, b), (c, d) = first, second
    if target != "ecp5":
        return (a | b) + (c | d)
    bits = [tuple(_bit(value, k) for value in (a, b, c, d)) for k in range(max(map(len, (a, b, c, d))))]
    return _chain(m, EITHER_PLUS_EITHER, bits, (NONE,) * 4, NONE)


def plus_few(m: Module, a: Value, b: Value, few: Value, target: str) -> Value:
    """a + b + few, a number of fewer bits than both; two bits longer than the longer one.

    Sums without carries and the carries are added, as three numbers are; where `few` ends, the LUT in front of the
    chain makes the carry of the bits below, so no other LUT is there.
    """
    if target != "ecp5":
        return (a + b + few)[: max(len(a), len(b)) + 2]
    bits, last = max(len(a), len(b)) + 1, len(few)
    alone, carries = [], [Value.cast(NONE)]
    for k in range(last):
        x, y, z = _bit(a, k), _bit(b, k), few[k]
        alone.append(x ^ y ^ z)
        carries.append((x & y) | (x & z) | (y & z))
    inputs = [(carries[k], NONE, alone[k], NONE) for k in range(last)] + [
        (carries[last], NONE, _bit(a, last), _bit(b, last))
    ]
    inputs += [(_bit(a, k - 1), _bit(b, k - 1), _bit(a, k), _bit(b, k)) for k in range(last + 1, bits)]
    tables = [WITH_ONE_BELOW] * (last + 1) + [WITH_BOTH_BELOW] * (bits - last - 1)
    return _chain(m, tables, inputs, (NONE,) * 4, NONE)


def _bit(value: Value, k: int) -> Value:
    """A bit, 0 above the last one."""
    return value[k] if k < len(value) else NONE


def _chain(
    m: Module, table: int | list[int], bits: list[tuple[Value, ...]], above: tuple[Value, ...], carry: Value
) -> Value:
    """Cells for bits with inputs A to D and one table, or one each; a bit for the carry, whose inputs do not count."""
    width = len(bits)
    total = Signal(width + 1)
    tables = [*(table if isinstance(table, list) else [table] * width), NOTHING, NOTHING]
    inputs = [*bits, above, above]
    for low in range(0, width + 1, 2):
        sums, out = Signal(2), Signal()
        ports: dict[str, object] = {}
        for k in range(2):
            ports |= {f"i_{name}{k}": value for name, value in zip("ABCD", inputs[low + k], strict=True)}
            ports |= {f"p_INIT{k}": Const(tables[low + k], 16), f"p_INJECT1_{k}": "NO", f"o_S{k}": sums[k]}
        m.submodules += Instance("CCU2C", i_CIN=carry, o_COUT=out, **ports)
        m.d.comb += Cat(total[low : low + 2]).eq(sums)
        carry = out
    return total
