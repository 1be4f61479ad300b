from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import world
from tests.browser.conftest import PHONE
from tests.browser.site import TOKEN

PLAYER = f"/player/{world.LEADER}"
EVENT = f"/tournament/{world.CHAMPIONSHIP}"
PAGES = {
    "list": "/",
    "filtered": "/?time_control=rapid&title=WGM&age=s50",
    "followed": "/?followed=1",
    "player": PLAYER,
    "unrated player": "/player/90000001",
    "unknown player": "/player/77",
    "standings": EVENT,
    "crosstable": f"{EVENT}?view=crosstable",
    "rounds": f"{EVENT}?view=rounds",
    "club": f"/tournament/{world.CLUB}?view=crosstable",
    "unknown tournament": "/tournament/none",
    "tournaments": "/tournaments",
    "operator": "/operator",
    "docs": "/docs",
}
READY = ".fresh[data-state=live], .docs h2"


def ready(page):
    page.locator(READY).first.wait_for()
    page.wait_for_timeout(300)
    return page


def row(page, player):
    return page.locator(f"tr[data-player='{player}']")


def test_the_list_moves_by_itself_when_a_result_arrives(site, visit):
    page = ready(visit(f"{site.address}/"))
    expect(row(page, world.LEADER).locator("td.live")).to_contain_text("2791.8")
    expect(row(page, world.LEADER).locator("td.rank")).to_have_text("8")
    loser_plays_white = "1-0"
    site.tell(world.result_of(world.LEADER, world.ROUND, loser_plays_white))

    expect(row(page, world.LEADER).locator("td.live")).to_contain_text("2785.0")
    expect(row(page, world.LEADER).locator("td.rank")).to_contain_text("9")
    expect(row(page, world.LEADER).locator("td.games")).to_have_text("9")
    expect(page.locator("#latest")).to_contain_text(re.compile("won against|lost to"))
    # To the hundredth, as the list shows changes.
    expect(page.locator("#latest")).to_contain_text("live 2785.0 ▼minus 6.80, lost to")
    order = page.eval_on_selector_all(
        "tr[data-player] td.live", "cells => cells.map(c => parseFloat(c.firstChild.data))"
    )
    assert order == sorted(order, reverse=True)


def test_a_correction_is_shown_with_what_stood_there_before(site, visit):
    page = ready(visit(site.address + PLAYER))
    game = page.locator("tr[data-game='1.1'], tr[data-game^='1.']").first
    before = game.locator("td.result b").inner_text()
    corrected = "1/2-1/2" if before != "½" else "1-0"
    site.tell(world.result_of(world.LEADER, 1, corrected))

    expect(game.locator("td.result s")).to_have_text(before)
    expect(game.locator("[aria-label=corrected]")).to_be_visible()
    expect(page.locator("#figures .corrected")).to_be_visible()
    expect(page.locator("#latest")).to_contain_text("result corrected")


def test_a_chart_says_live_ratings_as_they_are_shown_everywhere(site, visit):
    page = ready(visit(site.address + PLAYER))
    label = page.evaluate(
        """async () => {
            const { outline } = await import("/static/chart.js");
            return outline({ published: { rating: 2000 } }, [{ change: "-0.36" }, { change: "12.92" }], 600)
                .getAttribute("aria-label");
        }"""
    )

    assert label == "Live rating over 2 games, from 2000.0 to 2012.6"


def test_an_annulled_game_stays_in_sight_struck_through(site, visit):
    page = ready(visit(site.address + PLAYER))
    site.tell(world.annulled(world.LEADER, 2))

    expect(page.locator("tr.annulled")).to_contain_text("annulled")


