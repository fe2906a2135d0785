# SPDX-License-Identifier: Apache-2.0
"""The description of a core as C: what `struct mw_core` says of it."""

from __future__ import annotations

from ..bus import register_map
from ..functions import find_function
from ..prepared import Prepared
from .binding import bind, modulus_bits

_MASK = (1 << 32) - 1


def description(prepared: Prepared) -> str | None:
    """A file of C that defines `const struct mw_core <top>_core`, None for a core without a binding."""
    binding = bind(prepared)
    if binding is None:
        return None
    registers, top = register_map(prepared), prepared.top
    fields, results = [], []
    for bound in binding.fields:
        window = registers.window(f"I_{bound.name.upper()}")
        row = f"{bound.form.value}, {bound.operand}, {bound.power}, {window.offset:#x}u, {window.field.width}u"
        fields.append(f"    {{{row}}}, /* {bound.name}: {bound.form.name.lower()} */")
    for result in binding.results:
        window = registers.window(f"O_{result.name.upper()}")
        results.append(f"    {{{result.power}, {window.offset:#x}u, {window.field.width}u}}, /* {result.name} */")
    infinity = registers.window(f"O_{binding.infinity.upper()}").offset if binding.infinity else 0
    digest = ", ".join(f"{registers.register(f'DIGEST{n}').value:#010x}u" for n in range(4))
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
        f"    fields, {len(fields)}u,",
        f"    results, {len(results)}u,",
        f"    {infinity:#x}u,",
        "};",
        "",
    ]
    return "\n".join(lines)
