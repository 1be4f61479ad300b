"""Quix Streams as its users write it: `apply` with state, at least once, a checkpoint each second.

It runs in an environment of its own (`requirements/peers.txt`), so this file knows nothing of Elowire.
"""

from __future__ import annotations

from typing import Any

from quixstreams import Application, State

from tests.bench.peers import ledger
from tests.bench.peers.job import Job, job_of


def run(job: Job) -> None:
    """Work until it is ended."""
    app = Application(
        broker_address=job.bootstrap,
        consumer_group=job.group,
        auto_offset_reset="earliest",
        state_dir=job.folder,
        commit_interval=1.0,
        loglevel="WARNING",
        producer_extra_config={"enable.idempotence": True, "acks": "all"},
    )
    source = app.topic(job.source, value_deserializer="bytes", key_deserializer="bytes")
    outputs = app.topic(job.outputs, value_serializer="bytes", key_serializer="bytes")

    def rate(
        value: bytes, key: bytes, _timestamp: int, _headers: Any, state: State
    ) -> bytes | None:  # whatever came
        known = state.get_bytes("ledger")
        emitted, states = ledger.apply([(key, value)], {key: known} if known else {})
        if not emitted:
            return None
        state.set_bytes("ledger", states[key])
        return emitted[0][1]

    stream = app.dataframe(source).apply(rate, stateful=True, metadata=True)
    stream.filter(lambda value: value is not None).to_topic(outputs)
    app.run()


if __name__ == "__main__":
    run(job_of())
