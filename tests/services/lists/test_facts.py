"""Facts of entrants: the list in force, what it leaves open, and which source counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from elowire.contracts.vocabulary import Result
from elowire.domain import KReason, Refusal, TimeControl, decimal_text, edition_by_id
from elowire.ingest.book import Book
from elowire.ingest.facts import book_facts, completed, printed_list, with_book_facts
from elowire.ingest.feed import feed_of
from elowire.ingest.offline import rate_event
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    GameFacts,
    ImportReport,
    TournamentFacts,
)
from tests.services.lists.made_up import Player

EDITION = edition_by_id("2025-10")
ANNA = Player(101, "Anna", "NOR", "F", "WGM", "WGM", standard=(2300, 9, 10), rapid=(2200, 0, 20))
BELA = Player(102, "Bela", "HUN", standard=(2100, 5, 20), birth_year=1980)
CARA = Player(103, "Cara", "ITA", "F")


@pytest.fixture
def facts(book_path):
    """Look facts up in the test's book."""

    def look_up(*players, rating_list="2026-10", time_control=TimeControl.STANDARD, edition=EDITION):
        with Book(book_path) as book:
            return book_facts(
                book, players, time_control=time_control, rating_list=rating_list, edition=edition
            )

    return look_up


def test_rating_and_k_are_those_of_the_list_in_force(list_file, load_into, facts):
    load_into(list_file([ANNA]), "2026-09")
    load_into(list_file([replace(ANNA, standard=(2310, 4, 10))]), "2026-10")

    september, october = (facts("101", rating_list=month)["101"] for month in ("2026-09", "2026-10"))
    assert (september.rating, september.k, september.k_reason, september.source) == (
        2300,
        10,
        KReason.LIST,
        "list",
    )
    assert (october.rating, october.highest) == (2310, 2310)
    assert (september.name, september.federation, september.title, september.sex) == (
        "Anna",
        "NOR",
        "WGM",
        "F",
    )


def test_a_player_on_the_list_without_a_rating_is_unrated(list_file, load_into, facts):
    load_into(list_file([CARA]), "2026-10")

    assert facts("103")["103"].unrated
    assert facts("103")["103"].k is None


def test_who_is_not_on_the_list_stays_unknown(list_file, load_into, facts):
    load_into(list_file([ANNA]), "2026-10")

    assert facts("999", "local:7") == {}


def test_an_older_list_is_no_substitute_for_the_one_in_force(list_file, load_into, facts):
    load_into(list_file([ANNA]), "2026-09")

    assert facts("101", rating_list="2026-10") == {}


@pytest.mark.parametrize(
    ("month", "in_force"),
    [
        ("2026-10", "2026-10"),
        ("2012-08", "2012-08"),
        ("2012-06", "2012-05"),
        ("2011-03", "2011-03"),
        ("2009-08", "2009-07"),
        ("2009-06", "2009-04"),
        ("2004-12", "2004-10"),
    ],
)
def test_before_july_2012_a_list_stood_for_months(month, in_force):
    assert printed_list(month) == in_force


def test_without_a_rapid_rating_the_standard_one_plays(list_file, load_into, facts):
    """B.02 RB 7.2.1, from 1 March 2024."""
    load_into(list_file([ANNA, BELA, CARA]), "2026-10")

    found = facts("101", "102", "103", time_control=TimeControl.RAPID)
    assert (found["101"].rating, found["101"].rating_from, found["101"].k) == (2200, TimeControl.RAPID, 20)
    assert (found["102"].rating, found["102"].rating_from) == (2100, TimeControl.STANDARD)
    assert found["103"].unrated


def test_a_rapid_list_alone_does_not_say_who_is_unrated(list_file, load_into, facts):
    load_into(list_file([CARA], "standard"), "2026-10", time_control=TimeControl.RAPID)

    assert facts("103", time_control=TimeControl.RAPID) == {}


def test_a_k_that_the_list_does_not_print_is_derived_with_its_reason(list_file, load_into, facts):
    once = replace(ANNA, standard=(2410, 9, 0))
    load_into(list_file([once, BELA], "old"), "2011-01", time_control=TimeControl.STANDARD)
    now = [replace(once, standard=(2390, 30, 0)), replace(BELA, standard=(2100, 30, 0))]
    load_into(list_file(now, "old"), "2011-03", time_control=TimeControl.STANDARD, accept_doubts=True)

    found = facts("101", "102", rating_list="2011-03", edition=edition_by_id("2009-07"))
    assert (found["101"].k, found["101"].k_reason) == (10, KReason.EVER_2400)
    assert found["101"].source == "list 2011-03, K ever-2400"
    assert (found["102"].k, found["102"].k_reason, found["102"].games) == (15, KReason.DEFAULT, 35)


