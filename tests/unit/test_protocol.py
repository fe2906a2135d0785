# SPDX-License-Identifier: Apache-2.0
"""The protocol of measured records: rows say where they depart from it, and bench/again.py keeps it."""

import json
import sys

import pytest

from modwright.measurement import protocol
from modwright.measurement.rows import Row, rows_of
from modwright.tables import Sources
from modwright.tables.cells import fmax

from .test_bench_tables import GIVEN, RECORDS, TIMING, load, record, shown

again = load("again")
KEPT = {
    **TIMING,
    "per_seed": [{"seed": seed, "fmax_mhz": 80.0, "reason": ""} for seed in range(1, 6)],
    "router": "router1",
    "harness": "out-of-context",
}


def placed(timing, core="modmul/sor-1m-p", **given):
    """A record of few blocks, so that router1 is that of the rule."""
    found = record(core, timing=timing, **given)
    found["resources"]["dsp"] = 10
    return found


def departures(**changes):
    return protocol.departures(Row.of(placed({**KEPT, **changes})))


def test_seeds_follow_from_the_area():
    assert protocol.seeds(20_000) == (1, 2, 3, 4, 5)
    assert protocol.seeds(20_001) == (1, 2, 3)


def test_a_row_that_keeps_the_protocol_departs_in_nothing():
    assert departures() == {}
    assert departures(frequency_mhz=60.0) == {}, "the target clock changes no placement"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"per_seed": KEPT["per_seed"][:1]}, {"fewer seeds": "one seed"}),
        ({"per_seed": KEPT["per_seed"][:3]}, {"fewer seeds": "3 seeds"}),
        ({"router": "router2"}, {"another router": "router2"}),
        ({"harness": "shift"}, {"another harness": "shift"}),
        ({"timing_weight": 25}, {"a weight of timing": "timing weight 25"}),
    ],
)
def test_departures(changes, found):
    assert departures(**changes) == found


def test_three_seeds_are_enough_for_a_large_core_and_router2_for_a_full_device():
    large = record(timing={**KEPT, "per_seed": KEPT["per_seed"][:3], "router": "router2"})
    large["resources"]["lut"] = 60_000
    assert protocol.departures(Row.of(large)) == {}
    large["timing"]["router"] = "router1"
    assert protocol.departures(Row.of(large)) == {"another router": "router1"}


def test_rows_are_counted_below_a_table():
    given = [placed(KEPT), placed(TIMING), placed(KEPT, wide_lut=True), record()]
    text = protocol.counts(rows_of(given))
    assert text == (
        "By the protocol: 1 of 3 placed rows; 1 with fewer seeds, 1 with another router, 1 with another harness, "
        "1 with wide LUTs. "
    )
    assert protocol.counts(rows_of([record()])) == ""


@pytest.mark.parametrize("name", [name for name in RECORDS if RECORDS[name]["resources"]["target"] != "asic"])
def test_every_row_states_where_it_departs(name):
    """Rows of several protocols stand in one table: their cells have each difference."""
    (row,) = rows_of([RECORDS[name]])
    cells = f"{row.name} {fmax(row.timing)} {fmax(row.channel)}"
    for words in protocol.departures(row).values():
        assert words in cells


def test_records_keep_the_protocol():
    """Another weight of timing stands next to the usual one; a channel of its own lacks no seed either."""
    weighted = {}
    for name, known in RECORDS.items():
        (row,) = rows_of([known])
        if found := protocol.departures(row):
            assert found.keys() == {"a weight of timing"}, name
            weighted[name] = row.request
    usual = [row.request for row in rows_of(RECORDS.values()) if row.placed and not protocol.departures(row)]
    assert weighted
    assert all(request in usual for request in weighted.values())
    assert [point.key for point, _ in again.work(Sources(RECORDS), only_missing=True)] == []


def test_rows_that_depart_are_ranked_last():
    lucky = KEPT | {"per_seed": KEPT["per_seed"][:1], "fmax_median": 90.0}
    given = [
        placed(lucky, "modmul/sor-lean"),
        placed(lucky, "modmul/binary"),
        placed(KEPT | {"fmax_median": 70.0}, "modmul/binary", sha256="b"),
        placed(KEPT | {"fmax_median": 10.0}),
    ]
    found = shown(*given, table="fastest")
    clock = found[0].index("Fmax, MHz")
    assert [(row[1], row[clock].partition(" ")[0]) for row in found[1:]] == [
        ("`binary`", "70.0"),
        ("`sor-1m-p`", "10.0"),
        ("`sor-lean`", "90.0"),
    ]
    goals = {row[1]: row[3] for row in shown(*given, table="readme")[1:]}
    assert "`sor-lean`" not in goals, "an RNS core by the protocol is there"
    assert "fastest on residues" in goals["`sor-1m-p`"]


# --- bench/again.py


