# SPDX-License-Identifier: Apache-2.0
"""Cases of functions with several operations, as vector files write them and as functions take them.

A file names the operation, gives its operands and its own names of the results, and leaves out the rest:

    {"op": "sign", "d": "0x2", "e": "0x5", "k": "0x3", "r": "0x7", "s": "0x4"}

A function takes all operands, the operation by its number among them, and has the same results for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .function import Function

OP = "op"
_PASSED_ON = ("error", "note", "modulus")


def names_operation(function: Function, row: Mapping[str, object]) -> bool:
    """Whether a case is one of an operation of the function, with all its operands."""
    operation = function.operations.get(str(row.get(OP)))
    return operation is not None and set(operation.operands) <= set(row)


def forms_of(functions: Iterable[Function]) -> str:
    """Operands of functions and operations, for a message."""
    return "; ".join(
        f"{function.name}: {', '.join(function.operands)}"
        if not function.operations
        else f"{function.name}: " + ", or ".join(
            f'"{OP}": "{name}" with {", ".join(operation.operands)}' for name, operation in function.operations.items()
        )
        for function in functions
    )  # fmt: skip


def lacking(function: Function, row: Mapping[str, object]) -> str:
    """Missing parts of a case of one operation, in words; empty where it is complete."""
    operation = function.operations.get(str(row.get(OP)))
    if operation is None:
        return f"no {OP!r} of {', '.join(function.operations)}"
    if missing := [name for name in operation.operands if name not in row]:
        return f"no {', '.join(missing)}"
    missing = [name for name in operation.results if name not in row and "error" not in row]
    return f"no expected {', '.join(missing)}" if missing else ""


def as_function_takes(function: Function, row: Mapping[str, object]) -> dict[str, object]:
    """A complete case of one operation with all operands and results. A result of one bit may be true or false."""
    operation = function.operations[str(row[OP])]
    counted = (*operation.operands, *operation.optional)
    case: dict[str, object] = dict.fromkeys(function.operands, "0x0")
    case |= {name: row[name] for name in counted if name in row}
    case |= {OP: hex(operation.code)} | {name: row[name] for name in _PASSED_ON if name in row}
    if "error" in row:
        return case
    found = {target: row[name] for name, target in operation.results.items()}
    found = {target: hex(value) if isinstance(value, bool) else value for target, value in found.items()}
    return case | dict.fromkeys(function.results, "0x0") | found
