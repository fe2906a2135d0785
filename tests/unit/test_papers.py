# SPDX-License-Identifier: Apache-2.0
"""The papers' tables again: documents, what is computed, what is measured, and what cannot be."""

import html
import re
from dataclasses import replace

import pytest
from typer.core import TyperGroup

from modwright.base.store import Store
from modwright.measurement import keep, load, shipped_records
from modwright.pages.reproduction import claims_as_text
from modwright.papers import PAPERS, computed, documents_of, find_paper, known_rows, reproduce
from modwright.papers.claims import CLAIMS, judged_of
from modwright.papers.claims.claim import CONFIRMED, ELSEWHERE, IN_PART, REFUTED
from modwright.papers.computed import COMPUTED, condition_22, inversion_overhead
from modwright.papers.errata import demonstrate, demonstrated_of, errata_of
from modwright.papers.figures import FIGURES
from modwright.papers.machine import CLAIM, GOAL
from modwright.papers.reproduction import CANNOT

from .conftest import CommandLine
from .test_docs import GROUP


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Every table of every paper, from the records that are checked in."""
    store = Store(tmp_path_factory.mktemp("store"))
    return {(p.name, t.document["table"]): t for p in PAPERS.values() for t in reproduce(p, store)}


@pytest.mark.parametrize("name", PAPERS)
def test_documents_are_whole(name):
    for document in documents_of(PAPERS[name]):
        assert {"source", "note", "columns", "key", "rows", "errata"} <= set(document)
        assert all(len(row) == len(document["columns"]) for row in document["rows"])
        assert ("computed" in document) or document["rows"]
        assert document.get("computed", "condition_22") in COMPUTED
        for one in document.get("ours", ()):
            assert set(one["quantities"]) <= set(document["columns"])
            assert set(one["quantities"].values()) <= set(FIGURES)
            assert any(
                all(dict(zip(document["columns"], row, strict=True))[k] == v for k, v in one["where"].items())
                for row in document["rows"]
            ), f"{document['table']}: {one['where']} is no row"


def test_every_figure_of_every_table_has_an_answer_or_a_reason(tables):
    for (paper, name), table in tables.items():
        document = table.document
        assert table.answers, (paper, name)
        if "computed" not in document:
            rows = len(document["rows"]) + _more_libraries(document)
            cells = rows * (len(document["columns"]) - len(document["key"]))
            answered = {(a.row, a.column) for a in table.answers}
            assert len(table.answers) + _without_reason(document) * rows == cells, (paper, name)
            assert answered
        for answer in table.answers:
            assert (answer.ours is None) == (answer.how.startswith((CANNOT, "not run"))), answer
            assert not answer.how.startswith(CANNOT) or len(answer.how) > len(CANNOT) + 5, answer


def _more_libraries(document):
    """Rows in addition to the paper's: one row of it is answered in the cells of several libraries, and in forms."""
    libraries = sum(len(line.get("libraries", ())) for line in document.get("ours", ()))
    return max(0, libraries - 1)


def _without_reason(document):
    """Columns that name something else than a figure, such as a device."""
    columns = set(document["columns"]) - set(document["key"]) - set(document.get("cannot", {}))
    return len(columns - {c for one in document.get("ours", ()) for c in one["quantities"]})


def test_a_ratio_is_ours_over_the_papers(tables):
    answers = [a for t in tables.values() for a in t.answers if a.ratio is not None]
    assert len(answers) > 50
    for a in answers:
        assert a.ratio == pytest.approx(float(a.ours) / float(a.paper))


def test_a_figure_of_a_record(tables):
    """SOR_1M_P on series 7: 108 blocks against 140."""
    table = tables["sum-of-residues", "Table 4"]
    answer = next(a for a in table.answers if (a.row, a.column) == ("SOR_1M_P, ARTIX 7", "DSP"))
    assert (answer.paper, answer.ours, answer.how) == ("140", 108, "modmul/sor-1m-p latency=6 on xc7")
    assert answer.ratio == pytest.approx(108 / 140)


def test_a_record_of_another_version_is_no_answer(tmp_path):
    """One of other Verilog than the code writes now, left in the store, with other figures."""
    store, record = Store(tmp_path), shipped_records()["secp256k1-sor-1m-p-xc7.json"]
    other = {"verilog": record["verilog"] | {"sha256": "0" * 64}, "resources": record["resources"] | {"dsp": 5}}
    keep(store, record | other)
    tables = {table.document["table"]: table for table in reproduce(PAPERS["sum-of-residues"], store)}
    test_a_figure_of_a_record({("sum-of-residues", "Table 4"): tables["Table 4"]})


