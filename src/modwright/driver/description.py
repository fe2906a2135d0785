# SPDX-License-Identifier: Apache-2.0
"""The description of a core in C: the contents of its `struct mw_core`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..bus import RegisterMap, register_map
from ..bus.registers import BYTES, WORD, Window
from ..contract.roles import Determined, ErrorCode, Errors, Multiple, Operand
from ..functions import find_function
from ..prepared import Prepared
from ..schedule import Schedule
from .binding import Binding, BoundField, Form, bind, modulus_bits

_MASK = (1 << 32) - 1
_LAST = 1 << 8
"""Number above those of all plain operands."""


def description(prepared: Prepared) -> str | None:
    """A file of C that defines `const struct mw_core <top>_core`, None for a core without a binding."""
    binding = bind(prepared)
    if binding is None:
        return None
    registers, top = register_map(prepared), prepared.top
    fields, results = [], []
    tables = [bound for bound in binding.fields if bound.form is Form.TABLE]
    for bound in sorted(binding.fields, key=_place):
        window = registers.window(f"I_{bound.name.upper()}")
        power = bound.power if bound.form is Form.POWER else 0
        operand = tables.index(bound) if bound in tables else bound.operand
        row = (
            f"{bound.form.value}, {operand}, {bound.number}, {bound.of}, {power}, "
            f"{window.offset:#x}u, {window.field.width}u"
        )
        fields.append(f"    {{{row}}}, /* {bound.name}: {bound.form.name.lower()} */")
    for result in binding.results:
        window = registers.window(f"O_{result.name.upper()}")
        results.append(f"    {{{result.excess}u, {window.offset:#x}u, {window.field.width}u}}, /* {result.name} */")
    infinity = registers.window(f"O_{binding.infinity.upper()}").offset if binding.infinity else 0
    digest = ", ".join(f"{registers.register(f'DIGEST{n}').value:#010x}u" for n in range(4))
    shortcut = _shortcut(prepared, registers, binding)
    modulus = prepared.parameters.modulus
    constants = []
    if modulus is not None:
        constants = _array("modulus", _words_of(modulus))
    lines = [
        '#include "modwright.h"',
        "",
        f"extern const struct mw_core {top}_core;",
        "",
        *(shortcut.lines(prepared.schedule) if shortcut else ()),
        *constants,
        *_tables(tables),
        "static const struct mw_field fields[] = {",
        *fields,
        "};",
        "static const struct mw_result results[] = {",
        *results,
        "};",
        "",
        f"const struct mw_core {top}_core = {{",
        f'    "{prepared.core.name}",',
        f"    {find_function(prepared.core.function).register_code}u,",
        f"    {{{digest}}},",
        f"    {modulus_bits(prepared)}u,",
        f"    {'modulus' if constants else 'NULL'},",
        f"    {binding.power},",
        f"    {int(binding.closed)}u,",
        f"    {binding.lift}u,",
        f"    {binding.operands}u,",
        f"    fields, {sum(bound.fresh for bound in binding.fields)}u, {len(fields)}u,",
        f"    {'tables' if tables else 'NULL'},",
        f"    results, {len(results)}u,",
        f"    {infinity:#x}u,",
        f"    {shortcut.function if shortcut else 'NULL'},",
        "};",
        "",
    ]
    return "\n".join(lines)


def _array(name: str, words: Sequence[int]) -> list[str]:
    """Lines of C that define an array of words."""
    return [f"static const uint32_t {name}[] = {{", *(f"    {word:#010x}u," for word in words), "};"]


def _words_of(number: int) -> list[int]:
    return [number >> at & _MASK for at in range(0, number.bit_length(), WORD)]


def _tables(fields: Sequence[BoundField]) -> list[str]:
    """Lines of C that define the array `tables`, and those that it points to; none where there is no table."""
    lines, rows = [], []
    for field in fields:
        table = field.table
        assert table is not None
        number, words = "NULL", 0
        if table.of is Determined.FACTOR:
            factor = _words_of(table.factor)
            number, words = f"{field.name}_number", len(factor)
            lines += _array(number, factor)
        lines += _array(f"{field.name}_channels", table.base.moduli) + _array(f"{field.name}_scales", table.scale)
        inverse = int(table.of is Determined.NEG_INVERSE)
        shape = f"{number}, {words}u, {inverse}u, {len(table.scale)}u"
        rows.append(f"    {{{shape}, {field.name}_channels, {field.name}_scales}}, /* {field.name} */")
    return [*lines, "static const struct mw_table tables[] = {", *rows, "};"] if rows else []


@dataclass(frozen=True)
class Shortcut:
    """An operation with a C function of its own.

    Parameters
    ----------
    name : str
        Name of the function, and of the header that defines it.
    windows : dict of str to Window
    numbers : dict of str to int
    """

    name: str
    windows: dict[str, Window]
    numbers: dict[str, int]

    def lines(self, schedule: Schedule) -> list[str]:
        """Lines of C that define it."""
        defined = {name: window.offset // BYTES for name, window in self.windows.items()} | self.numbers
        defined["CYCLES"] = schedule.latency if schedule.constant_time else 0
        lines = [f"#define PRODUCT_{name} {value}u" for name, value in defined.items()]
        return [*lines, f'#include "modwright_{self.name}.h"', ""]

    @property
    def function(self) -> str:
        """Name of the C function."""
        return f"{'inverse' if self.name == 'inverse' else 'product'}_by_registers"


def _shortcut(prepared: Prepared, registers: RegisterMap, binding: Binding) -> Shortcut | None:
    """The product of a core that converts operands and makes its results small, or its inverse; None for others."""
    words = -(-modulus_bits(prepared) // WORD)
    operands = {f.operand: registers.window(f"I_{f.name.upper()}") for f in binding.fields if f.form is Form.OPERAND}
    result = binding.results[0]
    z = registers.window(f"O_{result.name.upper()}")
    if binding.power:
        windows = {"X": operands[0], "Y": operands[1], "Z": z}
        if binding.lift:
            power = next(f.name for f in binding.fields if f.form is Form.POWER)
            windows["POWER"] = registers.window(f"I_{power.upper()}")
            return Shortcut("division", windows, {"WORDS": words, "LONG": z.element_words})
        if result.excess <= 1:
            more = {"MORE": z.element_words - words, "CHECKED": int(_checks_operands(prepared))}
            return Shortcut("product", windows, {"WORDS": words} | more)
    alone = [f.form for f in binding.fields if f.fresh] == [Form.OPERAND] and len(binding.results) == 1
    if alone and not result.excess:
        return Shortcut("inverse", {"X": operands[0], "Z": z}, {"WORDS": words})
    return None


def _checks_operands(prepared: Prepared) -> bool:
    """Whether the core itself reports operands that are not below the modulus."""
    p = prepared.parameters
    limits = {role.limit for _, role in p.i.having(Operand)}
    errors = {error for _, role in p.o.having(ErrorCode) for error in role.codes.values()}
    return limits == {Multiple()} and Errors.NOT_REDUCED in errors


def _place(bound: BoundField) -> tuple[bool, int, int]:
    """Sort key: fields that are new with each operation first, operands of the caller in their order before random
    numbers."""
    return not bound.fresh, bound.operand if bound.form in (Form.OPERAND, Form.SCALAR) else _LAST, bound.number
