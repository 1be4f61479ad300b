"""One Chromium for the session, and pages that fail a test when they complain."""

from __future__ import annotations

import copy
import shutil

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import world
from tests.browser.site import Site

PHONE = {"width": 390, "height": 844}
NARROW = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 800}
SCENE = {"width": 1920, "height": 1080}


@pytest.fixture(scope="session")
def chromium():
    program = shutil.which("chromium")
    assert program is not None, "these tests need Debian's Chromium: make chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        assert _font(browser).startswith("Noto Sans"), "their widths are those of Noto Sans: make chromium"
        yield browser
        browser.close()


def _font(browser):
    """Return the font that the pages are written in where the system has it as its own."""
    page = browser.new_page()
    page.set_content("<p style='font-family: system-ui'>Elo</p>")
    ask = page.context.new_cdp_session(page)
    ask.send("DOM.enable")
    ask.send("CSS.enable")
    root = ask.send("DOM.getDocument")["root"]["nodeId"]
    found = ask.send("DOM.querySelector", {"nodeId": root, "selector": "p"})["nodeId"]
    [font] = ask.send("CSS.getPlatformFontsForNode", {"nodeId": found})["fonts"]
    page.close()
    return font["familyName"]


@pytest.fixture(scope="session")
def played():
    """The evening as it was; nobody goes on from it but on a copy."""
    return world.evening()


@pytest.fixture
def evening(played):
    """Stages and records of the evening, to go on from."""
    return copy.deepcopy(played)


@pytest.fixture
def site(evening):
    site = Site(*evening)
    yield site
    site.stop()


@pytest.fixture(scope="session")
def quiet_site(played):
    """One on which nothing happens, for tests that only look."""
    site = Site(*played)
    yield site
    site.stop()


@pytest.fixture
def visit(chromium):
    """Open an address; whatever a page logs as an error fails the test, unless it is told to `expect` it."""
    contexts, complaints, expected = [], [], []

    def open_page(address, *, viewport=DESKTOP, scheme="light", expect=(), **options):
        expected.extend(expect)
        context = chromium.new_context(
            viewport=viewport, color_scheme=scheme, locale="en-GB", reduced_motion="reduce", **options
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [one for one in complaints if not any(words in one for words in expected)] == []