def test_misprinted_moduli_are_composite():
    (document,) = (d for d in documents_of(PAPERS["sum-of-residues"]) if d["table"] == "Table 2")
    found = {(row, column): ours for row, column, _, ours in condition_22(document)}
    composite = [row for (row, column), ours in found.items() if column == "p is prime" and ours != "yes"]
    assert composite == ["SECP160R1", "SECP384R1"]
    p256 = str(2**256 - (2**256 - 2**224 + 2**192 + 2**96 - 1))
    row = [["P-256", f"2^256-{p256}", "8", "66", "", ""]]
    assert next(iter(condition_22({"rows": row})))[3] == "fails", "P-256, which the table leaves out, violates (22)"


def test_inversion_on_a_multiplier(tables):
    """With tables in block RAMs within the goal at 256 bits, and with no multiplier block; the overheads are those of
    the LUTs next to them."""
    every = {(a.row, a.column): a for a in tables["inversion", "Section IV"].answers}
    row = "256 bits, ecp5, blocks"
    alone, both = (every[row, f"{name}, LUT"].ours for name in ("multiplier", "with btmi"))
    assert every[row, "btmi: LUT more, %"].ours == pytest.approx((both / alone - 1) * 100)
    assert every[row, "btmi: LUT more, %"].ours <= GOAL
    assert every[row, "btmi: multiplier blocks more, %"].ours == 0
    assert every[row, "btmi over bmi, LUT, %"].paper == "3.1 to 3.4"
    assert every[row, "btmi over bmi, LUT, %"].ours <= CLAIM


def test_counts_of_plus_minus_inversion(tables):
    """Within a twentieth of what section V prints, over the operands that the command samples."""
    answers = tables["inversion", "Figure 2"].answers
    assert len(answers) == 4
    assert all(a.ratio == pytest.approx(1, abs=0.05) for a in answers)


def test_mean_cycles_of_a_campaign(tables):
    """Passes that were sampled, times the cycles of the schedule; FLT takes the same cycles for all."""
    found = {a.row: a for a in tables["inversion", "Figure 5"].answers}
    mean, fused = found["384, BTMI"], found["384, fused"]
    assert mean.how == "modinv/rns-btmi on xc7"
    assert fused.how == "schedule of modinv/rns-btmi-fused, passes sampled"
    assert 3700 < float(mean.ours) < 3900
    assert float(found["384, divsteps, constant latency"].ours) < float(fused.ours) < float(mean.ours)


@pytest.mark.parametrize(("name", "row", "paper"), [("Figure 4", "n = 16", "0.833"), ("Figure 5", "n = 16", "0.917")])
def test_counted_operations_beside_the_formulas(tables, name, row, paper):
    """At n = 16 and CMM/CMR = 2 the formulas of Table II are near the counts."""
    (answer,) = (a for a in tables["base-extension", name].answers if (a.row, a.column) == (row, "operations, r = 2"))
    assert answer.paper == paper
    assert answer.ratio == pytest.approx(1, abs=0.1)


def test_names_of_papers():
    assert len(find_paper("all")) == 5
    with pytest.raises(Exception, match="no paper is called 'x'"):
        find_paper("x")


def test_paper_on_the_command_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    run = CommandLine(capsys)
    assert run("paper") == 0
    assert all(name in run.out for name in PAPERS)
    assert run("paper", "all", "--csv", "figures.csv") == 0
    for paper in PAPERS.values():
        for document in documents_of(paper):
            assert document["source"] in run.out
            assert all(erratum.split()[0] in run.out for erratum in document["errata"])
    assert run("paper", "carry-save", "--json") == 0
    assert [table["table"] for table in run.json] == ["Table V", "Table VI", "Table VII"]
    assert "no paper is called" in run.fails(2, "paper", "x")


