# SPDX-License-Identifier: Apache-2.0
"""Multipliers with a built-in modulus, for moduli of three kinds: how much of a figure is due to the modulus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from ..base.errors import ParameterError
from ..base.table import Table
from ..contract import Core
from ..contract.request import Request
from ..functions.modmul import FUNCTION
from ..measurement.rows import Row, options_of
from ..pages.datasheet import count, figure
from ..prepared import prepare
from ..prepared.registry import all_cores, find
from ..report.evidence import NOT_RUN
from .cells import fmax, tools
from .fixed_modulus import fastest

MODULI = {
    "secp256k1": "secp256k1, just below 2^256",
    "secp256r1": "secp256r1, few terms",
    "brainpoolP256r1": "brainpoolP256r1, pseudorandom",
}
"""Primes of 256 bits with their kind; that of Brainpool is made from the digits of π with a hash (RFC 5639)."""


def moduli_table(rows: Sequence[Row]) -> Table:
    """The fastest record of each multiplier for each modulus, and why there is none."""
    ours = {name: {row.core: row for row in fastest([r for r in rows if r.modulus == name])} for name in MODULI}
    cores = [core for core in map(find, all_cores()) if core.function == FUNCTION.name and not core.runtime_modulus]
    cells = [[f"`{_short(core)}`", *(_cell(core, name, ours[name]) for name in MODULI)] for core in cores]
    shown = [row for of_modulus in ours.values() for row in of_modulus.values() if not row.runtime_modulus]
    what = "Time of one product, clock rate, area, and options that are not the default; refused: with default options."
    return Table.of(("core", *MODULI.values()), cells, {"core", *MODULI.values()}, below=[f"{what} {tools(shown)}"])


def _short(core: Core) -> str:
    return core.name.partition("/")[2]


def _cell(core: Core, modulus: str, ours: Mapping[str, Row]) -> str:
    row = ours.get(_short(core))
    if row is None:
        return refusal(core.name, modulus) or NOT_RUN
    clock = fmax(row.timing).replace(" (", " MHz (", 1).replace(" to ", "–")
    area = f"{count(row.resources['lut'])} LUT, {count(row.resources['dsp'])} DSP"
    options = (f"`{word}`" for word in options_of(row.request))
    return " ".join((f"{figure(row.latency_ns)} ns; {clock}; {area}", *options))


@cache
def refusal(name: str, modulus: str) -> str:
    """The rule by which a core refuses a modulus with its default options; empty where it takes it."""
    core = find(name)
    try:
        prepare(core, Request.make(core, field=modulus))
    except ParameterError as error:
        return f"refused: {error.rule}"
    return ""
