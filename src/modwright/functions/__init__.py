# SPDX-License-Identifier: Apache-2.0
"""Functions that cores compute, each in one file with a `FUNCTION`: operands, results, plain evaluation and cases."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from ..base.errors import UsageError
from .function import Case, Domain, Function, MeasuredTable, Results

__all__ = ["Case", "Domain", "Function", "MeasuredTable", "Results", "all_functions", "find_function", "instead_of"]

SOUGHT = {
    "x25519": "xmul", "x448": "xmul", "ecdh": "ecpm", "ed25519": "eddsa", "ed448": "eddsa",
    "rsa": "modexp", "dh": "modexp", "mul": "modmul", "add": "modadd", "inv": "modinv", "exp": "modexp",
}  # fmt: skip
"""Functions by the names of schemes and operations under which people look for them."""


@cache
def all_functions() -> dict[str, Function]:
    """Every function by the name that starts a core's name, in the order of the register codes."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    found = [module.FUNCTION for module in modules if "FUNCTION" in vars(module)]
    return checked(sorted(found, key=lambda function: function.register_code))


def checked(functions: list[Function]) -> dict[str, Function]:
    """Functions by name; ValueError when two have one name or one register code."""
    codes: dict[int, str] = {}
    for function in functions:
        if function.name in codes.values() or function.register_code in codes:
            raise ValueError(
                f"two functions are called {function.name}, or have register code {function.register_code}"
            )
        codes[function.register_code] = function.name
    return {function.name: function for function in functions}


def find_function(name: str) -> Function:
    """Look a function up; UsageError when it has no plain form here."""
    known = all_functions()
    if name not in known:
        raise UsageError(f"no plain function is called {name!r}", instead_of(name, known))
    return known[name]


def instead_of(name: str, known: Iterable[str]) -> str:
    """Words of a hint for an unknown function: that which was probably meant, and all that there are."""
    names = [*known]
    close = get_close_matches(name.lower(), names, n=1)
    meant = SOUGHT.get(name.lower(), close[0] if close else "")
    every = f"one of {', '.join(names)}"
    return f"{meant}; the functions are {', '.join(names)}" if meant in names else every
