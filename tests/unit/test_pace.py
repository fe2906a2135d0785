# SPDX-License-Identifier: Apache-2.0
"""Rates of cores whose cycles vary: the mean, or the most where no mean is known; never the shortest operation's."""

import csv
import io
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from modwright.base.store import Store
from modwright.compare.lines import marked, of_prepared, of_row
from modwright.contract import Distribution, Statistic
from modwright.contract.request import Request
from modwright.deliver.delivery import USUAL
from modwright.deliver.header import contract, header
from modwright.deliver.package import _means
from modwright.deliver.rendering import rendered
from modwright.explore.worker import cycles
from modwright.functions.cases import encode_cases
from modwright.measurement import Row, mean_latency, with_sampled_means
from modwright.measurement.record import document
from modwright.pages import as_csv, as_text, datasheet, plot, summary
from modwright.prepared import prepare, registry
from modwright.prepared.registry import find
from modwright.report import build_report
from modwright.schedule import Pace, Schedule, Step
from modwright.schedule.pace import FIXED, MEAN, MOST
from modwright.simulate.simulator import open_session
from modwright.synthesize import Resources

from ..toy import TOY
from .comparison_sample import DOCUMENT
from .report_sample import Timing
from .test_bench_tables import TIMING, cells_of, record

LEAST, MOST_CYCLES, MEAN_CYCLES = 7, 1_000_003, 400_009
"""Cycles of the toy, whose best case is 50,000 times faster than its mean."""
FMAX = 100.0


def varying_schedule(_):
    """One operation at a time, from `LEAST` to `MOST_CYCLES` cycles."""
    step = Step("digits", "loop", 0, busy=1, latency=MOST_CYCLES, depends_on_data=True)
    return Schedule((step,), MOST_CYCLES, "J", minimum_interval=LEAST + 1)


def statistic(exact):
    return lambda _: Statistic("cycles", "x uniform", lambda rng: 0, 1, exact, bound=MOST_CYCLES)


EXACT = Distribution(Fraction(MEAN_CYCLES), Fraction(1), LEAST, MOST_CYCLES)
KNOWN = replace(TOY, schedule=varying_schedule, statistic=statistic(EXACT))
UNKNOWN = replace(TOY, schedule=varying_schedule, statistic=statistic(None))


@pytest.fixture(scope="module")
def verilog(tmp_path_factory):
    """A store for the toys of this module, whose Verilog is the same."""
    return Store(tmp_path_factory.mktemp("pace"))


@pytest.fixture(params=[KNOWN, UNKNOWN], ids=["mean known", "mean not known"])
def variable(request, verilog, monkeypatch, toy_only):
    """The toy with cycles that vary, and what its rates have to come from."""
    core = request.param
    for name in ("shipped_records", "shipped_statistics"):
        monkeypatch.setattr(f"modwright.compare.comparison.{name}", dict)
    monkeypatch.setattr(registry, "all_cores", lambda: {core.name: core})
    prepared = prepare(core, Request.make(core, modulus="97"), verilog)
    return prepared, 1 + (MEAN_CYCLES if core is KNOWN else MOST_CYCLES)


def placed(prepared):
    resources = Resources("ecp5", 1234, 567, 9, 0, 0, 0, None, {}, {}, "counted", {})
    made = document(prepared, resources, Timing(fmax_mhz=FMAX, fmax_median=FMAX))
    return made | {"timing": made["timing"] | {"status": "measured"}}


def best_cases(text):
    """Words that say the shortest operation as a rate: its cycles, its time, its operations in a second or in 10^6."""
    interval = LEAST + 1
    rates = (f"{FMAX * 1e6 / interval:,.0f}", f"{FMAX / interval:,.2f} M", f"{FMAX / interval:,.2f} million")
    return [word for word in (*rates, f"every {interval} c", f'interval_ns": {interval * 1e3 / FMAX}') if word in text]


def test_the_law_of_a_pace():
    assert Pace.of(3, 9, 2, True, 9) == Pace(Fraction(3, 2), Fraction(3, 2), Fraction(3, 2))
    varying = Pace.of(8, 20, 1, False, 12.5)
    assert (varying.least, varying.mean, varying.most, varying.cycles, varying.kind) == (8, 13.5, 21, 13.5, MEAN)
    unknown = Pace.of(8, 20, 1, False, None)
    assert (unknown.cycles, unknown.kind) == (21, MOST)
    pair = Pace.of(8, 20, 2, False, 12.5)  # the longer of two decides, and its mean is not that of one
    assert (pair.least, pair.mean, pair.cycles, pair.kind) == (4, None, 11, MOST)
    assert Pace.of(3, 9, 1, True, None).kind == FIXED


def test_lines_fronts_plots_and_tables_have_no_best_case(variable):
    prepared, expected = variable
    row = Row.of(placed(prepared))
    fixed = replace(of_row(row), label="fixed", interval=float(LEAST + 2), interval_most=float(LEAST + 2))
    for line in (of_row(row), replace(of_prepared(prepared), fmax_mhz=FMAX, fmax_median=FMAX, lut=1234, dsp=9)):
        assert (line.interval, line.interval_most) == (expected, MOST_CYCLES + 1)
        assert line.per_second == pytest.approx(FMAX * 1e6 / expected)
        assert [one.front for one in marked([line, fixed], "throughput")] == [False, True], "a best case would win"
        shown = {**DOCUMENT, "rows": [line.to_json()]}
        assert f"{expected:,}" in as_text(shown)
        assert not best_cases(as_text(shown) + as_csv(shown) + plot(shown, "interval_ns"))
        (cells,) = csv.DictReader(io.StringIO(as_csv(shown)))
        assert float(cells["interval"]) == expected and cells["interval_kind"] in (MEAN, MOST)
        assert "the most" in plot(shown, "interval_ns")


