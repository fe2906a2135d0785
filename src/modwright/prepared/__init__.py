# SPDX-License-Identifier: Apache-2.0
"""A request with its parameters and schedule derived: the input of simulation, proof and synthesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from ..base.errors import ParameterError, UsageError
from ..base.remembered import remembered
from ..base.store import Store, default_store, digest_of, source_digest, version_of
from ..contract import AnyCore, Codec, Hardware, Model, Outcome, Parameters, PayloadValue, Statistic
from ..contract.quantities import Extremes
from ..contract.request import Request
from ..rtl.verilog import emit
from ..schedule import Pace, Schedule

DEPENDENCE = "dependence"
"""Kind of result in the store: see `Prepared.dependence_key`."""


@dataclass(frozen=True)
class Prepared:
    """One core, derived; make it with `prepare`."""

    core: AnyCore
    request: Request
    parameters: Parameters
    schedule: Schedule
    store: Store

    @cached_property
    def codec(self) -> Codec:
        """Conversion between plain values and the core's representation."""
        return self.core.codec(self.parameters)

    @cached_property
    def model(self) -> Model:
        """The golden model."""
        return self.core.model(self.parameters, self.schedule)

    @cached_property
    def outcome(self) -> Callable[[Mapping[str, PayloadValue]], Outcome]:
        """The model's function of an input payload, which remembers its results."""
        return remembered(self.model.run)

    @cached_property
    def statistic(self) -> Statistic | None:
        """The count by which the cycles of an operation vary, None for a core that offers none."""
        return None if self.core.statistic is None else self.core.statistic(self.parameters)

    @cached_property
    def extremes(self) -> Extremes | None:
        """Numbers inside an operation with their ranges, None for a core that states none."""
        return None if self.core.extremes is None else self.core.extremes(self.parameters, self.schedule)

    @property
    def mean_latency(self) -> Fraction | None:
        """Latency in cycles over operands drawn as the statistic says, exact; None where that is not known."""
        if self.schedule.constant_time:
            return Fraction(self.schedule.latency)
        exact = None if self.statistic is None else self.statistic.exact
        return None if exact is None else self.latency_at(exact.mean)

    @property
    def pace(self) -> Pace:
        """Cycles between two operations at full rate, with the exact mean where it is known."""
        return self.schedule.pace_at(self.mean_latency)

    def latency_at(self, mean: Fraction) -> Fraction | None:
        """Mean latency in cycles where the count of `statistic` has this mean; None where the largest is not known."""
        count = self.statistic
        if count is None or count.largest is None:
            return None
        return self.schedule.latency - count.cycles * (count.largest - mean)

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.core.top

    @cached_property
    def digest(self) -> str:
        """See `digest_of_request`."""
        return digest_of_request(self.request)

    @cached_property
    def dependence_key(self) -> str:
        """Digest in the store of the search for operands in addresses and enables (`prove.dependence`)."""
        return digest_of(self.digest, source_digest(), version_of("pyosys"))

    def verilog(self) -> str:
        """Verilog of the whole core, from the store if it has it."""
        return self.verilog_of("core", self.core.build, self.top)

    def channel_verilog(self) -> str | None:
        """Verilog of one representative channel, or None when the core has no such part."""
        if self.core.channel is None:
            return None
        return self.verilog_of("channel", self.core.channel, self.top + "_channel") or None

    def require_channel(self) -> str:
        """Verilog of one channel; `UsageError` when the core has no such part."""
        verilog = self.channel_verilog()
        if verilog is None:
            raise UsageError(f"{self.core.name} has no channel that stands for it", "--place")
        return verilog

    def verilog_of(self, part: str, make: Callable[[Parameters, Schedule], Hardware | None], top: str) -> str:
        """Verilog of what `make` makes, which runs only when the store has it not. Empty when `make` makes None."""

        def write(folder: Path) -> None:
            component = make(self.parameters, self.schedule)
            text = "" if component is None else emit(component, top)
            (folder / "top.v").write_text(text, encoding="utf-8")

        return self.store.text("verilog", digest_of(self.digest, part), "top.v", write)


def digest_of_request(request: Request) -> str:
    """Digest of the request, Modwright's source and the versions that write the Verilog; needs no derivation."""
    versions = [version_of("amaranth"), version_of("pyosys")]
    return digest_of(request.to_mapping(), source_digest(), versions)


def prepare(core: AnyCore, request: Request, store: Store | None = None) -> Prepared:
    """Derive parameters and schedule; ParameterError when none satisfy the request, or their certificate fails."""
    _check_width(core, request)
    parameters = core.derive(request)
    problem = parameters.certificate.failing
    if problem is not None:
        why = f" ({problem.why})" if problem.why else ""
        raise problem.refusal(f"{core.name}: its parameters break {problem.name}{why}", "other options")
    return Prepared(core, request, parameters, core.schedule(parameters), store or default_store())


def _check_width(core: AnyCore, request: Request) -> None:
    """ParameterError for a modulus wider than the family's limit, before anything is searched or built for it."""
    if core.widest is None or request.modulus is None:
        return
    bits = request.modulus.value.bit_length()
    if bits > core.widest:
        raise ParameterError(
            f"{core.name} modulo a number of {bits} bits",
            rule=f"bits of the modulus <= {core.widest}",
            left=bits,
            right=core.widest,
            hint="a modulus of fewer bits, or another architecture (`modwright list`)",
        )
