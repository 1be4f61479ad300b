"""What the embedded broker refuses, before Java starts or with what Java said."""

from __future__ import annotations

import json
import socket

import pytest

from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.embedded.faults import DataRefusedError, EmbeddedKafkaError
from elowire.runtime.embedded.storage import check_data
from tests.runtime import ports

PORT = ports.REFUSALS


@pytest.fixture
def data(tmp_path):
    """A data directory as an earlier start left it, without the records."""
    (tmp_path / "kafka").mkdir()
    (tmp_path / "elowire.json").write_text('{"layout": 1, "kafka": "4.4.0", "cluster": "one"}')
    write_meta(tmp_path)
    return tmp_path


def write_meta(data, **changes):
    meta = {"version": "1", "node.id": "1", "cluster.id": "one", "directory.id": "dir", **changes}
    lines = ["#", "#Wed Dec 02 2026", *(f"{name}={value}" for name, value in meta.items())]
    (data / "kafka" / "meta.properties").write_text("\n".join(lines))


def refused(data, match, fault=EmbeddedKafkaError):
    before = sorted(path.relative_to(data) for path in data.rglob("*")) if data.exists() else []
    with pytest.raises(fault, match=match):
        EmbeddedKafka(data, PORT).start()
    return before


def test_a_taken_port_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", PORT)):
        refused(tmp_path, rf"port {PORT} on 127\.0\.0\.1 is taken .*ELOWIRE_KAFKA_PORT")
    assert not (tmp_path / "kafka").exists()


def test_a_directory_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    before = refused(
        tmp_path, r"is not a data directory of Elowire.*letter\.txt.*Choose an empty", DataRefusedError
    )
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before


def test_another_broker_s_log_directory_is_somebody_else_s(tmp_path):
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=1\n")
    refused(tmp_path, "is not a data directory of Elowire", DataRefusedError)


def test_a_file_is_no_directory(tmp_path):
    (tmp_path / "file").touch()
    refused(tmp_path / "file", "cannot use the data directory", DataRefusedError)


def test_a_later_layout_names_the_release_as_the_way_out(data):
    (data / "elowire.json").write_text('{"layout": 2}')
    refused(data, "layout 2 was expected to be 1.*use that release", DataRefusedError)


def test_a_broken_mark_is_named(data):
    (data / "elowire.json").write_text("{")
    refused(data, r"cannot read .*elowire\.json", DataRefusedError)


def test_a_later_kafka_says_so(data):
    (data / "elowire.json").write_text('{"layout": 1, "kafka": "5.0.1"}')
    refused(data, r"was written by Kafka 5\.0\.1, which Kafka 4\.4\.0 of this release cannot read")


def test_an_earlier_kafka_is_taken_over(data):
    (data / "elowire.json").write_text('{"layout": 1, "kafka": "4.3.1", "mine": true}')
    assert check_data(data) == "one"
    assert json.loads((data / "elowire.json").read_text()) == {
        "layout": 1,
        "kafka": "4.4.0",
        "cluster": "one",
        "mine": True,
    }


@pytest.mark.parametrize(
    ("meta", "match"),
    [
        ({"version": "2"}, "expected version 1 and node 1, found version 2"),
        ({"version": "0"}, "found version 0"),
        ({"node.id": "7"}, "node 7"),
    ],
)
def test_another_format_says_so(data, meta, match):
    write_meta(data, **meta)
    refused(data, match)


def test_data_without_its_description_is_damaged(data):
    (data / "kafka" / "meta.properties").unlink()
    refused(data, "data is damaged")


def test_a_path_that_kafka_would_split(tmp_path):
    refused(tmp_path / "a,b", "cannot use a path with ','")


@pytest.mark.broker
def test_a_failed_start_quotes_kafka_and_leaves_nothing_running(tmp_path):
    kafka = EmbeddedKafka(tmp_path, PORT, properties={"log.retention.ms": "often"})
    with pytest.raises(EmbeddedKafkaError, match="often"):
        kafka.start()
    assert not kafka.running
