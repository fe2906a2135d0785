# SPDX-License-Identifier: Apache-2.0
"""The required result of an operation, in plain integers: by the contract's reading of its payload.

Nothing here uses a model. The codec's `read` returns the plain operands of an input payload, or its
error; the plain function gives the results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..base.errors import UsageError
from ..contract import PayloadValue
from ..contract.operands import Reading
from ..functions import Case, Domain, Function, find_function
from ..prepared import Prepared

Difference = tuple[dict[str, Any], dict[str, Any]]
"""Result found and result expected; only what differs, or all results."""


@dataclass(frozen=True)
class Answer:
    """The contract's promise for one operation.

    Parameters
    ----------
    results : mapping
        Results of the plain function by name, or ``{"error": name}``.
    reading : Reading
    """

    results: Mapping[str, Any]
    reading: Reading

    @property
    def error(self) -> str | None:
        """The name of the error, None where there is a result."""
        return self.results.get("error")


class Oracle:
    """The expected results of one core.

    Raises
    ------
    UsageError
        When neither the request nor an operand names a modulus or curve.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._codec, self._o = prepared.codec, prepared.parameters.o
        self.function = find_function(prepared.core.function)
        self._domain: Domain = prepared.request.curve or prepared.request.modulus
        if self._domain is None and not prepared.core.runtime_modulus:
            raise UsageError(f"{prepared.core.name}: the request names neither modulus nor curve")

    def answer(self, operands: Mapping[str, PayloadValue]) -> Answer | None:
        """The promise for an input payload; None where the contract promises nothing."""
        reading = self._codec.read(operands)
        if reading is None:
            return None
        if reading.error is not None:
            return Answer({"error": reading.error}, reading)
        results = self.function.evaluate(reading.case, self._domain)
        return Answer(value_of(results), reading)

    def difference(
        self, answer: Answer, payload: Mapping[str, PayloadValue], decoded: Mapping[str, Any]
    ) -> Difference | None:
        """Differences between an output payload, also as decoded, and the answer."""
        if not same_results(self.function, decoded, answer.results):
            names = (*self.function.results, "infinity", "error")
            return {n: decoded[n] for n in names if decoded.get(n) not in (None, False)}, dict(answer.results)
        expected = dict(answer.reading.echo)
        if answer.error is not None:
            expected = {f.name: 0 for f in self._o.fields if f.name != "error"} | expected
        wrong = [name for name, value in expected.items() if set(elements(payload[name])) != {value}]
        return ({name: payload[name] for name in wrong}, {name: expected[name] for name in wrong}) if wrong else None

    def contradiction(self, answer: Answer, case: Case) -> Difference | None:
        """Differences of the answer from that of the plain case that was encoded, and from what the case states.

        An operand that is not reduced has a plain result and an error: the reading decides which of the two counts.
        The name that a case states of an error is its own.
        """
        given = expected_results(self.function, case)
        operands = {name: value for name, value in case.items() if name not in given}
        evaluated = answer.reading.error is None and dict(answer.reading.case) == operands
        for stated in (given,) if evaluated else (self.function.evaluate(case, self._domain), given):
            results = value_of(stated)
            if "error" in stated and answer.error is not None:
                continue
            if stated and not ("error" not in results and same_results(self.function, answer.results, results)):
                return dict(answer.results), dict(stated)
        return None


def elements(value: PayloadValue) -> tuple[int, ...]:
    """The elements of a field."""
    return (value,) if isinstance(value, int) else value


def value_of(results: Mapping[str, Any]) -> dict[str, Any]:
    """The results without the error that stands next to them; an error alone stays."""
    values = {name: value for name, value in results.items() if name != "error"}
    return values or dict(results)


def expected_results(function: Function, case: Case) -> dict[str, Any]:
    """The results that a case itself states, empty when none."""
    return {name: case[name] for name in (*function.results, "infinity", "error") if name in case}


def unlike_stated(function: Function, decoded: Mapping[str, object], case: Case) -> Difference | None:
    """Differences between a decoded result and what its case states, if it does; an error by any name is an error."""
    stated = expected_results(function, case)
    results = value_of(stated)
    if not stated or (
        decoded.get("error") is not None if "error" in results else same_results(function, decoded, results)
    ):
        return None
    return {name: value for name, value in decoded.items() if value not in (None, False)}, stated


def same_results(function: Function, decoded: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Whether decoded results are the expected ones: the same error by name, or none and the same values."""
    if decoded.get("error") is not None or "error" in expected:
        return decoded.get("error") == expected.get("error")
    if bool(expected.get("infinity")) != bool(decoded.get("infinity")):
        return False
    return bool(expected.get("infinity")) or all(decoded.get(n) == expected[n] for n in function.results)
