"""White stands first wherever a game is shown; here White comes after Black by id, and loses."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import world
from tests.browser.conftest import SCENE
from tests.oracle.events import game

WHITE, BLACK = "90000002", "4000050"


def test_versus_has_white_on_the_left_also_when_white_loses(site, visit):
    site.tell(game("4.8", WHITE, BLACK, "0-1", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/overlay?view=versus&game=4.8&tournament={world.CLUB}", viewport=SCENE)

    expect(page.locator(".one .name")).to_have_text("Nowak, Ola")
    expect(page.locator(".score")).to_have_text("0 \u2013 1")
    expect(page.locator(".one .pieces.white")).to_have_text("White")
    expect(page.locator(".other .pieces.black")).to_have_text("Black")


def test_colours_that_are_put_right_change_sides(site, visit):
    site.tell(game("4.8", BLACK, WHITE, "1-0", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/overlay?view=versus&game=4.8&tournament={world.CLUB}", viewport=SCENE)
    expect(page.locator(".other .name")).to_have_text("Nowak, Ola")
    site.tell(game("4.8", WHITE, BLACK, "0-1", tournament_id=world.CLUB, round=4, revision=2))

    expect(page.locator(".one .name")).to_have_text("Nowak, Ola")
    expect(page.locator(".score")).to_have_text("0 \u2013 1")


def test_who_had_white_stands_first_in_the_rounds_and_is_told_beside_each_game(site, visit):
    site.tell(game("4.8", WHITE, BLACK, "0-1", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/tournament/{world.CLUB}?view=rounds")
    pair = page.locator(f".pairs li:has([data-player='{WHITE}'])").first

    expect(pair.locator(".one")).to_contain_text("Nowak, Ola")
    expect(pair.locator(".one .pieces.white")).to_have_text("White")
    expect(pair.locator(".score b")).to_have_text("0 \u2013 1")
    expect(pair.locator(".other .pieces.black")).to_have_text("Black")
    page = visit(f"{site.address}/player/{BLACK}")
    expect(page.locator("tr[data-game='4.8'] .result")).to_have_text("Black 1")


def test_black_stays_on_the_right_while_it_is_not_known_who_has_white(site, visit):
    site.tell(game("4.9", {"entrant_id": "name:abel-ada"}, BLACK, "0-1", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/tournament/{world.CLUB}?view=rounds")
    pair = page.locator(f".pairs li:has([data-player='{BLACK}'])").first

    expect(pair.locator(".one")).to_have_text("no opponent")
    expect(pair.locator(".other .pieces.black")).to_have_text("Black")
    expect(pair.locator(".score b")).to_have_text("\u2013 1")


def test_versus_has_black_on_the_right_while_it_is_not_known_who_has_white(site, visit):
    site.tell(game("4.9", {"entrant_id": "name:abel-ada"}, BLACK, "0-1", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/overlay?view=versus&game=4.9&tournament={world.CLUB}", viewport=SCENE)

    expect(page.locator(".other .pieces.black")).to_have_text("Black")
    expect(page.locator(".one")).to_have_text("")
    expect(page.locator("#scene")).to_be_visible()
    # At once: between two questions the scene may be drawn anew.
    left, middle, right = page.evaluate(
        "['.one', '.middle', '.other'].map(of => document.querySelector(of).getBoundingClientRect().toJSON())"
    )
    assert left["x"] < middle["x"] < right["x"]
    assert abs(left["width"] - right["width"]) < 2


def test_versus_has_white_on_the_left_while_it_is_not_known_who_has_black(site, visit):
    site.tell(game("4.9", WHITE, {"entrant_id": "name:abel-ada"}, "1-0", tournament_id=world.CLUB, round=4))
    page = visit(f"{site.address}/overlay?view=versus&game=4.9&tournament={world.CLUB}", viewport=SCENE)

    expect(page.locator(".one .pieces.white")).to_have_text("White")
    expect(page.locator(".other")).to_have_text("")