def test_games_are_known_of_whom_the_book_saw_from_the_first_rating_on(list_file, load_into, facts):
    load_into(list_file([ANNA]), "2026-09")
    load_into(list_file([ANNA, BELA]), "2026-10", accept_doubts=True)

    assert facts("102")["102"].games == 5
    assert facts("101")["101"].games is None


def test_the_list_outranks_the_entry_and_fills_what_it_leaves_out(list_file, load_into, facts):
    load_into(list_file([ANNA]), "2026-10")
    entry = EntrantFacts("7", player_id="101", name="Anna A.", rating=2222, k=40)

    found = completed(entry, facts("101"))
    assert (found.rating, found.k, found.name, found.federation) == (2300, 10, "Anna A.", "NOR")
    assert completed(replace(entry, player_id="999"), facts("101")).rating == 2222


def test_an_event_takes_the_facts_of_the_book_and_says_where_they_differ(list_file, load_into, book_path):
    load_into(list_file([ANNA, BELA]), "2026-10")
    report = EventReport(
        source="open.trf",
        format="trf",
        tournament=TournamentFacts("open", "Open", TimeControl.STANDARD, starts_on=date(2026, 10, 3)),
        entrants=(
            EntrantFacts("1", player_id="101", name="Anna", rating=2222),
            EntrantFacts("2", player_id="102", name="Bela"),
            EntrantFacts("3", player_id="103", name="Cara", rating=1800, k=40),
        ),
        games=(),
        imported=ImportReport(),
    )

    found = with_book_facts(report, book_path)
    assert [(one.rating, one.k, one.source) for one in found.entrants] == [
        (2300, 10, "list"),
        (2100, 20, "list"),
        (1800, 40, None),
    ]
    assert [notice.text for notice in found.imported.notices] == [
        "Anna is 2222 in the file and 2300 on list 2026-10, which counts"
    ]
    sent = [event.value for event in feed_of(found, time=datetime(2026, 10, 3, tzinfo=UTC)).opening]
    assert b'"rating":2300,"unrated":false,"k":10,' in sent[1]
    assert b'"rating_list":"2026-10","override":false,"source":"list"' in sent[1]
    assert b'"source":"file:open.trf"' in sent[3]


def test_without_a_book_an_event_keeps_its_own_facts(tmp_path):
    report = EventReport("x", "trf", TournamentFacts("open", "Open"), (), (), ImportReport())

    assert with_book_facts(report, tmp_path / "none") is report
    assert not (tmp_path / "none").exists()


def event_of_cara(rated_in):
    return EventReport(
        source="open.trf",
        format="trf",
        tournament=TournamentFacts(
            "open",
            "Open",
            TimeControl.STANDARD,
            starts_on=date(2026, 10, 3),
            ends_on=date(2026, 10, 9),
            rated_in=rated_in,
        ),
        # Two players alone would be a match, which is not rated with an unrated player.
        entrants=(
            EntrantFacts("1", player_id="101"),
            EntrantFacts("3", player_id="103", name="Cara"),
            EntrantFacts("2", player_id="102"),
        ),
        games=(GameFacts("g", "3", "1", Result.WHITE_WINS),),
        imported=ImportReport(),
    )


@pytest.mark.parametrize(
    ("rated_in", "entered", "change"),
    [("2026-12", ("2026-11", 1900, 40), "36.80"), (None, (None, None, None), None)],
    ids=["2025-10-8.2-report-of-december", "2025-10-8.2-report-of-november"],
)
def test_an_unrated_player_who_is_on_a_list_before_the_rating_is_a_late_entry(
    list_file, load_into, book_path, rated_in, entered, change
):
    """Computed: 2300 against 1900 is PD .92 for the other; a win is 40 times .92."""
    load_into(list_file([ANNA, CARA]), "2026-10")
    load_into(list_file([ANNA, replace(CARA, standard=(1900, 5, 40))]), "2026-11", accept_doubts=True)
    found = with_book_facts(event_of_cara(rated_in), book_path)
    cara = found.entrants[1]

    assert (cara.unrated, cara.rating) == (True, None)
    assert (cara.entered_list, cara.entered_rating, cara.entered_k) == entered
    anna, rated, _ = rate_event(found).players
    assert [game.reason for game in anna.refused] == [Refusal.UNRATED_OPPONENT]
    assert (None if rated.figures is None else decimal_text(rated.figures.change)) == change
