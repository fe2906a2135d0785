# SPDX-License-Identifier: Apache-2.0
"""Planted faults that only the extremes of numbers inside an operation find."""

import dataclasses

import pytest

from modwright.contract.operands import PAYLOAD
from modwright.contract.quantities import MISSED, REACHED
from modwright.contract.request import Request
from modwright.cores.modmul.sor.model import SorModel
from modwright.cores.modmul.sor_lean.model import LeanModel
from modwright.functions.cases import encode_cases, extreme_cases
from modwright.pages import datasheet
from modwright.prepared import prepare
from modwright.report import build_report
from modwright.report.evidence import verification as verification_record
from modwright.simulate import verify
from modwright.simulate.runs import Part, Run, Summary

from ..toy import TOY
from .extremes_cases import prepared_for, rows_of_edges


def wrong(prepared, model, cases):
    """Cases whose result differs from the true model's."""
    count = 0
    for payload in encode_cases(prepared, cases):
        try:
            count += model.run(payload).payload != prepared.model.run(payload).payload
        except IndexError:
            count += 1
    return count


@pytest.mark.parametrize("prime", ["secp256k1", "2^255-19"])
@pytest.mark.parametrize(("name", "model"), [("modmul/sor-1m-p", SorModel), ("modmul/sor-lean", LeanModel)])
def test_a_table_of_corrections_one_row_short_is_found(name, model, prime, store):
    prepared = prepared_for(name, prime, store)
    p = dataclasses.replace(prepared.parameters)
    p.__dict__["corrections"] = (*prepared.parameters.corrections[:-1], 0)
    assert wrong(prepared, model(p, prepared.schedule), list(extreme_cases(prepared).values()))


class ShortSum(SorModel):
    """The golden model with a κ whose sum has lost its top bits."""

    def __init__(self, p, schedule, width):
        super().__init__(p, schedule)
        self.width = width

    def run(self, operands):
        p = self.p
        rows = zip(operands["x"], operands["y"], p.base.inverses, p.base.moduli, p.kappa_weights, strict=True)
        total = sum(x * y * inverse % m * k for x, y, inverse, m, k in rows)
        lost = (total >> p.T) - ((total & ((1 << self.width) - 1)) >> p.T)
        outcome = super().run(operands)
        z = [(r + lost * p.modulus) % m for r, m in zip(outcome.payload["z"], p.base.moduli, strict=True)]
        return dataclasses.replace(outcome, payload=outcome.payload | {"z": tuple(z)})


@pytest.mark.parametrize(("prime", "short"), [("2^255-19", 1), ("secp256k1", 2)])
def test_a_sum_of_kappa_that_is_too_short_is_found(prime, short, store):
    """On secp256k1 the sum is one bit wider than any operands need, so that one bit less is no fault there."""
    prepared = prepared_for("modmul/sor-1m-p", prime, store)
    p, cases = prepared.parameters, list(extreme_cases(prepared).values())
    assert wrong(prepared, ShortSum(p, prepared.schedule, p.kappa_sum.bit_length() - short), cases)
    assert not wrong(prepared, ShortSum(p, prepared.schedule, p.kappa_sum.bit_length() - short + 1), cases)
    row = rows_of_edges(prepared)["bits of ΣγK"]
    needed = row["most"] if row["possible"] is None else row["possible"][1]
    assert int(row["most"]) - int(needed) == short - 1


def planted(prepared, **constants):
    """The same core with other constants in parameters, model and RTL."""
    p = dataclasses.replace(prepared.parameters)
    p.__dict__.update(constants)
    return dataclasses.replace(prepared, parameters=p)


def test_a_row_short_in_model_and_hardware_alike_fails_in_simulation(store):
    """The same wrong table in both: bits and cycles agree, only the values tell, and only on the extremes."""
    prepared = prepared_for("modmul/sor-1m-p", "61", store, width=8)
    broken = planted(prepared, corrections=(*prepared.parameters.corrections[:-1], 0))
    found = verify(broken, list(extreme_cases(prepared).values()), simulator="pure")
    assert {failure.level for failure in found.failed} == {"value"}


def test_a_sum_one_bit_short_in_hardware_fails_in_simulation(store):
    prepared = prepared_for("modmul/sor-1m-p", "61", store, width=8)
    cases = list(extreme_cases(prepared).values())
    broken = planted(prepared, kappa_sum=prepared.parameters.kappa_sum >> 1)
    hardware = dataclasses.replace(broken, core=dataclasses.replace(prepared.core, model=lambda p, s: prepared.model))
    levels = {failure.level for failure in verify(hardware, cases, simulator="pure").failed}
    assert levels >= {"bits", "range"}  # the range is that of the wrong parameters, which the true numbers leave
    assert verify(prepared, cases, simulator="pure").failed == []


def test_simulation_reports_the_extremes(store):
    """In --json and in the record of a report, merged over runs; the same cases reach the same ends."""
    prepared = prepared_for("modmul/sor-1m-p", "61", store, width=8)
    cases = list(extreme_cases(prepared).values())
    run = Run(simulator="pure", pattern="free")
    (pattern,) = run.patterns(prepared, len(cases))
    found = run.verify(prepared, cases, pattern)
    rows = Summary("c", [Part(pattern, pattern.indices, found)] * 2).to_json()["extremes"]
    assert [row["name"] for row in rows] == [quantity.name for quantity in prepared.extremes.quantities]
    assert {row["observed"] for row in rows} == {2 * len(cases)}
    assert verification_record([found, found])["extremes"] == rows


def test_datasheets_show_what_was_reached(store):
    prepared = prepared_for("modmul/sor-1m-p", "61", store, width=8)
    found = verify(prepared, list(extreme_cases(prepared).values()), simulator="pure")
    page = datasheet(build_report(prepared, verification=found))
    assert "<h3>Extremes</h3>" in page
    rows = {row["name"]: row for row in found.extremes}
    assert rows["α"]["most_status"] == REACHED and rows["cox"]["most_status"] == MISSED
    assert rows["cox"]["reason"] in page and MISSED in page
    silent = prepare(TOY, Request.from_mapping(TOY, {"core": TOY.name, "modulus": "61", "target": "generic"}), store)
    assert "none stated" in datasheet(
        build_report(silent, verification=verify(silent, [{"x": 1, "y": 2}], simulator="pure"))
    )


def test_both_representations_of_zero_are_used(store):
    """Row N of the lean core's table, which no canonical residues reach."""
    prepared = prepared_for("modmul/sor-lean", "61", store, width=8)
    rows = [case for case in extreme_cases(prepared).values() if PAYLOAD in case]
    assert {prepared.codec.restore(case[PAYLOAD]["x"]) for case in rows} == {0}
    assert rows_of_edges(prepared)["row of α"]["most_status"] == REACHED