def test_commands_are_stripped_of_what_the_protocol_has():
    line = (
        "python bench/measure.py a/b --option x=1 --place --wide-lut --seeds 1,2 --frequency 60 --router router2 -o c"
    )
    assert again.by_protocol(line) == [*line.split()[:6], "-o", "c"]


def test_a_channel_that_was_only_counted_is_counted_again():
    """Series 7 has no clock rate, and the area of a channel alone is in its records."""
    given = {**record(target="xc7"), "channel_resources": {"lut": 22}}
    (line,) = again.commands({"one.json": given})
    assert "--channel" in line.split() and "--place" not in line.split()
    assert "--channel" not in next(again.commands({"one.json": record(target="xc7")})).split()


def test_every_record_is_made_again_once():
    points = [point for point, _ in again.work(GIVEN)]
    assert len({point.key for point in points}) == len(points) == len(RECORDS) + len(GIVEN.statistics)
    assert not {word for point in points for word in point.arguments[0]} & {*again.OF_THE_PROTOCOL, "--wide-lut"}
    seconds = [seconds for _, seconds in again.work(GIVEN)]
    assert seconds == sorted(seconds) and seconds[0] >= 0


def test_only_missing_seeds_are_placed_where_that_is_requested():
    """A large core needs three seeds; a design that was not placed lacks none."""
    large = record(timing={**KEPT, "per_seed": [KEPT["per_seed"][n] for n in (0, 2)]})
    large["resources"]["lut"] = 30_000
    one = record(timing={**KEPT, "per_seed": KEPT["per_seed"][:1]})
    given = Sources({"one": one, "all": record(timing=KEPT), "bare": record(target="xc7"), "large": large})
    found = {point.key: (point.arguments[0], seconds) for point, seconds in again.work(given, only_missing=True)}
    assert sorted(found) == ["large", "one"]
    assert all(words[-1] == "--keep-seeds" for words, _ in found.values())
    (whole,) = (seconds for point, seconds in again.work(given) if point.key == "large")
    start = again.START_SECONDS + again.SYNTHESIS_SECONDS * 30
    assert found["large"][1] - start == pytest.approx((whole - start) / 3)


def test_a_channel_lacks_seeds_too():
    """With those of the core where it has both, and in the time of what is placed, which is small."""
    one = {**KEPT, "per_seed": KEPT["per_seed"][:1], "utilisation": {"LUT": {"used": 100}, "FF": {"used": 50}}}
    channel = {**record(), "channel_timing": one}
    both = {**record(timing=KEPT), "channel_timing": one}
    given = Sources({"channel": channel, "both": both, "all": {**record(), "channel_timing": KEPT}})
    found = {point.key: (point.arguments[0], seconds) for point, seconds in again.work(given, only_missing=True)}
    assert sorted(found) == ["both", "channel"]
    words, seconds = found["channel"]
    assert words[-1] == "--keep-seeds" and "--channel" in words and "--place" not in words
    placement = again.PLACER_SECONDS + again.PLACEMENT_SECONDS * 0.1**again.GROWTH
    assert seconds == pytest.approx(again.seconds_of(record()) + 4 * placement)


@pytest.fixture
def three(tmp_path, monkeypatch):
    """Three records whose commands write a line each, the tables of which are not rendered."""
    names = ("a", "b", "c")
    given = Sources({f"{name}.json": record(timing=KEPT) for name in names})
    monkeypatch.setattr(again.tables, "sources", lambda: given)
    rendered = []
    monkeypatch.setattr(again.tables, "main", rendered.append)
    monkeypatch.setattr(again.beside, "IN_CELLS", {})
    script = (
        "import sys; name = sys.argv[-1].partition('.')[0][-1]; open('made', 'a').write(name); sys.exit(name == 'b')"
    )
    monkeypatch.setattr(again, "ROOT", tmp_path)
    monkeypatch.setattr(again, "by_protocol", lambda line: ["python", "-c", script, line.split()[-1]])
    return tmp_path, rendered


def run(*words):
    return again.main([*words])


def test_a_run_resumes_and_names_what_failed(three, capsys, monkeypatch):
    root, rendered = three
    folder = ("--folder", str(root / "work"))
    assert run("--dry-run", *folder) == 0
    minutes = 3 * again.seconds_of(record(timing=KEPT)) / 60
    assert capsys.readouterr().out == f"0 of 3 records are made, about {minutes:.0f} minutes of one processor left\n"
    make = again.make

    def interrupted(words):
        if words[-1].endswith("b.json"):
            raise KeyboardInterrupt
        return make(words)

    monkeypatch.setattr(again, "make", interrupted)
    assert run(*folder) == 130
    monkeypatch.setattr(again, "make", make)
    monkeypatch.setattr(again.farm, "TIMEOUT", 0.1)
    monkeypatch.setattr(again.farm.Worker.__init__, "__defaults__", (0.1,))
    assert rendered == []
    assert run(*folder) == 1, "b fails"
    assert (root / "made").read_text() == "acb", "a is not made twice"
    assert rendered == [[]]
    assert "not made: b (no message)" in capsys.readouterr().err


