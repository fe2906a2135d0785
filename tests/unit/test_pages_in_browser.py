# SPDX-License-Identifier: Apache-2.0
"""Datasheet, exploration and papers in a real browser: no error, and what matters is in sight, wide and narrow."""

import pytest

from modwright.pages import datasheet
from modwright.pages.exploration import COLUMNS, Exploration
from modwright.pages.papers import PaperPage
from modwright.pages.papers import page as papers_page
from modwright.pages.reproduction import Demonstrated, Judged
from modwright.report import build_report

from ..tools import needs
from .browsing import chromium, opened_page, page_width, right_of
from .report_sample import evidence, sample_prepared

pytestmark = needs("playwright", "chromium")

WINDOWS = [pytest.param(1280, "light", id="1280"), pytest.param(390, "dark", id="390")]
NAMES = ("datasheet", "exploration", "papers")
OUTSIDE = """
(width) => Array.from(document.body.querySelectorAll("*"))
  .filter((element) => !element.closest(".scroll") && element.getBoundingClientRect().right > width + 1)
  .map((element) => element.outerHTML.slice(0, 80))
"""
"""Elements that reach over the right edge, but for those in a box that scrolls by itself."""
SCROLLING = """
() => Array.from(document.querySelectorAll(".scroll"))
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent.trim().slice(0, 80))
"""
OVERFULL = """
() => Array.from(document.querySelectorAll(".block text"))
  .filter((text) => text.getComputedTextLength() > text.parentNode.querySelector("rect").width.baseVal.value)
  .map((text) => text.textContent)
"""
"""Texts of block pictures that are wider than their box, in the fonts that are here."""


def point(n, **changes):
    """A point of an exploration whose figures have as many digits as large cores have."""
    same = {"constant_latency": n != 1, "interval_kind": "mean" if n == 1 else "fixed", "front": n == 0}
    areas = {"lut": 123_456, "ff": 98_765, "dsp": 156, "estimated_lut": 234_567, "estimated_dsp": 144}
    times = {"ns": 12_345.6 + n, "estimated_ns": 23_456.7, "fmax_median": 171.2, "clocks": 1_024, "interval": 1_025}
    words = {"label": f"rns-hbe-runtime segment=32 width={n}", "architecture": "modmul/rns", "left_out": ""}
    return {**same, **areas, **times, **words, **changes}


POINTS = [point(0), point(1), point(2, ns=None, left_out=f"beaten by {point(0)['label']}")]
COMMAND = "modwright params modmul/sor-1m-n --field secp256k1 -O latency=2 && modwright compare --function modmul"

ROW = "HBE (r = 4), HPR d = 4 [27]: 5n²/16 + 14n, UltraScale+"


def papers():
    figures = [
        {"row": f"{ROW}, n = {n}", "column": "LUT × ns", "paper": "123,456", "ours": 234_567, "ratio": n}
        | {"how": "measured on ECP5"}
        for n in (2, 300)
    ]
    table = {"table": "Table 3", "source": "An article, Table 3", "note": "As printed.", "figures": figures}
    claims = [Judged("It is faster than all others.", "Section 4", "confirmed", "494 ns, not 563 ns", COMMAND)]
    errata = [Demonstrated("a", "Algorithm 2, step 11", "x < 2^(W-n)/N", "x ≤ 2^(W-n)/N", "drawn primes", 48, 6, 0)]
    return papers_page([PaperPage("sample", "A paper", [table | {"errata": []}], errata, claims)], COMMAND)


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    texts = {
        "datasheet": datasheet(build_report(sample_prepared(folder), **evidence())),
        "exploration": Exploration(POINTS, "modmul, a sample", True).page(COMMAND),
        "papers": papers(),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in texts}


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_does_not_scroll_sideways(browser, addresses, name, width, scheme):
    """Tables and pictures scroll in boxes of their own. That there was no error is checked with the page."""
    with opened_page(browser, addresses[name], width, scheme) as view:
        assert page_width(view) <= width
        assert view.evaluate(OUTSIDE, width) == []
        assert view.locator("table").count() > 0 and view.locator("svg").count() > 0
        assert view.locator("table").count() == view.locator(".scroll table").count()


def test_the_datasheet_is_in_sight(browser, addresses):
    with opened_page(browser, addresses["datasheet"]) as view:
        boxes = view.locator(".key").all()
        assert len(boxes) == 7 and all(right_of(box) <= 1280 for box in boxes)
        assert all(box.evaluate("(box) => box.scrollWidth <= box.clientWidth") for box in boxes)
        assert view.evaluate(SCROLLING) == []
        assert view.locator(".block text").count() > 20 and view.evaluate(OVERFULL) == []


def test_figures_of_an_exploration_are_in_sight(browser, addresses):
    with opened_page(browser, addresses["exploration"]) as view:
        ends = {heading.inner_text(): right_of(heading) for heading in view.locator("thead th").all()}
        assert list(ends) == [column.heading for column in COLUMNS]
        assert list(ends)[2:6] == ["constant latency", "ns", "Fmax, MHz", "ns, estimated"]
        assert max(ends[name] for name in list(ends)[:12]) <= 1280
        view.locator("thead button").get_by_text("ns", exact=True).click()
        names = [name.inner_text() for name in view.locator("tbody th").all()]
        assert names == [row["label"] for row in POINTS], "what has no figure comes last"
        view.locator("#search").fill("beaten by")
        assert view.locator("tbody tr:visible").count() == 1


def test_tables_of_papers_are_in_sight(browser, addresses):
    with opened_page(browser, addresses["papers"]) as view:
        assert view.evaluate(SCROLLING) == []
        assert all(right_of(heading) <= 1280 for heading in view.locator("thead th").all())
        assert f"{ROW}, n = 300: LUT × ns" in view.locator("svg").text_content(), "names of bars are not cut"
