# SPDX-License-Identifier: Apache-2.0
"""Two bases with an extension between them, and their constants for a request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from ...base.errors import ParameterError, UsageError
from ...base.json import Constant
from ...contract import Inequality, Parameters, first_certified
from ...contract.request import Request
from ...rns import Base
from ...rns.extension import SUPER, Extension, smallest_extension
from .engine import CoxrowerEngine

COX, WITHOUT = "cox", "none"
"""The first extension: with a cox, or without."""
MOST_ROWS = 4
"""Rows beyond the fewest that a search for parameters tries."""


@dataclass(frozen=True, kw_only=True)
class OnTwoBases(ABC):
    """Parameters of an extension or a multiplication on rowers, to be derived from.

    Parameters
    ----------
    target : str
        Device family of the multiplier blocks.
    latency : int
        Cycles of a multiply-accumulate, L.
    rowers : int, optional
        Number of rowers, n when not given.
    local : bool
        Whether rowers have copies of common signals; then a multiply-accumulate takes L + 1 cycles, a reduction F + 1.
    """

    target: str
    latency: int
    rowers: int | None = None
    local: bool = False

    @property
    @abstractmethod
    def first(self) -> Extension:
        """The extension from A to B."""

    @property
    def A(self) -> Base:
        """The base of the operand of an extension; its product is the Montgomery factor of a multiplication."""
        return self.first.source

    @property
    def B(self) -> Base:
        """The other base."""
        return self.first.target

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.A.width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.A.count


def describe(engine: CoxrowerEngine, extension: Extension) -> dict[str, Constant]:
    """The constants of both kinds of core."""
    return {
        "channel_bits": engine.width,
        "channels": engine.count,
        "rowers": engine.rowers,
        "row_channels": engine.columns,
        "base_a": extension.source.moduli,
        "base_b": extension.target.moduli,
        "sigma": str(extension.sigma),
        "cox_bits": extension.top_bits,
        "cox_error": str(extension.error),
        "cox_fed": extension.fed,
        "factors": engine.factors,
        "extension_weights": engine.weights,
        "corrections": engine.corrections,
        "multiplier_latency": engine.latency,
        "fold_cycles": engine.fold_cycles,
        "bus_cycles": engine.bus_cycles,
    }


def sigma_of(text: str) -> Fraction:
    try:
        sigma = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"option sigma is a fraction, not {text!r}", "such as 1/2, 15/16 or 0") from None
    if not 0 <= sigma < 1:
        raise UsageError(f"option sigma is at least 0 and below 1, not {sigma}", "such as 1/2")
    return sigma


def _sizes(options: Mapping[str, Any], columns: int, bits: int) -> Iterator[int]:
    """Numbers of moduli to try: the requested one, or the fewest and some more."""
    if options["channels"]:
        if options["channels"] % columns:
            raise ParameterError(
                f"{options['channels']} channels in rows of {columns}",
                rule="n mod c = 0",
                left=options["channels"] % columns,
                right=0,
                hint="another number of channels",
            )
        yield options["channels"]
        return
    least = -(-bits // (options["width"] * columns))
    for rows in range(least, least + MOST_ROWS):
        yield rows * columns


def make_extension(options: Mapping[str, Any], source: Base, target: Base, sigma: Fraction) -> Extension:
    bits, columns = options["t"], options.get("c", 1)
    if bits is not None:
        bits -= (columns - 1).bit_length()
    return smallest_extension(source, target, columns, sigma, fed=options.get("cox", SUPER), f=bits)


def rowers_of(options: Mapping[str, Any], count: int) -> int:
    """The number of rowers, one for each of `count` moduli when not given."""
    requested, columns = options["rowers"], options.get("c", 1)
    if requested is None:
        return count
    if requested > count or requested % columns:
        rule, right = ("p <= n", count) if requested > count else ("p mod c = 0", 0)
        raise ParameterError(
            f"{requested} rowers for {count} moduli in rows of {columns}",
            rule=rule,
            left=requested if requested > count else requested % columns,
            right=right,
            hint="a row's moduli have a rower each",
        )
    return requested


Derived = TypeVar("Derived", bound=Parameters)


def fewest(request: Request, bits: int, derived: Callable[[int], Derived]) -> Derived:
    """Parameters of the first number of moduli whose certificate holds, with the error of `first_certified`."""

    def candidates() -> Iterator[Derived | ParameterError]:
        for count in _sizes(request.options, request.options.get("c", 1), bits):
            try:
                parameters = derived(count)
            except ParameterError as error:
                yield error
                continue
            yield parameters

    def refused(problem: Inequality) -> ParameterError:
        name = request.modulus.name if request.modulus else ""
        message = f"{request.core} for {name}: {problem.name} fails ({problem.why})"
        return problem.refusal(message, "more channels, or wider ones")

    return first_certified(candidates(), refused)
