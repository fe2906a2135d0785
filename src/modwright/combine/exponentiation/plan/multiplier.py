# SPDX-License-Identifier: Apache-2.0
"""A modular multiplier in the form that exponentiation needs: two operands, a result that is an operand again, cycles.

An operand is one word here: the fields of x in their order, least significant first. The multiplier's codec
(`feedback`) names these fields, and those of the result that become operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ....base.errors import ParameterError
from ....contract import AnyCore, Codec, Field, MultiplierDomain, Parameters, Payload, PayloadValue, domain_of
from ....contract.domain import ResidueDomain, residue_domain_of
from ....contract.request import Request
from ....contract.roles import Limit, Operand, Result
from ....schedule import Schedule

MODULUS, TAG, ERROR = "m", "modulus", "error"
"""Fields of a multiplier with a runtime modulus: the number it reduces by; M, where that is another one; the error."""
INVERSE, SCALED = "q", "mu"
"""Fields next to M: -M^-1 mod 2^w, and 2^-w mod M."""

CHAINED = {"chained": True}
"""Hint for multipliers whose operands are below M and whose results need not be: results will be operands."""


Feedback = Sequence[tuple[str, str]]
"""Fields of a result, and those of x that they become."""


def _refuse_sums(name: str, i: Payload) -> None:
    """Refuse a multiplier that sums products: exponentiation has operands for one."""
    operands = {role.name for _, role in i.having(Operand)}
    if operands - {"x", "y"}:
        raise ParameterError(
            f"{name}: exponentiation multiplies two operands",
            rule="operands = 2",
            left=len(operands),
            right=2,
            hint="kappa=1: no sums of products",
        )


def _fed(i: Payload, feedback: Feedback) -> tuple[list[str], dict[str, str]]:
    """Fields of x, and the field of the result that each of them takes."""
    names = [f.name for f in i.parts("x")]
    return names, {into: out for out, into in feedback if into in names}


def _output_that_feeds(outputs: Sequence[str], derived: Callable[[str], tuple[Payload, Feedback]]) -> str:
    """The value of the option `output` with which results are operands, in words; empty where there is none."""
    for output in outputs:
        try:
            names, fed = _fed(*derived(output))
        except ParameterError:
            continue
        if names and len(fed) == len(names):
            return f"output={output}"
    return ""


@dataclass(frozen=True)
class Multiplier:
    """One multiplier, derived.

    Parameters
    ----------
    core : Core
    parameters : Parameters
        Parameters of the multiplier.
    schedule : Schedule
    pairs : tuple of (str, str)
        Result field and the field of x that it feeds, in the order of x.
    domain : MultiplierDomain or None
        Montgomery domain; None for a fixed modulus, and where operands are residues.
    residues : ResidueDomain or None
        Domain of a runtime modulus, where operands are residues.
    """

    core: AnyCore
    parameters: Parameters
    schedule: Schedule
    pairs: tuple[tuple[str, str], ...]
    domain: MultiplierDomain | None
    residues: ResidueDomain | None = None

    @classmethod
    def derive(cls, core: AnyCore, request: Request) -> Multiplier:
        """The multiplier of a request; ParameterError when its results cannot be operands."""

        def chained(**options: str) -> Parameters:
            return core.derive(replace(request, options={**request.options, **CHAINED, **options}))

        def with_output(output: str) -> tuple[Payload, Feedback]:
            other = chained(output=output)
            return other.i, core.codec(other).feedback()

        parameters = chained()
        _refuse_sums(core.name, parameters.i)
        names, fed = _fed(parameters.i, core.codec(parameters).feedback())
        if not names or len(fed) < len(names):
            outputs = [str(value) for option in core.options if option.name == "output" for value in option.choices]
            raise ParameterError(
                f"{core.name}: exponentiation multiplies results again",
                rule="fields of x fed by a result = fields of x, at least 1",
                left=len(fed),
                right=len(names),
                hint=_output_that_feeds(outputs, with_output),
            )
        domain = domain_of(parameters.i) if core.runtime_modulus else None
        pairs = tuple((fed[name], name) for name in names)
        residues = residue_domain_of(parameters.i) if core.runtime_modulus else None
        return cls(core, parameters, core.schedule(parameters), pairs, domain, residues)

    @property
    def plain(self) -> bool:
        """Whether exponentiation has plain operands, with the modulus among them, and enters the domain itself."""
        return self.domain is not None or self.residues is not None

    # --- the operand word

    @cached_property
    def x(self) -> Payload:
        """Fields of x."""
        return Payload(tuple(self.parameters.i[into] for _, into in self.pairs))

    @cached_property
    def y(self) -> Payload:
        """Fields of y, shaped as those of x."""
        return Payload(self.parameters.i.parts("y"))

    @property
    def limit(self) -> Limit:
        """Exclusive limit of the operands."""
        ((_, role), *_) = self.x.having(Operand)
        return role.limit

    @cached_property
    def z(self) -> Payload:
        """Fields of the result."""
        return Payload(tuple(self.parameters.o[out] for out, _ in self.pairs))

    @property
    def width(self) -> int:
        """Bits of an operand."""
        return self.x.width

    @cached_property
    def modulus_bits(self) -> int:
        """Bits of M: n of a runtime modulus, else those of the modulus."""
        if self.plain:
            return self.parameters.i[MODULUS].width
        assert self.parameters.modulus is not None  # no domain: it is fixed
        return self.parameters.modulus.bit_length()

    @property
    def tagged(self) -> bool:
        """Whether M is an operand next to the number by which the multiplier reduces."""
        return TAG in self.parameters.i.offsets

    @property
    def error(self) -> Field:
        """The error field of the result."""
        return self.parameters.o[ERROR]

    @cached_property
    def codec(self) -> Codec:
        """Codec of the multiplier."""
        return self.core.codec(self.parameters)

    def word(self, payload: Mapping[str, PayloadValue]) -> int:
        """The operand word of the x fields of a payload."""
        return self.x.pack({f.name: payload[f.name] for f in self.x.fields})

    @cached_property
    def one(self) -> int:
        """The operand word of 1, for a fixed modulus."""
        return self.word(self.codec.encode({"x": 1, "y": 1}))

    def residues_of(self, number: int, *, scaled: bool) -> int:
        """The operand word of an integer in residues, with the scale of the domain or as it is."""
        assert self.residues is not None
        base = self.residues.numbers.base
        scale = self.residues.numbers.scale if scaled else (1,) * base.count
        words = (number * s % m for s, m in zip(scale, base.moduli, strict=True))
        return sum(word << (base.width * k) for k, word in enumerate(words))

    # --- cycles

    @property
    def latency(self) -> int:
        """Cycles of a product, the most where they vary."""
        return self.schedule.latency

    @property
    def least(self) -> int:
        """Cycles of the shortest product; a multiplier with cycles that vary takes one at a time."""
        s = self.schedule
        return s.latency if s.constant_time else s.interval - s.burst

    def ready(self, issued: int, cycles: int) -> int:
        """Cycle from which a product can be issued after one in cycle `issued` that takes `cycles`."""
        s = self.schedule
        return issued + (s.interval if s.constant_time else cycles + s.burst)


def as_power(field: Field, formula: str) -> Field:
    """A field of a multiplier's z as a field of the power."""
    assert isinstance(field.role, Result)
    return replace(field, role=replace(field.role, formula=formula))


def as_base(field: Field) -> Field:
    """A field of a multiplier's x as a field of the base."""
    assert isinstance(field.role, Operand)
    return replace(field, name="base" + field.name[1:], role=replace(field.role, name="base"))