def test_fresh_measures_again(monkeypatch, toy_only, own_store):
    """With a document that the toy answers: two figures, and the core is measured once."""
    from modwright.papers import reproduction

    document = {
        "paper": "toy", "table": "Table 1", "source": "a sample", "note": "", "errata": [],
        "columns": ["design", "DSP", "FF"], "key": ["design"], "rows": [["x", "2", "8"]],
        "ours": [{"where": {"design": "x"}, "core": "modmul/toy", "modulus": "97", "target": "ecp5",
                  "quantities": {"DSP": "dsp", "FF": "ff"}}],
    }  # fmt: skip
    monkeypatch.setattr(reproduction, "documents_of", lambda paper: [document])
    report = []
    (table,) = reproduce(PAPERS["inversion"], own_store, fresh=True, progress=report.append)
    assert report == ["measuring modmul/toy on ecp5"]
    assert next((a.column, a.ours, a.ratio) for a in table.answers) == ("DSP", 1, 0.5)
    assert table.answers[1].ours and table.answers[1].ours > 0


def test_the_shipped_records_are_found():
    from modwright.measurement import bench_folder

    assert shipped_records() == load(bench_folder() / "results")


def test_a_unit_is_answered_by_the_record_of_its_own_modulus(tables):
    """Reductions of 17 to 28 bits, each measured by itself."""
    answers = tables["base-extension", "Table I"].answers
    slices = [a.ours for a in answers if a.row.startswith("CMR") and a.column == "slices"]
    assert len(set(slices)) == len(slices) == 4


@pytest.mark.parametrize(("paper", "erratum"), [(paper, one) for paper in PAPERS for one in errata_of(paper)])
def test_an_erratum_is_shown(paper, erratum):
    found = demonstrate(erratum)
    assert found.cases > 0 and found.printed_fails > 0 and found.corrected_fails == 0, (paper, erratum.name)


def test_a_statement_that_holds_is_no_erratum():
    true = replace(errata_of("inversion")[0], cases=lambda: [(True, True)] * 5)
    false = replace(true, cases=lambda: [(False, False)] * 5)
    assert not demonstrate(true).shown and not demonstrate(false).shown


def test_errata_on_the_command_line(run):
    assert run("paper", "inversion", "--errata", "--json") == 0
    assert [one["name"] for one in run.json] == [one.name for one in errata_of("inversion")]
    assert all(one["shown"] and one["paper"] == "inversion" for one in run.json)
    assert run("paper", "inversion", "--errata") == 0
    assert "of 48 cases 6 fail as printed, 0 as corrected" in run.out
    assert "errata only" in run.fails(2, "paper", "inversion", "--errata", "--csv", "x.csv")


def test_a_page_of_a_paper(capsys, tmp_path):
    run = CommandLine(capsys)
    assert run("paper", "inversion", "--html", tmp_path / "paper.html") == 0, run.err
    text = (tmp_path / "paper.html").read_text()
    assert not re.search(r"<(script|link|img|iframe|object)\b|@import|url\(", text)
    assert all(f"<h3>{table}</h3>" in text for table in PAPERS["inversion"].tables)
    assert text.count("<svg") == len(set(re.findall(r'id="(ratios-[\w-]+)-title"', text))) > 0
    assert "fail as corrected" in text
    assert all(claim.text in html.unescape(text) for claim in CLAIMS["inversion"])


def test_table_2_of_base_extension_is_counted(tables):
    """Every formula has two figures of ours: those of the Montgomery product as printed, the hybrid ones lower."""
    answers = tables["base-extension", "Table II"].answers
    assert len(answers) == 18
    assert all(answer.ratio == 1 for answer in answers if "MM" in answer.row)
    assert all(0.9 < answer.ratio < 1 for answer in answers if "HPR" in answer.row)


def test_bits_of_constants_are_those_of_the_paper(tables):
    answers = tables["sum-of-residues", "Memory"].answers
    printed = [(answer.ours, answer.ratio) for answer in answers if answer.paper]
    assert printed == [(9944, 1), (9856, 1)]
    plain, rooted, hierarchical = (answer.ours for answer in answers if not answer.paper)
    assert hierarchical < rooted < plain


# --- claims


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return known_rows(Store(tmp_path_factory.mktemp("empty")))


@pytest.fixture(scope="module")
def claims_of(tables, rows):
    """Claims of a paper by their text, judged by the records that are checked in, or with changes."""

    def claims(paper, rows=rows, **changed):
        made = [table for (name, _), table in tables.items() if name == paper]
        errata = [replace(each, **changed) for each in demonstrated_of(paper)]
        return {claim.claim: claim for claim in judged_of(paper, made, rows, errata)}

    return claims


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_is_judged(claims_of, paper):
    claims = claims_of(paper).values()
    assert len(claims) == len(CLAIMS[paper]) > 4
    assert all(claim.verdict in (CONFIRMED, IN_PART, REFUTED, ELSEWHERE) for claim in claims)


