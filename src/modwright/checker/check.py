# SPDX-License-Identifier: Apache-2.0
"""Accept or refuse the log of a theorem about one operation, from the Verilog that it is about.

The words, the polynomials and the claim are derived again from the Verilog. Then the log is compared with them: its
atoms, evaluated from their own definitions next to simulated operations, give the words of the netlist and the quotient
that was derived here. By the log, ABC proved that control is as assumed in every run, and that the streams keep order;
the checker verifies that nothing is assumed that the log does not name.
"""

from __future__ import annotations

import json
import operator
import random
import sys
from functools import reduce
from math import prod
from pathlib import Path

from .netlist import RefusedError, Value, constant
from .operation import Check, Key, Log, Polynomial

SIMULATED = 20
"""Simulated operations with which the log is compared."""


def evaluate(poly: Polynomial, values: list[int]) -> tuple[int, int]:
    """Numerator and shift of a polynomial of the log."""
    shift, terms = poly
    total = 0
    for factor, atoms in terms:
        one = int(factor, 16)
        for atom in atoms:
            one *= values[atom]
        total += one
    return total, shift


def whole(poly: Polynomial, values: list[int]) -> int:
    """Value of a polynomial of the log, which must be an integer."""
    total, shift = evaluate(poly, values)
    if total & ((1 << shift) - 1):
        raise RefusedError("a polynomial of the log is not an integer")
    return total >> shift


def replay(check: Check, operands: dict[str, int]) -> None:
    """Check that the log's atoms, for an operation's operands, give the netlist's result and a multiple of the
    modulus."""
    claim = check.claim
    values: list[int] = []
    m = operands[claim["modulus"]] if check.m is None else check.m
    for name, low, high, kind, *rest in check.log["atoms"]:
        if kind == "input":
            value = operands[name.removeprefix("i_")]
        elif kind == "and":
            value = reduce(operator.and_, (whole(step, values) for step in rest))
        elif kind == "times":
            value = ((whole(rest[0], values) << rest[1]) - 1) // m
        else:
            value = whole(rest[0], values)
            tests = {"low": value % (1 << rest[1]), "negative": value < 0, "nonzero": value != 0, "value": value}
            value = int(tests[kind])
        if not int(low, 16) <= value <= int(high, 16):
            raise RefusedError(f"{name} is not in its interval")
        values.append(value)
    z = whole(check.log["z"], values)
    ones = {"rst": 0, "i_valid": 1, "o_ready": 1}
    given: dict[Key, Value] = {name: ((None, value, check.sizes[name]),) for name, value in ones.items()}
    given |= {"i_" + n: ((None, v, check.sizes["i_" + n]),) for n, v in operands.items()}
    run = check.run(check.start, given, {})
    if constant(run.at(check.written(claim["result"]), check.log["ready"])) != z:
        raise RefusedError("the log's result is not the netlist's")
    total = sum(prod(operands[name] for name in names) for names in claim["terms"])
    quotient, shift = evaluate(check.log["quotient"], values)
    if ((z << claim["exponent"]) - total) << shift != quotient * m:
        raise RefusedError("the log's quotient is wrong")


def draw(check: Check, rng: random.Random) -> dict[str, int]:
    """Draw operands in range."""
    claim = check.claim
    operands: dict[str, int] = {}
    if check.m is None:
        name, n = claim["modulus"], check.sizes["i_" + claim["modulus"]]
        operands[name] = rng.choice((rng.getrandbits(n) | 1 | 1 << (n - 1), rng.getrandbits(n) | 3, (1 << n) - 1))
    m = operands[claim["modulus"]] if check.m is None else check.m
    for field, kind, bits in claim["relations"]:
        operands[field] = -pow(m, -1, 1 << bits) % (1 << bits) if kind == "inverse" else pow(2, bits, m)
    for field, (factor, of) in claim["operands"].items():
        most = int(factor, 16) * (operands[of] if of else 1)
        operands[field] = rng.choice((most - 1, rng.randrange(most), rng.randrange(most), 0))
    return operands


def check(log: Log, path: Path, operations: int = SIMULATED) -> None:
    """Accept a log, or raise `RefusedError`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        found = Check(log, path)
        found.unroll()
        found.prove()
        rng = random.Random(1)
        for _ in range(operations):
            replay(found, draw(found, rng))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise RefusedError(f"the log is incomplete: {type(error).__name__} {error}") from None
    finally:
        sys.setrecursionlimit(before)


def main(arguments: list[str]) -> int:
    """Command line: a log and the Verilog; 0 when it is accepted."""
    if len(arguments) != 2:
        print("usage: python -m modwright.checker LOG CORE.v", file=sys.stderr)
        return 2
    try:
        check(json.loads(Path(arguments[0]).read_text(encoding="utf-8")), Path(arguments[1]))
    except (RefusedError, OSError, ValueError, RecursionError) as error:
        print(f"refused: {error}")
        return 1
    print("accepted")
    return 0
