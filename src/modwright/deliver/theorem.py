# SPDX-License-Identifier: Apache-2.0
"""The theorem in the package of a core: the log of its proof, and the checker as one file."""

from __future__ import annotations

import ast
from importlib import resources

from ..base.errors import UsageError
from ..prepared import Prepared
from ..prove.theorem import PROVED, logged, require_log
from .verilog import core_verilog

MODULES = (
    "poly",
    "netlist",
    "choices",
    "selections",
    "memories",
    "words",
    "atoms",
    "ranges",
    "congruences",
    "comparisons",
    "carries",
    "rows",
    "cuts",
    "algebra",
    "remainders",
    "floors",
    "channels",
    "modular",
    "residues",
    "reductions",
    "claims",
    "coefficients",
    "operation",
    "turns",
    "proving",
    "check",
    "__main__",
)
"""Modules of the checker, each after those that it imports."""
LOG, CHECKER = "theorem.json", "check_theorem.py"


def theorem_files(prepared: Prepared) -> dict[str, str]:
    """The log and its checker, by file name.

    Raises
    ------
    UsageError
        Where the theorem is not proved, or has no log.
    """
    require_log(prepared, "without --theorem")
    found, log = logged(prepared, core_verilog(prepared))
    if found["status"] != PROVED:
        raise UsageError(
            f"the theorem of {prepared.core.name} is {found['status']}: {found['detail']}", "without --theorem"
        )
    return {LOG: log, CHECKER: checker()}


def checker() -> str:
    """The checker's modules as one, without their imports of each other."""
    folder = resources.files("modwright.checker")
    parts = [
        "# SPDX-License-Identifier: Apache-2.0\n"
        f'"""Accept or refuse the log of a theorem: `python {CHECKER} {LOG} TOP.v`; needs pyosys."""\n\n'
        "from __future__ import annotations\n"
    ]
    for module in MODULES:
        text = (folder / f"{module}.py").read_text(encoding="utf-8")
        parts.append("\n" + _without_own_imports(text).strip("\n") + "\n")
    return "".join(parts)


def _without_own_imports(text: str) -> str:
    """A module without its head and the imports of other modules of the checker."""
    lines: list[str | None] = list(text.splitlines())
    for node in ast.parse(text).body:
        own = isinstance(node, ast.ImportFrom) and (node.level or node.module == "__future__")
        if own or (node.lineno == 2 and isinstance(node, ast.Expr)):
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = None
    return "\n".join(line for line in lines[1:] if line is not None)
