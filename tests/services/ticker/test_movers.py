"""Who has moved most: the greatest changes of those who changed last, a bounded number of players."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from elowire.contracts.topics import LIVE_RATINGS
from elowire.domain import TimeControl
from elowire.runtime.metrics import Registry
from elowire.ticker.board import Board
from elowire.ticker.feed import Progress
from elowire.ticker.metrics import TickerMetrics
from elowire.ticker.movers import REMEMBERED, SHOWN, Lately, Mover, movers
from elowire.ticker.stream import Stream
from tests.services.ticker.records import feed_of, figures, live

TOPIC = LIVE_RATINGS.name


def moved(*changes):
    """A board on which players 1, 2, 3, ... have these changes, and who changed last."""
    board, lately = Board(), Lately()
    for number, change in enumerate(changes, 1):
        board.apply(TOPIC, live(str(number), standard=figures(2700, change)))
        lately.note(str(number))

    return board, lately


def test_losses_count_as_much_as_gains_and_the_greatest_come_first():
    board, lately = moved("1.20", "-8.30", "4.00")

    assert movers(board, lately, TimeControl.STANDARD) == [Mover("2", -830), Mover("3", 400), Mover("1", 120)]
    assert movers(board, lately, TimeControl.BLITZ) == []


def test_who_has_no_pending_game_moves_no_more():
    board, lately = moved("1.20")
    board.apply(TOPIC, live("1", 2, standard=figures(2701, "0.00", pending=0)))

    assert movers(board, lately, TimeControl.STANDARD) == []


def test_only_a_few_are_shown_and_a_bounded_number_is_remembered():
    board, lately = moved(*(f"{number}.00" for number in range(SHOWN + 5)))
    for number in range(2 * REMEMBERED):
        lately.note(f"x{number}")
    lately.note("x1001")

    assert movers(board, lately, TimeControl.STANDARD) == []
    assert len(list(lately)) == REMEMBERED
    assert list(lately)[-1] == "x1001"
    board, lately = moved(*(f"{number}.00" for number in range(SHOWN + 5)))
    assert len(movers(board, lately, TimeControl.STANDARD)) == SHOWN


def test_the_figures_name_who_moved_and_forget_who_does_not():
    board, progress, registry = Board(), Progress(), Registry("ticker")
    metrics = TickerMetrics(registry, board, progress, Stream("boot"))
    board.apply(TOPIC, live("1", name="Carlsen, Magnus", standard=figures(2839, "4.50")))
    progress.lately.note("1")
    progress.lately.note(None)
    metrics.take()
    first = shown(registry)
    board.apply(TOPIC, live("1", 2, standard=figures(2844, "0.00", pending=0)))
    metrics.take()

    assert first == {("standard", "1", "Carlsen, Magnus"): 4.5}
    assert shown(registry) == {}


def shown(registry):
    return {
        (sample.labels["time_control"], sample.labels["player"], sample.labels["name"]): sample.value
        for family in text_string_to_metric_families(registry.exposition().decode())
        for sample in family.samples
        if sample.name == "elowire_ticker_mover_points"
    }


def test_the_feed_takes_note_of_every_change():
    feed, _, _ = feed_of((TOPIC, live("7", standard=figures(2700, "1.00"))))

    assert list(feed.progress.lately) == ["7"]