def test_the_player_page_explains_every_hundredth(quiet_site, visit):
    page = ready(visit(quiet_site.address + PLAYER))
    changes = page.eval_on_selector_all(
        "tbody tr[data-game]:not(.refused) td.change",
        """cells => cells.map(cell => {
            const size = Number([...cell.innerText.matchAll(/[\\d.]/g)].join(''));
            return cell.querySelector('.down') ? -size : size;
        })""",
    )

    assert len(changes) == 8
    assert round(sum(changes), 2) == 2.80
    expect(page.locator(".rounding")).to_have_text("2789 +2.80 = 2791.80, rounded to 2792")
    expect(page.locator("tr[data-game^='9.']")).to_contain_text("playing now")


def test_what_if_shows_the_running_game_and_anybody_else(quiet_site, visit):
    page = ready(visit(quiet_site.address + PLAYER))
    outcomes = page.locator("#outcomes .side").first
    expect(outcomes.locator(".win")).to_contain_text("2795.0")
    expect(outcomes.locator(".loss")).to_contain_text("2785.0")
    page.fill("#against", "brandt, bo")

    expect(page.locator("#outcomes .side").nth(1)).to_contain_text("Brandt, Bo")


def test_a_round_fills_as_results_come(site, visit):
    page = ready(visit(f"{site.address}{EVENT}?view=rounds"))
    first = page.locator(".pairs").first
    expect(first.locator(".playing")).to_have_count(6)
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))

    expect(first.locator(".playing")).to_have_count(5)
    expect(first).to_contain_text("½ \u2013 ½")
    page.click("[data-view=standings]")
    expect(row(page, world.LEADER).locator("td.points")).to_contain_text("6")


def test_after_a_restart_the_page_finds_back_and_says_so_meanwhile(site, visit):
    page = ready(
        visit(
            f"{site.address}/", expect=["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "Failed to load"]
        )
    )
    site.stop()
    expect(page.locator(".fresh")).to_contain_text("not connected, showing the state of")
    assert page.locator(".fresh").get_attribute("data-state") == "lost"
    site.start()
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))

    expect(page.locator(".fresh")).to_contain_text(re.compile("ago|just now"), timeout=20_000)
    expect(row(page, world.LEADER).locator("td.games")).to_have_text("9")


@pytest.mark.parametrize("path", ["/", PLAYER, f"/tournament/{world.CHAMPIONSHIP}"])
def test_what_was_announced_before_a_restart_is_not_said_afterwards(site, visit, path):
    refused = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "Failed to load"]
    page = ready(visit(site.address + path, expect=refused))
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))
    expect(page.locator("#latest")).to_contain_text("live")
    site.stop()
    expect(page.locator(".fresh")).to_contain_text("not connected, showing the state of")
    site.start()

    expect(page.locator("#latest")).to_have_text("", timeout=20_000)


def test_ten_pages_of_one_browser_are_all_alive(site, visit):
    pages = [visit(f"{site.address}/")]
    addresses = [PLAYER, EVENT, "/tournaments", f"{EVENT}?view=rounds", "/?time_control=rapid", "/", PLAYER]
    scenes = [
        f"/overlay?view=card&player={world.LEADER}",
        f"/overlay?view=strip&tournament={world.CHAMPIONSHIP}",
    ]
    for address in addresses + scenes:
        page = pages[0].context.new_page()
        page.goto(site.address + address)
        pages.append(page)
    for page in pages:
        expect(page.locator(".fresh[data-state=live], #scene > section")).to_be_visible()
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))

    for at in (0, 6):
        expect(row(pages[at], world.LEADER).locator("td.live")).to_contain_text("2790.0")
    for at in (1, 7):
        expect(pages[at].locator("#figures")).to_contain_text("2790.0")
    expect(pages[8].locator(".live")).to_have_text("2790.0")


def test_where_no_websocket_can_be_opened_the_page_lives_by_server_sent_events(site, visit):
    page = visit("about:blank", expect=["WebSocket", "ws://127.0.0.1:1/"])
    page.add_init_script(
        "window.WebSocket = class extends WebSocket { constructor() { super('ws://127.0.0.1:1/'); } };"
    )
    page.goto(f"{site.address}/")
    ready(page)
    site.tell(world.result_of(world.LEADER, world.ROUND, "1/2-1/2"))

    expect(row(page, world.LEADER).locator("td.live")).to_contain_text("2790.0")


