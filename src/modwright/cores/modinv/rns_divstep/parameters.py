# SPDX-License-Identifier: Apache-2.0
"""Constants of inversion of constant latency in residues: k divsteps on low bits, then a matrix on the rowers.

With f = P, g = A, d = 0, e = 1, a round of k divsteps on the low k bits of f and g gives (u v; q r) with
|u| + |v| ≤ 2^k and |q| + |r| ≤ 2^k (Bernstein and Yang 2019, section 5), and

    f, g = (u·f + v·g)/2^k, (q·f + r·g)/2^k
    d, e = (D' + c_D·P)/2^k, (E' + c_E·P)/2^k      D' = u·d + v·e, E' = q·d + r·e, c = -D'/P mod 2^k, centred

The divisions are exact, so each is a product by 2^-k. The low bits come from the cox:
X mod 2^k = Σ x̂_i·<M/m_i> - q·<M>, a product in every rower and a sum over them. d and e are not reduced: they grow by
P/2 a round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Payload
from ....contract.request import Request
from ....contract.roles import Operand
from ....engines.coxrower.options import local_of
from ....engines.divsteps import source_of_twice, steps_for_twice
from ....engines.inversion.engine import InversionEngine, find_bounded_base, hats_of
from ....engines.inversion.inverter import InverterParameters
from ....rns import Base
from .plan import RoundTimes, round_times

F, G, D, E, D_SUM, E_SUM = range(6)
"""Registers of a rower; those of f and g hold them times 2^-k."""


@dataclass(frozen=True, kw_only=True)
class DivstepParameters(InverterParameters):
    """Every constant of one inverter.

    Parameters
    ----------
    k : int
        Divsteps in a round.
    per_cycle : int
        Divsteps in one cycle; divides k.
    modulus, base, top_bits, target, latency, local
        P is odd; as in `InverterParameters`.
    """

    k: int
    per_cycle: int

    @cached_property
    def needed(self) -> int:
        """Number of divsteps that suffice for 0 ≤ A < 2P."""
        return steps_for_twice(self.modulus.bit_length())

    @property
    def rounds(self) -> int:
        """Rounds of k divsteps."""
        return -(-self.needed // self.k)

    @property
    def counter_bits(self) -> int:
        """Bits of δ - 1/2 with its sign."""
        return (self.rounds * self.k).bit_length() + 1

    @property
    def most_halves(self) -> int:
        """Bound 1 + rounds·P/2 of |d| and |e|, in halves."""
        return 2 + self.rounds * self.modulus

    @property
    def offset(self) -> int:
        """κ: the result is ±d + κ·P, which is positive."""
        return -(-self.most_halves // (2 * self.modulus))

    @property
    def bound(self) -> int:
        """Exclusive bound of the result."""
        return 2 * self.offset * self.modulus

    @property
    def steps_cycles(self) -> int:
        """Cycles of the divsteps of a round."""
        return self.k // self.per_cycle

    @cached_property
    def engine(self) -> InversionEngine:
        """Rowers and cox."""
        P, base, k = self.modulus, self.base, self.k
        pairs = list(zip(base.cofactors, base.moduli, strict=True))
        minus_inverse = -pow(P, -1, 1 << k)
        constants = {
            "to hats": base.inverses,
            "P": hats_of(base, P),
            "1": (1,) * base.count,
            "2^-k": tuple(pow(2, -k, m) for m in base.moduli),
            "P/2^k": tuple(h * pow(2, -k, m) % m for h, m in zip(hats_of(base, P), base.moduli, strict=True)),
            "low": tuple(c % (1 << k) for c, _ in pairs),
            "low/P": tuple(c * minus_inverse % (1 << k) for c, _ in pairs),
            "from hats": tuple(c % m for c, m in pairs),
            "minus from hats": tuple(-c % m for c, m in pairs),
            "offset": tuple(self.offset * P % m for m in base.moduli),
        }
        largest = value_bound(P, k, self.rounds)
        return InversionEngine(
            base=base,
            constants=tuple(constants.items()),
            registers=6,
            products=2,
            least=-largest,
            most=largest,
            top_bits=self.top_bits,
            coefficient=1 << k,
            target=self.target,
            latency=self.latency + int(self.local),
            local=self.local,
        )

    @cached_property
    def times(self) -> RoundTimes:
        """Plan of a round: its steps in their cycles."""
        return round_times(self.engine, self.steps_cycles)

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make every result right."""
        product = self.base.product
        return Certificate(
            (
                *self.engine.inequalities(),
                Inequality(
                    "steps",
                    "rounds·k >= bound",
                    self.rounds * self.k,
                    ">=",
                    self.needed,
                    f"else g != 0 in the end, from 0 <= g < 2f on; {source_of_twice(self.modulus.bit_length())}",
                ),
                Inequality(
                    "low",
                    "k < w",
                    self.k,
                    "<",
                    self.width,
                    "low bits of a constant are a factor",
                    "coefficient implies it: 2^k is below every modulus",
                ),
                Inequality(
                    "result",
                    "2κ·P <= M",
                    self.bound,
                    "<=",
                    product,
                    "residues hold the result, 0 < ±d + κP < 2κP",
                    "cox-high implies it: 2^k·(1 + rounds·P/2) < M/2",
                ),
                Inequality(
                    "range-d",
                    "1 + rounds·P/2 <= κ·P",
                    self.most_halves,
                    "<=",
                    2 * self.offset * self.modulus,
                    "d and e grow by P/2 a round, as |c| <= 2^(k-1) and |u| + |v| <= 2^k",
                ),
                Inequality("odd", "P mod 2 = 1", self.modulus & 1, "=", 1, "f is odd in every state"),
            )
        )

    @cached_property
    def i(self) -> Payload:
        """The operand."""
        role = Operand("a", self.engine.domain, 2 * self.modulus)
        return Payload((Field("a", self.width, self.n, role=role),))

    def own_description(self) -> Mapping[str, Constant]:
        """Constants in addition to those of the engine."""
        return {
            "round_divsteps": self.k,
            "rounds": self.rounds,
            "divsteps_per_cycle": self.per_cycle,
            "round_cycles": self.times.period,
        }


