# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors, as JSON.

A file is an object with `cases` and, above them, their domain: `field` (a name of the catalog), `modulus`, or
`curve` (a name, or an object with p, a, b and order of a Weierstrass curve). A case may carry its own `modulus`.
All integers are hexadecimal strings, all values plain and reduced, named as in the `formula` of the function. The point
at infinity is ``"infinity": true`` as a result, and null for both coordinates as an operand.

Where several functions have the operands of the cases, such as x and y, `function` above the cases names the one that
is meant; without it, it is the one with the least register code.

A case may say ``"error": name`` in place of its results: the core must then report an error, and its operands need
not be reduced. `note` is free text, and so are other keys of the file; other keys of a case are counted as unread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..base.errors import UsageError, show_integer
from ..base.json import JsonMapping, JsonObject
from ..base.parsing import load_json
from ..catalog import MAXIMUM_BITS, Curve, curves, is_prime, resolve_curve, resolve_modulus
from ..contract import AnyCore
from ..contract.request import Request
from ..contract.roles import FORMER_ERRORS
from . import Function, all_functions, find_function
from .operations import OP, as_function_takes, forms_of, lacking, names_operation

_MOST_BYTES = 1 << 28
"""Largest file, in bytes: it is read as a whole, and then takes about ten times as much memory."""
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_CURVE_CONSTANTS = ("p", "a", "b", "order")
_DESCRIBED = "weierstrass"
"""The form of curves that a file can describe by constants."""


@dataclass(frozen=True)
class VectorFile:
    """Cases, read and checked.

    Parameters
    ----------
    function : str
        Name of the function.
    field : str or None
        Name of the field, as the file gives it.
    modulus : int or None
        The file's modulus; None when every case has its own.
    curve : Curve or None
        Curve of the catalog, or one that the file describes; its base point is then that of the cases where they have
        one, else the first point among them.
    cases : list of dict
        Operands, expected results and, where a case has its own, `modulus`.
    unread : tuple of str
        Keys of cases that mean nothing here, sorted.
    """

    function: str
    field: str | None
    modulus: int | None
    curve: Curve | None
    cases: list[JsonObject]
    unread: tuple[str, ...] = ()

    @property
    def request(self) -> dict[str, str]:
        """The part of a request that names the domain of the file: `field`, `modulus` or `curve`; may be empty."""
        if self.curve is not None:
            return {"curve": self.curve.name}
        if self.field is not None:
            return {"field": self.field}
        return {"modulus": hex(self.modulus)} if self.modulus is not None else {}

    def cases_for(self, core: AnyCore, request: Request) -> list[JsonObject]:
        """The cases in the form that one core accepts.

        A core with a runtime modulus gets `modulus` in every case, and `a`, `b`, `order` of a curve.

        Raises
        ------
        UsageError
            When the file is over another function, modulus or curve than the core.
        """
        self.require_function(core.name, core.function)
        if core.runtime_modulus:
            constants = {} if self.modulus is None else {"modulus": self.modulus}
            if self.curve is not None:
                constants |= find_function(self.function).curve_constants(self.curve)
            return [constants | case for case in self.cases]
        self._require_curve(core, request)
        built_in = request.modulus.value if request.modulus else None
        for number, case in enumerate(self.cases):
            modulus = case.get("modulus", self.modulus)
            if modulus != built_in:
                raise UsageError(
                    f"case {number} is modulo {show_integer(modulus)}, and {core.name} was made for "
                    f"{show_integer(built_in or 0)}",
                    "a request with the modulus of the vectors, or a core with a runtime modulus",
                )
        return self.cases

    def require_function(self, core: str, function: str) -> None:
        """UsageError when the file is over another function than that of a core, given by their names."""
        if function != self.function:
            hint = f'"function": "{function}" in the file, if its operands are meant for that'
            raise UsageError(f"the vectors are for {self.function}, and {core} computes {function}", hint)

    def _require_curve(self, core: AnyCore, request: Request) -> None:
        mine, theirs = self.curve, request.curve
        if mine is not None and (theirs is None or _constants(mine) != _constants(theirs)):
            made_for = theirs.name if theirs else "no curve"
            raise UsageError(
                f"the vectors are on {mine.name}, and {core.name} was made for {made_for}",
                "a request with the curve of the vectors, or a core with a runtime modulus",
            )


def load(path: Path) -> VectorFile:
    """Read a file of vectors.

    Raises
    ------
    UsageError
        When the file cannot be read or breaks a rule; it names the case, counted from 0, and the rule.
    """
    document = load_json(Path(path), _MOST_BYTES)
    try:
        return _read(document)
    except _RuleError as broken:
        raise UsageError(f"{path}: {broken}") from broken


class _RuleError(Exception):
    """Fault of a file, in words."""


