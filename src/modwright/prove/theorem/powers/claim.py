# SPDX-License-Identifier: Apache-2.0
"""The claim of an exponentiation, and that of its products, from the roles of their payloads' fields."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....combine.exponentiation.parameters import ModexpParameters
from ....contract import Payload
from ....contract.roles import ErrorCode, Modulus, Operand, Plain, Power, Scalar
from ..contract import Claim, Limit, claim_of, codes_of, i_results, limit_in, relations_of
from ..netlist import UnsupportedError


@dataclass(frozen=True)
class PowerClaim:
    """The claim of one exponentiation.

    Parameters
    ----------
    claim : Claim
        Modulus, base, constants next to the modulus, result and errors; without terms.
    base, exponent : str
        Input fields.
    bits : int
        Bits of the exponent.
    product : Claim
        The claim of a product; nothing is claimed of fields that repeat operands.
    i, o : Payload
        Payloads of a product.
    width_of_modulus : int
        Bits of the modulus among the operands; 0 without one.
    """

    claim: Claim
    base: str
    exponent: str
    bits: int
    product: Claim
    i: Payload
    o: Payload
    width_of_modulus: int

    @property
    def statement(self) -> str:
        """One operation in words."""
        whole, m = self.claim, self.claim.modulus
        power, name = f"{self.base}^{self.exponent}", m if isinstance(m, str) else "m"
        given = whole.statement.replace(f"{whole.result} ≡  (mod {name})", f"{whole.result} ≡ {power} (mod {name})")
        return (
            f"{given}; {self.exponent} is any number of {self.bits} bits; of its multiplier no more is used than this, "
            f"proved of the same Verilog for each of its products: {self.product.statement}"
        )

    @property
    def factors(self) -> tuple[str, str]:
        """Fields of a product's operands."""
        ((x, y),) = self.product.terms
        return x, y


def product_of(parameters: ModexpParameters) -> tuple[Payload, Payload]:
    """Payloads of the multiplier of an exponentiation."""
    inner = parameters.multiplier.parameters
    return inner.i, inner.o


def power_claim_of(i: Payload, o: Payload, inner: tuple[Payload, Payload], modulus: int | None) -> PowerClaim:
    """The claim of an exponentiation's payloads, and of its multiplier's.

    Raises
    ------
    UnsupportedError
        For numbers in a domain, and for a multiplier whose claim is not stated.
    """
    names, bases, exponents = i.having(Modulus), i.having(Operand), i.having(Scalar)
    m: int | str | None = names[0][0].name if names else modulus
    result, role = i_results(o)
    if m is None or len(bases) != 1 or len(exponents) != 1 or {type(bases[0][1].domain), type(role.domain)} != {Plain}:
        raise UnsupportedError("the theorem on powers is stated for plain numbers")
    powers = {constant: field.name for field, constant in i.having(Power)}
    error = next(field for field in o.fields if isinstance(field.role, ErrorCode))
    (base, operand), (exponent, _) = bases[0], exponents[0]
    claim = Claim(
        m,
        names[0][1].least if names else 3,
        {base.name: limit_in(operand.limit, m, powers)},
        ((),),
        0,
        result,
        limit_in(role.limit, m, powers),
        tuple(relations_of(i)),
        {},
        error.name,
        dict(sorted(codes_of(error.role).items())),
        tuple(name for constant, name in powers.items() if constant.checked),
    )
    product = replace(claim_of("modmul", *inner, modulus), repeated={})
    if len(product.terms) != 1 or len(product.terms[0]) != 2 or product.nonzero or claim.nonzero:
        raise UnsupportedError("the theorem on powers is not stated for this multiplier")
    return PowerClaim(
        claim, base.name, exponent.name, exponent.width, product, *inner, names[0][0].width if names else 0
    )


def within(limit: Limit, required: Limit, least: int) -> bool:
    """Whether numbers below a limit are below another one; a modulus is at least `least`."""
    if limit.of == required.of:
        return limit.factor <= required.factor
    return not limit.of and limit.factor <= required.factor * least