def value_bound(modulus: int, k: int, rounds: int) -> int:
    """Bound of |D'| and |E'|, the largest numbers: 2^k·(1 + rounds·P/2), or 2P for f and g."""
    return max((1 << k) * (2 + rounds * modulus) // 2, 2 * modulus)


def derive(request: Request) -> DivstepParameters:
    """Parameters with the fewest cycles over the divsteps in a round, or with the requested ones.

    Raises
    ------
    ParameterError
        When no base or no k fits the width.
    """
    found = list(_candidates(request))
    if not found:
        k, width, per_cycle = (request.options[name] for name in ("k", "width", "steps"))
        raise ParameterError(
            f"{request.core}: {k or 'no number of'} divsteps a round, {per_cycle} a cycle, in channels of {width} bits",
            rule="steps <= k < w, k a multiple of steps",
            hint="another k, a wider channel, or fewer steps a cycle",
        )
    return min(found, key=lambda p: (p.rounds * p.times.period, p.n))


def _candidates(request: Request) -> Iterator[DivstepParameters]:
    options, P = request.options, request.fixed_modulus()
    width, per_cycle = options["width"], options["steps"]
    tried = [options["k"]] if options["k"] else range(max(1, width - 6), width)
    for k in tried:
        if k >= width or k % per_cycle:
            continue
        rough = DivstepParameters(
            modulus=P,
            k=k,
            per_cycle=per_cycle,
            base=Base(width, (1,)),
            top_bits=1,
            target=request.target,
            latency=options["latency"],
            local=local_of(request),
        )
        largest = value_bound(P, k, rough.rounds)
        base, top_bits = find_bounded_base(width, -largest, largest, coprime_to=2)
        yield replace(rough, base=base, top_bits=top_bits)
