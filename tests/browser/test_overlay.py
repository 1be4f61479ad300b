from __future__ import annotations

import re
import struct
import zlib
from importlib import resources
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser import world
from tests.browser.conftest import SCENE
from tests.oracle.events import entrant, game

GAME = f"{world.ROUND}.2"
SCENES = {
    "card": f"view=card&player={world.LEADER}",
    "versus": f"view=versus&game={GAME}&tournament={world.CHAMPIONSHIP}",
    "strip": f"view=strip&tournament={world.CHAMPIONSHIP}",
}


def scene(site, visit, query, **options):
    page = visit(f"{site.address}/overlay?{query}", viewport=SCENE, **options)
    expect(page.locator("#scene > section")).to_be_visible()
    return page


def alpha(picture, x, y):
    """The opacity of one point of a PNG with eight bits a channel, 0 to 255."""
    chunks, at = {}, 8
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        chunks.setdefault(picture[at + 4 : at + 8], b"")
        chunks[picture[at + 4 : at + 8]] += picture[at + 8 : at + 8 + size]
        at += 12 + size
    width, _, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 6), "a picture with transparency"
    lines, above = zlib.decompress(chunks[b"IDAT"]), bytearray(4 * width)
    for number in range(y + 1):
        start = number * (4 * width + 1)
        method, line = lines[start], bytearray(lines[start + 1 : start + 1 + 4 * width])
        for place in range(4 * width):
            left = line[place - 4] if place >= 4 else 0
            corner = above[place - 4] if place >= 4 else 0
            line[place] = (line[place] + _predicted(method, left, above[place], corner)) & 255
        above = line
    return above[4 * x + 3]


def players(said):
    """Names are written family name first, with a comma."""
    return set(re.findall(r"[^,]+, [^,]+", said))


