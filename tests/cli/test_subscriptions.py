"""`elowire subscriptions`: what a person types, and the sentence that answers what cannot be."""

from __future__ import annotations

import stat
import time

import pytest

from elowire.dispatch.desk import tell_egress
from elowire.dispatch.egress import Egress
from elowire.dispatch.intake import read_batch, take
from elowire.dispatch.store import open_store
from tests.services.dispatch.sending import SECRET, live_record

URL = "https://club.example/elo"


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """An environment without dispatch's settings."""
    for name in ("ALLOW_HTTP", "ALLOWED_NETWORKS"):
        monkeypatch.delenv(f"ELOWIRE_DISPATCH_{name}", raising=False)


@pytest.fixture
def subscriptions(elowire, tmp_path):
    """A `subscriptions` command on the test's own data directory."""

    def run(command, *arguments):
        return elowire("subscriptions", command, *arguments, "--data", tmp_path / "data")

    return run


def queue(folder, *versions):
    """Queue live ratings of one player, as the service does."""
    store = open_store(folder / "data")
    take(store, read_batch([live_record("1", version) for version in versions]), int(time.time() * 1000))
    store.close()


def test_a_secret_is_shown_once_and_kept_in_a_file_of_its_owner(subscriptions, tmp_path):
    made = subscriptions("add", "club", URL, "--player", "1", "--player", "2", "--format", "table")
    shown = subscriptions("show", "club").json()
    listed = subscriptions("list", "--format", "table")
    file = tmp_path / "data" / "dispatch.sqlite"

    assert made.out.startswith("whsec_")
    assert len(made.out.splitlines()) == 1
    assert "shown once" in made.err
    assert shown["filters"] == {"kinds": ["live-rating"], "players": ["1", "2"]}
    assert "whsec_" not in listed.out + str(shown)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_secret_of_one_s_own_comes_from_a_file_and_is_not_shown(subscriptions, tmp_path):
    (tmp_path / "secret").write_text(SECRET + "\n")
    made = subscriptions("add", "club", URL, "--secret-file", tmp_path / "secret")
    rotated = subscriptions("rotate", "club", "--secret-file", tmp_path / "secret")
    (tmp_path / "secret").write_text("hunter2")
    bad = subscriptions("rotate", "club", "--secret-file", tmp_path / "secret")
    nowhere = subscriptions("add", "other", URL, "--secret-file", tmp_path / "nowhere")

    assert (made.status, rotated.status, bad.status, nowhere.status) == (0, 0, 1, 1)
    assert "whsec_" not in made.out + made.err + rotated.out + rotated.err
    assert "expected whsec_ followed by 24 to 64 bytes in base64" in bad.err
    assert "hunter2" not in bad.err
    assert "nowhere cannot be read: No such file" in nowhere.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Club", URL), "name: is 'Club'; expected 1 to 64 small letters, digits and hyphens"),
        (("c", "http://a.example"), "ELOWIRE_DISPATCH_ALLOW_HTTP=true"),
        (("c", "https://10.0.0.1/"), "10.0.0.1 is a private address; expected a public address"),
        (("c", URL, "--player", "a b"), "--player: is 'a b'; expected a player id"),
        (("c", URL, "--federation", "Norway"), "--federation: is 'Norway'; expected a federation as three"),
        (("c", URL, "--time-control", "bullet"), "--time-control: is 'bullet'; expected one of 'standard'"),
        (("c", URL, "--kind", "games"), "--kind: is 'games'; expected one of 'live-rating'"),
        (("c", URL, "--cause", "rain"), "--cause: is 'rain'; expected one of 'game'"),
        (
            ("c", URL, "--min-change", "0"),
            "--min-change: is '0'; expected points as a decimal string above 0",
        ),
        (
            ("c", URL, "--kind", "rated-game", "--min-change", "1"),
            "--min-change: does not fit the other filters",
        ),
        (("club", URL), "there is a subscription 'club' already"),
    ],
)
def test_what_cannot_be_subscribed_names_the_option_and_what_to_do(subscriptions, arguments, said):
    subscriptions("add", "club", URL)
    done = subscriptions("add", *arguments)

    assert done.status == 1
    assert said in done.err
    assert done.err.rstrip().endswith((".", "first"))
    assert [one["name"] for one in subscriptions("list").json()] == ["club"]


