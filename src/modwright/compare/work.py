# SPDX-License-Identifier: Apache-2.0
"""The work that architectures are compared on: one function, and one modulus, curve or width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base.errors import ModwrightError, UsageError
from ..base.json import JsonMapping
from ..base.store import Store
from ..catalog import Curve, Modulus, is_prime, require_prime_order, resolve_curve, resolve_modulus
from ..contract import Core, Option
from ..contract.request import Request
from ..functions import find_function, instead_of
from ..measurement import Row
from ..prepared import Prepared, prepare, registry
from ..synthesize import RTL_OF

WIDER: Sequence[tuple[str, int]] = (("limb", 128), *(("width", bits) for bits in (20, 24, 28, 34, 36)))
"""Values of options for a modulus that is too wide for a core's defaults, in the order in which they are tried: a unit
on limbs takes 34 of them, and moduli of wider channels lie nearer to a power of two, as the cox asks."""


def _number(value: int) -> str:
    """Decimal, or hexadecimal where Python refuses so many digits."""
    try:
        return str(value)
    except ValueError:
        return hex(value)


@dataclass(frozen=True)
class Work:
    """Work to be computed, on a device family.

    Parameters
    ----------
    function : str
        The part of a core's name before the slash.
    target : str
        One of `synthesize.RTL_OF`.
    modulus : Modulus or None
        Modulus; None when only a width is requested.
    curve : Curve or None
        For point multiplication.
    bits : int
        Width of the modulus.
    named : str
        Name given by the user.
    """

    function: str
    target: str
    modulus: Modulus | None
    curve: Curve | None
    bits: int
    named: str

    @classmethod
    def make(
        cls,
        function: str,
        target: str,
        *,
        field: str | None = None,
        modulus: str | None = None,
        curve: str | None = None,
        bits: int | None = None,
    ) -> Work:
        """Resolve what the user named; UsageError for an unknown function, target or name, or when nothing is named."""
        functions = sorted({core.function for core in registry.all_cores().values()})
        if function not in functions:
            raise UsageError(f"no core computes {function!r}", instead_of(function, functions))
        if target not in RTL_OF:
            raise UsageError(f"unknown target {target!r}", f"one of {', '.join(RTL_OF)}")
        given = [name for name in (field, modulus, curve, bits) if name is not None]
        if len(given) != 1:
            raise UsageError(
                f"a task has one modulus or width, and {f'{len(given)} are' if given else 'none is'} given",
                "one of --field, --modulus, --curve and --bits",
            )
        found = resolve_curve(curve) if curve is not None else None
        if found is not None:
            _check_form(function, found)
        value = found.field if found else resolve_modulus(str(given[0])) if bits is None else None
        if value is None:
            assert bits is not None
            return cls(function, target, None, None, bits, f"{bits} bits")
        if find_function(function).over_curve and not is_prime(value.value):
            raise UsageError(f"{function} is over the field of a prime, and {given[0]} is not one")
        name = found.name if found else f"{value.value.bit_length()} bits" if value.anonymous else value.name
        return cls(function, target, value, found, value.value.bit_length(), name)

    @property
    def title(self) -> str:
        """The work in a few words."""
        return f"{self.function}, {self.named}, {self.target}"

    @property
    def words(self) -> list[str]:
        """The work as options of a command."""
        if self.curve is not None:
            named = ["--curve", self.curve.name]
        elif self.modulus is None:
            named = ["--bits", str(self.bits)]
        else:
            anonymous = self.modulus.anonymous
            named = ["--modulus", _number(self.modulus.value)] if anonymous else ["--field", self.modulus.name]
        return ["--function", self.function, *named]

    @property
    def cores(self) -> list[Core]:
        """Every core of the function; whether it can do the work shows when it is derived."""
        return [core for core in registry.all_cores().values() if core.function == self.function]

    def request(self, core: Core, options: JsonMapping | None = None) -> Request:
        """The request of a core for this work, its options at their defaults unless they are given.

        A core with a runtime modulus gets the width, so that one record serves every modulus.

        Raises
        ------
        UsageError
            When the core needs a modulus and only a width is given, or an option is wrong.
        """
        target, given = RTL_OF[self.target], dict(options or {})
        if (width := core.sizing("modulus")) is not None:
            return Request.make(core, target=target, options={width.name: self._width(width)} | given)
        if self.curve is not None and find_function(self.function).over_curve:
            return Request.make(core, curve=self.curve.name, target=target, options=given)
        if self.modulus is None:
            raise UsageError(f"{core.name} is built for one modulus, and only a width is given", "--field NAME")
        if self.modulus.anonymous:
            return Request.make(core, modulus=self.modulus.value, target=target, options=given)
        return Request.make(core, field=self.modulus.name, target=target, options=given)

    def _width(self, width: Option) -> int:
        """Width of a runtime modulus: that of the work, or the least that the core has."""
        return max(self.bits, width.minimum or 0)

    def prepared(self, core: Core, store: Store) -> Prepared | str:
        """The core derived for this work with its defaults, else with the first of `WIDER` that makes one, or why it
        cannot do it with its defaults."""
        derived = self._derived(core, store, {})
        if not isinstance(derived, str):
            return derived
        names = {option.name for option in core.options}
        others = (self._derived(core, store, {name: value}) for name, value in WIDER if name in names)
        return next((other for other in others if not isinstance(other, str)), derived)

    def _derived(self, core: Core, store: Store, options: JsonMapping) -> Prepared | str:
        try:
            return prepare(core, self.request(core, options), store)
        except ModwrightError as error:
            return error.reason

    def covers(self, row: Row) -> bool:
        """Whether a measured row is of this work."""
        if (row.function, row.target) != (self.function, self.target):
            return False
        width = registry.find(row.request["core"]).sizing("modulus")
        if width is not None:
            return row.bits == self._width(width)
        named = row.request.get("field") or row.request.get("modulus")
        if "curve" in row.request:
            curve = resolve_curve(row.request["curve"])
            if find_function(self.function).over_curve:
                return self.curve is not None and curve.name == self.curve.name
            return self.modulus is not None and curve.field.value == self.modulus.value
        if named is None or self.modulus is None:
            return False
        return resolve_modulus(str(named)).value == self.modulus.value

    def covers_peer(self, record: JsonMapping) -> bool:
        """Whether the record of an open core of others is of this work."""
        peer = record["peer"]
        if (peer["function"], record["target"]) != (self.function, self.target):
            return False
        ((kind, value),) = peer["work"].items()
        if kind == "bits":
            return value == self.bits
        if kind == "curve":
            return self.curve is not None and resolve_curve(value).name == self.curve.name
        return self.modulus is not None and resolve_modulus(value).value == self.modulus.value


def _check_form(function: str, curve: Curve) -> None:
    """UsageError for a curve of another form than those of the function, or not of prime order where it needs one.

    A core with a runtime modulus is requested by its width alone, and would say nothing.
    """
    form = find_function(function).curve_form
    if form in ("", curve.form):
        if find_function(function).prime_order:
            require_prime_order(function, curve)
        return
    fitting = sorted(
        name
        for name in {core.function for core in registry.all_cores().values()}
        if find_function(name).curve_form == curve.form
    )
    raise UsageError(
        f"{function} is on curves of the {form} form, and {curve.name} is of the {curve.form} form",
        f"--function {' or '.join(fitting)}" if fitting else "another curve",
    )
