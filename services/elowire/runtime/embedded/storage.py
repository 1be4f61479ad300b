"""The broker's data: formatted once, and checked before every later start."""

from __future__ import annotations

import base64
import shutil
import subprocess
import uuid
from typing import TYPE_CHECKING

from elowire.runtime.data_dir import read_mark, write_mark
from elowire.runtime.embedded.faults import EmbeddedKafkaError
from elowire.runtime.embedded.jars import KAFKA_VERSION
from elowire.runtime.embedded.properties import NODE_ID
from elowire.runtime.settings import child_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_META_VERSION = "1"


def log_dir(data_dir: Path) -> Path:
    """Return the folder in `data_dir` that holds the broker's data."""
    return data_dir / "kafka"


def draft_dir(data_dir: Path) -> Path:
    """Return the folder that is formatted before it takes the name of `log_dir`."""
    return data_dir / "kafka.new"


def format_data(data_dir: Path, java: Sequence[str], config: Path, lock: int) -> str:
    """Format the data that `config` describes (in the draft folder), and return the new cluster's id.

    The draft gets its final name when it is whole, so that a kill leaves either nothing or everything; Java
    inherits the descriptor `lock`, so that it holds the directory even when we are killed meanwhile.
    Raises `EmbeddedKafkaError` with what Kafka said.
    """
    draft = draft_dir(data_dir)
    shutil.rmtree(draft, ignore_errors=True)
    cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    # One word with its option: an id may begin with a hyphen.
    done = subprocess.run(  # noqa: S603 - our own Java and class path
        [*java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster_id}", "-c", str(config)],
        capture_output=True,
        check=False,
        cwd=data_dir,
        pass_fds=(lock,),
        env=child_environment(LC_ALL="C.UTF-8"),
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")[-2000:].strip()
        raise EmbeddedKafkaError(f"Kafka could not format {draft}; it said:\n{said}")
    draft.rename(log_dir(data_dir))
    write_mark(data_dir, {**read_mark(data_dir), "kafka": KAFKA_VERSION, "cluster": cluster_id})

    return cluster_id


def check_data(data_dir: Path) -> str:
    """Return the cluster id of data that is there already.

    Raises `EmbeddedKafkaError` when it is damaged, somebody else's, or written by a later Kafka.
    """
    mark = read_mark(data_dir)
    meta_file = log_dir(data_dir) / "meta.properties"
    try:
        meta = _pairs(meta_file.read_text("utf-8"))
    except OSError as fault:
        raise EmbeddedKafkaError(
            f"cannot read {meta_file}: {fault.strerror}. The broker's data is damaged: restore it from "
            "a copy, or choose another data directory and feed the events again"
        ) from fault
    version, node = meta.get("version"), meta.get("node.id")
    if version != _META_VERSION or node != str(NODE_ID):
        raise EmbeddedKafkaError(
            f"{meta_file}: expected version {_META_VERSION} and node {NODE_ID}, found version {version} and "
            f"node {node}. The embedded Kafka {KAFKA_VERSION} did not write it: choose another data directory"
        )
    written_by = str(mark.get("kafka", KAFKA_VERSION))
    if _numbers(written_by) > _numbers(KAFKA_VERSION):
        raise EmbeddedKafkaError(
            f"{log_dir(data_dir)} was written by Kafka {written_by}, which Kafka {KAFKA_VERSION} of this "
            "release cannot read. Use the release of Elowire that wrote it, or another data directory"
        )
    cluster_id = meta.get("cluster.id", "")
    current = {**mark, "kafka": KAFKA_VERSION, "cluster": cluster_id}
    if current != mark:
        write_mark(data_dir, current)

    return cluster_id


def _pairs(text: str) -> dict[str, str]:
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in lines}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
