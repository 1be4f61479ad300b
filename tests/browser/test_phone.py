from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import world
from tests.browser.conftest import DESKTOP, NARROW
from tests.browser.test_pages import PLAYER, ready


@pytest.mark.parametrize(
    ("path", "part", "said"),
    [
        ("/?search=ashdown", ".who > .brief", "2789 → 2792 · USA · 8 games"),
        (f"/tournament/{world.CHAMPIONSHIP}", ".name", "Ashdown, Robin"),
    ],
)
def test_on_a_narrow_phone_a_name_and_its_facts_have_one_line_each(quiet_site, visit, path, part, said):
    page = ready(visit(quiet_site.address + path, viewport=NARROW, has_touch=True))
    line = page.locator(f"[data-player='{world.LEADER}'] {part}")
    expect(line).to_have_text(said)

    assert line.evaluate(
        "one => one.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(one).fontSize)"
    )


@pytest.mark.parametrize("language", ["en", "es", "ro"])
@pytest.mark.parametrize("path", ["/", PLAYER, "/tournaments"])
def test_on_a_narrow_phone_the_header_is_one_row_and_leaves_no_gap(quiet_site, visit, path, language):
    page = ready(visit(f"{quiet_site.address}{path}?lang={language}", viewport=NARROW))
    middles = {
        round(box["y"] + box["height"] / 2)
        for name in (".mark", ".fresh", ".language", ".theme")
        if (box := page.locator(f"header {name}").bounding_box())
    }
    pages, heading = (page.locator(name).first.bounding_box() for name in ("header .pages", "main > *"))

    assert max(middles) - min(middles) <= 2
    assert pages["y"] - max(middles) <= 40
    assert heading["y"] - pages["y"] - pages["height"] <= 30
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.evaluate(
        "[...document.querySelectorAll('.latest')].every((e) => e.childNodes.length || !e.offsetHeight)"
    )


@pytest.mark.parametrize("viewport", [NARROW, DESKTOP], ids=["narrow", "desktop"])
@pytest.mark.parametrize("language", ["en", "es", "ro"])
def test_what_a_filter_says_is_never_cut(quiet_site, visit, language, viewport):
    page = ready(visit(f"{quiet_site.address}/?lang={language}", viewport=viewport))
    expect(page.locator("select[name=federation] option").nth(1)).to_be_attached()
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.filters select:not([hidden])')].filter(one => {
            const whole = one.cloneNode(true);
            whole.style.cssText = 'position: absolute; max-width: none; flex: none; width: max-content';
            one.parentElement.append(whole);
            const missing = whole.offsetWidth - one.offsetWidth;
            whole.remove();
            return missing > 0;
        }).map(one => one.name)"""
    )

    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_on_a_narrow_phone_what_is_lost_is_said_in_full(site, visit):
    page = ready(visit(f"{site.address}/", viewport=NARROW))
    site.break_off("no Kafka broker answers")
    expect(page.locator(".fresh")).to_contain_text("showing the state of")

    assert page.locator(".fresh").bounding_box()["height"] <= 48
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
