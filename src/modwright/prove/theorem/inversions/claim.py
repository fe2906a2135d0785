# SPDX-License-Identifier: Apache-2.0
"""The claim of an inversion, from the roles of its payload's fields, and the published theorem that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....contract import Payload
from ....contract.roles import ErrorCode, Errors, Modulus, Operand, Plain
from ....engines.divsteps import steps_for
from ..contract import RANGES, Limit, codes_of, i_results, limit_in
from ..netlist import UnsupportedError

KINDS = RANGES | {Errors.NO_INVERSE: "inverse"}
"""Meanings of error codes."""
FACTOR = 2
"""Operands are below this multiple of the modulus."""
LEAST = 3
"""The least modulus."""


@dataclass(frozen=True)
class InversionClaim:
    """The claim of one inversion by divsteps.

    Parameters
    ----------
    modulus : int or str
        Odd, or the input field with it.
    bits : int
        Bits of the modulus, or of the widest one.
    least : int
        Moduli that are operands are at least this, and odd.
    operand : str
        Input field.
    limit : Limit
    result, error : str
        Output fields.
    codes : mapping of str to int
        Error codes: "modulus", even or below `least`; "operand", not below its limit; "inverse", without one. The
        first in this order counts.
    """

    modulus: int | str
    bits: int
    least: int
    operand: str
    limit: Limit
    result: str
    error: str
    codes: Mapping[str, int]

    @property
    def divsteps(self) -> int:
        """Divsteps that suffice by the published theorem."""
        return steps_for(self.bits)

    @property
    def moduli(self) -> tuple[int, int]:
        """The least and the largest modulus."""
        return (self.modulus, self.modulus) if isinstance(self.modulus, int) else (self.least, (1 << self.bits) - 1)

    @property
    def statement(self) -> str:
        """One operation in words: what is proved, and the theorem that is assumed."""
        a, z, bits, codes = self.operand, self.result, self.bits, self.codes
        m = "m" if isinstance(self.modulus, int) else self.modulus
        given = f"m = {self.modulus:#x}" if isinstance(self.modulus, int) else f"every odd {m} from {self.least} on"
        wrong = "" if isinstance(self.modulus, int) else f"{codes['modulus']} for any other {m}, else "
        return (
            f"for {given}: where {a} < {self.limit.text} and gcd({a}, {m}) = 1, {a}·{z} ≡ 1 (mod {m}), {z} < {m}, "
            f"{self.error} = 0; {self.error} is {wrong}{codes['operand']} where {a} is not below its limit, "
            f"else {codes['inverse']} where gcd({a}, {m}) > 1, and {z} = 0 then. Each step in the netlist is proved "
            "to be the divstep of D. J. Bernstein and B.-Y. Yang (Fast constant-time gcd computation and modular "
            f"inversion, CHES 2019) on (δ, f, g), from δ = 1/2, f = {m} and g = {a} mod {m}. Assumed, not proved: the "
            f"published theorem that g = 0 after {self.divsteps} of these, ceil((9437·n + 1)/4096) for n = {bits} bits "
            "(D. J. Bernstein and J. Harrison, HOL Light, Divstep/divstep_bounds.ml, DIVSTEP_ENDTOEND_BITS_SIMPLE); "
            "the netlist takes no fewer"
        )


def claim_of_inversion(i: Payload, o: Payload, modulus: int | None) -> InversionClaim:
    """The claim of an inverter's payloads.

    Raises
    ------
    UnsupportedError
        For other operands, results or error codes.
    """
    operands, moduli, (result, role) = i.having(Operand), i.having(Modulus), i_results(o)
    m: int | str | None = moduli[0][0].name if moduli else modulus
    if m is None or len(operands) != 1 or len(i.fields) != 1 + len(moduli):
        raise UnsupportedError("the theorem on inversions is stated for one number and a modulus")
    if {type(operands[0][1].domain), type(role.domain)} != {Plain}:
        raise UnsupportedError("the theorem on inversions is stated for plain numbers")
    error = next(field for field in o.fields if isinstance(field.role, ErrorCode))
    codes = {kind: code for code, kind in codes_of(error.role, KINDS).items()}
    limit, needed = limit_in(operands[0][1].limit, m, {}), {"operand", "inverse", *(["modulus"] if moduli else [])}
    of_m = Limit(FACTOR, m) if isinstance(m, str) else Limit(FACTOR * m)
    least = moduli[0][1].least if moduli else LEAST
    if limit != of_m or not needed <= set(codes) or least != LEAST:
        raise UnsupportedError("the theorem on inversions is not stated for these ranges or errors")
    if isinstance(m, int) and (m % 2 == 0 or m < LEAST):
        raise UnsupportedError("the theorem on inversions is stated for odd moduli from 3 on")
    bits = m.bit_length() if isinstance(m, int) else moduli[0][0].width
    return InversionClaim(m, bits, least, operands[0][0].name, limit, result, error.name, codes)
