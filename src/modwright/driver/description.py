# SPDX-License-Identifier: Apache-2.0
"""The description of a core as C: what `struct mw_core` says of it."""

from __future__ import annotations

from ..bus import RegisterMap, register_map
from ..bus.registers import BYTES, WORD
from ..contract.roles import ErrorCode, Errors, Multiple, Operand
from ..functions import find_function
from ..prepared import Prepared
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
    for bound in sorted(binding.fields, key=_place):
        window = registers.window(f"I_{bound.name.upper()}")
        power = bound.power if bound.form is Form.POWER else 0
        row = (
            f"{bound.form.value}, {bound.operand}, {bound.number}, {bound.of}, {power}, "
            f"{window.offset:#x}u, {window.field.width}u"
        )
        fields.append(f"    {{{row}}}, /* {bound.name}: {bound.form.name.lower()} */")
    for result in binding.results:
        window = registers.window(f"O_{result.name.upper()}")
        results.append(f"    {{{result.excess}u, {window.offset:#x}u, {window.field.width}u}}, /* {result.name} */")
    infinity = registers.window(f"O_{binding.infinity.upper()}").offset if binding.infinity else 0
    digest = ", ".join(f"{registers.register(f'DIGEST{n}').value:#010x}u" for n in range(4))
    product = _product(prepared, registers, binding)
    modulus = prepared.parameters.modulus
    constants = []
    if modulus is not None:
        words = [modulus >> at & _MASK for at in range(0, modulus.bit_length(), 32)]
        constants = ["static const uint32_t modulus[] = {", *(f"    {word:#010x}u," for word in words), "};"]
    lines = [
        '#include "modwright.h"',
        "",
        f"extern const struct mw_core {top}_core;",
        "",
        *product,
        *constants,
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
        f"    fields, {sum(bound.fresh for bound in binding.fields)}u, {len(fields)}u,",
        f"    results, {len(results)}u,",
        f"    {infinity:#x}u,",
        f"    {'product_by_registers' if product else 'NULL'},",
        "};",
        "",
    ]
    return "\n".join(lines)


def _product(prepared: Prepared, registers: RegisterMap, binding: Binding) -> list[str]:
    """The product of the core as a function, where it converts operands and leaves results below 2·m."""
    if not binding.power or binding.results[0].excess > 1:
        return []
    p = prepared.parameters
    x, y = (next(f.name for f in binding.fields if f.form is Form.OPERAND and f.operand == n) for n in range(2))
    limits = {role.limit for _, role in p.i.having(Operand)}
    errors = {error for _, role in p.o.having(ErrorCode) for error in role.codes.values()}
    words, z = -(-modulus_bits(prepared) // WORD), registers.window(f"O_{binding.results[0].name.upper()}")
    defined = {
        "X": f"{registers.window(f'I_{x.upper()}').offset // BYTES}u",
        "Y": f"{registers.window(f'I_{y.upper()}').offset // BYTES}u",
        "Z": f"{z.offset // BYTES}u",
        "WORDS": f"{words}u",
        "MORE": z.element_words - words,
        "CHECKED": int(limits == {Multiple()} and Errors.NOT_REDUCED in errors),
    }
    return [
        *(f"#define PRODUCT_{name} {value}" for name, value in defined.items()),
        '#include "modwright_product.h"',
        "",
    ]


def _place(bound: BoundField) -> tuple[bool, int, int]:
    """Sort key: what is new with each operation first, operands of the caller in their order before random numbers."""
    return not bound.fresh, bound.operand if bound.form in (Form.OPERAND, Form.SCALAR) else _LAST, bound.number
