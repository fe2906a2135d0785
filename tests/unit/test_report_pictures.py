# SPDX-License-Identifier: Apache-2.0
"""The Gantt chart and the block picture: well-formed, complete, legible."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.contract import Block
from modwright.contract.request import Request
from modwright.draw import block_diagram, gantt
from modwright.draw.svg import clean, fit, width_of, wrap
from modwright.prepared import prepare
from modwright.prepared.registry import cores_of, packages
from modwright.report import build_report
from modwright.schedule import Step

from .report_sample import BLOCKS, STEPS, sample_prepared

NS = "{http://www.w3.org/2000/svg}"
LONG = "a very long name of a step that fits nowhere, with <odd> & \"quoted\" 'characters' \u0007 and 漢字" * 3


def draw(picture, tmp_path, **changes):
    return picture(build_report(sample_prepared(tmp_path, **changes)))


def parse(svg):
    return ElementTree.fromstring(svg)


def of_class(root, tag, kind):
    return [e for e in root.iter(NS + tag) if kind in e.get("class", "").split()]


def tooltips(root, kind):
    return [group.find(NS + "title").text for group in of_class(root, "g", kind)]


def box(rect):
    x, y, width, height = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def text_box(element):
    """Where a text lies, by the estimate that the drawing itself uses."""
    kind = element.get("class")
    wide = width_of(element.text, 10.0 if "small" in kind else 11.0)
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - wide / 2 if "middle" in kind else x - wide if "end" in kind.split() else x
    return left, y - 9, left + wide, y + 2


def overlap(a, b):
    return a[0] < b[2] - 0.1 and b[0] < a[2] - 0.1 and a[1] < b[3] - 0.1 and b[1] < a[3] - 0.1


def assert_legible(root):
    """No text over another one, none outside of the picture."""
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [(e.text, text_box(e)) for e in root.iter(NS + "text")]
    for text, (left, top, right, bottom) in boxes:
        assert left >= -0.1 and right <= width + 0.1 and top >= 0 and bottom <= height, text
    for (one, a), (other, b) in combinations(boxes, 2):
        assert not overlap(a, b), (one, other)


@pytest.mark.parametrize("picture", [gantt, block_diagram])
def test_a_picture_explains_itself(picture, tmp_path):
    root = parse(draw(picture, tmp_path))
    title, description = root.find(NS + "title"), root.find(NS + "desc")
    assert "modmul/rns-sample" in title.text and len(description.text) > 40
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert "prefers-color-scheme:dark" in root.find(NS + "style").text
    assert not re.search(r"(href|src|url)\s*[=(]", ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.parametrize("picture", [gantt, block_diagram])
def test_a_picture_is_deterministic(picture, tmp_path):
    assert draw(picture, tmp_path / "a") == draw(picture, tmp_path / "b")


def test_every_colour_of_a_class_that_is_used_is_set(tmp_path):
    for picture in (gantt, block_diagram):
        root = parse(draw(picture, tmp_path))
        style = root.find(NS + "style").text
        used = {kind for e in root.iter() for kind in e.get("class", "").split()}
        for kind in used - {"mw", "gantt", "blocks", "step", "block"}:
            assert f".mw .{kind}{{" in style, kind


def test_every_step_is_drawn_once_where_the_schedule_says(tmp_path):
    root = parse(draw(gantt, tmp_path))
    found = tooltips(root, "step")
    assert len(found) == len(STEPS)
    for step in STEPS:
        own = [t for t in found if t.startswith(step.name + ": ")]
        cycles = f"cycle {step.start}," if step.busy == 1 else f"cycles {step.start}–{step.start + step.busy - 1},"
        assert len(own) == 1 and cycles in own[0] and own[0].endswith(f"readable in cycle {step.end}")


def test_bars_have_the_length_of_their_cycles(tmp_path):
    root = parse(draw(gantt, tmp_path))
    bars = {g.find(NS + "title").text.split(": ")[0]: box(g.find(NS + "rect")) for g in of_class(root, "g", "step")}
    ordered = sorted(STEPS, key=lambda s: s.start)
    origin = bars["operands"][0]
    cycle = bars["operands"][2] - origin
    for step in ordered:
        name = step.name.split(": ")[0]
        if Counter(s.name.split(": ")[0] for s in STEPS)[name] > 1:
            continue
        left, _, right, _ = bars[name]
        assert left == pytest.approx(origin + step.start * cycle, abs=1.5)
        assert right - left == pytest.approx(step.busy * cycle, abs=1.5)


def test_cycle_numbers_stand_above_their_cycles(tmp_path):
    root = parse(draw(gantt, tmp_path))
    numbers = {e.text: float(e.get("x")) for e in root.iter(NS + "text") if e.text.isdigit()}
    bars = {g.find(NS + "title").text: box(g.find(NS + "rect")) for g in of_class(root, "g", "step")}
    for title, (left, _, right, _) in bars.items():
        if match := re.search(r"busy in cycle (\d+),", title):
            assert numbers[match.group(1)] == pytest.approx((left + right) / 2, abs=0.2)


def test_no_bar_or_ghost_lies_beyond_the_axis(tmp_path):
    root = parse(draw(gantt, tmp_path))
    axis = max(float(n) for e in of_class(root, "path", "grid") for n in re.findall(r"[\d.]+", e.get("d"))[0::2])
    rects = of_class(root, "rect", "busy") + of_class(root, "rect", "ghost")
    legend = max(box(r)[1] for r in rects)
    bars = [box(r) for r in rects if box(r)[1] < legend]
    assert len(bars) > 2 * len(STEPS) - 8
    assert all(right <= axis + 0.1 for _, _, right, _ in bars)


def test_ghosts_fall_into_the_gaps(tmp_path):
    """The interval is the least free of conflicts, and the picture shows that."""
    root = parse(draw(gantt, tmp_path))
    for bar in of_class(root, "rect", "busy"):
        for ghost in of_class(root, "rect", "ghost"):
            assert not overlap(box(bar), box(ghost))


def test_marks_of_interval_and_latency(tmp_path):
    texts = [e.text for e in parse(draw(gantt, tmp_path)).iter(NS + "text")]
    assert "result valid: cycle 34" in texts and "next operation: cycle 11" in texts
    assert "busy 9 of 11" in texts


def test_gantt_text_is_legible(tmp_path):
    assert_legible(parse(draw(gantt, tmp_path)))


@pytest.mark.parametrize(
    ("steps", "latency"),
    [
        ([Step("only", "unit", 0)], 1),
        ([Step("a", "unit", 0, busy=3, latency=40)], 40),
        ([Step(f"s{n}", "unit", n, latency=25) for n in range(30)], 55),
        ([Step(LONG, LONG, 0, busy=2, latency=4), Step("b" + LONG, LONG[::-1], 2, busy=9, latency=9)], 11),
        ([Step(f"s{n}", f"unit {n % 7}", 3 * n, busy=2, latency=5) for n in range(90)], 280),
    ],
)
def test_gantt_of_unusual_schedules_is_legible(tmp_path, steps, latency):
    root = parse(draw(gantt, tmp_path, steps=steps, latency=latency))
    assert_legible(root)
    assert len(tooltips(root, "step")) == len(steps)


def test_a_very_long_schedule_joins_what_cannot_be_told_apart(tmp_path):
    steps = [Step(f"s{n}", "unit", 2 * n, latency=2) for n in range(4000)]
    svg = draw(gantt, tmp_path, steps=steps, latency=8000)
    root = parse(svg)
    counts = [int(m.group(1)) for t in tooltips(root, "step") if (m := re.match(r"(\d+) steps", t))]
    assert sum(counts) == 4000 and len(counts) < 1300
    assert float(root.get("width")) < 2700
    assert_legible(root)


def test_steps_that_depend_on_data_look_different(tmp_path):
    steps = [replace(s, depends_on_data=s.name == "κ·M") for s in STEPS]
    root = parse(draw(gantt, tmp_path, steps=steps))
    marked = [t for t in tooltips(root, "step") if "depends on operand values" in t]
    assert len(marked) == 1 and marked[0].startswith("κ·M")
    assert len(of_class(root, "rect", "data")) == 2  # the bar and the legend
    assert_legible(root)


def test_every_block_is_drawn_once(tmp_path):
    root = parse(draw(block_diagram, tmp_path))
    found = tooltips(root, "block")
    assert Counter(found) == Counter(f"{b.label}: {b.detail}" for b in BLOCKS)
    kinds = Counter(g.find(NS + "rect").get("class") for g in of_class(root, "g", "block"))
    assert kinds == Counter(b.kind for b in BLOCKS)


def test_block_text_is_legible_and_inside_its_box(tmp_path):
    root = parse(draw(block_diagram, tmp_path))
    for group in of_class(root, "g", "block"):
        left, top, right, bottom = box(group.find(NS + "rect"))
        for text in group.iter(NS + "text"):
            x0, y0, x1, y1 = text_box(text)
            assert x0 >= left and x1 <= right and y0 >= top - 2 and y1 <= bottom + 2, text.text


WIDE = ({"modulus": "secp256k1"}, {"options": {"bits": 256}}, {"curve": "secp256k1"})


def prepared_of(core, document, store):
    return prepare(core, Request.from_mapping(core, {"core": core.name, **document}), store)


def small_and_wide(core, store):
    """A core at small width, and at 256 bits where it takes a modulus, a width or a curve of that size."""
    yield prepared_of(core, core.trials[0].document, store)
    for document in WIDE:
        try:
            wide = prepared_of(core, {"target": "ecp5", **document}, store)
        except (ParameterError, UsageError):
            continue
        yield wide
        return


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.__name__.rpartition(".")[2])
def test_no_text_of_a_core_is_cut(package, store):
    for core in cores_of(package):
        for prepared in small_and_wide(core, store):
            assert_whole(build_report(prepared))


def assert_whole(report):
    """Every word of every block is in its box."""
    groups = of_class(parse(block_diagram(report)), "g", "block")
    assert len(groups) == len(report["blocks"])
    for group, block in zip(groups, report["blocks"], strict=True):
        shown = " ".join(text.text for text in group.iter(NS + "text"))
        label = block["label"]
        assert shown.split() == group.find(NS + "title").text.replace(f"{label}: ", f"{label} ", 1).split()


def test_blocks_with_long_and_odd_names(tmp_path):
    blocks = (Block("i", LONG, (), LONG, "port"), Block("o", "<&>\"'", ("i",), "", "port"))
    root = parse(draw(block_diagram, tmp_path, blocks=blocks))
    assert float(root.get("width")) < 600
    assert tooltips(root, "block")[1] == "<&>\"'"


def test_a_core_without_blocks_says_so(tmp_path):
    assert "declares no blocks" in draw(block_diagram, tmp_path, blocks=None)


@given(st.text(), st.floats(0, 300))
def test_fit_keeps_to_the_room(text, room):
    shown = fit(text, room)
    assert width_of(shown) <= room or shown == ""
    assert shown == text or shown == "" or (shown.endswith("…") and text.startswith(shown[:-1]))


@given(st.text(), st.integers(1, 3))
def test_wrap_keeps_to_its_lines(text, lines):
    shown = wrap(text, 80.0, lines)
    assert len(shown) <= lines and all(width_of(line) <= 80.0 for line in shown)


@given(st.text())
def test_cleaned_text_is_xml(text):
    element = ElementTree.Element("t")
    element.text = clean(text)
    ElementTree.fromstring(ElementTree.tostring(element, encoding="unicode"))


def test_a_noun_after_one_is_singular(tmp_path):
    """Cores write numbers in front of plurals: 1 limbs of 32 bits."""
    details = {"1 limbs of 11 bits, 21 blocks": "1 limb of 11 bits, 21 blocks", "top 1 bits": "top 1 bit"}
    boxes = tuple(Block(f"b{n}", f"box {n}", (), detail) for n, detail in enumerate(details))
    shown = " ".join(tooltips(parse(draw(block_diagram, tmp_path, blocks=boxes)), "block"))
    assert all(f": {text}" in shown for text in details.values())