def _predicted(method, left, up, corner):
    if method == 4:
        near = left + up - corner
        return min((left, up, corner), key=lambda one: abs(near - one))
    return (0, left, up, (left + up) // 2)[method]


@pytest.mark.parametrize("query", SCENES.values(), ids=SCENES)
def test_a_scene_is_transparent_around_itself(quiet_site, visit, query):
    page = scene(quiet_site, visit, query)
    picture = page.screenshot(omit_background=True, clip={"x": 0, "y": 0, "width": 64, "height": 8})

    assert alpha(picture, 32, 4) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= SCENE["width"]
    assert page.evaluate("document.documentElement.scrollHeight") <= SCENE["height"]


@pytest.mark.parametrize("query", SCENES.values(), ids=SCENES)
def test_a_scene_keeps_to_the_safe_area(quiet_site, visit, query):
    page = scene(quiet_site, visit, query)
    box = page.locator("#scene > section").bounding_box()

    assert box["y"] + box["height"] <= SCENE["height"] * 0.965
    assert box["x"] >= SCENE["width"] * 0.03


@pytest.mark.parametrize("query", SCENES.values(), ids=SCENES)
def test_a_scene_is_readable_at_480_lines(quiet_site, visit, query):
    page = scene(quiet_site, visit, query)
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('#scene *')]
            .filter(e => !e.closest('.unseen, .sign, .part'))
            .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
            .map(e => parseFloat(getComputedStyle(e).fontSize)))"""
    )

    assert smallest * 480 / 1080 >= 11


@pytest.mark.parametrize("items", [5, 10])
def test_the_strip_shows_only_whole_players_and_everybody_in_turn(quiet_site, visit, items):
    page = scene(quiet_site, visit, f"{SCENES['strip']}&items={items}")
    first = page.locator(".items .name").all_inner_texts()
    cut = page.evaluate(
        """() => {
            const edge = (of) => document.querySelector(of).getBoundingClientRect().right;
            return [...document.querySelectorAll('.items li')].map(one => one.getBoundingClientRect())
                .filter(({ left, right }) => right > edge('.strip') || left < edge('.event')).length;
        }"""
    )
    expect(page.locator(".items .name").first).not_to_have_text(first[0], timeout=9_000)
    following = page.locator(".items .name").all_inner_texts()
    everybody = [world.NAME_OF[player].split(",")[0] for player in world.PLAYERS]

    assert cut == 0
    assert len(first) >= 4
    assert set(first).isdisjoint(following)
    assert set(first) | set(following) <= set(everybody)


def test_long_names_are_written_smaller_and_nothing_of_them_is_cut(site, visit):
    names = ("Vachier-Lagrave, Maxime-Alexandre", "Nepomniachtchi, Grigory")
    site.tell(
        *[
            entrant(f"9000001{n}", tournament_id=world.CLUB, name=name, federation="FRA", unrated=True)
            for n, name in enumerate(names)
        ],
        game("4.7", "90000010", "90000011", "*", tournament_id=world.CLUB, round=4),
    )
    page = scene(site, visit, f"view=versus&game=4.7&tournament={world.CLUB}")
    expect(page.locator(".one .name")).to_have_text(names[0])

    written = page.evaluate(
        """() => [...document.querySelectorAll('.who .name')].map(one =>
            [one.scrollWidth <= one.clientWidth, getComputedStyle(one).overflowY])"""
    )

    assert written == [[True, "visible"]] * 2, "and g and q keep their feet"


def test_a_scene_rises_once_and_then_changes_in_place(site, visit):
    page = scene(site, visit, SCENES["card"])
    expect(page.locator("#scene.rising")).to_have_count(1)
    site.tell(world.result_of(world.LEADER, world.ROUND, "0-1"))
    expect(page.locator(".live")).to_have_text("2795.0")

    expect(page.locator("#scene.rising")).to_have_count(0)


def test_a_scene_has_its_ground_where_colours_cannot_be_mixed():
    style = (resources.files("elowire.ticker") / "static" / "overlay.css").read_text()
    mixed = re.compile(r"@supports \(color: color-mix.*?\n}\n", re.DOTALL)

    assert "background: var(--plate)" in style
    assert "color-mix(" not in mixed.sub("", style)


def test_the_card_follows_its_player(site, visit):
    page = scene(site, visit, SCENES["card"])
    expect(page.locator(".live")).to_have_text("2791.8")
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))

    expect(page.locator(".live")).to_have_text("2790.0")
    expect(page.locator(".pips .now")).to_have_count(0)


def test_versus_shows_what_each_result_would_bring_and_then_the_result(site, visit):
    page = scene(site, visit, SCENES["versus"])
    expect(page.locator(".results")).to_have_count(2)
    expect(page.locator(".other .results .win")).to_contain_text("2795.0")
    site.tell(world.result_of(world.LEADER, world.ROUND, "0-1"))

    expect(page.locator(".results")).to_have_count(0)
    expect(page.locator(".score")).to_have_text("0 \u2013 1")
    expect(page.locator(".other .live")).to_have_text("2795.0")


def test_after_the_game_versus_shows_what_the_game_has_brought(site, visit):
    page = scene(site, visit, SCENES["versus"])
    expect(page.locator(".other .gain")).to_contain_text("2.80")
    site.tell(world.result_of(world.LEADER, world.ROUND, "0-1"))
    expect(page.locator(".other .gain")).to_have_text("▲plus 3.20")
    expect(page.locator(".one .gain")).to_have_text("▼minus 3.20")
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2", revision=3))
    expect(page.locator(".other .gain")).to_have_text("✎▼minus 1.80")
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2", revision=4, status="annulled"))
    expect(page.locator(".score")).to_have_text("annulled")

    expect(page.locator(".gain")).to_have_count(0)


def test_the_strip_tells_of_a_result_and_its_correction_to_the_hundredth(site, visit):
    page = scene(site, visit, SCENES["strip"])
    expect(page.locator(".items li")).to_have_count(5)
    site.tell(world.result_of(world.LEADER, world.ROUND, "0-1"))
    told = page.locator(".told", has_text=world.NAME_OF[world.LEADER])
    expect(told).to_contain_text("2795.0▲plus 3.20")
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2", revision=3))

    expect(told).to_contain_text("2790.0✎▼minus 5.00", timeout=15_000)


def test_the_strip_shows_news_one_after_the_other_and_lets_the_oldest_go_when_too_many_wait(site, visit):
    page = scene(site, visit, SCENES["strip"])
    expect(page.locator(".items li")).to_have_count(5)
    page.evaluate(
        """() => {
            window.seen = [];
            const look = () => {
                const said = [...document.querySelectorAll('.news .name')].map(one => one.textContent).join();
                if (said !== window.seen.at(-1)?.said) window.seen.push({ said, at: performance.now() });
            };
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    played = world.rounds(world.ROUND, world.ROUND + 2)
    site.tell(played[0].model_copy(update={"revision": 2}))
    expect(page.locator(".told")).to_have_count(2)
    # Seventeen at once, for twelve places.
    site.tell(*[one.model_copy(update={"revision": 2}) for one in played[1:]])
    page.wait_for_timeout(9_500)
    seen = [one for one in page.evaluate("window.seen") if one["said"]]

    assert [players(one["said"]) for one in seen[:3]] == [
        {world.NAME_OF[side.player_id] for side in (one.white, one.black)}
        for one in (played[0], played[6], played[7])
    ]
    assert all(after["at"] - one["at"] > 3_900 for one, after in pairwise(seen[:3]))


def test_a_scene_hides_itself_rather_than_show_an_old_number_and_comes_back(site, visit):
    page = scene(site, visit, SCENES["card"] + "&stale=2")
    site.break_off("no Kafka broker answers")
    expect(page.locator("#scene")).to_be_hidden(timeout=8_000)
    site.break_off(None)

    expect(page.locator("#scene > section")).to_be_visible()


def test_a_scene_survives_a_restart_of_the_ticker(site, visit):
    refused = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "Failed to load"]
    page = scene(site, visit, SCENES["card"] + "&stale=3", expect=refused)
    site.stop()
    expect(page.locator("#scene")).to_be_hidden(timeout=8_000)
    site.start()

    expect(page.locator(".live")).to_have_text("2791.8", timeout=20_000)


def test_a_channels_colours_come_by_the_address(quiet_site, visit):
    page = scene(quiet_site, visit, SCENES["card"] + "&theme=custom&ground=102030&ink=fffaf0&accent=ff8800")

    assert (
        page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')") == "#ff8800"
    )
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(255, 250, 240)"


def test_an_unknown_player_shows_nothing_at_all(quiet_site, visit):
    page = visit(f"{quiet_site.address}/overlay?view=card&player=77", viewport=SCENE)
    page.wait_for_timeout(1_000)

    expect(page.locator("#scene")).to_be_hidden()
    expect(page.locator("#help")).to_be_hidden()


def test_a_scene_without_a_subject_says_what_to_name(quiet_site, visit):
    page = visit(f"{quiet_site.address}/overlay?view=card", viewport=SCENE)

    expect(page.locator("#help")).to_contain_text("?view=card&player=ID")
