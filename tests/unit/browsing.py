# SPDX-License-Identifier: Apache-2.0
"""Pages in Chromium: opened without a network, without an error, and without a request but for the file itself."""

from contextlib import contextmanager

from ..tools import find_chromium, require_module


@contextmanager
def chromium():
    """A browser that is running."""
    with require_module("playwright.sync_api").sync_playwright() as p:
        started = p.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield started
        started.close()


@contextmanager
def opened_page(browser, address, width=1280, scheme="light"):
    """The view of a page in a window of a width."""
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    view = context.new_page()
    errors, requests = [], []
    view.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.on("request", lambda request: requests.append(request.url.partition("#")[0]))
    view.goto(address)
    yield view
    assert errors == []
    assert [url for url in requests if url != address and not url.startswith("about:")] == []
    context.close()


def page_width(view):
    """How wide a page is, with what one has to scroll to."""
    return view.evaluate("document.documentElement.scrollWidth")


def right_of(element):
    """The right edge of an element on the page."""
    return element.evaluate("(element) => element.getBoundingClientRect().right")