def test_a_lost_kafka_is_shown_with_the_time_of_the_state(site, visit):
    page = ready(visit(f"{site.address}/"))
    site.break_off("no Kafka broker answers")

    expect(page.locator(".fresh")).to_contain_text(
        "the ticker has no connection to Kafka, showing the state of"
    )


def test_filters_stand_in_the_address_and_search_finds_without_accents(quiet_site, visit):
    page = ready(visit(f"{quiet_site.address}/?federation=USA"))
    expect(page.locator("tr[data-player]")).to_have_count(17)
    expect(row(page, world.LEADER).locator("td.rank")).to_have_text("2")
    expect(row(page, world.LEADER).locator(".world")).to_have_text("#8")
    page.select_option("[name=title]", "WGM")
    expect(page.locator("tr[data-player]")).to_have_count(0)
    assert "title=WGM" in page.url
    page.click("#clear")
    page.fill("#search", "dvorak")

    expect(page.locator("tr[data-player]")).to_have_count(1)
    expect(page.locator("tr[data-player]")).to_contain_text("Dvořák, Matěj")


def test_followed_players_stay_in_the_browser(quiet_site, visit):
    page = ready(visit(f"{quiet_site.address}/"))
    row(page, world.LEADER).hover()
    row(page, world.LEADER).locator(".star").click()
    page.click("#followed")
    expect(page.locator("tr[data-player]")).to_have_count(1)
    page.reload()

    expect(row(page, world.LEADER)).to_be_visible()
    assert json.loads(page.evaluate("localStorage.followed")) == [world.LEADER]


@pytest.mark.parametrize(("language", "heading"), [("es", "Elo en vivo"), ("ro", "Elo live")])
def test_the_pages_speak_the_readers_language(quiet_site, visit, language, heading):
    page = ready(visit(f"{quiet_site.address}/?lang={language}"))

    expect(page.locator("h1")).to_have_text(heading)
    assert page.evaluate("document.documentElement.lang") == language


def test_the_operator_page_opens_with_the_token_alone(quiet_site, visit):
    page = visit(f"{quiet_site.address}/operator", expect=["401"])
    page.fill("#token", "wrong")
    page.click("#door button")
    expect(page.locator("#refused")).to_have_text("This is not the token.")
    page.fill("#token", TOKEN)
    page.click("#door button")

    expect(page.locator("#desk")).to_contain_text(
        "elowire entrants identify name:abel-ada --tournament club-open --player 4000000 --why '...'"
    )
    expect(page.locator("#desk")).to_contain_text("elowire dead-letters replay game-results/0/")
    expect(page.locator("#desk")).to_contain_text("US Championship 2025")


def test_the_operator_page_names_a_refused_field_once(site, visit):
    site.spoil(b"{}", headers=())
    page = visit(f"{site.address}/operator")
    page.fill("#token", TOKEN)
    page.click("#door button")

    expect(page.locator("#desk td.why p:first-child")).to_have_text(
        ["specversion is missing", "ce_specversion is missing"]
    )


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_axe_finds_nothing_in_light_and_dark_and_a_phone_never_scrolls_sideways(quiet_site, visit, path):
    page = ready(visit(quiet_site.address + path))
    if path == "/operator":
        page.fill("#token", TOKEN)
        page.click("#door button")
        expect(page.locator("#desk h2").first).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], *seen(one["nodes"][0])) for one in found] == []
    page.set_viewport_size(PHONE)

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def seen(node):
    return node["html"][:200], node["failureSummary"]


def test_everything_can_be_reached_by_keyboard(quiet_site, visit):
    page = ready(visit(f"{quiet_site.address}/"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.name || document.activeElement.id || document.activeElement.className"
            )
        )

    assert {
        "language",
        "theme",
        "search",
        "federation",
        "title",
        "age",
        "followed",
        "person",
        "star",
    } <= reached