def test_a_folder_of_other_work_is_refused(three, capsys):
    root, _ = three
    folder = ("--folder", str(root / "work"))
    assert run("--only", "a", *folder) == 0
    assert run(*folder) == 2
    assert "begun with other records" in capsys.readouterr().err
    assert run("--dry-run", "--only", "b", *folder) == 0
    assert capsys.readouterr().out.startswith("0 of 1 records")
    plan = root / "work" / "plan.json"
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"source": "older"}))
    assert run("--only", "a", *folder) == 2
    assert "another version" in capsys.readouterr().err
    assert run("--only", "nonesuch", *folder) == 2


def test_where_no_seed_is_missing_nothing_runs(three, capsys):
    """A name that no record has is still an error."""
    root, rendered = three
    folder = ("--folder", str(root / "work"))
    for words in ((), ("--dry-run",)):
        assert run("--missing", *folder, *words) == 0
        assert capsys.readouterr().out == "no record lacks seeds\n"
    assert run("--missing", "--only", "b", *folder) == 0
    assert capsys.readouterr().out == "no record with 'b' in its name lacks seeds\n"
    assert run("--missing", "--only", "nonesuch", *folder) == 2
    assert capsys.readouterr().err.startswith("error: no record has 'nonesuch' in its name\n")
    assert rendered == [] and not (root / "work").exists()


def test_missing_seeds_are_resumed(three, monkeypatch):
    """A finished record lacks no seed, and leaves the list; the folder is still the same work."""
    root, _ = three
    lacking = {f"{name}.json": record(timing={**KEPT, "per_seed": KEPT["per_seed"][:1]}) for name in "ac"}
    monkeypatch.setattr(again.tables, "sources", lambda: Sources(dict(lacking)))
    make, folder = again.make, ("--missing", "--folder", str(root / "work"))

    def interrupted(words):
        if any("c.json" in word for word in words):
            raise KeyboardInterrupt
        return make(words)

    monkeypatch.setattr(again, "by_protocol", lambda line: ["python", "-c", "", line.split()[-1]])
    monkeypatch.setattr(again, "make", interrupted)
    monkeypatch.setattr(again.farm, "TIMEOUT", 0.1)
    monkeypatch.setattr(again.farm.Worker.__init__, "__defaults__", (0.1,))
    assert run(*folder) == 130
    del lacking["a.json"]
    monkeypatch.setattr(again, "make", make)
    assert run(*folder) == 0
    lacking["b.json"] = lacking["c.json"]
    assert run(*folder) == 2, "other records"


def test_a_command_runs_with_this_python(monkeypatch):
    monkeypatch.setattr(again, "ROOT", ".")
    assert again.make(["python", "-c", f"import sys; sys.exit(sys.executable != {sys.executable!r})"]).keys() == {
        "seconds"
    }
    assert again.make(["python", "-c", "raise SystemExit('no')"])["error"] == "no"
    error = "import sys; sys.exit('error: no sta\\n  try: a package')"
    assert again.make(["python", "-c", error])["error"] == "error: no sta"


def test_gates_and_formulas_are_made_again(three, monkeypatch, capsys):
    """Their tables are rendered at the end; seeds of theirs are never missing."""
    root, rendered = three
    monkeypatch.setattr(again.beside, "IN_CELLS", {"gates": ("-c", "open('made', 'a').write('gates')")})
    monkeypatch.setattr(again.beside, "render", lambda: rendered.append("gates"))
    assert run("--only", "gates", "--folder", str(root / "work")) == 0
    assert (root / "made").read_text() == "gates"
    assert rendered == [[], "gates"]
    assert "1 of 1 records are made" in capsys.readouterr().out
    assert run("--missing", "--only", "gates", "--folder", str(root / "other")) == 0
    assert "lacks seeds" in capsys.readouterr().out


def test_peers_are_made_again_from_their_checkouts(tmp_path, capsys):
    checkout = tmp_path / "cryptech"
    checkout.mkdir()
    points = {point.key: point.arguments[0] for point, lut in again.beside.peers(tmp_path) if lut > 0}
    assert points.keys() == {"peer-cryptech-ecdhp256", "peer-cryptech-modexpa7-512"}
    for key, words in points.items():
        name = key.removeprefix("peer-")
        assert words == ["python", "bench/peers.py", name, "--source", str(checkout), "--place"]
    assert run("--dry-run", "--peers", str(tmp_path), "--only", "peer-") == 0
    assert capsys.readouterr().out.startswith("0 of 2 records")
    assert run("--dry-run", "--peers", str(checkout), "--only", "peer-") == 2
    assert "has no checkout of a peer" in capsys.readouterr().err