def test_a_claim_without_figures_is_not_run(claims_of):
    claims = claims_of("carry-save", rows=[])
    verdicts = [claim.verdict for claim in claims.values() if claim.command.startswith("modwright compare")]
    assert verdicts == ["not run"] * 3


def test_a_verdict_follows_the_figures(claims_of, rows):
    """With a clock rate that is nine times lower the multiplier is slower than both others."""

    def slower(row):
        return replace(row, timing=row.timing | {"fmax_median": row.clock_rate / 9})

    claim = "A product is faster than by radix 2 or radix 4."
    changed = [slower(row) if row.core == "vlm3" and row.placed else row for row in rows]
    verdicts = [claims_of("carry-save", rows=given)[claim].verdict for given in (rows, changed)]
    assert verdicts == [IN_PART, ELSEWHERE]


def test_clock_rates_are_compared_for_equal_options(claims_of, rows):
    """A record of BTMI with another width, twice as fast, says nothing about BMI with the default one."""
    own = next(row for row in rows if (row.core, row.bits) == ("rns-btmi", 256) and row.placed and row.clock_rate)
    request = {**own.request, "options": {**own.request["options"], "width": 23}}
    faster = replace(own, request=request, timing=own.timing | {"fmax_median": 2 * own.clock_rate})
    claim = "No lower clock rate."
    found, other = (claims_of("inversion", rows=given)[claim].figures for given in (rows, [*rows, faster]))
    assert found == other


def test_areas_are_compared_for_equal_options(monkeypatch):
    """Table IV is of the default width, whatever else was measured."""
    shipped = shipped_records()
    [own] = [
        r
        for r in shipped.values()
        if r["request"]["core"] == "modinv/rns-btmi"
        and r["request"]["target"] == "xc7"
        and r["request"]["field"] == "secp256r1"
        and r["request"]["options"]["width"] == 20
    ]
    other = {
        **own,
        "request": {**own["request"], "options": {**own["request"]["options"], "width": 23}},
        "resources": {**own["resources"], "lut": 1},
    }
    document = next(d for d in documents_of(PAPERS["inversion"]) if d.get("computed") == "inversion_overhead")
    found = list(inversion_overhead(document))
    monkeypatch.setattr(computed, "shipped_records", lambda: {**shipped, "other.json": other})
    assert list(inversion_overhead(document)) == found


def test_a_claim_that_holds_as_printed_is_confirmed(claims_of):
    claim = "The recoding of Algorithm 6 has the value of X."
    assert claims_of("carry-save")[claim].verdict == REFUTED
    assert claims_of("carry-save", printed_fails=0)[claim].verdict == CONFIRMED


@pytest.mark.parametrize("command", sorted({claim.command for claims in CLAIMS.values() for claim in claims}))
def test_commands_of_claims_are_understood(command):
    for one in command.split("&&"):
        program, name, *words = one.split()
        assert program == "modwright"
        assert isinstance(GROUP, TyperGroup)
        GROUP.commands[name].make_context(name, words)


def test_lines_of_commands_can_be_pasted(claims_of):
    """Each printed line is whole commands, and a shell reads on behind the last word of all but the last."""
    claims = [claim for paper in CLAIMS for claim in claims_of(paper).values()]
    longest = max(claims, key=lambda claim: len(claim.command))
    printed = claims_as_text([longest]).partition("  command   ")[2].strip().splitlines()
    assert len(printed) > 1
    assert all(line.endswith(" &&") for line in printed[:-1])
    assert [word for line in printed for word in line.split()] == longest.command.split()
    assert all(command in claims_as_text([claim]) for claim in claims for command in claim.command.split(" && "))


def test_claims_on_the_command_line(capsys):
    run = CommandLine(capsys)
    assert run("paper", "point-multiplication", "--claims", "--json") == 0
    assert [claim["claim"] for claim in run.json] == [claim.text for claim in CLAIMS["point-multiplication"]]
    assert run("paper", "point-multiplication", "--claims") == 0
    assert "in part" in run.out
    assert "claims only" in run.fails(2, "paper", "point-multiplication", "--claims", "--csv", "x.csv")
