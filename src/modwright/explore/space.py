# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep: every architecture of a function, over the values of its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from ..base.errors import ModwrightError, UsageError
from ..compare import Work
from ..contract import Core, Option
from ..contract.request import Request, check_options
from ..measurement.rows import changed

SWEPT: Mapping[str, Sequence[object]] = {
    "width": (17, 20, 24, 28, 34, 36, 48, 66),
    "latency": (2, 3, 4, 5, 6, 7, 8),
    "multipliers": (1, 2),
    "rowers": (None, 4, 8),
    "c": (2, 3, 4),
    "radix": (4, 8, 16, 32, 64),
    "interleave": (1, 2),
    "limb": (None, 16, 32, 64, 72, 128),
    "macs": (1, 2, 4),
    "registers": (0, 1, 2),
    "delay": (3, 4, 6),
    "digit": (None, 9, 17),
    "karatsuba": (None, 0, 1, 2),
    "segment": (32, 64, 128),
    "window": (3, 4, 5, 6),
    "steps": (1, 2, 4, 8),
}
"""Values of options by name: widths of channels that fit one to four multiplier blocks, pipeline depths, numbers of
units. None is the core's own choice. Options that change what is computed (`io`, `output`) are not swept."""

_SEED = 1
"""Seed of the order in which the points of a core are taken when not all of them are."""


@dataclass(frozen=True)
class Point:
    """One architecture with its options."""

    request: Request

    @property
    def label(self) -> str:
        """Architecture, every option of `SWEPT` that is set, and others that differ from their defaults."""
        words = [
            f"{name}={value}" for name, value in self.request.options.items() if name in SWEPT and value is not None
        ]
        words += [word for word in changed(self.request.to_mapping()) if word.partition("=")[0] not in (*SWEPT, "bits")]
        return " ".join([self.request.core.partition("/")[2], *words])


def read_sweep(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """`name=v1,v2` words; `auto` leaves the choice to the core; values of a name given twice are joined.

    UsageError for another form.
    """
    result: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, sign, values = word.partition("=")
        if not sign or not name or not values:
            raise UsageError(f"--sweep takes name=value,value, not {word!r}")
        result[name] = tuple(dict.fromkeys((*result.get(name, ()), *values.split(","))))
    return result


def points(work: Work, sweep: Mapping[str, Sequence[str]], architectures: Sequence[str], most: int) -> list[Point]:
    """The points of a task, at most `most`, shared evenly among its architectures.

    Parameters
    ----------
    work : Work
        Task of the sweep.
    sweep : mapping
        Values that replace those of `SWEPT`, by option, as text.
    architectures : sequence of str
        Architectures to which the sweep is restricted; all when empty.
    most : int
        Largest number of points; without a sweep each architecture has its defaults first, then its other points in a
        fixed order.

    Raises
    ------
    UsageError
        When no architecture has such a name, none has such an option or takes such a value of it, or none can do
        the work with any of the values.
    """
    cores = [core for core in work.cores if not architectures or core.name.partition("/")[2] in architectures]
    unknown = set(architectures) - {core.name.partition("/")[2] for core in work.cores}
    if unknown:
        known = ", ".join(core.name.partition("/")[2] for core in work.cores)
        raise UsageError(f"no {work.function} is called {', '.join(sorted(unknown))}", f"one of {known}")
    missing = set(sweep) - {option.name for core in cores for option in core.options}
    if missing:
        names = sorted({option.name for core in cores for option in core.options})
        raise UsageError(f"no architecture has an option {', '.join(sorted(missing))}", f"one of {', '.join(names)}")
    for name, values in sweep.items():
        _check_values(cores, name, values)
    queues = [list(_of(work, core, sweep)) for core in cores]
    result: list[Point] = []
    while any(queues) and len(result) < most:
        for queue in queues:
            if queue and len(result) < most:
                result.append(queue.pop(0))
    if not result:
        raise UsageError(f"no point of the sweep can be built: {_refusal(work, cores[0], sweep)}")
    return result


def _check_values(cores: Sequence[Core], name: str, values: Sequence[str]) -> None:
    """UsageError for a value of an option that no core takes; it holds the message of the last one."""
    owners = [core for core in cores if any(option.name == name for option in core.options)]
    for value in values:
        refusals = []
        for core in owners:
            try:
                check_options(core, {name: _given(_option(core, name), value)})
            except UsageError as error:
                refusals.append(error)
        if len(refusals) == len(owners):
            raise UsageError(f"no architecture takes {name}={value}: {refusals[-1].message}")


def _refusal(work: Work, core: Core, sweep: Mapping[str, Sequence[str]]) -> str:
    """Reason why a core has no point: its refusal of the first one."""
    try:
        work.request(core, {option.name: _values(option, sweep.get(option.name))[0] for option in core.options})
    except ModwrightError as error:
        return error.message
    return f"{core.name} has none"


def _of(work: Work, core: Core, sweep: Mapping[str, Sequence[str]]) -> Iterator[Point]:
    """The points of a core, each once, its defaults first where nothing is swept."""
    axes = {option.name: _values(option, sweep.get(option.name)) for option in core.options}
    axes = {name: values for name, values in axes.items() if len(values) > 1 or name in sweep}
    grid = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    Random(_SEED).shuffle(grid)
    defaults = {} if not sweep else None
    seen = set()
    for options in ([defaults] if defaults is not None else []) + grid:
        try:
            request = work.request(core, options)
        except ModwrightError:
            continue
        if request.digest not in seen:
            seen.add(request.digest)
            yield Point(request)


def _values(option: Option, given: Sequence[str] | None) -> list[object]:
    """The values of one option: those given, else those of `SWEPT` that it can have, else its default."""
    if given is not None:
        return [_given(option, value) for value in given]
    values = [value for value in SWEPT.get(option.name, ()) if _possible(option, value)]
    return values or [option.default]


def _option(core: Core, name: str) -> Option:
    return next(option for option in core.options if option.name == name)


def _given(option: Option, value: str) -> str | None:
    """A value of the command line; "auto" is the core's own choice where that is the default."""
    return None if value == "auto" and option.default is None else value


def _possible(option: Option, value: object) -> bool:
    if value is None:
        return option.default is None
    if option.kind is not int or not isinstance(value, int) or (option.choices and value not in option.choices):
        return False
    return (option.minimum is None or value >= option.minimum) and (option.maximum is None or value <= option.maximum)
