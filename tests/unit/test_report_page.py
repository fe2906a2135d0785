# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison in a real browser: sort, filter, hover, click, light and dark, and no error."""

import pytest

from modwright.pages import key_of, page

from ..tools import needs
from .browsing import chromium, opened_page, page_width, right_of
from .comparison_sample import DOCUMENT, row

pytestmark = needs("playwright", "chromium")

SHEET = "<!DOCTYPE html><html><body><h1 id='title'>Datasheet of {}</h1></body></html>"


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    sheets = {key_of(r): SHEET.format(r["label"]) for r in DOCUMENT["rows"][:2]}
    path = tmp_path_factory.mktemp("page") / "comparison.html"
    path.write_text(page(DOCUMENT, sheets, ["Tools: of a sample."]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    with opened_page(browser, address, 1400) as view:
        yield view


def point_of(view, label):
    """The point of a design in the first picture."""
    return view.locator(f'.plot .point[data-key^="{label}|"]').first


def labels(view):
    """Names of the rows that are shown, in order."""
    return [name.inner_text() for name in view.locator("tbody tr:visible th").all()]


def test_sort(opened):
    assert labels(opened) == ["fast", "small", "leaky", "unmeasured"]
    heading = opened.locator("thead button").get_by_text("LUT", exact=True)
    heading.click()
    assert labels(opened) == ["small", "leaky", "fast", "unmeasured"], "what is not there comes last"
    assert opened.locator("th[aria-sort=ascending]").inner_text().startswith("LUT")
    heading.click()
    assert labels(opened) == ["fast", "leaky", "small", "unmeasured"], "and so it does the other way"


def test_filter(opened):
    opened.locator("#only-constant").check()
    assert labels(opened) == ["fast", "small", "unmeasured"]
    opened.locator("#max-lut").fill("2000")
    assert labels(opened) == ["small"]
    assert opened.locator("#shown").inner_text() == "1 of 4 shown"
    assert opened.locator(".plot").first.locator(".point:not(.dim)").count() == 1
    opened.locator("#max-lut").fill("")
    opened.locator("#only-constant").uncheck()
    opened.locator("#only-front").check()
    assert labels(opened) == ["fast", "small"]
    opened.locator("#only-front").uncheck()
    opened.locator("#search").fill("leak")
    assert labels(opened) == ["leaky"]
    opened.locator("#search").fill("")
    opened.locator("#min-fmax").fill("100")
    assert labels(opened) == ["fast", "leaky"]


def test_gates_are_filtered_by_gates(browser, tmp_path):
    rows = [row(f"g{nand2}", nand2=nand2, clocks=9, fmax=1.0) for nand2 in (100, 200)]
    text = page(DOCUMENT | {"target": "asic", "rows": rows}, {}, [])
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    with opened_page(browser, (tmp_path / "page.html").as_uri()) as view:
        assert view.locator("#max-lut, #max-dsp").count() == 0
        view.locator("#max-nand2").fill("150")
        assert labels(view) == ["g100"]


NOTED = "cycles as its author states them, without those that load operands, which are given in words of 17 bits"


def test_main_figures_are_in_sight_whatever_the_notes(browser, tmp_path):
    """Latency, time and clock rate are next to the name; a note is below the table and follows the filters."""
    named = row("theirs with-an-option=1024 another=32 (third party)", lut=9, clocks=1, fmax=1.0, note=NOTED)
    (tmp_path / "page.html").write_text(page(DOCUMENT | {"rows": [*DOCUMENT["rows"], named]}, {}, []), encoding="utf-8")
    with opened_page(browser, (tmp_path / "page.html").as_uri()) as view:
        assert_main_figures_in_sight(view)
        assert_note_follows(view, named["label"])


def assert_main_figures_in_sight(view):
    ends = {cell.inner_text(): right_of(cell) for cell in view.locator("thead th").all()}
    assert list(ends)[2:6] == ["constant latency", "ns", "Fmax, MHz", "cycles"]
    assert max(ends[name] for name in list(ends)[:10]) < 900


def assert_note_follows(view, label):
    note = view.locator(".notes li")
    assert note.inner_text().endswith(NOTED) and "cycles as" not in view.locator("#table").inner_text()
    view.locator("#search").fill("operands, which")
    assert labels(view) == [label] and note.is_visible()
    view.locator("#search").fill("fast")
    assert labels(view) == ["fast"] and note.is_hidden()


def test_hover(opened):
    point = point_of(opened, "fast")
    assert opened.locator("#tip").is_hidden()
    point.locator("circle").hover()
    tip = opened.locator("#tip")
    assert tip.is_visible() and tip.inner_text().startswith("fast: 50.0 ns")
    assert opened.locator("tr.lit th").inner_text() == "fast", "the row lights up with its point"
    opened.mouse.move(2, 2)
    assert tip.is_hidden()


def test_a_click_opens_the_datasheet(opened):
    opened.get_by_role("button", name="small").click()
    sheet = opened.frame_locator("#sheet")
    assert sheet.locator("#title").inner_text() == "Datasheet of small"
    opened.get_by_role("button", name="close").click()
    assert opened.locator("#viewer").is_hidden()
    point_of(opened, "fast").locator("circle").click()
    assert sheet.locator("#title").inner_text() == "Datasheet of fast"


def test_keys_reach_everything(opened):
    point_of(opened, "fast").focus()
    assert opened.locator("#tip").is_visible()
    opened.keyboard.press("Enter")
    assert opened.frame_locator("#sheet").locator("#title").inner_text() == "Datasheet of fast"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser, address, scheme):
    context = browser.new_context(color_scheme=scheme)
    view = context.new_page()
    view.goto(address)
    red, green, blue = view.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    assert (red + green + blue > 600) == (scheme == "light")
    context.close()


def test_a_phone(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    view = context.new_page()
    view.goto(address)
    assert page_width(view) <= 390, "only the table scrolls, not the page"
    assert view.locator("tbody th").first.is_visible()
    context.close()


def test_print(browser, address):
    context = browser.new_context()
    view = context.new_page()
    view.goto(address)
    view.emulate_media(media="print")
    assert view.locator("#filters").is_hidden()
    assert view.locator("table").is_visible()
    assert view.pdf().startswith(b"%PDF")
    context.close()


def test_without_a_script(browser, address):
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(address)
    assert view.locator("tbody tr").count() == len(DOCUMENT["rows"])
    assert view.locator("#filters").is_hidden()
    context.close()


def test_text_of_a_row_ends_no_script():
    evil = row("</script><script>alert(1)</script>", lut=1, dsp=1, clocks=1, fmax=1.0)
    text = page(DOCUMENT | {"rows": [evil]}, {key_of(evil): "</script>"}, [])
    assert text.count("</script>") == 2
    assert "<script>alert" not in text
