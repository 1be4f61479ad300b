"""A processor that would refuse everything stops, says why, and goes on when somebody has decided."""

from __future__ import annotations

import json

import pytest

from elowire.contracts.dead_letters import read_dead_letter
from elowire.runtime.kafka import OutRecord
from tests.broker.acceptance.programs import Program, is_ready, wait_until
from tests.broker.acceptance.topics import make_empty, read, send
from tests.ports import free_ports

pytestmark = pytest.mark.broker
PREFIX = "limit-"
POURED, LIMIT = 60, 20
WAIT_S = 90


@pytest.fixture
def start(embedded_kafka, tmp_path):
    """Start a processor with a limit; whatever still runs is ended with the test."""
    started = []

    def begin(limit):
        (port,) = free_ports(1)
        program = Program(
            tmp_path,
            "processor",
            ELOWIRE_BOOTSTRAP=embedded_kafka.bootstrap,
            ELOWIRE_TOPIC_PREFIX=PREFIX,
            ELOWIRE_GROUP="limit",
            ELOWIRE_PARTITIONS=2,
            ELOWIRE_PROCESSOR_ADMIN_PORT=port,
            ELOWIRE_DATA_DIR=tmp_path / "data",
            ELOWIRE_LOG_FORMAT="json",
            ELOWIRE_DEAD_LETTER_LIMIT=limit,
        )
        started.append(program)
        return program, port

    yield begin
    for program in started:
        program.end()


def letters(bootstrap):
    """Ids of the records that are in the dead letters."""
    return {read_dead_letter(record.headers).id for record in read(bootstrap, f"{PREFIX}dead-letters")}


def test_beyond_the_limit_the_processor_stops_until_somebody_decides(embedded_kafka, start):
    bootstrap = embedded_kafka.bootstrap
    make_empty(bootstrap, prefix=PREFIX, partitions=2)
    poured = [OutRecord("game-results", b"t%d" % n, b"no event") for n in range(POURED)]
    send(bootstrap, poured, prefix=PREFIX)

    program, _ = start(LIMIT)
    assert program.ends(WAIT_S) == 70
    reason = json.loads(program.err.splitlines()[-1])["reason"]
    assert "records were refused within 60 s, in the last batch as " in reason
    assert f"the limit is {LIMIT} and 50%" in reason
    assert "ELOWIRE_DEAD_LETTER_LIMIT" in reason
    assert len(letters(bootstrap)) <= LIMIT

    program, port = start(0)
    wait_until(lambda: is_ready(port), WAIT_S, lambda: program.err)
    wait_until(lambda: len(letters(bootstrap)) == POURED, WAIT_S, lambda: program.err)
