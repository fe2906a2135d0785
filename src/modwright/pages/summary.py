# SPDX-License-Identifier: Apache-2.0
"""The summary in plain text that `modwright build` prints at the end."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..base.json import JsonObject
from ..report.evidence import NOT_PROVED, NOT_RUN, NOTHING_OWED, clock_rate, main_target
from ..report.limits import limit_in_words
from .datasheet import count, figure, interval_words, latency_words, mutants


def summary(report: JsonObject) -> str:
    """Twelve lines about a report, each complete in itself, with a line end after each."""
    contract, target = report["contract"], main_target(report)
    modulus = f" for {report['modulus']['name']}" if report["modulus"] else ""
    rows = [
        ("latency", f"{latency_words(contract)}, {_formula(contract)}{interval_words(contract)}"),
        ("const. latency", _constant_latency(contract)),
        ("certificate", _certificate(report["certificate"])),
        ("verification", _verification(report["verification"])),
        ("proofs", _proofs(report["proofs"])),
        ("mutants", mutants(report.get("mutation", NOT_RUN))),
        (f"cells, {target}", _resources(report["resources"][target])),
        ("cells, xc7", _resources(report["resources"]["xc7"])),
        ("Fmax, core", _timing(report["timing"]["core"], report["latency_ns"])),
        ("Fmax, channel", _timing(report["timing"]["channel"], None)),
        ("limited by", _limit(report["timing"])),
    ]
    if target == "xc7":
        del rows[7]
    lines = [f"{report['core']}{modulus}, target {report['request']['target']}"] + [
        f"  {name:<14} {text}" for name, text in rows
    ]
    return "".join(line + "\n" for line in lines)


def _formula(contract: JsonObject) -> str:
    return f"{contract['formula']}; " if contract["formula"] else ""


def _constant_latency(contract: JsonObject) -> str:
    if contract["constant_latency"]:
        return "yes: no step depends on operand values"
    steps = len(contract["data_dependent"])
    return f"NO: {steps} step{'s' * (steps != 1)} depend{'s' * (steps == 1)} on operand values"


def _certificate(rows: list[dict[str, str]]) -> str:
    holding = sum(row["holds"] == "yes" for row in rows)
    return f"{holding} of {len(rows)} conditions hold"


def _verification(given: Any) -> str:
    if given == NOT_RUN:
        return NOT_RUN
    simulators = ", ".join(sorted({run["engine"] for run in given["runs"]}))
    return f"{count(given['passed'])} of {count(given['cases'])} cases passed, simulator {simulators}"


def _proofs(given: Any) -> str:
    if given == NOT_RUN:
        return NOT_RUN
    counts = Counter(proof["status"] for proof in given)
    shown = [f"{counts[status]} {status}" for status in ("proved", "refuted", NOT_RUN)]
    shown += [f"{counts[NOT_PROVED]} {NOT_PROVED}"] if counts[NOT_PROVED] else []
    return ", ".join(shown + (["no lemma of arithmetic owed"] if counts[NOTHING_OWED] else []))


def _resources(given: Any) -> str:
    if given == NOT_RUN:
        return NOT_RUN
    return ", ".join(f"{count(given[key])} {key.upper()}" for key in ("lut", "ff", "dsp"))


def _timing(given: Any, latency_ns: Any) -> str:
    if given == NOT_RUN:
        return NOT_RUN
    if given["status"] != "measured":
        return f"{given['status']}: {given['reason']}"
    latency = f", latency {figure(latency_ns)} ns" if latency_ns is not None else ""
    return f"{figure(clock_rate(given))} MHz on {given['device']}{latency}"


def _limit(timing: JsonObject) -> str:
    """The critical path of the core, else that of the channel, in words."""
    for given in (timing["core"], timing["channel"]):
        if given != NOT_RUN and (words := limit_in_words(given.get("critical_path", {}))):
            return words
    return NOT_RUN
