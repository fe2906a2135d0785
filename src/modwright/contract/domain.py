# SPDX-License-Identifier: Apache-2.0
"""The domain of a multiplier with a runtime modulus, read off the roles of its fields: what exponentiation needs."""

from __future__ import annotations

from dataclasses import dataclass

from .payload import Payload
from .roles import Channels, Coefficients, Modulus, Montgomery, Multiple, NegInverse, Operand, Power, Residues, Table


@dataclass(frozen=True)
class MultiplierDomain:
    """Domain of a multiplier whose modulus M is an operand: z = x·y / 2^T modulo M.

    Parameters
    ----------
    T : int
        Operands and result stand for their value times 2^-T.
    guard : int
        K: the operand `m` of the multiplier is 2^-K mod M; 0 where it is M itself.
    domain : int
        With K = 0, operands and result are below domain·M, for 1, 2 or 4. With K > 0, they are below 2^(K+1)·m, and
        this is 2.
    inverse : int
        Bits w of the operand -M^-1 mod 2^w, next to which 2^-w mod M may be an operand; 0 for a multiplier without.
    """

    T: int
    guard: int = 0
    domain: int = 2
    inverse: int = 0


def domain_of(i: Payload) -> MultiplierDomain | None:
    """The domain that operands have; None where they are in none, such as with a fixed modulus."""
    (_, x), *_ = i.having(Operand)
    if not isinstance(x.domain, Montgomery) or not isinstance(x.limit, Multiple):
        return None
    guard = -x.limit.of.exponent if isinstance(x.limit.of, Power) else 0
    inverse = next((role.bits for _, role in i.having(NegInverse)), 0)
    return MultiplierDomain(x.domain.T, guard, x.limit.factor >> guard, inverse)


@dataclass(frozen=True)
class ResidueDomain:
    """Domain of a multiplier whose modulus M is an operand, and whose operands are residues: z = x·y / F modulo M.

    A product with a 1 that is not in the domain is below 2M, by the multiplier's certificate.

    Parameters
    ----------
    numbers : Residues
        Representation of operands and results; its factor is F.
    words : tuple of str
        Fields of residues that belong to M.
    last : Channels
        The base of the last residues of a number, whose product is above every result.
    """

    numbers: Residues
    words: tuple[str, ...]
    last: Channels


def residue_domain_of(i: Payload) -> ResidueDomain | None:
    """The domain of a runtime modulus in residues; None where operands are in none."""
    (_, x), *_ = i.having(Operand)
    tables = i.having(Table)
    if not isinstance(x.domain, Residues) or not i.having(Modulus) or not tables:
        return None
    return ResidueDomain(x.domain, tuple(f.name for f, _ in tables), tables[-1][1].base)


def in_residues(i: Payload) -> bool:
    """Whether operands are residues."""
    return any(isinstance(role.domain, Residues | Coefficients) for _, role in i.having(Operand))
