# SPDX-License-Identifier: Apache-2.0
"""Constants of inversion by Fermat's little theorem, a^(P-2) modulo P, over an RNS Montgomery multiplier.

P is known, so the products are a fixed list: sliding windows over P - 2, with the table of odd powers that takes the
fewest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import gmpy2

from ...base.json import Constant
from ...contract import Composite, Core, Field, Inequality, Part, Payload
from ...contract.fixed_modulus import prime_of
from ...contract.option import check_options
from ...contract.request import Request
from ...contract.roles import ErrorCode, Errors, Operand
from ...cores.modmul.rns_montgomery.parameters import MultiplierParameters
from ...schedule import Schedule
from .plan import Multiplication, exponent_of, sliding_windows

NOT_INVERTIBLE = 1
"""Error code: the operand is 0 modulo P."""

WIDEST_WINDOW = 7


@dataclass(frozen=True)
class FermatParameters(Composite):
    """Every constant of one inverter.

    Parameters
    ----------
    core : Core
        The multiplier.
    inner : MultiplierParameters
        Parameters of the multiplier.
    schedule : Schedule
        Schedule of one product.
    """

    core: Core[MultiplierParameters]
    inner: MultiplierParameters
    schedule: Schedule

    @property
    def modulus(self) -> int:
        """Modulus P."""
        return self.inner.modulus

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.inner.width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.inner.n

    @cached_property
    def program(self) -> tuple[Multiplication, ...]:
        """All products; memory word 0 is a, and the last product is the result."""
        programs = (sliding_windows(self.modulus - 2, window) for window in range(1, WIDEST_WINDOW + 1))
        return min(programs, key=len)

    @property
    def words(self) -> int:
        """Operands in the memory."""
        return 1 + max(instruction.into for instruction in self.program)

    @property
    def product_cycles(self) -> int:
        """Cycles from a product to the next: its latency, and one into the memory."""
        return self.schedule.latency + 1

    @cached_property
    def zeros(self) -> tuple[tuple[int, ...], ...]:
        """Residues in A of every result that is 0 modulo P."""
        return tuple(self.inner.A.to_residues(value) for value in range(0, self.inner.bound, self.modulus))

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multiplier."""
        return (("product", self.inner),)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of the program."""
        P = self.modulus
        return (
            Inequality("prime", "P is prime", int(gmpy2.is_prime(P)), "=", 1, "a^(P-2) = 1/a (Fermat)"),
            Inequality("exponent", "exponent of the program = P - 2", exponent_of(self.program), "=", P - 2),
            Inequality(
                "zero",
                "bound of a product <= A",
                self.inner.bound,
                "<=",
                self.inner.A.product,
                "residues in A alone tell whether the result is 0 modulo P",
                "range-A implies it: A >= 4(1+E1)P, and products are below 2(1+E1)P",
            ),
        )

    @cached_property
    def i(self) -> Payload:
        """The operand, in the multiplier's representation."""
        x = self.inner.i["x"]
        assert isinstance(x.role, Operand)
        return Payload((replace(x, name="a", role=replace(x.role, name="a")),))

    @cached_property
    def o(self) -> Payload:
        """The inverse, in the multiplier's representation."""
        error = Field("error", 1, role=ErrorCode({NOT_INVERTIBLE: Errors.NO_INVERSE}))
        return Payload((self.inner.result_field("1/a"), error))

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multiplier's."""
        return {"multiplier": self.core.name, "products": len(self.program), "product_cycles": self.product_cycles}


def derive(request: Request, multipliers: Mapping[str, Core[MultiplierParameters]]) -> FermatParameters:
    """Parameters over one multiplier.

    Parameters
    ----------
    request : Request
    multipliers : mapping of str to Core
        Multipliers by the values of the option `multiplier`.

    Raises
    ------
    ParameterError
        For a composite modulus, or when the multiplier has none for the request.
    """
    prime_of(request, 5, "modinv/rns-divstep takes every odd P")  # a^(P-2) is the inverse modulo a prime only
    core = multipliers[request.options["multiplier"]]
    options = check_options(core, {name: request.options[name] for name in ("width", "latency", "local")})
    inner = core.derive(Request(core.name, request.modulus, None, request.target, options))
    return FermatParameters(core, inner, core.schedule(inner))
