"""K by article 8.56 (8.3.3 from 2022), with its reason, and its cut."""

from __future__ import annotations

from datetime import date

import pytest

from elowire.domain import EDITIONS, KReason, TimeControl, cut_k, edition_by_id, k_factor

NEW, JUNIOR, EVER, DEFAULT, ASSUMED = (
    KReason.NEW_PLAYER, KReason.JUNIOR, KReason.EVER_2400, KReason.DEFAULT, KReason.ASSUMED,
)  # fmt: skip

# edition, rating, highest, games, birth year, list year: K, reason
RULES = [
    pytest.param("2003", 2000, None, 29, 1980, 2005, 25, NEW, id="2003-8.56-new"),
    pytest.param("2003", 2000, None, 30, 1980, 2005, 15, DEFAULT, id="2003-8.56-30-games"),
    pytest.param("2003", 2399, None, 99, 1980, 2005, 15, DEFAULT, id="2003-8.56-below-2400"),
    pytest.param("2003", 2400, None, 10, 1980, 2005, 10, EVER, id="2003-8.56-2400"),
    pytest.param("2003", 2400, None, None, 1980, 2005, 10, EVER, id="2003-8.56-2400-games-do-not-matter"),
    pytest.param("2003", 2000, None, None, 1980, 2005, 15, ASSUMED, id="2003-8.56-games-unknown"),
    pytest.param("2009-draft", 2399, None, 5, 1980, 2009, 30, DEFAULT, id="2009-draft-8.56-few-games"),
    pytest.param("2009-draft", 2300, None, None, None, 2009, 30, DEFAULT, id="2009-draft-8.56-no-facts"),
    pytest.param("2009-draft", 2400, None, 30, 1980, 2009, 20, EVER, id="2009-draft-8.56-exactly-2400"),
    pytest.param("2009-draft", 2400, None, 29, 1980, 2009, 30, DEFAULT, id="2009-draft-8.56-2400-29-games"),
    pytest.param("2009-draft", 2400, None, None, 1980, 2009, 20, ASSUMED, id="2009-draft-8.56-games-unknown"),
    pytest.param("2009-07", 2400, None, 29, 1980, 2010, 25, NEW, id="2009-8.56-2400-and-new"),
    pytest.param("2009-07", 2400, None, 30, 1980, 2010, 10, EVER, id="2009-8.56-2400-and-30-games"),
    pytest.param("2011-07", 2000, None, 29, 1980, 2012, 30, NEW, id="2011-8.56-new"),
    pytest.param("2011-07", 2400, None, 29, 1980, 2012, 30, NEW, id="2011-8.56-2400-and-new"),
    pytest.param("2011-07", 2390, 2410, 40, 1980, 2012, 10, EVER, id="2011-8.56-ever-2400"),
    pytest.param("2013-07", 2400, None, 5, 1980, 2013, 10, EVER, id="2013-8.56-2400-without-30-games"),
    pytest.param("2013-07", 2000, None, 50, 2005, 2013, 15, DEFAULT, id="2013-8.56-no-junior-rule"),
    pytest.param("2014-07", 2000, None, 50, 1998, 2016, 40, JUNIOR, id="2014-8.56-year-of-18th-birthday"),
    pytest.param("2014-07", 2000, None, 50, 1998, 2017, 20, DEFAULT, id="2014-8.56-year-after"),
    pytest.param("2025-10", 2350, None, 50, 2007, 2025, 20, DEFAULT, id="2025-8.3.3-junior-from-2300"),
    pytest.param("2025-10", 2300, None, 50, 2007, 2025, 20, DEFAULT, id="2025-8.3.3-2300-itself-ends-it"),
    pytest.param("2025-10", 2299, None, 50, 2007, 2025, 40, JUNIOR, id="2025-8.3.3-junior-below-2300"),
    pytest.param("2025-10", 2250, 2310, 50, 2007, 2025, 20, DEFAULT, id="2025-8.3.3-junior-once-2300"),
    pytest.param("2025-10", 2250, 2310, 20, 2007, 2025, 40, NEW, id="2025-8.3.3-junior-once-2300-but-new"),
    pytest.param("2025-10", 2390, 2400, 50, 2010, 2025, 10, EVER, id="2025-8.3.3-junior-ever-2400"),
    pytest.param("2025-10", 2400, None, 5, 1990, 2025, 10, EVER, id="2025-8.3.3-2400-with-5-games"),
    pytest.param("2025-10", 2399, None, 5, 1990, 2025, 40, NEW, id="2025-8.3.3-new"),
    pytest.param("2025-10", 2000, None, 29, 1990, 2025, 40, NEW, id="2025-8.3.3-29-games"),
    pytest.param("2025-10", 2000, None, 30, 1990, 2025, 20, DEFAULT, id="2025-8.3.3-30-games"),
    pytest.param("2025-10", 2000, None, None, 1990, 2025, 20, ASSUMED, id="2025-8.3.3-games-unknown"),
    pytest.param("2025-10", 2000, None, 30, None, 2025, 20, ASSUMED, id="2025-8.3.3-birth-year-unknown"),
    pytest.param("2025-10", 2300, None, 30, None, 2025, 20, DEFAULT, id="2025-8.3.3-age-does-not-matter"),
    pytest.param("2025-10", 2000, None, 3, None, 2025, 40, NEW, id="2025-8.3.3-new-whatever-the-age"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edition", "rating", "highest", "games", "birth_year", "list_year", "k", "reason"), RULES
)
def test_rule(edition, rating, highest, games, birth_year, list_year, k, reason):
    found = k_factor(
        edition=edition_by_id(edition),
        rating=rating,
        highest=highest,
        games=games,
        birth_year=birth_year,
        list_year=list_year,
    )

    assert found == (k, reason)


def test_2025_8_3_3_the_list_wins_over_the_entry_and_the_entry_over_the_rule():
    facts = {"edition": edition_by_id("2025-10"), "rating": 2500, "list_year": 2025}

    assert k_factor(**facts, printed=20, entrant=40) == (20, KReason.LIST)
    assert k_factor(**facts, printed=0, entrant=40) == (40, KReason.ENTRANT)
    assert k_factor(**facts, printed=None, entrant=0) == (10, EVER)


@pytest.mark.parametrize(
    ("edition", "starts_on", "k"),
    [
        ("2014-07", None, 20),
        ("2022-01", date(2022, 9, 30), 20),
        ("2022-01", date(2022, 10, 1), 40),
        ("2022-01", None, 40),
        ("2025-10", None, 40),
        ("2009-07", None, 25),
    ],
)
@pytest.mark.parametrize("time_control", [TimeControl.RAPID, TimeControl.BLITZ])
def test_rb_k_is_20_for_everybody_from_2012_to_september_2022(edition, starts_on, k, time_control):
    found = k_factor(
        edition=edition_by_id(edition),
        rating=2000,
        games=3,
        birth_year=1990,
        list_year=2022,
        time_control=time_control,
        starts_on=starts_on,
    )

    assert found.k == k
    assert found.reason is (NEW if k != 20 else DEFAULT)


@pytest.mark.parametrize(
    ("k", "games", "cut"),
    [
        (40, 17, 40),
        (40, 18, 38),
        (20, 35, 20),
        (20, 36, 19),
        (10, 70, 10),
        (10, 71, 9),
        (20, 39, 17),
        (20, 0, 20),
        (10, 701, 0),
    ],
)
@pytest.mark.parametrize("edition", ["2017-07", "2022-01", "2024-03", "2025-10"])
def test_8_3_3_k_times_n_is_at_most_700(edition, k, games, cut):
    assert cut_k(k, games, edition_by_id(edition)) == cut


@pytest.mark.parametrize(
    "edition", [edition for edition in EDITIONS if edition.id < "2017"], ids=lambda e: e.id
)
def test_8_56_has_no_limit_before_2017_but_for_rapid_from_2012(edition):
    assert cut_k(30, 100, edition) == 30
    assert cut_k(1, 701, edition, TimeControl.BLITZ) == (0 if edition.id > "2011" else 1)
    in_time = edition.id in {"2011-07", "2013-07", "2014-07"}
    assert cut_k(20, 100, edition, TimeControl.BLITZ) == (7 if in_time else 20)
