# SPDX-License-Identifier: Apache-2.0
"""Functions that cores compute, each in one file with a `FUNCTION`: operands, results, plain evaluation and cases."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..base.errors import UsageError
from .function import Case, Domain, Function, MeasuredTable, Results

__all__ = ["Case", "Domain", "Function", "MeasuredTable", "Results", "all_functions", "find_function"]


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
        raise UsageError(f"no plain function is called {name!r}", f"one of {', '.join(known)}")
    return known[name]