def test_the_commands_print_no_best_case(variable, run):
    prepared, expected = variable
    assert run("params", TOY.name, "-m", 97) == 0
    assert "7 to 1,000,003 cycles" in run.out and "every 8 to 1,000,004 cycles" in run.out
    assert ("400,010.0 cycles, exact" if expected < MOST_CYCLES else "mean interval     not known") in run.out
    assert run("compare", "--function", "modmul", "--modulus", 97, "--front", "throughput", "--html", "page.html") == 0
    assert f"{expected:,}" in run.out
    assert run("compare", "--function", "modmul", "--modulus", 97, "--json") == 0
    assert run.json["rows"][0]["interval"] == expected
    assert not best_cases(run.out)
    assert cycles(prepared)["interval"] == expected


def test_records_and_datasheets_have_no_best_case(variable):
    prepared, expected = variable
    made = placed(prepared)
    assert made["derived"]["interval_ns"] == pytest.approx(expected * 1e3 / FMAX)
    assert made["schedule"]["most_interval_cycles"] == MOST_CYCLES + 1
    report = build_report(prepared, timing=Timing(fmax_mhz=FMAX, fmax_median=FMAX))
    assert report["contract"]["pace"]["clocks"] == expected
    sheet = datasheet(report)
    assert f"{expected:,}" in sheet and f"{FMAX / expected:,.2f} million" in sheet
    assert ("in the mean" if expected < MOST_CYCLES else "mean not known") in sheet
    assert "7 to 1,000,003 cycles" in summary(report)
    text = "\n".join(contract(prepared)) + "".join(_means(prepared).values())
    assert "every 8 to 1,000,004 cycles at full rate" in text
    # "every 8 to 1,000,004" is no rate, "every 8 cycles" is
    assert not best_cases(sheet + summary(report) + text)


def test_the_package_says_mean_and_most(variable):
    prepared, expected = variable
    context = dict.fromkeys(("top", "command", "table"), "") | {
        "core": prepared.core,
        "contract": contract(prepared),
        "schedule": prepared.schedule,
        "means": _means(prepared),
        "i": prepared.parameters.i,
        "o": prepared.parameters.o,
        "certificate": [],
        "wiring": USUAL.wiring,
    }
    text = rendered("datasheet.md.j2", "<!--", header(prepared, "<!--"), context)
    assert "7 to 1,000,003 cycles" in text and "every 8 to 1,000,004 cycles" in text
    assert ("mean 400,010.0 cycles" if expected < MOST_CYCLES else "mean not known") in text
    assert not best_cases(text)


@pytest.mark.parametrize(("mean", "interval", "time"), [(15.0, "16", "211.92"), ("not known", "21 (most)", "278.15")])
def test_tables_show_the_mean_with_the_most(mean, interval, time):
    """Figures of a record as it always was: the least interval, the most cycles, and the mean where theory has one."""
    given = record("modmul/binary", timing=TIMING)
    given["schedule"] |= {"constant_time": False, "mean_latency_cycles": mean}
    cells = cells_of(given)
    assert cells["interval"].startswith(interval) and "(most" in cells["interval"]
    products = float(cells["DSP × ns at full rate"].partition(" ")[0].replace(",", ""))
    assert products == pytest.approx(100 * float(time))


def test_a_sampled_mean_is_a_rate():
    core = find("modinv/rns-bmi")
    prepared = prepare(core, Request.make(core, field="P-192", options={"width": 20}))
    mean, source = mean_latency(prepared)
    assert mean is not None and source.endswith("samples")
    given = record("modinv/rns-bmi")
    given["request"] = prepared.request.to_mapping()
    given["schedule"] |= {"constant_time": False, "interval_cycles": 26, "latency_cycles": prepared.schedule.latency}
    sampled = {"request": given["request"], "statistic": "clocks", "measured": {"mean": 1234.5}}
    (row,) = with_sampled_means([Row.of(given)], [sampled])
    assert (row.interval, row.pace.kind) == (1235.5, MEAN)
    assert (Row.of(given).interval, Row.of(given).pace.kind) == (prepared.schedule.latency + 1, MOST)


SERIAL = [
    ("modmul/vlm3", {"options": {"bits": 6}}, {"modulus": 61, "x": 64, "y": 64}),
    ("modexp/vlm3-l2r", {"options": {"bits": 5}}, {"modulus": 31, "base": 31, "exponent": 32}),
    ("modinv/rns-bmi", {"modulus": "0x10001", "options": {"width": 12}, "target": "generic"}, {"a": 0x10001}),
]


@pytest.mark.parametrize(("name", "selection", "ranges"), SERIAL)
def test_an_operation_follows_another_when_that_is_over(name, selection, ranges, store):
    """The hardware keeps what `Pace.of` says: an operation of c cycles is followed c + 1 cycles after it."""
    core = find(name)
    prepared = prepare(core, Request.make(core, **selection), store)
    rng = Random(5)
    cases = [{key: top if key == "modulus" else rng.randrange(1, top) for key, top in ranges.items()} for _ in range(9)]
    payloads = encode_cases(prepared, cases)
    with open_session(prepared, "pure") as session:
        trace = session.feed([prepared.parameters.i.pack(one) for one in payloads])
    cycles = [prepared.model.run(one).cycles for one in payloads]
    assert len(set(cycles)) > 1
    assert [b - a for a, b in zip(trace.accepted, trace.accepted[1:], strict=False)] == [c + 1 for c in cycles[:-1]]
    assert prepared.schedule.shortest_latency <= min(cycles) <= max(cycles) <= prepared.schedule.latency
