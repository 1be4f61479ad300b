"""The broker's jars: fetched once, only as locked, and never asked for again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from elowire.runtime.embedded.faults import JarError
from elowire.runtime.embedded.jars import KAFKA_VERSION, Jar, class_path, locked_jars, parse_lock

SMALL = next(jar for jar in locked_jars() if jar.artifact == "slf4j-api")
OTHER = next(jar for jar in locked_jars() if jar.artifact == "jspecify")
# Every way out leads to a port where nobody listens.
UNREACHABLE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
FETCH = (
    "import sys, pathlib\n"
    "from elowire.runtime.embedded.jars import class_path, parse_lock\n"
    "jars = parse_lock(sys.argv[2])\n"
    "for path in class_path(pathlib.Path(sys.argv[1]), lambda step: None, jars): print(path)\n"
)


def line(jar):
    return f"{jar}:{jar.sha256}"


def fetch_without_network(cache, *jars):
    return subprocess.run(
        [sys.executable, "-c", FETCH, str(cache), "\n".join(map(line, jars))],
        env={**os.environ, **UNREACHABLE},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_lock_is_of_this_kafka_alone():
    kafka = {jar for jar in locked_jars() if jar.group == "org.apache.kafka"}
    assert {jar.version for jar in kafka} == {KAFKA_VERSION}
    assert {"kafka_2.13", "kafka-clients", "kafka-server", "kafka-metadata"} <= {
        jar.artifact for jar in kafka
    }
    assert len({(jar.group, jar.artifact) for jar in locked_jars()}) == len(locked_jars())


def test_the_lock_beside_the_others_is_the_one_that_ships():
    beside = Path(__file__).parents[2] / "requirements" / "kafka-jars.lock"
    assert parse_lock(beside.read_text()) == locked_jars()


@pytest.mark.parametrize("text", ["a:b:c", "a:b:c:short", f"a:b:c:d:{'0' * 64}"])
def test_a_line_that_does_not_fit_is_named(text):
    with pytest.raises(JarError, match=r"line 2: expected group:artifact:version:sha256"):
        parse_lock(f"# comment\n{text}\n")


@pytest.mark.broker
def test_a_jar_is_fetched_once_and_a_damaged_one_again(tmp_path, capfd):
    steps = []
    paths = class_path(tmp_path, steps.append, [SMALL, OTHER])
    assert steps == [f"fetching Kafka: {number} of 2 jars" for number in (0, 1, 2)]
    assert [path.name for path in paths] == ["slf4j-api-1.7.36.jar", "jspecify-1.0.0.jar"]
    assert {path.name for path in tmp_path.iterdir()} == {"org"}

    assert class_path(tmp_path, steps.append, [SMALL, OTHER], offline=True) == paths
    whole = paths[0].read_bytes()
    paths[0].write_bytes(whole[:1000])
    with pytest.raises(JarError, match=r"1 of 2 jars .*org\.slf4j:slf4j-api:1\.7\.36"):
        class_path(tmp_path, steps.append, [SMALL, OTHER], offline=True)
    class_path(tmp_path, steps.append, [SMALL, OTHER])
    assert paths[0].read_bytes() == whole
    assert steps[3:] == [f"fetching Kafka: {number} of 2 jars" for number in (1, 2)]
    assert capfd.readouterr() == ("", "")


@pytest.mark.broker
def test_a_jar_that_is_not_the_locked_one_never_enters_the_cache(tmp_path):
    forged = SMALL._replace(sha256="0" * 64)
    with pytest.raises(JarError, match=rf"(?s)jar {SMALL} .*expected sha256 0000.*got {SMALL.sha256}"):
        class_path(tmp_path, lambda _: None, [forged])
    assert list(tmp_path.rglob("*.jar")) == []


@pytest.mark.broker
def test_without_a_network_a_full_cache_is_enough(tmp_path):
    wanted = class_path(tmp_path, lambda _: None, [SMALL])
    offline = fetch_without_network(tmp_path, SMALL)
    assert offline.stdout.split() == [str(path) for path in wanted]


@pytest.mark.broker
def test_without_a_network_an_empty_cache_says_what_to_do(tmp_path):
    offline = fetch_without_network(tmp_path, SMALL)
    assert offline.returncode == 1
    assert "1 of 1 jars of Apache Kafka 4.4.0 are not in" in offline.stderr
    assert "Connect to the network once" in offline.stderr
    assert offline.stdout == ""


def test_a_jar_lies_where_maven_would_put_it():
    jar = Jar("org.example.deep", "thing", "1.2", "0" * 64)
    assert jar.path(Path("cache")) == Path("cache/org/example/deep/thing/1.2/thing-1.2.jar")