def _read(document: Any) -> VectorFile:
    rows = _rows(document)
    function = _function(rows[0], document.get("function"), document.get("curve"))
    unread = tuple(sorted({key for row in rows for key in row.keys() - _keys(function, row)}))
    if function.operations:
        rows = [_row(row, f"case {number}", function) for number, row in enumerate(rows)]
    field, modulus = _field_and_modulus(document)
    named = _named_curve(document.get("curve"), function) if function.over_curve else None
    constants = _curve_constants(document, function) if function.over_curve and named is None else None
    if named is not None:
        modulus = named.p
    if constants is not None:
        modulus = constants["p"]
    cases = [_case(row, f"case {number}", function, modulus, document) for number, row in enumerate(rows)]
    curve = named if constants is None else _curve(document, constants, function, cases)
    if curve is not None:
        _check_points(curve, function.points, cases)
    return VectorFile(function.name, field, modulus, curve, cases, unread)


def _keys(function: Function, row: Mapping[str, object]) -> set[str]:
    """The keys that are read of a case, or are for its reader."""
    always = {"modulus", "error", "note"}
    if (operation := function.operations.get(str(row.get(OP)))) is not None:
        return {*always, OP, *operation.operands, *operation.optional, *operation.results}
    return {*always, *function.operands, *function.results} | ({"infinity"} if function.points else set())


def _rows(document: object) -> list[JsonObject]:
    rows = _object(document, "a file of vectors is an object with a list 'cases'").get("cases")
    if not isinstance(rows, list):
        raise _RuleError("a file of vectors is an object with a list 'cases'")
    if not rows:
        raise _RuleError("'cases' is empty")
    return [
        _object(row, f"case {number} is an object of operands and results")
        for number, row in enumerate(cast("list[object]", rows))
    ]


def _object(value: object, rule: str) -> JsonObject:
    """The value as a JSON object; `_RuleError` with the rule for another."""
    if not isinstance(value, dict):
        raise _RuleError(rule)
    return cast("JsonObject", value)


def _row(row: Mapping[str, object], where: str, function: Function) -> dict[str, object]:
    """A case of one of several operations with all operands of the function."""
    if lacks := lacking(function, row):
        raise _RuleError(f"{where} has {lacks}")
    return as_function_takes(function, row)


def _function(row: JsonMapping, named: object, curve: object) -> Function:
    """The function that the file names, else the one with the most operands that the case has: [k](x, y) before x · y.

    Of several with equally many it is the one on curves of the form of the file's, else the first, by register code.
    """
    known = all_functions()
    if named is not None and not (isinstance(named, str) and named in known):
        raise _RuleError(f"'function' is one of {', '.join(known)}, not {json.dumps(named)[:40]}")
    meant = [f for f in known.values() if named in (None, f.name)]
    found = [f for f in meant if (names_operation(f, row) if f.operations else set(f.operands) <= set(row))]
    if not found:
        raise _RuleError(f"case 0 has the operands of no function ({forms_of(meant)})")
    form = _form(curve)
    return max(found, key=lambda f: (len(f.operands), f.curve_form == form))


def _form(curve: object) -> str:
    """The form of the file's curve; that of a curve which it describes, where it names none that is known."""
    try:
        return resolve_curve(curve).form if isinstance(curve, str) else _DESCRIBED
    except UsageError:
        return _DESCRIBED


def _field_and_modulus(document: JsonMapping) -> tuple[str | None, int | None]:
    """The field's name and the modulus; a field that the catalog knows must agree with the modulus."""
    modulus = _integer(document, "modulus", "the file") if "modulus" in document else None
    if modulus is not None:
        _check_modulus(modulus, "the file", document)
    name = document.get("field")
    if name is None:
        return None, modulus
    if not isinstance(name, str):
        raise _RuleError("'field' is a name")
    try:
        known = resolve_modulus(name).value
    except UsageError:
        if modulus is None:
            raise
        return None, modulus  # a field outside the catalog, given by its modulus
    if modulus not in (None, known):
        raise _RuleError(f"'modulus' is not that of the field {name}, which is {known:#x}")
    return name, known


def _check_modulus(modulus: int, where: str, document: JsonMapping) -> None:
    if modulus < 3 or modulus % 2 == 0:
        raise _RuleError(f"{where}: the modulus is odd and at least 3, not {show_integer(modulus)}")
    if modulus.bit_length() > MAXIMUM_BITS:
        raise _RuleError(f"{where}: the modulus has {modulus.bit_length()} bits; at most {MAXIMUM_BITS} are supported")
    bits = document.get("bits")
    if isinstance(bits, int) and modulus.bit_length() > bits:
        raise _RuleError(f"{where}: the modulus has {modulus.bit_length()} bits, the file says {bits}")


