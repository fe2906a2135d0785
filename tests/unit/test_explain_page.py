# SPDX-License-Identifier: Apache-2.0
"""The page of one operation in a real browser: steps, units, cursor, registers, and no error, at two widths."""

import pytest

from modwright.explain import explain, small_request
from modwright.pages import explanation_page
from modwright.prepared.registry import find

from ..tools import needs
from .browsing import chromium, opened_page, page_width

pytestmark = needs("playwright", "chromium")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    core = find("modmul/sor-1m-p")
    document = explain(
        small_request(core, {"core": core.name, "modulus": "97", "target": "generic"}), {"x": 58, "y": 44}
    )
    path = tmp_path_factory.mktemp("page") / "operation.html"
    path.write_text(explanation_page(document, ["modwright", "explain"]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["1280", "390"])
def opened(request, address):
    width, scheme = request.param
    with chromium() as browser, opened_page(browser, address, width, scheme) as view:
        yield view
        assert page_width(view) <= width


def lit(view):
    """Boxes that are lit."""
    return {box.get_attribute("data-name") for box in view.locator(".block.lit").all()}


def test_step_through(opened):
    assert opened.locator("#cycle").inner_text() == "cycle 0 of 16"
    assert lit(opened) == {"multiplier"}
    for _ in range(4):
        opened.locator("#next").click()
    assert opened.locator("#cycle").inner_text() == "cycle 4 of 16"
    assert lit(opened) == {"multiplier", "kappa", "alpha"}
    assert "γ_1 =" in opened.locator("#now").inner_text()
    assert opened.locator("#numbers tr.new").count() > 3
    before = float(opened.locator(".cursor").get_attribute("x"))
    opened.keyboard.press("ArrowRight")
    assert float(opened.locator(".cursor").get_attribute("x")) > before
    gamma = opened.locator("#rows tr", has_text="datapath.gamma_1")
    assert gamma.get_attribute("class") == "new"
    opened.locator("#last").click()
    assert "The result is valid" in opened.locator("#now").inner_text()
    opened.locator("#first").click()
    opened.locator("#find").fill("kappa_sum")
    assert opened.locator("#rows tr:visible").count() == 1


def test_a_link_to_a_cycle(opened, address):
    opened.goto(f"{address}#9")
    opened.reload()
    assert opened.locator("#cycle").inner_text() == "cycle 9 of 16"
    opened.goto(address)
