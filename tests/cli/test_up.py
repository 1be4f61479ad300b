"""`elowire up` as a user starts it: it serves, survives every kind of death, and says what is in its way."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from contextlib import ExitStack, suppress

import httpx
import psutil
import pytest

from elowire.runtime.kafka import KafkaUnreachableError, RecordRefusedError
from tests.bench import load, measures
from tests.broker.acceptance.programs import DATA, Program, feed, gone, living, run, wait_until
from tests.ports import free_ports

pytestmark = pytest.mark.broker
EVENT = DATA / "events" / "us-championship-2025.json"
RATED_S = 60
# As long as a next start waits for the ports.
ORPHANED_S = 10
PORTS = (
    "KAFKA_PORT",
    "TICKER_PORT",
    "INGEST_PORT",
    "DISPATCH_PORT",
    "PROCESSOR_ADMIN_PORT",
    "TICKER_ADMIN_PORT",
    "INGEST_ADMIN_PORT",
    "DISPATCH_ADMIN_PORT",
)
SERVICES = ("processor", "ticker", "ingest", "dispatch")


class Up(Program):
    """`elowire up` on its own ports, which a later one may take over."""

    def __init__(self, folder, data, ports=None, *options):
        self.ports = ports or dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        self.data = data
        super().__init__(folder, "up", "--data", data, *options, **self.environment)

    @property
    def environment(self):
        return {f"ELOWIRE_{name}": port for name, port in self.ports.items()} | {"ELOWIRE_LOG_FORMAT": "json"}

    @property
    def bootstrap(self):
        return f"127.0.0.1:{self.ports['KAFKA_PORT']}"

    def ready(self):
        return self.until("ready; stop with Ctrl-C")

    def player(self, player_id):
        """What the ticker says of a player, as bytes; None while it knows nothing of him."""
        try:
            answer = httpx.get(
                f"http://127.0.0.1:{self.ports['TICKER_PORT']}/v1/players/{player_id}", timeout=5
            )
        except httpx.TransportError:
            return None
        return answer.content if answer.status_code == 200 else None

    def named(self, word):
        """The running process of the family whose command line ends in `word`, not its watcher."""
        return next(
            process
            for process in reversed(living(self.family()))
            if process.cmdline()[-1] == word or process.name() == word
        )


@pytest.fixture
def up(tmp_path):
    """Start `elowire up`; whatever is left of it at the end is killed."""
    started = []

    def start(data=tmp_path / "data", ports=None, options=()):
        started.append(Up(tmp_path / "said", data, ports, *options))
        return started[-1]

    yield start
    for program in started:
        program.end()


@pytest.fixture(scope="module")
def event():
    return json.loads(EVENT.read_bytes())


def served(program, event):
    """What is served of all players, once the whole event is rated."""
    players = {str(player["fide_id"]): player["k_times_sum"] for player in event["players"]}

    def answers():
        found = {player_id: program.player(player_id) for player_id in players}
        if None in found.values():
            return None
        changes = {player_id: json.loads(raw)["standard"]["change"] for player_id, raw in found.items()}
        return found if changes == players else None

    return wait_until(answers, RATED_S, lambda: f"the event's figures: {program.err[-2000:]}")


def test_it_serves_the_same_after_kill_9_of_everything_and_after_a_rebuild_and_stops_in_order(up, event):
    first = up().ready()
    feed(first.bootstrap, EVENT, "--finish")
    before = served(first, event)
    first.kill_everything()

    second = up(ports=first.ports).ready()
    after = served(second, event)
    # A second one on the same data, with the same ports and with others.
    beside = run("up", "--data", second.data, **second.environment)
    elsewhere = run("up", "--data", second.data, **_others(second))
    status = second.ask_to_stop()
    gone(second.family(), 1)
    third = up(ports=first.ports, options=["--rebuild"]).ready()
    made_anew = served(third, event)

    assert "setting group elowire back to the beginnings" in third.err
    assert made_anew == after == before
    for other in (beside, elsewhere):
        assert other.returncode == 1
        assert f"already running (pid {second.pid})" in other.stderr
        assert "Stop it first, or use another data directory" in other.stderr
    assert status == 0
    assert "Traceback" not in second.err
    assert "stopping" in second.err
    # The services went while Kafka still answered, the ticker before the processor, Kafka after them.
    assert "ticker stopped" in second.err
    assert "no Kafka broker answers" not in second.err.partition("stopping")[2]
    kafka_said = "".join(path.read_text() for path in (second.data / "kafka").glob("kafka.log*"))
    assert "shut down completed" in kafka_said


def _others(program):
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    return program.environment | {f"ELOWIRE_{name}": port for name, port in ports.items()}


def test_kill_9_of_it_alone_leaves_no_process_and_the_next_one_need_not_wait(up, event):
    first = up().ready()
    feed(first.bootstrap, EVENT)
    before = served(first, event)
    family = living(first.family())
    first.process.kill()
    first.process.wait()
    second = up(ports=first.ports)

    gone(family, ORPHANED_S)
    second.ready()
    after = served(second, event)
    listening = [
        connection.laddr
        for process in living(second.family())
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    # Ctrl-C in a terminal.
    status = second.ask_to_stop(signal.SIGINT)
    gone(second.family(), 1)

    # Kafka and the services, each with its watcher.
    assert len(family) == 1 + 2 * (1 + len(SERVICES))
    assert (after, status) == (before, 0)
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert set(second.ports.values()) <= {address.port for address in listening}
    for port in second.ports.values():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))


def test_killed_at_work_its_services_end_as_in_order(up):
    """They still have Kafka to finish with: without it a batch is tried for as long as a batch may last."""
    program = up().ready()
    size = load.Size(tournaments=20, entrants=100, rounds=60, players=20_000)
    facts, entries = load.facts(size, seed=1)
    records = [*facts, *load.games(size, entries, seed=1)]

    def send():
        with suppress(KafkaUnreachableError, RecordRefusedError):  # Kafka ends in the middle of it
            asyncio.run(measures.send(program.bootstrap, records))

    # Not waited for: without Kafka a producer may try for ever.
    sending = threading.Thread(target=send, daemon=True)
    sending.start()
    wait_until(lambda: program.player(entries["open-1-0"][0]), RATED_S, "rated games")
    family = living(program.family())
    assert sending.is_alive()
    program.process.kill()

    gone(family, ORPHANED_S)
    assert "the process ends itself" not in program.err


def test_what_dies_is_started_again_and_nothing_is_lost(up, event):
    program = up().ready()
    feed(program.bootstrap, EVENT)
    before = served(program, event)
    victims = [program.named(word) for word in ("java", *SERVICES)]
    for victim in victims:
        victim.kill()
    gone(victims, 5)
    program.until("Kafka ended; it starts again")
    for service in SERVICES:
        program.until(f"{service} ended with code")

    wait_until(lambda: program.player("2020009"), RATED_S, lambda: f"served again: {program.err}")
    # One more fact goes all the way: the first game is taken back.
    first_game, *others = event["games"]
    path = program.data.parent / EVENT.name
    path.write_text(json.dumps({**event, "games": [{**first_game, "status": "annulled"}, *others]}))
    feed(program.bootstrap, path, "--revision", "1")
    player_id = str(first_game["white"])

    # Not the whole answer: the tournament's line is of another topic and may come first.
    def figures(raw):
        return raw and json.loads(raw)["standard"]

    after = wait_until(
        lambda: (now := figures(program.player(player_id))) != figures(before[player_id]) and now,
        RATED_S,
        lambda: program.err[-2000:],
    )

    assert figures(before[player_id])["pending_games"] == 11
    assert after["pending_games"] == 10


def test_when_kafka_cannot_come_back_it_says_why_and_ends(up):
    program = up().ready()
    # Somebody has tidied up in the data directory.
    (program.data / "kafka" / "elowire.json").unlink()
    program.named("java").kill()
    status = program.ends()

    assert status == 1
    assert "Kafka ended; it starts again" in program.err
    assert f"elowire: {program.data / 'kafka'} is not a data directory" in program.err.splitlines()[-1]
    assert living(program.family()) == []


def test_sigterm_while_kafka_starts_leaves_nothing(up):
    program = up().until("starting Kafka")
    status = program.ask_to_stop()
    gone(program.family(), 1)

    assert (status, "Traceback" in program.err) == (0, False)


@pytest.mark.parametrize("name", ["KAFKA_PORT", "TICKER_PORT", "DISPATCH_ADMIN_PORT"])
def test_a_taken_port_is_named(up, name):
    with ExitStack() as held:
        taken = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True)) | {name: taken}
        program = up(ports=ports)
        status = program.ends()

    assert status == 1
    assert f"port {taken} on 127.0.0.1" in program.err
    assert f"ELOWIRE_{name}" in program.err
    assert "Traceback" not in program.err
    assert living(program.family()) == []


def test_a_foreign_folder_is_no_data_directory(up, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "holiday.jpg").write_bytes(b"")
    program = up(tmp_path / "photos")

    assert program.ends() == 1
    assert f"{tmp_path / 'photos'} is not a data directory of Elowire" in program.err
    assert "Choose an empty or a new directory" in program.err
    assert "Traceback" not in program.err


def test_a_cluster_that_does_not_answer_is_named(tmp_path):
    (nobody,) = free_ports(1)
    done = run("up", "--bootstrap", f"127.0.0.1:{nobody}", **_others(Nowhere(tmp_path)))

    assert done.returncode == 1
    assert f"no Kafka broker answers at 127.0.0.1:{nobody}" in done.stderr
    assert "Traceback" not in done.stderr


class Nowhere:
    """No process, only an environment."""

    def __init__(self, folder):
        self.environment = {"ELOWIRE_DATA_DIR": folder}