def _case(row: JsonMapping, where: str, function: Function, modulus: int | None, document: JsonMapping) -> JsonObject:
    missing = [name for name in function.operands if name not in row]
    if missing:
        raise _RuleError(f"{where} has no {', '.join(missing)}")
    case: JsonObject = {}
    if "modulus" in row:
        case["modulus"] = own = _integer(row, "modulus", where)
        _check_modulus(own, where, document)
        if function.over_curve and own != modulus:
            raise _RuleError(f"{where}: the modulus is the p of the curve, not {show_integer(own)}")
        modulus = own
    if modulus is None:
        raise _RuleError(f"{where} has no modulus, and neither has the file, which is read without the request's")
    infinite = _infinite(row, where, function)
    for name in function.operands:
        case[name] = None if name in infinite else _integer(row, name, where)
    if "error" in row:
        if not isinstance(row["error"], str) or not row["error"]:
            raise _RuleError(f"{where}: 'error' is a name")
        return case | {"error": FORMER_ERRORS.get(row["error"], row["error"])}
    case |= _results(row, where, function)
    for name in function.reduced:
        if (value := case.get(name)) is not None and value >= modulus:
            raise _RuleError(f"{where}: {name} < modulus, but {name} is {show_integer(value)}")
    return case


def _infinite(row: JsonMapping, where: str, function: Function) -> set[str]:
    """Coordinates of operands that are the point at infinity."""
    found: set[str] = set()
    for x, y in function.points:
        if x in function.operands and row[x] is None:
            if row[y] is not None:
                raise _RuleError(f"{where}: {y} is null when {x} is")
            found |= {x, y}
    return found


def _results(row: JsonMapping, where: str, function: Function) -> JsonObject:
    if "infinity" in row and function.points:
        if row["infinity"] is not True:
            raise _RuleError(f"{where}: 'infinity' is true, or left out")
        if row.keys() & set(function.results):
            raise _RuleError(f"{where} has both 'infinity' and a finite result")
        return {"infinity": True}
    missing = [name for name in function.results if name not in row]
    if missing:
        raise _RuleError(f"{where} has no expected {', '.join(missing)}")
    return {name: _integer(row, name, where) for name in function.results}


def _integer(row: JsonMapping, name: str, where: str) -> int:
    text = row[name]
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise _RuleError(f'{where}: {name} is a hexadecimal string such as "0x1f", not {json.dumps(text)[:40]}')
    return int(text, 16)


def _named_curve(described: object, function: Function) -> Curve | None:
    """The curve of the catalog that the file names, of the function's form; None where it describes its own."""
    if not isinstance(described, str):
        if function.curve_form == _DESCRIBED:
            return None
        names = ", ".join(curve.name for curve in curves() if curve.form == function.curve_form)
        raise _RuleError(f"{function.name} needs a 'curve' by its name: {names}")
    curve = resolve_curve(described)
    if curve.form != function.curve_form:
        names = ", ".join(known.name for known in curves() if known.form == function.curve_form)
        raise _RuleError(f"{curve.name} is of the {curve.form} form; {function.name} is on one of {names}")
    return curve


def _curve_constants(document: JsonMapping, function: Function) -> dict[str, int]:
    """Constants of a curve that the file describes: those of every curve, and those that the function requires."""
    names = dict.fromkeys((*_CURVE_CONSTANTS, *function.constants))
    described = document.get("curve")
    described = _object(described, f"{function.name} needs a 'curve': a name, or an object with {', '.join(names)}")
    missing = [name for name in names if name not in described]
    if missing:
        raise _RuleError(f"the curve has no {', '.join(missing)}")
    constants = {name: _integer(described, name, "the curve") for name in names}
    _check_modulus(constants["p"], "the curve", document)
    if not is_prime(constants["p"]):
        raise _RuleError(f"the curve: p is a prime, and {show_integer(constants['p'])} is composite")
    if max(constants["a"], constants["b"]) >= constants["p"]:
        raise _RuleError("the curve: a and b are below p")
    if constants["order"] < 1:
        raise _RuleError("the curve: the order is at least 1")
    return constants


def _constants(curve: Curve) -> dict[str, int]:
    return {"p": curve.p, "a": curve.a, "b": curve.b, "order": curve.order}


def _curve(
    document: JsonMapping,
    constants: Mapping[str, int],
    function: Function,
    cases: Sequence[JsonMapping],
) -> Curve:
    """The curve with these constants: the catalog's, else one of the file's own."""
    for known in curves():
        if (
            known.form == _DESCRIBED
            and constants.items() == (_constants(known) | function.curve_constants(known)).items()
        ):
            return known
    if "gx" in constants:
        base = constants["gx"], constants["gy"]
    else:
        x, y = function.points[0]
        base = next(((c[x], c[y]) for c in cases if c[x] is not None and "error" not in c), None)
    if base is None:
        raise _RuleError("no case has a finite point")
    p, order = constants["p"], constants["order"]
    return Curve(
        name=str(document["curve"].get("name", "unnamed")),
        form="weierstrass",
        p=p,
        a=constants["a"],
        b=constants["b"],
        gx=base[0],
        gy=base[1],
        order=order,
        cofactor=max(1, (p + 1 + order // 2) // order),  # the group has p + 1 ± 2·√p points (Hasse)
        source="the file of vectors",
    )


def _check_points(curve: Curve, points: Sequence[tuple[str, str]], cases: Sequence[JsonMapping]) -> None:
    for number, case in enumerate(cases):
        for x, y in points:
            if "error" not in case and case.get(x) is not None and not curve.contains(case[x], case[y]):
                raise _RuleError(f"case {number}: ({x}, {y}) is not on {curve.name}")
