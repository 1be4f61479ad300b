"""The real Swiss open is summed again from its columns and the printed tables, without the product's code."""

from __future__ import annotations

import csv
from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest

from elowire.ingest.offline import rate_event
from elowire.ingest.offline_rows import event_row
from elowire.ingest.readers.files import read_ratable

# Edition, cap, K of a grown-up with many games below and from 2400: rules sheet, section 4.
EDITIONS = [
    pytest.param("2003", 350, 15, 10, id="2003"),
    pytest.param("2014-07", 400, 20, 10, id="2014-07"),
    pytest.param("2024-03", 400, 20, 10, id="2024-03"),
]
POINTS = {"1": 100, "=": 50, "0": 0}


@pytest.fixture
def lines(events):
    text = (events / "swiss-open-2005.trf").read_text()
    return {int(line[4:8]): line for line in text.splitlines() if line.startswith("001")}


@pytest.fixture
def table(cases):
    """Upper bound of D -> PD of the higher rated side, in hundredths."""
    with (cases / "pd_table.csv").open(newline="") as stream:
        return list(csv.reader(stream))


def games_of(line):
    for start in range(91, len(line), 10):
        block = line[start : start + 8]
        if block[:4].strip("0 ") and block[7] in POINTS:
            yield int(block[:4]), POINTS[block[7]]


def expectancy(table, difference):
    header, rows = table[0], table[1:]
    for row in rows:
        cell = dict(zip(header, row, strict=True))
        low, high = int(cell["d_min"]), int(cell["d_max"] or 99999)
        if low <= abs(difference) <= high:
            return round(float(cell["pd_higher" if difference >= 0 else "pd_lower"]) * 100)
    raise AssertionError(difference)


@pytest.mark.parametrize(("edition", "cap", "low", "high"), EDITIONS)
def test_sums_of_every_rated_player(events, lines, table, edition, cap, low, high):
    report = read_ratable(events / "swiss-open-2005.trf").stated(edition=edition)
    players = event_row(rate_event(report))["players"]
    ratings = {rank: int(line[48:52].strip() or 0) for rank, line in lines.items()}
    rated = [(rank, rating) for rank, rating in ratings.items() if rating]

    assert len(rated) == 146
    for rank, own in rated:
        total = 0
        for opponent, points in games_of(lines[rank]):
            if ratings[opponent]:
                difference = max(-cap, min(cap, own - ratings[opponent]))
                total += points - expectancy(table, difference)
        line = players[rank - 1]
        assert line["sum_change"] == str(Decimal(total).scaleb(-2)), rank
        if line["k"] in {low, high}:
            assert line["k"] == (high if own >= 2400 else low)


def test_first_ratings_of_2024_from_the_formula(events, lines, cases):
    with (cases / "dp_table.csv").open(newline="") as stream:
        dp = {row[0]: int(row[1]) for row in list(csv.reader(stream))[1:]}
    ratings = {rank: int(line[48:52].strip() or 0) for rank, line in lines.items()}
    report = read_ratable(events / "swiss-open-2005.trf").stated(edition="2024-03")
    players = event_row(rate_event(report))["players"]

    unrated = [rank for rank, rating in ratings.items() if not rating]
    assert len(unrated) == 138
    for rank in unrated:
        met = [(ratings[o], points) for o, points in games_of(lines[rank]) if ratings[o]]
        initial = players[rank - 1]["initial"]
        scored = sum(points for _, points in met)
        if not scored:
            assert initial["ru"] is None
            assert not initial["publishable"]
            continue
        n = len(met)
        ra = Fraction(sum(rating for rating, _ in met) + 3600, n + 2)
        p = floor(Fraction(scored + 100, n + 2) + Fraction(1, 2))
        ru = min(2200, floor(ra + dp[f"{p / 100:.2f}"] + Fraction(1, 2)))
        assert (initial["games"], initial["p"], initial["ru"]) == (n, f"{p / 100:.2f}", ru)
        assert initial["publishable"] == (n >= 5 and ru >= 1400)


# Edition, points and games that a first rating needs, rating per half point above 50 %, floor.
OLDER = [
    pytest.param("2003", 100, 9, Fraction(25, 2), 1801, id="2003"),
    pytest.param("2014-07", 50, 5, Fraction(15), 1000, id="2014-07"),
]


@pytest.mark.parametrize(("edition", "least", "needed", "half_point", "floor_of_list"), OLDER)
def test_first_ratings_of_older_editions_from_the_formula(
    events, lines, cases, edition, least, needed, half_point, floor_of_list
):
    with (cases / "dp_table.csv").open(newline="") as stream:
        dp = {row[0]: int(row[1]) for row in list(csv.reader(stream))[1:]}
    ratings = {rank: int(line[48:52].strip() or 0) for rank, line in lines.items()}
    report = read_ratable(events / "swiss-open-2005.trf").stated(edition=edition)
    players = event_row(rate_event(report))["players"]
    publishable = 0
    for rank in (rank for rank, rating in ratings.items() if not rating):
        met = [(ratings[o], points) for o, points in games_of(lines[rank]) if ratings[o]]
        initial = players[rank - 1]["initial"]
        scored, n = sum(points for _, points in met), len(met)
        if not n or scored < least:
            assert initial["ru"] is None
            continue
        rc = Fraction(sum(rating for rating, _ in met), n)
        above = Fraction(scored, 50) - n
        p = floor(Fraction(scored, n) + Fraction(1, 2))
        ru = floor(rc + (above * half_point if above > 0 else dp[f"{p / 100:.2f}"]) + Fraction(1, 2))
        assert (initial["games"], initial["p"], initial["ru"]) == (n, f"{p / 100:.2f}", ru)
        assert initial["publishable"] == (n >= needed and ru >= floor_of_list)
        publishable += initial["publishable"]

    assert publishable == sum(player["initial"]["publishable"] for player in players if player["initial"])


@pytest.mark.parametrize("edition", ["2003", "2014-07", "2024-03"])
def test_every_line_of_the_file_is_rated_or_refused_with_its_reason(events, lines, edition):
    """Counted in the columns: played games against rated and unrated opponents, and all other entries."""
    ratings = {rank: int(line[48:52].strip() or 0) for rank, line in lines.items()}
    report = read_ratable(events / "swiss-open-2005.trf").stated(edition=edition)
    for rank, player in enumerate(event_row(rate_event(report))["players"], 1):
        met = [ratings[opponent] for opponent, _ in games_of(lines[rank])]
        reasons = [game["reason"] for game in player["refused_games"]]

        assert player["games"] == sum(rating > 0 for rating in met)
        assert reasons.count("unrated-opponent") == sum(rating == 0 for rating in met)
        assert set(reasons) <= {"unrated-opponent", "forfeit", "bye", "unplayed"}