def test_urls_are_judged_as_the_service_that_ran_last_judges_them(subscriptions, tmp_path):
    store = open_store(tmp_path / "data")
    tell_egress(store, Egress(http=True))
    store.close()

    assert subscriptions("add", "club", "http://club.example/").status == 0


def test_deliveries_are_listed_held_and_sent_again(subscriptions, tmp_path):
    subscriptions("add", "club", URL)
    queue(tmp_path, 1, 2)
    waiting = subscriptions("deliveries", "club").json()
    table = subscriptions("deliveries", "club", "--format", "table").out
    disabled = subscriptions("disable", "club")
    held = subscriptions("deliveries", "club", "--format", "table").out
    again = subscriptions("replay", "club", waiting[0]["delivery"])
    shown = subscriptions("delivery", waiting[0]["delivery"]).json()
    detailed = subscriptions("delivery", waiting[0]["delivery"], "--format", "table").out
    enabled = subscriptions("enable", "club")
    removed = subscriptions("remove", "club")

    assert [one["event_id"] for one in waiting] == ["1:2", "1:1"]
    assert waiting[1]["next_attempt_at"]
    assert waiting[0]["next_attempt_at"] is None
    assert table.count("waits for an older one of the same player") == 1
    assert "is held until `elowire subscriptions enable club`" in disabled.err
    assert held.count("held") == 2
    assert "out again: 1; they are held until" in again.err
    assert shown["body"]["data"]["version"] == 2
    assert "webhook id" in detailed
    assert "deliveries that go out now: 2" in enabled.err
    assert removed.status == 0


def test_a_change_keeps_what_it_does_not_name(subscriptions):
    subscriptions("add", "club", URL, "--player", "1")
    subscriptions("change", "club", "--url", "https://other.example/")
    moved = subscriptions("show", "club").json()
    subscriptions("change", "club", "--no-filters")
    every = subscriptions("show", "club").json()
    nothing = subscriptions("change", "club")
    both = subscriptions("change", "club", "--no-filters", "--player", "1")

    assert (moved["url"], moved["filters"]["players"]) == ("https://other.example/", ["1"])
    assert (every["url"], every["filters"]) == ("https://other.example/", {"kinds": ["live-rating"]})
    assert "nothing to change" in nothing.err
    assert "contradict" in both.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "nobody"), "there is no subscription 'nobody' (known: club)"),
        (("delivery", "7"), "there is no delivery 7"),
        (("replay", "club"), "it is not clear what to send again"),
        (("replay", "club", "7"), "club has no delivery 7"),
        (("replay", "club", "--since", "yesterday"), "--since: 'yesterday' is no time"),
        (("test", "club"), "dispatch does not run on"),
        (("token", "web", "--remove"), "there is no token 'web' (known: none yet)"),
    ],
)
def test_what_cannot_be_done_says_why(subscriptions, arguments, said):
    subscriptions("add", "club", URL)
    done = subscriptions(*arguments)

    assert done.status == 1
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_token_is_shown_once_and_can_be_taken_back(subscriptions, tmp_path):
    made = subscriptions("token", "web", "--format", "table")
    twice = subscriptions("token", "web")
    removed = subscriptions("token", "web", "--remove")

    assert made.out.startswith("elo_")
    assert made.out.strip().encode() not in (tmp_path / "data" / "dispatch.sqlite").read_bytes()
    assert "there is a token 'web' already" in twice.err
    assert removed.status == 0
