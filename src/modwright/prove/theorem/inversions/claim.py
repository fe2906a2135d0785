# SPDX-License-Identifier: Apache-2.0
"""The claim of an inversion, from the roles of its payload's fields, and the published theorem that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....contract import Payload
from ....contract.roles import ErrorCode, Errors, Modulus, Operand, Plain
from ....engines.divsteps import steps_for
from ..contract import Limit, i_results, limit_in
from ..netlist import UnsupportedError

KINDS = {Errors.BAD_MODULUS: "modulus", Errors.NOT_REDUCED: "operand", Errors.NO_INVERSE: "inverse"}
"""Meanings of error codes."""
FACTOR = 2
"""Operands are below this multiple of the modulus."""


@dataclass(frozen=True)
class InversionClaim:
    """The claim of one inversion by divsteps.

    Parameters
    ----------
    modulus : int
        Odd.
    operand : str
        Input field.
    limit : Limit
    result, error : str
        Output fields.
    codes : mapping of str to int
        Error codes: "operand", not below its limit; "inverse", without one. The former counts where both hold.
    """

    modulus: int
    operand: str
    limit: Limit
    result: str
    error: str
    codes: Mapping[str, int]

    @property
    def divsteps(self) -> int:
        """Divsteps that suffice by the published theorem."""
        return steps_for(self.modulus.bit_length())

    @property
    def statement(self) -> str:
        """One operation in words: what is proved, and the theorem that is assumed."""
        a, z, bits = self.operand, self.result, self.modulus.bit_length()
        return (
            f"for m = {self.modulus:#x}: where {a} < {self.limit.text} and gcd({a}, m) = 1, {a}·{z} ≡ 1 (mod m), "
            f"{z} < m, {self.error} = 0; {self.error} is {self.codes['operand']} where {a} is not below its limit, "
            f"else {self.codes['inverse']} where gcd({a}, m) > 1, and {z} = 0 then. Each step in the netlist is proved "
            "to be the divstep of D. J. Bernstein and B.-Y. Yang (Fast constant-time gcd computation and modular "
            f"inversion, CHES 2019) on (δ, f, g), from δ = 1/2, f = m and g = {a} mod m. Assumed, not proved: the "
            f"published theorem that g = 0 after {self.divsteps} of these, ceil((9437·n + 1)/4096) for n = {bits} bits "
            "(D. J. Bernstein and J. Harrison, HOL Light, Divstep/divstep_bounds.ml, DIVSTEP_ENDTOEND_BITS_SIMPLE); "
            "the netlist takes no fewer"
        )


def claim_of_inversion(i: Payload, o: Payload, modulus: int | None) -> InversionClaim:
    """The claim of an inverter's payloads.

    Raises
    ------
    UnsupportedError
        For a modulus among the operands, and for other operands, results or error codes.
    """
    operands, (result, role) = i.having(Operand), i_results(o)
    if modulus is None or i.having(Modulus):
        raise UnsupportedError("the theorem on inversions is not stated for a modulus among the operands")
    if len(operands) != 1 or len(i.fields) != 1 or {type(operands[0][1].domain), type(role.domain)} != {Plain}:
        raise UnsupportedError("the theorem on inversions is stated for one plain number")
    error = next(field for field in o.fields if isinstance(field.role, ErrorCode))
    meanings = error.role.codes if isinstance(error.role, ErrorCode) else {}
    codes = {KINDS[meaning]: code for code, meaning in meanings.items() if meaning in KINDS}
    limit = limit_in(operands[0][1].limit, modulus, {})
    if limit != Limit(FACTOR * modulus) or not {"operand", "inverse"} <= set(codes) or modulus % 2 == 0:
        raise UnsupportedError("the theorem on inversions is not stated for these ranges or errors")
    return InversionClaim(modulus, operands[0][0].name, limit, result, error.name, codes)
